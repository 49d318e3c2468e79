#include "benchmarks/key_shapes.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"

namespace sstable::bench {
namespace {

std::string Digits(uint64_t number, size_t count) {
  std::string digits(count, '0');
  for (size_t i = count; i-- > 0 && number > 0; number /= 10) {
    digits[i] = static_cast<char>('0' + number % 10);
  }
  return digits;
}

std::string BigEndian(uint64_t number, int size) {
  std::string bytes;
  for (int i = size - 1; i >= 0; --i) bytes += static_cast<char>(number >> (8 * i));
  return bytes;
}

std::string LittleEndian(uint64_t number, int size) {
  std::string bytes = BigEndian(number, size);
  std::reverse(bytes.begin(), bytes.end());
  return bytes;
}

std::string RandomBytes(uint64_t seed, size_t size) {
  Random random(seed);
  std::string bytes(size, '\0');
  for (size_t i = 0; i < size; i += 8) {
    const uint64_t word = random.Next();
    std::memcpy(&bytes[i], &word, std::min<size_t>(8, size - i));
  }
  return bytes;
}

std::string Path(uint64_t number) {
  return absl::StrCat("tenant-", Digits(number / 2'000'000, 2), "/user/", Digits(number / 200, 8),
                      "/feed/", Digits(number, 11));
}

std::string Composite(uint64_t number) {
  constexpr uint64_t kEventsOfTenant = 14'000;
  const uint64_t event = number % kEventsOfTenant;
  return BigEndian(3 * (number / kEventsOfTenant) + 1, 8) +
         BigEndian(1'600'000'000'000'000 + event / 4 * 977'001, 8) + BigEndian(event % 4, 4);
}

std::string Uuid(uint64_t number) {
  std::string bytes = RandomBytes(number, 16), text;
  bytes[6] = static_cast<char>(0x40 | (bytes[6] & 0x0f));  // version (RFC 9562)
  bytes[8] = static_cast<char>(0x80 | (bytes[8] & 0x3f));  // variant
  for (size_t i = 0; i < bytes.size(); ++i) {
    if (i == 4 || i == 6 || i == 8 || i == 10) text += '-';
    absl::StrAppend(&text, absl::Hex(static_cast<unsigned char>(bytes[i]), absl::kZeroPad2));
  }
  return text;
}

// Pronounceable names, each with a popularity.
class Hosts {
 public:
  static const Hosts& Get() {
    static const Hosts hosts;
    return hosts;
  }

  std::string Host(Random* random) const { return Name(random, /*reverse=*/false); }
  std::string ReverseHost(Random* random) const { return Name(random, /*reverse=*/true); }
  const std::string& Folder(Random* random) const {  // low numbers are more popular
    return folders_[random->Below(1 + random->Below(folders_.size()))];
  }

 private:
  static constexpr size_t kHosts = 20'000;

  Hosts() {
    Random random(305);
    double sum = 0;
    for (size_t i = 0; i < kHosts; ++i) {
      names_.push_back(Word(&random, 2, 5));
      shares_.push_back(sum += 1 / std::pow(static_cast<double>(i + 1), 0.9));
    }
    for (size_t i = 0; i < 3000; ++i) folders_.push_back(Word(&random, 1, 4));
  }

  static std::string Word(Random* random, size_t fewest, size_t most) {
    static constexpr absl::string_view kSyllables[] = {
        "an", "ber", "co", "dia", "en", "fo", "gra", "hu", "in", "jo", "ka", "lo",  "me",
        "no", "or",  "pa", "qu",  "re", "st", "tr",  "un", "vi", "we", "zo", "sho", "new"};
    std::string word;
    for (size_t n = fewest + random->Below(most - fewest + 1); n > 0; --n) {
      absl::StrAppend(&word, kSyllables[random->Below(std::size(kSyllables))]);
    }
    return word;
  }

  std::string Name(Random* random, bool reverse) const {
    static constexpr absl::string_view kEnds[] = {"com", "com", "com", "org", "net", "de", "io"};
    const double share = static_cast<double>(random->Next() >> 11) * 0x1p-53 * shares_.back();
    const auto host = static_cast<size_t>(std::lower_bound(shares_.begin(), shares_.end(), share) -
                                          shares_.begin());
    const absl::string_view end = kEnds[host % std::size(kEnds)];
    const absl::string_view www = host % 3 == 0 ? "" : "www";
    if (reverse) return absl::StrCat(end, ".", names_[host], www.empty() ? "" : ".", www);
    return absl::StrCat(www, www.empty() ? "" : ".", names_[host], ".", end);
  }

  std::vector<std::string> names_;
  std::vector<double> shares_;  // cumulative popularity
  std::vector<std::string> folders_;
};

std::string Url(uint64_t number) {
  Random random(number / 2);
  const Hosts& hosts = Hosts::Get();
  std::string url = absl::StrCat("https://", hosts.Host(&random), "/");
  for (size_t n = random.Below(4); n > 0; --n) absl::StrAppend(&url, hosts.Folder(&random), "/");
  if (url.size() > 100) url.resize(100);
  switch (random.Below(3)) {
    case 0:
      return absl::StrCat(url, "article-", number, ".html");
    case 1:
      return absl::StrCat(url, "p/", number);
    default:
      return absl::StrCat(url, "i.php?id=", number);
  }
}

std::string Domain(uint64_t number) {
  Random random(number / 2);
  const Hosts& hosts = Hosts::Get();
  return absl::StrCat(hosts.ReverseHost(&random), "/", hosts.Folder(&random), number);
}

std::string Coins(uint64_t number) {
  return "C" + RandomBytes(number / 4, 32) + static_cast<char>(number % 4);
}

std::string Accounts(uint64_t number) {
  const uint64_t account = Random(number / 2).Below(5000);
  return "o" + RandomBytes(account, 32) + RandomBytes(~number, 32);
}

std::string IndexedDb(uint64_t number) {
  std::string key("\0\1\2\1\1\x10", 6);  // ... a string of 16 units
  for (const char digit : Digits(number, 16)) key += {'\0', digit};
  return key;
}

std::string Chunks(uint64_t number) {
  const uint64_t part = number % 16, chunk = number / 16;
  return LittleEndian(chunk % 1024 - 512, 4) + LittleEndian(chunk / 1024 - 512, 4) + '\x2f' +
         static_cast<char>(part);
}

struct Shape {
  const char* name;
  std::string (*key)(uint64_t number);
  bool is_in_order;
};

constexpr Shape kShapes[] = {
    {"decimal", [](uint64_t number) { return Digits(number, 16); }, true},
    {"random", [](uint64_t number) { return RandomBytes(number, 16); }, false},
    {"path", &Path, true},
    {"composite", &Composite, true},
    {"uuid", &Uuid, false},
    {"url", &Url, false},
    {"domain", &Domain, false},
    {"coins", &Coins, false},
    {"accounts", &Accounts, false},
    {"indexeddb", &IndexedDb, true},
    {"chunks", &Chunks, false},
};

const Shape& ShapeOf(KeyShape shape) { return kShapes[static_cast<size_t>(shape)]; }

}  // namespace

const char* NameOf(KeyShape shape) { return ShapeOf(shape).name; }
std::string MakeKey(KeyShape shape, uint64_t number) { return ShapeOf(shape).key(number); }
bool IsInOrder(KeyShape shape) { return ShapeOf(shape).is_in_order; }

}  // namespace sstable::bench
