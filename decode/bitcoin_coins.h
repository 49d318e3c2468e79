// Coins in Bitcoin Core's chainstate. Sources: its coins.h, compressor.h and serialize.h.
#ifndef SSTABLE_DECODE_BITCOIN_COINS_H_
#define SSTABLE_DECODE_BITCOIN_COINS_H_

#include <cstdint>

#include "absl/strings/string_view.h"
#include "decode/value_tree.h"

namespace sstable {

// Removes a varint from the front of `*input`. Returns false if there is none below 2^63; `*input`
// is then unspecified.
bool ConsumeBitcoinVarint(absl::string_view* input, uint64_t* number);

// Decodes an unspent output: its height, whether it is a coinbase's, amount and script. Returns
// false if the value has another form.
bool DecodeCoin(absl::string_view value, ValueTree* tree);

// Decodes a transaction's unspent outputs as stored before version 0.15:
//   version | code | masks | outputs | height      (all but masks and outputs are varints)
// Bit 0 of the code means a coinbase; bits 1 and 2 mean that outputs 0 and 1 are unspent. The other
// bits are the number of masks that are not 0, less one if bits 1 and 2 are both clear. A mask is
// a byte with a bit for each output from 2 on.
bool DecodeOldCoins(absl::string_view value, ValueTree* tree);

}  // namespace sstable

#endif  // SSTABLE_DECODE_BITCOIN_COINS_H_
