// Replaces zstd's compressors for levels above 2, for dictionaries and for long distances, which
// would be a sixth of the core. Salvaged tables are compressed at level 1, for which zstd always
// uses ZSTD_fast.
#include <stdlib.h>

// The linker drops functions that are never called.
#define ZSTD_compressBlock_fast_dictMatchState unused_dictMatchState
#define ZSTD_compressBlock_fast_extDict unused_extDict
#include "compress/zstd_fast.c"
#undef ZSTD_compressBlock_fast_dictMatchState
#undef ZSTD_compressBlock_fast_extDict

#include "compress/zstd_compress_internal.h"
#include "compress/zstd_double_fast.h"
#include "compress/zstd_lazy.h"
#include "compress/zstd_ldm.h"
#include "compress/zstd_opt.h"

#define NEVER(name)                                                                       \
  size_t ZSTD_compressBlock_##name(ZSTD_matchState_t* ms, seqStore_t* store,              \
                                   U32 rep[ZSTD_REP_NUM], void const* src, size_t size) { \
    (void)ms, (void)store, (void)rep, (void)src, (void)size;                              \
    abort();                                                                              \
  }
#define NEVER_WITH_DICTIONARY(name) NEVER(name) NEVER(name##_dictMatchState) NEVER(name##_extDict)
#define NEVER_WITH_ROWS(name)      \
  NEVER_WITH_DICTIONARY(name)      \
  NEVER(name##_row)                \
  NEVER(name##_dictMatchState_row) \
  NEVER(name##_extDict_row) NEVER(name##_dedicatedDictSearch) NEVER(name##_dedicatedDictSearch_row)

NEVER(fast_dictMatchState)
NEVER(fast_extDict)
NEVER_WITH_DICTIONARY(doubleFast)
NEVER_WITH_ROWS(greedy)
NEVER_WITH_ROWS(lazy)
NEVER_WITH_ROWS(lazy2)
NEVER_WITH_DICTIONARY(btlazy2)
NEVER_WITH_DICTIONARY(btopt)
NEVER_WITH_DICTIONARY(btultra)
NEVER(btultra2)

void ZSTD_fillDoubleHashTable(ZSTD_matchState_t* ms, void const* end,
                              ZSTD_dictTableLoadMethod_e method, ZSTD_tableFillPurpose_e purpose) {
  (void)ms, (void)end, (void)method, (void)purpose;
  abort();
}
void ZSTD_dedicatedDictSearch_lazy_loadDictionary(ZSTD_matchState_t* ms, const BYTE* ip) {
  (void)ms, (void)ip;
  abort();
}
U32 ZSTD_insertAndFindFirstIndex(ZSTD_matchState_t* ms, const BYTE* ip) {
  (void)ms, (void)ip;
  abort();
}
void ZSTD_row_update(ZSTD_matchState_t* ms, const BYTE* ip) {
  (void)ms, (void)ip;
  abort();
}
void ZSTD_updateTree(ZSTD_matchState_t* ms, const BYTE* ip, const BYTE* end) {
  (void)ms, (void)ip, (void)end;
  abort();
}

// Long distances are off by default, but these two functions are still called.
size_t ZSTD_ldm_getTableSize(ldmParams_t params) {
  (void)params;
  return 0;
}
size_t ZSTD_ldm_getMaxNbSeq(ldmParams_t params, size_t size) {
  (void)params, (void)size;
  return 0;
}
// Called for blocks of a few bytes, which have no sequences to skip.
void ZSTD_ldm_skipSequences(rawSeqStore_t* store, size_t size, U32 const min_match) {
  (void)store, (void)size, (void)min_match;
}
void ZSTD_ldm_skipRawSeqStoreBytes(rawSeqStore_t* store, size_t size) {
  (void)store, (void)size;
  abort();
}
void ZSTD_ldm_adjustParameters(ldmParams_t* params, ZSTD_compressionParameters const* all) {
  (void)params, (void)all;
  abort();
}
void ZSTD_ldm_fillHashTable(ldmState_t* state, const BYTE* p, const BYTE* end,
                            ldmParams_t const* params) {
  (void)state, (void)p, (void)end, (void)params;
  abort();
}
size_t ZSTD_ldm_generateSequences(ldmState_t* state, rawSeqStore_t* sequences,
                                  ldmParams_t const* params, void const* src, size_t size) {
  (void)state, (void)sequences, (void)params, (void)src, (void)size;
  abort();
}
size_t ZSTD_ldm_blockCompress(rawSeqStore_t* sequences, ZSTD_matchState_t* ms, seqStore_t* store,
                              U32 rep[ZSTD_REP_NUM], ZSTD_paramSwitch_e rows, void const* src,
                              size_t size) {
  (void)sequences, (void)ms, (void)store, (void)rep, (void)rows, (void)src, (void)size;
  abort();
}
