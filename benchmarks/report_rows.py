"""The rows of the report: which benchmarks are compared, and the goal for each comparison.

To add a row, register benchmarks in the component's .cc and name them here. The table omits rows whose
first benchmark was not run.
"""

from typing import NamedTuple


class Row(NamedTuple):
    metric: str
    ours: str  # a benchmark's name, like the next two; "" for none; NAME@wall for wall time
    leveldb: str = ""
    rocksdb: str = ""
    goal: float = 0  # minimum of LevelDB's figure divided by ours; 0 for none
    unit: str = "ns"  # a key of UNITS


# The factor that converts a measured value (seconds per item, bytes, or a plain number), and the
# decimals.
UNITS = {
    "ns": 1e9,
    "µs": 1e6,
    "B": 1,
    "MB": 1e-6,
    "x": 1,
}

# Rows computed from two others: the first figure divided by the second.
DERIVED = {
    "threads/speedup/2_to_4/ours": ("get/hit/1M/ours/threads:2", "get/hit/1M/ours/threads:4"),
    "threads/speedup/2_to_4/leveldb": (
        "get/hit/1M/leveldb_db/threads:2",
        "get/hit/1M/leveldb_db/threads:4",
    ),
    "threads/speedup/2_to_4/rocksdb": (
        "get/hit/1M/rocksdb_db/threads:2",
        "get/hit/1M/rocksdb_db/threads:4",
    ),
}

SIZES = {"10k": "1 MB", "1M": "108 MB", "9M": "1 GB"}
SETS = {
    "10k": "1 MB",
    "1M": "108 MB",
    "9M": "1 GB",
    "10k-random": "1 MB, random keys",
    "1M-random": "108 MB, random keys",
    "9M-random": "1 GB, random keys",
}


def against(rival, metric, name, goal=0, unit="ns"):
    """Returns a row that compares our benchmark with LevelDB's and RocksDB's. `rival` is the class
    that they measure, "db" or "table"."""
    return Row(
        metric, f"{name}/ours", f"{name}/leveldb_{rival}", f"{name}/rocksdb_{rival}", goal, unit
    )


def filter_rows():
    create_goals = {20: 0, 40: 4, 60: 0, 100: 0, 1000: 5, 1 << 23: 0}
    for n, goal in create_goals.items():
        name = f"create_filter/n={n}"
        label = "one of 10 MB" if n == 1 << 23 else f"{n} keys"
        yield Row(f"CreateFilter, {label}", f"{name}/ours", f"{name}/leveldb", goal=goal)
    asked = [
        ("windows", "2 KiB windows", "ours", {"miss": 3.5, "hit": 2.5}),
        ("windows", "2 KiB windows, portable code", "ours_portable", {"miss": 1.7, "hit": 1.3}),
        ("10MB", "one of 10 MB", "ours", {"miss": 0, "hit": 0}),
    ]
    for workload, label, ours, goals in asked:
        for answer, goal in goals.items():
            name = f"key_may_match/{workload}/{answer}"
            yield Row(
                f"KeyMayMatch, {label}, {answer}", f"{name}/{ours}", f"{name}/leveldb", goal=goal
            )


def build_rows():
    goals = {
        "16+100/null/raw": 8,
        "16+100/null/raw+filter": 6,
        "16+100/tmpfs/raw+filter": 3,
        "16+100/null/snappy+filter": 1.7,
    }
    for entry in ("16+100", "16+1000"):
        for sink in ("null", "tmpfs"):
            for codec in ("raw", "snappy", "zstd"):
                for kind, label in ((codec, codec), (f"{codec}+filter", f"{codec}, filter")):
                    name = f"{entry}/{sink}/{kind}"
                    leveldb = "" if codec == "zstd" else f"build/{name}/leveldb"
                    yield Row(
                        f"{entry}, {sink}, {label}",
                        f"build/{name}/ours",
                        leveldb,
                        f"build/{name}/rocksdb",
                        goals.get(name, 0),
                    )
                    if codec != "raw":
                        yield Row(
                            f"{entry}, {sink}, {label}, 2 threads, wall time",
                            f"build/{name}/ours_2_threads",
                            leveldb and f"{leveldb}@wall",
                            f"build/{name}/rocksdb@wall",
                            2.8 if name == "16+100/null/snappy+filter" else 0,
                        )


def get_rows():
    goals = {
        ("hit", "10k"): 6,
        ("hit", "1M"): 3,
        ("hit", "9M"): 3,
        ("miss", "10k"): 18,
        ("miss", "1M"): 11,
        ("miss", "9M"): 8,
    }
    for rival, label in (("db", "DB::Get"), ("table", "Table's iterator")):
        for answer in ("hit", "miss"):
            for data_set, size in SETS.items():
                yield against(
                    rival,
                    f"Get {answer} against {label}, {size}",
                    f"get/{answer}/{data_set}",
                    goals.get((answer, data_set), 0) if rival == "db" else 0,
                )


def multi_get_rows():
    goals = {("hit", "1M"): 9, ("hit", "9M"): 9}
    for answer in ("hit", "miss"):
        for data_set, size in SETS.items():
            yield Row(
                f"MultiGet of 32, {answer}, against DB::Get, {size}",
                f"multi_get/{answer}/{data_set}/ours",
                f"get/{answer}/{data_set}/leveldb_db",
                f"multi_get/{answer}/{data_set}/rocksdb_db",
                goals.get((answer, data_set), 0),
            )


def iterator_rows():
    seek_goals = {"10k": 4, "1M": 2.2}
    for data_set, size in SETS.items():
        goal = seek_goals.get(data_set, 0)
        yield against("table", f"Seek, {size}", f"seek/{data_set}", goal)
    scan_goals = {"10k": 6, "1M": 3.3}
    for direction in ("forward", "backward"):
        for data_set, size in SETS.items():
            goal = scan_goals.get(data_set, 0) if direction == "forward" else 0
            name = f"scan/{direction}/{data_set}"
            yield against("table", f"scan {direction}, {size}", name, goal)


def snappy_rows():
    def row(metric, name, ours, leveldb, rocksdb, goal=0.0):
        return Row(metric, f"{name}/{ours}", f"{name}/{leveldb}", f"{name}/{rocksdb}", goal)

    for answer, goal in (("hit", 3), ("miss", 0)):
        name = f"get/{answer}/1M-snappy"
        label = f"Get {answer}, 108 MB"
        yield row(
            f"{label}, cached, against DB::Get",
            name,
            "ours_cached",
            "leveldb_db",
            "rocksdb_db",
            goal,
        )
        yield row(f"{label}, cold", name, "ours", "leveldb_table", "rocksdb_table")
    for answer in ("hit", "miss"):
        yield Row(
            f"MultiGet of 32, {answer}, 108 MB, cached, against DB::Get",
            f"multi_get/{answer}/1M-snappy/ours_cached",
            f"get/{answer}/1M-snappy/leveldb_db",
            f"multi_get/{answer}/1M-snappy/rocksdb_db",
        )
    yield row(
        "Seek, 108 MB, cached",
        "seek/1M-snappy",
        "ours_cached",
        "leveldb_table_cached",
        "rocksdb_table_cached",
    )
    yield row("Seek, 108 MB, cold", "seek/1M-snappy", "ours", "leveldb_table", "rocksdb_table")
    for direction, goal in (("forward", 1.5), ("backward", 0)):
        name = f"scan/{direction}/1M-snappy"
        label = f"scan {direction}, 108 MB"
        yield row(
            f"{label}, cached",
            name,
            "ours_cached",
            "leveldb_table_cached",
            "rocksdb_table_cached",
        )
        yield row(f"{label}, cold", name, "ours", "leveldb_table", "rocksdb_table", goal)


def internal_key_rows():
    miss_goals = {"10k": 12, "1M": 9, "9M": 6}
    for size in SIZES:
        for answer in ("hit", "miss"):
            name = f"get/{answer}/{size}"
            yield Row(
                f"Get {answer} against DB::Get, {SIZES[size]}, internal keys",
                f"{name}-internal/ours",
                f"{name}/leveldb_db",
                f"{name}/rocksdb_db",
                miss_goals[size] if answer == "miss" else 0,
            )
            yield Row(
                f"MultiGet of 32, {answer}, against DB::Get, {SIZES[size]}, internal keys",
                f"multi_get/{answer}/{size}-internal/ours",
                f"{name}/leveldb_db",
                f"multi_get/{answer}/{size}/rocksdb_db",
            )
        for direction in ("forward", "backward"):
            yield against(
                "db",
                f"scan {direction} against DB's iterator, {SIZES[size]}, internal keys",
                f"scan/{direction}/{size}-internal",
            )


def open_rows():
    # Includes verifying the index, which LevelDB does not do.
    first_get_goals = {"1 MB": 1, "108 MB": 1 / 4, "1 GB": 1 / 20}
    for name, label in (("open", "open"), ("open_get", "open and first Get")):
        for data_set, size in SETS.items():
            goal = 1 if name == "open" else first_get_goals[size.split(",")[0]]
            yield against("table", f"{label}, {size}", f"{name}/{data_set}", goal, "µs")
    for lookups, label in ((1, "a Get"), (10, "10 Gets")):
        for answer in ("hit", "miss"):
            name = f"open_many/{lookups}/{answer}"
            yield Row(
                f"open and {label}, {answer}, many tables of 2 MiB in turn",
                f"{name}/ours",
                f"{name}/leveldb_table",
                goal=1 if lookups == 10 else 0,
                unit="µs",
            )


def thread_rows():
    for threads in (2, 4):
        yield Row(
            f"Get hit, 108 MB, {threads} threads, wall time per key",
            f"get/hit/1M/ours/threads:{threads}",
            f"get/hit/1M/leveldb_db/threads:{threads}",
            f"get/hit/1M/rocksdb_db/threads:{threads}",
        )
    name = "threads/speedup/2_to_4"
    yield Row(
        "rate of 4 threads over that of 2",
        f"{name}/ours",
        f"{name}/leveldb",
        f"{name}/rocksdb",
        unit="x",
    )


def memory_rows():
    for measure, label, unit in (
        ("heap_per_block", "heap per data block, index loaded", "B"),
        ("peak_rss", "peak RSS of open and 1000 Gets", "MB"),
    ):
        for size, file_size in SIZES.items():
            name = f"memory/{measure}/{size}"
            yield Row(
                f"{label}, {file_size}",
                f"{name}/ours",
                f"{name}/leveldb",
                f"{name}/rocksdb",
                unit=unit,
            )


SECTIONS = [
    ("Bloom filter, 16-byte keys, per key", list(filter_rows())),
    ("Build, key + value bytes, per entry, CPU time", list(build_rows())),
    ("Get, raw table, per key", list(get_rows())),
    ("MultiGet, raw table, per key", list(multi_get_rows())),
    ("Iterator, raw table, per seek or entry", list(iterator_rows())),
    ("Snappy table, blocks cached or cold", list(snappy_rows())),
    ("Table of internal keys", list(internal_key_rows())),
    ("Open", list(open_rows())),
    ("Threads", list(thread_rows())),
    ("Memory", list(memory_rows())),
]

# The rows of docs/performance.md by metric, and how the work grows with the table.
CHOSEN = {
    "Get hit against DB::Get, 108 MB": "Get, key present, against `DB::Get`",
    "Get miss against DB::Get, 108 MB": "Get, key absent, against `DB::Get`",
    "Get miss against DB::Get, 108 MB, internal keys": "the same, a database's internal keys",
    "MultiGet of 32, hit, against DB::Get, 108 MB": "MultiGet of 32 present keys, per key",
    "Get hit, 108 MB, cached, against DB::Get": "Get, key present, Snappy, block in the cache",
    "Seek, 108 MB": "Seek, against `Table`'s iterator",
    "scan forward, 108 MB": "scan, per entry",
    "scan forward, 108 MB, cold": "scan, Snappy, nothing cached, per entry",
    "scan backward, 108 MB": "scan backward, per entry",
    "16+100, null, snappy, filter": "build, Snappy and filter, per entry",
    "16+100, null, snappy, filter, 2 threads, wall time": "the same with 2 threads",
    "open and first Get, 108 MB": "open and first Get",
}
GROWING = {
    "Get, key present": "Get hit against DB::Get, {}",
    "Get, key absent": "Get miss against DB::Get, {}",
    "MultiGet of 32, present": "MultiGet of 32, hit, against DB::Get, {}",
    "Seek": "Seek, {}",
    "scan": "scan forward, {}",
    "open and first Get": "open and first Get, {}",
}
