"""Checks the layers of CONTRIBUTING.md: no file of the library or of `sst` may include a header of
a higher layer. The API must stay small and include nothing else of ours. Include guards must match
paths."""

import pathlib
import re
import sys

# The folders that each folder may include.
MAY_INCLUDE = {
    "util": [],
    "keys": ["util"],
    "filter": ["keys", "util"],
    "table/block": ["keys", "util"],
    "table/index": ["filter", "keys", "table/block", "util"],
    "table": ["filter", "keys", "table/block", "table/index", "util"],
    "table/inspect": ["filter", "keys", "table", "table/block", "table/index", "util"],
    "table/salvage": ["filter", "keys", "table", "table/block", "table/inspect", "util"],
    "db": ["filter", "keys", "table", "table/block", "table/index", "table/inspect", "table/salvage", "util"],
    "db/salvage": [
        "db", "filter", "keys", "table", "table/block", "table/inspect", "table/salvage", "util",
    ],
    "c": ["db", "db/salvage", "filter", "keys", "table", "table/block", "table/inspect", "util"],
    "remote": ["util"],
    "decode": ["db", "keys", "table", "table/block", "util"],
    "c/decode": ["c", "decode", "util"],
    "sqlite": [
        "db", "decode", "keys", "table", "table/block", "table/index", "table/inspect", "util",
    ],
    "report/text": ["util"],
    "report": [
        "db", "decode", "filter", "keys", "report/text", "table", "table/block", "table/inspect", "util",
    ],
    "tools/cli": ["report/text", "util"],
    "tools/records": ["report", "report/text", "table/block", "tools/cli", "util"],
    "tools/sort": ["keys", "table", "table/block", "tools/cli", "tools/records", "util"],
    "tools/files": [
        "db", "decode", "remote", "report", "report/text", "table", "table/block", "table/index",
        "table/inspect", "tools/cli", "util",
    ],
    "tools/dump": [
        "db", "decode", "report", "report/text", "table", "table/block", "table/index",
        "table/inspect", "tools/cli", "tools/files", "tools/records", "util",
    ],
    "tools/bulk": [
        "db", "filter", "report", "report/text", "table/block", "tools/cli", "tools/files",
        "tools/records", "tools/sort", "util",
    ],
    "tools/database": [
        "db", "db/salvage", "decode", "report", "report/text", "tools/cli", "tools/files", "util",
    ],
    "tools/page": [
        "decode", "report", "report/text", "table/inspect", "tools/cli", "tools/database",
        "tools/files", "util",
    ],
    "tools/commands": [
        "db", "db/salvage", "decode", "remote", "report", "report/text", "table", "table/block",
        "table/index", "table/inspect", "table/salvage", "tools/bulk", "tools/cli",
        "tools/database", "tools/dump", "tools/files", "tools/page", "tools/records",
        "tools/sort", "util",
    ],
    "tools": ["report/text", "tools/cli", "tools/commands", "util"],
}
# The folder that implements a header of the API, and thereby the header's layer.
API = {
    "c.h": "c",
    "check.h": "table/inspect",
    "comparator.h": "keys",
    "database_files.h": "db",
    "database_view.h": "db",
    "file.h": "util",
    "filter_block.h": "filter",
    "filter_policy.h": "filter",
    "format.h": "table/block",
    "internal_key.h": "keys",
    "iterator.h": "keys",
    "options.h": "table",
    "salvage.h": "db/salvage",
    "slice.h": "util",
    "table_builder.h": "table",
    "table_iterator.h": "table",
    "table_reader.h": "table",
    "version.h": "util",
}
# These headers may change in any version.
EXPERIMENTAL = {
    "filter_report.h": "table/inspect",
    "key_guess.h": "table/inspect",
    "layout.h": "table/inspect",
    "log_file.h": "db",
    "table_filter.h": "filter",
    "table_salvage.h": "table/salvage",
    "table_stats.h": "table/inspect",
    "write_batch.h": "db",
}
MAX_API_HEADERS = 18
MAX_INTERNAL_HEADERS_OF_TOOLS = 29  # headers of the library that tools/ includes, except util/
MAX_HEADERS_OF_A_READER = 15  # that sstable/table_reader.h includes, directly or not, and itself
INCLUDE = re.compile(r'^#include "([^"\n]*)/([^"/\n]*)"', re.MULTILINE)

wrong = 0


def complain(text):
    global wrong
    print(text)
    wrong += 1


def check_floor(path, folder):
    for included, name in INCLUDE.findall(path.read_text()):
        if included.startswith("sstable") and folder.startswith(("report", "tools")):
            continue  # these may include all of the API
        floor = {"sstable": API, "sstable/experimental": EXPERIMENTAL}.get(included, {}).get(
            name, "unknown" if included.startswith("sstable") else included)
        if floor == "unknown" or floor in MAY_INCLUDE and floor not in MAY_INCLUDE[folder] + [folder]:
            complain(f"{path} includes {included}/{name}, which {folder}/ may not know")


def check_guard(path):
    name = str(path).removeprefix("include/sstable/")
    guard = "SSTABLE_" + re.sub(r"\W", "_", name).upper() + "_"
    if "-inl." not in name and f"#ifndef {guard}\n#define {guard}\n" not in path.read_text():
        complain(f"{path} has another include guard, expected {guard}")


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
                if path.suffix == ".h":
                    check_guard(path)

    headers = sorted(path.name for path in pathlib.Path("include/sstable").glob("*.h"))
    if headers != sorted(API):
        complain(f"the API has {headers}, expected {sorted(API)}")
    if len(headers) > MAX_API_HEADERS:
        complain(f"the API has {len(headers)} headers, expected at most {MAX_API_HEADERS}")
    experimental = sorted(path.name for path in pathlib.Path("include/sstable/experimental").iterdir())
    if experimental != sorted(EXPERIMENTAL):
        complain(f"sstable/experimental has {experimental}, expected {sorted(EXPERIMENTAL)}")
    for path in sorted(pathlib.Path("include/sstable").rglob("*.h")):
        check_floor(path, {**API, **EXPERIMENTAL}.get(path.name, "util"))
        check_guard(path)
        text = path.read_text()
        for folder, included in INCLUDE.findall(text):
            if not folder.startswith(("sstable", "absl/")):
                complain(f"{path} includes {folder}/{included}, which is not of the API")
        # Public headers must not have other classes' private parts in them.
        for declared in re.findall(r"^ *friend (?:class|struct) \w+|^(?:class|struct) \w+;", text, re.MULTILINE):
            complain(f"{path} has \"{declared.strip()}\"")
    internal = {
        f"{folder}/{name}"
        for path in pathlib.Path("tools").rglob("*.[ch]*")
        for folder, name in INCLUDE.findall(path.read_text())
        if folder in MAY_INCLUDE and not folder.startswith(("decode", "remote", "report", "tools", "util"))
    }
    if len(internal) > MAX_INTERNAL_HEADERS_OF_TOOLS:
        complain(f"tools/ includes {len(internal)} internal headers: {sorted(internal)}")
    pulled_in = with_included("table_reader.h", set())
    if len(pulled_in) > MAX_HEADERS_OF_A_READER:
        complain(f"sstable/table_reader.h pulls in {len(pulled_in)} headers: {sorted(pulled_in)}")

    print(f"{files} files, {len(headers)} headers of the API, {wrong} wrong")
    return 1 if wrong or files < 100 else 0


sys.exit(main())
