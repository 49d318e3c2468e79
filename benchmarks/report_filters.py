"""The goals for whole-table filters, and the speed of lookups with them compared with tinycdb and
LevelDB.

To add a row, add a figure to filter_goals.cc and name it here.
"""

import math
from typing import NamedTuple

SIZES = {"10k": "1 MB", "1M": "108 MB", "9M": "1 GB"}
SHAPES = {"decimal": "decimal keys", "random": "random keys", "path": "path keys"}
STORES = {
    "cdb": "tinycdb",
    "leveldb_db": "LevelDB, `DB::Get`",
    "none": "no filter",
    "bloom": "LevelDB's filter",
    "blocked": "`blocked:10`",
    "bloom+blocked": "LevelDB's and `blocked:10`",
    "fuse8": "`fuse8`",
}


# The maximum number of absent keys looked up. The 95 % interval of a rate depends on it.
ASKED = {"10k": 10_000, "1M": 1_000_000, "9M": 1 << 20}


class Goal(NamedTuple):
    metric: str
    figure: str  # in the output of //benchmarks:filter_goals
    unit: str
    limit: float  # for the figure, or for its ratio to `over`
    over: str = ""
    slack: float = 0  # chance may raise the figure above the limit by this


def _sets(figures):
    for size, label in SIZES.items():
        for shape, keys in SHAPES.items():
            name = f"{size}-{shape}"
            if f"get/hit/{name}/cdb" in figures:
                yield size, f"{label}, {keys}", name


def _size_and_rate(size, label, name):
    for filter_name, bits, percent in (("blocked", 10.1, 1.0), ("fuse8", 9.05, 0.4)):
        store = STORES[filter_name]
        share = percent / 100
        slack = 196 * math.sqrt(share * (1 - share) / ASKED[size])
        yield Goal(f"{store}, {label}: size", f"bits_per_key/{name}/{filter_name}",
                   "bits per key", bits)
        yield Goal(f"{store}, {label}: absent keys that pass",
                   f"passed_percent/{name}/{filter_name}", "%", percent, slack=slack)


def goals(figures):
    miss_limits = {"10k": 0.2, "1M": 0.3, "9M": 0.3}
    for size, label, name in _sets(figures):
        if size != "10k":  # in small sets, the rate depends on chance, and fuse8 is larger
            yield from _size_and_rate(size, label, name)
        if size != "10k" and name.endswith("decimal"):
            for store in ("blocked", "fuse8"):
                yield Goal(f"{STORES[store]}, {SIZES[size]}: neighbours of decimal keys that pass"
                           " over random keys that do", f"passed_percent/{name}/{store}", "%", 1.05,
                           f"passed_percent/{size}-random/{store}")
        yield Goal(f"`blocked:10`, {label}: build beside the hash", f"create/{name}/blocked",
                   "ns", 12)
        yield Goal(f"`fuse8`, {label}: build beside the hash", f"create/{name}/fuse8", "ns", 90)
        yield Goal(f"Get miss with `blocked:10` over tinycdb's, {label}",
                   f"get/miss/{name}/blocked", "ns", miss_limits[size], f"get/miss/{name}/cdb")
        yield Goal(f"Get hit with `blocked:10` over no filter, {label}",
                   f"get/hit/{name}/blocked", "ns", 1.05, f"get/hit/{name}/none")
        yield Goal(f"Get hit with LevelDB's filter and `blocked:10` over LevelDB's alone, {label}",
                   f"get/hit/{name}/bloom+blocked", "ns", 1.05, f"get/hit/{name}/bloom")


def _number(value):
    return f"{value:.0f}" if value >= 99.5 else f"{value:.3g}"


def _goal_row(goal, figures):
    """Returns the cells of a goal's row, and whether the goal is met."""
    figure = figures[goal.figure]
    if not goal.over:
        met = float(f"{figure:.3g}") <= goal.limit + goal.slack
        limit = f"≤ {goal.limit:g} {goal.unit} {'✓' if met else '✗'}"
        return [goal.metric, f"{_number(figure)} {goal.unit}", "", "", limit], met
    over = figures[goal.over]
    met = figure / over <= goal.limit
    cells = [
        goal.metric,
        f"{_number(figure)} {goal.unit}",
        f"{_number(over)} {goal.unit}",
        f"{figure / over:.2f}x",
        f"≤ {goal.limit:g}x {'✓' if met else '✗'}",
    ]
    return cells, met


def _markdown(header, rows):
    alignment = "|---|" + "--:|" * (len(header) - 1)
    return [f"| {' | '.join(header)} |", alignment, *(f"| {' | '.join(row)} |" for row in rows)]


def markdown(figures, machine, command, load):
    rows = [_goal_row(goal, figures) for goal in goals(figures)]
    text = [f"- {label}: {value}" for label, value in machine.items()]
    text += [
        f"- Command: `{command}`",
        "",
        "The lower quartile of rounds in which all stores took turns, processor time of the thread."
        f" The machine's load was {load:.1f} before the run.",
        "",
        f"{sum(met for _, met in rows)} of {len(rows)} goals met.",
        "",
        *_markdown(
            ["metric", "figure", "compared with", "ratio", "goal"], [row for row, _ in rows]
        ),
        "",
    ]
    for answer in ("hit", "miss"):
        lookups = [
            [label, *(_number(figures[f"get/{answer}/{name}/{store}"]) for store in STORES)]
            for _, label, name in _sets(figures)
        ]
        text += [*_markdown([f"Get {answer}, ns", *STORES.values()], lookups), ""]
    return "\n".join(text)
