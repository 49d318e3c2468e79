#include "benchmarks/cdb_rival.h"

#include <cdb.h>
#include <fcntl.h>
#include <unistd.h>

#include <cstddef>

#include "benchmarks/require.h"

namespace sstable::bench {
namespace {

unsigned SizeOf(absl::string_view bytes) { return static_cast<unsigned>(bytes.size()); }

}  // namespace

void CdbDatabase::Fill(const std::string& path, const Entries& entries) {
  const int file = ::open(path.c_str(), O_RDWR | O_CREAT | O_TRUNC, 0644);
  cdb_make make;
  Require(file >= 0 && cdb_make_start(&make, file) == 0, "tinycdb creates " + path);
  for (size_t i = 0; i < entries.size(); ++i) {
    const absl::string_view key = entries.key(i);
    const absl::string_view value = entries.value(i);
    Require(cdb_make_add(&make, key.data(), SizeOf(key), value.data(), SizeOf(value)) == 0,
            "tinycdb adds to " + path);
  }
  Require(cdb_make_finish(&make) == 0 && ::close(file) == 0, "tinycdb finishes " + path);
}

CdbDatabase::CdbDatabase(const std::string& path) : database_(std::make_unique<cdb>()) {
  const int file = ::open(path.c_str(), O_RDONLY);
  Require(file >= 0 && cdb_init(database_.get(), file) == 0, "tinycdb opens " + path);
}

CdbDatabase::~CdbDatabase() {
  ::close(cdb_fileno(database_.get()));
  cdb_free(database_.get());
}

bool CdbDatabase::Get(absl::string_view key, std::string* value) {
  if (cdb_find(database_.get(), key.data(), SizeOf(key)) <= 0) return false;
  const auto* const bytes = static_cast<const char*>(cdb_getdata(database_.get()));
  value->assign(bytes, cdb_datalen(database_.get()));
  return true;
}

}  // namespace sstable::bench
