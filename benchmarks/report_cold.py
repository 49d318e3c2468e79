"""Tables that are in no cache: how much lookups and a scan read from the device, and how long they
take."""

import statistics

READERS = {
    "ours": "ours, mapped",
    "ours_read": "ours, by pread",
    "leveldb": "LevelDB",
    "rocksdb_read": "RocksDB",
    "rocksdb": "RocksDB, mapped",
}
SIZES = {"1M": "108 MB", "9M": "1 GB"}
JOBS = {
    "open_get": "open and first Get",
    "get": "Get, of 1,000",
    "multi_get": "MultiGet of 32, per key",
}


def _bytes(count):
    return f"{count / 1e6:.2f} MB" if count >= 1e6 else f"{count / 1e3:.1f} kB"


def _time(microseconds):
    return f"{microseconds / 1e3:.2f} ms" if microseconds >= 1e3 else f"{microseconds:.0f} µs"


def _cells(runs):
    def median(name):
        return statistics.median(run[name] for run in runs)

    for job in JOBS:
        if f"{job}_us" in runs[0]:
            yield f"{_time(median(job + '_us'))}, {_bytes(median(job + '_bytes'))}"
        else:
            yield "–"
    yield f"{median('file_bytes') / median('scan_us'):.0f} MB/s"
    yield f"{median('scan_bytes') / median('file_bytes'):.2f}"


def markdown(cold):
    lines = []
    for size, runs in cold.items():
        lines += [
            f"### Cold file of {SIZES[size]}, raw, on a device",
            "",
            "Wall time and what the device read, medians; by default LevelDB maps the file, and "
            "RocksDB reads by pread. A data block has 4 kB.",
            "",
            f"| | {' | '.join(JOBS.values())} | scan | its reads over the file |",
            "|---|" + "--:|" * (len(JOBS) + 2),
            *(f"| {READERS[who]} | {' | '.join(_cells(runs[who]))} |" for who in runs),
            "",
        ]
    return "\n".join(lines)
