#include "tests/support/sha256.h"

#include "gtest/gtest.h"

namespace sstable::test {
namespace {

// FIPS 180-4's examples, as published by NIST.
TEST(Sha256Test, GivesThePublishedDigests) {
  EXPECT_EQ(Sha256Hex(""), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  EXPECT_EQ(Sha256Hex("abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  EXPECT_EQ(Sha256Hex("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq"),
            "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
  EXPECT_EQ(Sha256Hex(std::string(1000000, 'a')),
            "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
}

TEST(Sha256Test, DoesNotDependOnHowTheBytesAreCut) {
  const std::string bytes(300, 'x');
  for (size_t first = 0; first <= bytes.size(); ++first) {
    Sha256 sha256;
    sha256.Add(absl::string_view(bytes).substr(0, first));
    sha256.Add(absl::string_view(bytes).substr(first));
    EXPECT_EQ(sha256.HexDigest(), Sha256Hex(bytes)) << first;
  }
}

}  // namespace
}  // namespace sstable::test
