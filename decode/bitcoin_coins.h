// The coins of Bitcoin Core's chainstate, after its coins.h, compressor.h and serialize.h.
#ifndef SSTABLE_DECODE_BITCOIN_COINS_H_
#define SSTABLE_DECODE_BITCOIN_COINS_H_

#include <cstdint>

#include "absl/strings/string_view.h"
#include "decode/value_tree.h"

namespace sstable {

// Removes a varint from the front of `*input`. Returns false, and leaves `*input` undefined, if
// there is none below 2^63.
bool ConsumeBitcoinVarint(absl::string_view* input, uint64_t* number);

// Decodes an unspent output: its height, whether it is a coinbase's, amount and script. Returns
// false if the value has another form.
bool DecodeCoin(absl::string_view value, ValueTree* tree);

// Decodes the unspent outputs of a transaction, as they were stored before version 0.15: varints, a
// version and a code; with as many bytes that are not 0 as the code says, a bit for each output
// from the third on; the outputs; and the height, a varint. Of the code, bit 0 is for a coinbase,
// bits 1 and 2 are for the first outputs, and the rest is the number of bytes, less by one if
// neither of these two is set.
bool DecodeOldCoins(absl::string_view value, ValueTree* tree);

}  // namespace sstable

#endif  // SSTABLE_DECODE_BITCOIN_COINS_H_
