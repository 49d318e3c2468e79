"""The floors of CONTRIBUTING.md: no file of the library or of `sst` includes a header of a higher one,
and the API is small and includes nothing else of ours."""

import pathlib
import re
import sys

# Each folder, and those that it may include.
MAY_INCLUDE = {
    "util": [],
    "filter": ["util"],
    "table/block": ["util"],
    "table": ["filter", "table/block", "util"],
    "table/inspect": ["filter", "table", "table/block", "util"],
    "table/salvage": ["filter", "table", "table/block", "table/inspect", "util"],
    "db": ["table", "table/block", "table/inspect", "table/salvage", "util"],
    "db/salvage": [
        "db", "filter", "table", "table/block", "table/inspect", "table/salvage", "util",
    ],
    "table/c": ["db", "filter", "table", "table/block", "table/inspect", "table/salvage", "util"],
    "remote": ["util"],
    "tools/cli": ["util"],
    "tools/decode": ["table", "table/block", "tools/cli", "util"],
    "tools/records": ["table", "table/block", "tools/cli", "tools/decode", "util"],
    "tools/sort": ["table", "table/block", "tools/cli", "tools/records", "util"],
    "tools": [
        "db", "db/salvage", "filter", "remote", "table", "table/block", "table/inspect",
        "table/salvage", "tools/cli", "tools/decode", "tools/records", "tools/sort", "util",
    ],
}
# The folder that has what a header of the API declares, and with it the header's floor.
API = {
    "block_cache.h": "table",
    "bloom_filter_policy.h": "filter",
    "c.h": "table/c",
    "check.h": "table/inspect",
    "comparator.h": "util",
    "database_salvage.h": "db/salvage",
    "database_view.h": "db",
    "file.h": "util",
    "file_name.h": "db",
    "filter_block.h": "filter",
    "filter_policy.h": "filter",
    "filter_report.h": "table/inspect",
    "format.h": "table/block",
    "internal_key.h": "util",
    "iterator.h": "util",
    "key_guess.h": "table/inspect",
    "layout.h": "table/inspect",
    "live_iterator.h": "db",
    "log_file.h": "db",
    "merging_iterator.h": "table",
    "options.h": "table",
    "reader_stats.h": "table",
    "salvage.h": "table/salvage",
    "table_builder.h": "table",
    "table_iterator.h": "table",
    "table_reader.h": "table",
    "table_stats.h": "table/inspect",
    "version_edit.h": "db",
    "write_batch.h": "db",
}
MAX_API_HEADERS = 29
MAX_HEADERS_OF_A_READER = 12  # that sstable/table_reader.h pulls in, itself counted
INCLUDE = re.compile(r'^#include "([^"\n]*)/([^"/\n]*)"', re.MULTILINE)

wrong = 0


def complain(text):
    global wrong
    print(text)
    wrong += 1


def check_floor(path, folder):
    for included, name in INCLUDE.findall(path.read_text()):
        floor = API.get(name, "unknown") if included == "sstable" else included
        if floor == "unknown" or floor in MAY_INCLUDE and floor not in MAY_INCLUDE[folder] + [folder]:
            complain(f"{path} includes {included}/{name}, which {folder}/ may not know")


def with_included(name, found):
    found.add(name)
    for _, included in INCLUDE.findall(pathlib.Path("include/sstable", name).read_text()):
        if included in API and included not in found:
            with_included(included, found)
    return found


def main():
    files = 0
    for folder in MAY_INCLUDE:
        for path in sorted(pathlib.Path(folder).iterdir()):
            if path.suffix in (".h", ".cc"):
                files += 1
                check_floor(path, folder)

    headers = sorted(path.name for path in pathlib.Path("include/sstable").iterdir())
    if headers != sorted(API):
        complain(f"the API has {headers}, expected {sorted(API)}")
    if len(headers) > MAX_API_HEADERS:
        complain(f"the API has {len(headers)} headers, expected at most {MAX_API_HEADERS}")
    for name in headers:
        path = pathlib.Path("include/sstable", name)
        check_floor(path, API.get(name, "util"))
        for folder, included in INCLUDE.findall(path.read_text()):
            if folder != "sstable" and not folder.startswith("absl/"):
                complain(f"{path} includes {folder}/{included}, which is not of the API")
    pulled_in = with_included("table_reader.h", set())
    if len(pulled_in) > MAX_HEADERS_OF_A_READER:
        complain(f"sstable/table_reader.h pulls in {len(pulled_in)} headers: {sorted(pulled_in)}")

    print(f"{files} files, {len(headers)} headers of the API, {wrong} wrong")
    return 1 if wrong or files < 100 else 0


sys.exit(main())
