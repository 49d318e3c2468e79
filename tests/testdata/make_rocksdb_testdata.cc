// Rewrites the tables rocksdb-*.ldb of this folder; run make_testdata afterwards:
//   bazel run //tests/testdata:make_rocksdb_testdata -- "$PWD/tests/testdata"
// Needs librocksdb-dev (`scripts/setup.sh bench`), in a version below 10.1.
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <memory>
#include <string>
#include <vector>

#include "rocksdb/db.h"
#include "rocksdb/options.h"
#include "rocksdb/table.h"

namespace {

void Require(const rocksdb::Status& status) {
  if (status.ok()) return;
  std::cerr << status.ToString() << "\n";
  std::exit(1);
}

// A database of the lines of elements.tsv, whose memtable becomes one table of format version 0.
// Then every tenth key is deleted.
void MakeTable(const std::string& folder, const char* name, rocksdb::CompressionType compression) {
  namespace fs = std::filesystem;
  const fs::path database_folder = fs::temp_directory_path() / "make_rocksdb_testdata";
  rocksdb::BlockBasedTableOptions table_options;
  table_options.format_version = 0;
  table_options.checksum = rocksdb::kCRC32c;  // the only one in version 0
  table_options.block_size = 1024;
  rocksdb::Options options;
  options.table_factory.reset(rocksdb::NewBlockBasedTableFactory(table_options));
  options.compression = compression;
  options.create_if_missing = true;
  options.db_host_id = "none";
  Require(rocksdb::DestroyDB(database_folder, options));
  rocksdb::DB* opened = nullptr;
  Require(rocksdb::DB::Open(options, database_folder, &opened));
  const std::unique_ptr<rocksdb::DB> database(opened);
  std::ifstream elements(folder + "/elements.tsv");
  int count = 0;
  for (std::string line; std::getline(elements, line);) {
    const std::string key = line.substr(0, line.find('\t'));
    Require(database->Put({}, key, line.substr(key.size() + 1)));
    if (++count % 10 == 0) Require(database->Delete({}, key));
  }
  Require(database->Flush({}));
  std::vector<rocksdb::LiveFileMetaData> files;
  database->GetLiveFilesMetaData(&files);
  fs::copy_file(files.at(0).db_path + files.at(0).name, folder + "/" + name,
                fs::copy_options::overwrite_existing);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) {
    std::cerr << "usage: make_rocksdb_testdata FOLDER_WITH_ELEMENTS_TSV\n";
    return 2;
  }
  MakeTable(argv[1], "rocksdb-7.8-lz4.ldb", rocksdb::kLZ4Compression);
  MakeTable(argv[1], "rocksdb-7.8-lz4hc.ldb", rocksdb::kLZ4HCCompression);
  MakeTable(argv[1], "rocksdb-7.8-bzip2.ldb", rocksdb::kBZip2Compression);
  MakeTable(argv[1], "rocksdb-7.8-zstd.ldb", rocksdb::kZSTD);
}
