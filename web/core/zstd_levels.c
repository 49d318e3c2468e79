// Replaces zstd's compressors for levels above 2, which would be a seventh of the core. Salvaged
// tables are compressed at level 1, for which zstd uses ZSTD_fast whatever the size of a block.
#include <stdlib.h>

#include "compress/zstd_compress_internal.h"
#include "compress/zstd_double_fast.h"
#include "compress/zstd_lazy.h"
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
