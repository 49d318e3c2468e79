#include "tests/support/sha256.h"

#include "absl/numeric/bits.h"
#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"

namespace sstable::test {
namespace {

constexpr size_t kBlockSize = 64;

constexpr uint32_t kRoundConstants[64] = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2};

uint32_t BigEndian(const char* p) {
  const auto byte = [p](int i) { return uint32_t{static_cast<unsigned char>(p[i])}; };
  return byte(0) << 24 | byte(1) << 16 | byte(2) << 8 | byte(3);
}

void AppendBigEndian(std::string* dst, uint64_t value, int byte_count) {
  for (int i = byte_count - 1; i >= 0; --i) dst->push_back(static_cast<char>(value >> (8 * i)));
}

}  // namespace

void Sha256::Compress(const char* block) {
  using absl::rotr;
  uint32_t w[64];
  for (int i = 0; i < 16; ++i) w[i] = BigEndian(block + 4 * i);
  for (int i = 16; i < 64; ++i) {
    const uint32_t s0 = rotr(w[i - 15], 7) ^ rotr(w[i - 15], 18) ^ (w[i - 15] >> 3);
    const uint32_t s1 = rotr(w[i - 2], 17) ^ rotr(w[i - 2], 19) ^ (w[i - 2] >> 10);
    w[i] = w[i - 16] + s0 + w[i - 7] + s1;
  }
  auto [a, b, c, d, e, f, g, h] = state_;
  for (int i = 0; i < 64; ++i) {
    const uint32_t t1 = h + (rotr(e, 6) ^ rotr(e, 11) ^ rotr(e, 25)) + ((e & f) ^ (~e & g)) +
                        kRoundConstants[i] + w[i];
    const uint32_t t2 = (rotr(a, 2) ^ rotr(a, 13) ^ rotr(a, 22)) + ((a & b) ^ (a & c) ^ (b & c));
    h = g, g = f, f = e, e = d + t1;
    d = c, c = b, b = a, a = t1 + t2;
  }
  const uint32_t added[8] = {a, b, c, d, e, f, g, h};
  for (int i = 0; i < 8; ++i) state_[i] += added[i];
}

void Sha256::Add(absl::string_view bytes) {
  size_ += bytes.size();
  if (!pending_.empty()) {
    const size_t wanted = kBlockSize - pending_.size();
    absl::StrAppend(&pending_, bytes.substr(0, wanted));
    if (pending_.size() < kBlockSize) return;
    Compress(pending_.data());
    bytes.remove_prefix(wanted);
  }
  for (; bytes.size() >= kBlockSize; bytes.remove_prefix(kBlockSize)) Compress(bytes.data());
  pending_ = std::string(bytes);
}

std::string Sha256::HexDigest() {
  std::string end = "\x80";
  while ((size_ + end.size()) % kBlockSize != kBlockSize - 8) end.push_back('\0');
  AppendBigEndian(&end, 8 * size_, 8);
  Add(end);
  std::string digest;
  for (const uint32_t word : state_) AppendBigEndian(&digest, word, 4);
  return absl::BytesToHexString(digest);
}

}  // namespace sstable::test
