"""Formats the report's table as text and as Markdown."""

from report_rows import CHOSEN, GROWING, SIZES, UNITS

HEADER = ["metric", "ours", "LevelDB", "RocksDB", "ratio", "goal", "RocksDB / ours"]
NOTE = "<!-- Between these marks, that program writes. -->"


def _three_digits(value):
    if value >= 99.5:
        return f"{value:.0f}"
    return f"{value:.1f}" if value >= 9.95 else f"{value:.2f}"


def _figure(value, unit):
    return "–" if value is None else f"{_three_digits(value * UNITS[unit])} {unit}"


def _ratio(value):
    if value is None:
        return "–"
    if value >= 9.995:
        return f"{value:.1f}x"
    return f"{value:.2f}x" if value >= 0.1 else f"{value:.1g}x"


class _Line:
    """A row and its figures, which are None if they weren't measured."""

    def __init__(self, row, figures):
        self.row = row
        self.ours = figures.get(row.ours)
        self.leveldb = figures.get(row.leveldb)
        self.rocksdb = figures.get(row.rocksdb)
        # For the unit "x", higher is better, so a ratio that means "faster" would mislead.
        comparable = self.ours and row.unit != "x"
        self.ratio = self.leveldb / self.ours if comparable and self.leveldb is not None else None
        self.rocksdb_ratio = (
            self.rocksdb / self.ours if comparable and self.rocksdb is not None else None
        )
        self.has_goal = row.goal > 0 and self.ratio is not None
        self.met = self.has_goal and self.ratio >= row.goal

    def cells(self):
        goal = f"{self.row.goal:g}x" if self.row.goal else ""
        if self.has_goal:
            goal += " ✓" if self.met else " ✗"
        return [
            self.row.metric,
            _figure(self.ours, self.row.unit),
            _figure(self.leveldb, self.row.unit),
            _figure(self.rocksdb, self.row.unit),
            _ratio(self.ratio),
            goal,
            _ratio(self.rocksdb_ratio),
        ]


def _lines(sections, figures):
    """Yields the title and lines of each section that has lines."""
    for title, rows in sections:
        lines = [_Line(row, figures) for row in rows if row.ours in figures]
        if lines:
            yield title, lines


def text_table(sections, figures):
    tables = [
        (title, [line.cells() for line in lines]) for title, lines in _lines(sections, figures)
    ]
    cells = [HEADER, *(row for _, rows in tables for row in rows)]
    widths = [max(len(row[i]) for row in cells) for i in range(len(HEADER))]

    def aligned(row):
        rest = (cell.rjust(width) for cell, width in zip(row[1:], widths[1:]))
        return "  ".join([row[0].ljust(widths[0]), *rest]).rstrip()

    text = [aligned(HEADER)]
    for title, rows in tables:
        text += ["", title, *map(aligned, rows)]
    return "\n".join(text) + "\n"


def _verdicts(sections, figures, measured):
    lines = [line for _, lines in _lines(sections, figures) for line in lines]
    with_goal = [line for line in lines if line.has_goal]
    met = sum(line.met for line in with_goal)
    behind = [line.row.metric for line in lines if line.rocksdb_ratio and line.rocksdb_ratio < 1]
    missing = [
        row.metric for _, rows in sections for row in rows if row.goal and row.ours not in figures
    ]
    yield f"{met} of {len(with_goal)} goals met."
    if behind:
        yield f"Behind RocksDB in: {'; '.join(behind)}."
    if missing and not measured["partial"]:
        yield f"Goals with no figure: {'; '.join(missing)}."


def _circumstances(measured, spread):
    if not measured["verified"]:
        yield "Answers were NOT compared with LevelDB's."
    if spread is not None:
        yield (
            f"Median of {measured['repetitions']} repetitions in random order; "
            f"half of the benchmarks lay within {100 * spread:.0f} % from best to worst."
        )
    if measured["load"] > 0.5:
        yield f"The machine was not idle: its load was {measured['load']:.1f} before the run."


def summary(sections, figures, measured, spread):
    return "\n".join([*_verdicts(sections, figures, measured), *_circumstances(measured, spread)])


def markdown_table(sections, figures, measured, spread):
    text = [f"- {label}: {value}" for label, value in measured["machine"].items()]
    text += [f"- Command: `{measured['command']}`", f"- It ran: `{measured['binary']}`", ""]
    text += [" ".join(_circumstances(measured, spread)), ""]
    text += [" ".join(_verdicts(sections, figures, measured)), ""]
    for title, lines in _lines(sections, figures):
        text += [
            f"### {title}",
            "",
            f"| {' | '.join(HEADER)} |",
            "|---|--:|--:|--:|--:|--:|--:|",
            *(f"| {' | '.join(line.cells())} |" for line in lines),
            "",
        ]
    return "\n".join(text)


def chosen_rows(sections, figures, measured):
    """Returns the tables for docs/performance.md: the rows CHOSEN, and the rows GROWING for each
    size."""
    lines = {line.row.metric: line for _, all_lines in _lines(sections, figures) for line in all_lines}
    machine = measured["machine"]
    text = [
        f"{machine['CPU']}; {machine['System']}; commit {machine['Commit']}, {machine['Date']}.",
        "",
        "| a million entries, 108 MB | ours | LevelDB | RocksDB | LevelDB / ours | RocksDB / ours |",
        "|---|--:|--:|--:|--:|--:|",
    ]
    for metric, label in CHOSEN.items():
        ours, leveldb, rocksdb, ratio, _, rocksdb_ratio = lines[metric].cells()[1:]
        text.append(f"| {label} | {ours} | {leveldb} | {rocksdb} | {ratio} | {rocksdb_ratio} |")
    text += [
        "",
        f"| ours, LevelDB / ours | {' | '.join(SIZES.values())} |",
        "|---|" + "--:|" * len(SIZES),
    ]
    for label, metric in GROWING.items():
        cells = [lines[metric.format(size)].cells() for size in SIZES.values()]
        text.append(f"| {label} | {' | '.join(f'{cell[1]}, {cell[4]}' for cell in cells)} |")
    return "\n".join(text) + "\n"


def replace_section(page, section, program):
    """Replaces what is between the program's marks in the page, or appends it if there are no marks."""
    mark, end_mark = f"<!-- {program}: begin -->", f"<!-- {program}: end -->"
    text = page.read_text() if page.exists() else "# Performance\n"
    before, begin, rest = text.partition(mark)
    _, end, after = rest.partition(end_mark)
    if begin and not end:
        raise SystemExit(f"{page}: the mark of the generated part's end is missing")
    if not begin:
        before, after = before.rstrip("\n") + "\n\n", "\n"
    page.write_text(f"{before}{mark}\n{NOTE}\n\n{section}\n{end_mark}{after}")
