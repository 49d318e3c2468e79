"""How much the shape of keys and the size of values matter: every job, in a table of every kind."""

SHAPES = [
    "decimal",
    "random",
    "path",
    "composite",
    "uuid",
    "coins",
    "accounts",
    "indexeddb",
    "chunks",
    "url",
    "domain",
]
INTERNAL = "internal"  # decimal keys with a tag
GOALS = {"url": 1.8, "domain": 1.8}  # for lookups and seeks, relative to decimal keys
GOAL = 1.3
INTERNAL_GOALS = {"Get hit": 1.15, "Get miss": 1.4, "MultiGet hit": 1.2, "scan": 1.1}
FIRST_GET_GOAL = 2  # RocksDB's time divided by ours
SIZES = {"10k": "10,000", "1M": "a million"}
JOBS = {
    "Get hit": "get/hit/{}",
    "Get miss": "get/miss/{}",
    "MultiGet hit": "multi_get/hit/{}",
    "MultiGet miss": "multi_get/miss/{}",
    "Seek": "seek/{}",
    "scan": "scan/forward/{}",
    "scan back": "scan/backward/{}",
}
VALUE_SETS = {0: "1M-value0", 24: "1M-value24", 100: "1M", 400: "1M-value400", 4000: "1M-value4000"}
RIVALS = {
    "leveldb_table": "LevelDB's Table",
    "leveldb_db": "LevelDB",
    "lmdb": "LMDB",
    "mtbl": "mtbl",
}


def _ns(seconds):
    return f"{seconds * 1e9:.0f} ns" if seconds >= 1e-6 else f"{seconds * 1e9:.3g} ns"


def _figure(figures, size, shape, job, who):
    data_set = size if shape == "decimal" else f"{size}-{shape}"
    return figures.get(f"{JOBS[job].format(data_set)}/{who}")


def _goal(shape, job):
    """Returns the highest allowed ratio to the time with decimal keys; None if there is no goal."""
    if shape == INTERNAL:
        return INTERNAL_GOALS.get(job)
    return None if job.startswith("scan") else GOALS.get(shape, GOAL)


def _cells(figures, size, shape, worst):
    yield shape
    for job in JOBS:
        ours = _figure(figures, size, shape, job, "ours")
        decimal = _figure(figures, size, "decimal", job, "ours")
        if ours is None or not decimal:
            yield "–"
            continue
        ratio = ours / decimal
        text = f"{_ns(ours)}, {ratio:.2f}x"
        goal = _goal(shape, job)
        if goal and ratio > goal:
            text += " ✗"
        yield f"**{text}**" if worst.get(job) == shape else text


def _least(figures, size, rival):
    """Yields for each job the lowest ratio of the rival's time to ours, and the shape that has it."""
    for job in JOBS:
        ratios = []
        for shape in SHAPES:
            theirs = _figure(figures, size, shape, job, rival)
            ours = _figure(figures, size, shape, job, "ours")
            if theirs and ours:
                ratios.append((theirs / ours, shape))
        yield "{:.2f}x, {}".format(*min(ratios)) if ratios else "–"


def _worst(figures, size):
    worst = {}
    for job in JOBS:
        times = {shape: _figure(figures, size, shape, job, "ours") for shape in SHAPES}
        times = {shape: time for shape, time in times.items() if time}
        if len(times) > 1:
            worst[job] = max(times, key=times.get)
    return worst


def _value_rows(figures):
    for value_size, data_set in VALUE_SETS.items():
        cells = []
        for job in JOBS.values():
            ours, leveldb, lmdb = (
                figures.get(f"{job.format(data_set)}/{who}")
                for who in ("ours", "leveldb_table", "lmdb")
            )
            if job.startswith("multi_get"):  # they have no such job
                leveldb, lmdb = (
                    figures.get(f"{job.format(data_set).removeprefix('multi_')}/{who}")
                    for who in ("leveldb_table", "lmdb")
                )
            if not (ours and leveldb and lmdb):
                break
            cells.append(f"{_ns(ours)}, {leveldb / ours:.2f}x, {lmdb / ours:.2f}x")
        else:
            yield f"| {value_size} | {' | '.join(cells)} |"


def _first_gets(figures):
    rows = []
    for size, label in SIZES.items():
        for shape in SHAPES:
            data_set = size if shape == "decimal" else f"{size}-{shape}"
            ours, leveldb, rocksdb = (
                figures.get(f"open_get/{data_set}/{who}")
                for who in ("ours", "leveldb_table", "rocksdb_table")
            )
            if not (ours and leveldb and rocksdb):
                continue
            ahead = rocksdb / ours
            mark = "✓" if ahead >= FIRST_GET_GOAL else "✗"
            rows.append(
                f"| {label} | {shape} | {ours * 1e6:.3g} µs | {ours / leveldb:.2f}x "
                f"| {ahead:.2f}x {mark} |"
            )
    if not rows:
        return []
    return [
        "### Open and a first Get that finds, each shape",
        "",
        "Values of 100 bytes, raw, with a filter in the file. Ours verifies the index, LevelDB's "
        f"Table nothing. Goal: RocksDB's time is {FIRST_GET_GOAL}x ours.",
        "",
        "| entries | shape | ours | ours over LevelDB's | RocksDB's over ours |",
        "|---|---|--:|--:|--:|",
        *rows,
        "",
    ]


def _values(figures):
    rows = list(_value_rows(figures))
    if len(rows) < 2:
        return []
    return [
        "### Sizes of values, decimal keys, raw",
        "",
        "Per key or entry; LevelDB's Table over that, and LMDB (MultiGet over their single Get). A "
        "million entries; of larger values as many as have 110 MB.",
        "",
        f"| bytes | {' | '.join(JOBS)} |",
        "|---|" + "--:|" * len(JOBS),
        *rows,
        "",
    ]


def markdown(figures):
    lines = []
    for size, label in SIZES.items():
        worst = _worst(figures, size)
        if not worst:
            continue
        lines += [
            f"### Shapes of keys, {label} entries with values of 100 bytes, raw",
            "",
            "Per key or entry, and over decimal keys; bold: the worst shape; ✗: above the goal of a "
            f"lookup, {GOAL}x, of URLs and domains {GOALS['url']}x, of internal keys "
            f"{', '.join(f'{goal}x ({job})' for job, goal in INTERNAL_GOALS.items())}.",
            "",
            f"| shape | {' | '.join(JOBS)} |",
            "|---|" + "--:|" * len(JOBS),
            *(
                f"| {' | '.join(_cells(figures, size, shape, worst))} |"
                for shape in [*SHAPES, INTERNAL]
            ),
        ]
        for rival, name in RIVALS.items():
            least = list(_least(figures, size, rival))
            if any(cell != "–" for cell in least):
                lines.append(f"| {name} over ours, at least | {' | '.join(least)} |")
        lines.append("")
    return "\n".join(lines + _first_gets(figures) + _values(figures))
