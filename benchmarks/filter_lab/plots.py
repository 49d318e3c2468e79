"""Draws the plots of docs/filters.md so that they are readable on light and dark pages."""

import re

import matplotlib

matplotlib.use("svg")
import matplotlib.pyplot as plt

INK = "#123456"  # replaced by the page's text colour
STYLE = """
  <style>
    svg { color: #1f2328; }
    #patch_1 path { fill: #ffffff !important; }
    text {
      font-family: ui-sans-serif, system-ui, "Segoe UI", Helvetica, Arial, sans-serif !important;
    }
    @media (prefers-color-scheme: dark) {
      svg { color: #e6edf3; }
      #patch_1 path { fill: #0d1117 !important; }
    }
  </style>
"""
# Visible on white and on black, and with different markers.
LOOKS = [
    {"color": "#2f81f7", "marker": "o"},
    {"color": "#d1632a", "marker": "s"},
    {"color": "#2da44e", "marker": "^"},
    {"color": "#a371f7", "marker": "D"},
    {"color": "#bf8700", "marker": "v"},
]


def _new(title, x, y):
    plt.rcParams.update({
        "svg.fonttype": "none",
        "svg.hashsalt": "sstable",  # gives the same names in every run
        "font.size": 11,
        "text.color": INK,
        "axes.labelcolor": INK,
        "axes.edgecolor": INK,
        "xtick.color": INK,
        "ytick.color": INK,
        "axes.facecolor": "none",
        "legend.frameon": False,
    })
    figure, axes = plt.subplots(figsize=(8, 4.6))
    axes.set_title(title, fontsize=12)
    axes.set_xlabel(x)
    axes.set_ylabel(y)
    axes.grid(True, color=INK, alpha=0.15, linewidth=0.6)
    for side in ("top", "right"):
        axes.spines[side].set_visible(False)
    return figure, axes


def _save(figure, path, description):
    figure.tight_layout()
    figure.savefig(path, metadata={"Date": None, "Creator": None})
    plt.close(figure)
    svg = path.read_text()
    svg = svg.replace(INK, "currentColor")
    svg = re.sub(r"\.(\d\d)\d+", r".\1", svg)  # hundredths of a point suffice
    start = svg.index("<svg")
    end = svg.index(">", start)
    svg = svg[:end] + f' role="img" aria-label="{description}">' + STYLE + svg[end + 1 :]
    path.write_text("\n".join(line.rstrip() for line in svg[start:].splitlines()) + "\n")


def _series(points):
    series = {}
    for point in points:
        series.setdefault(point["series"], []).append(point)
    return series


def _percent(points, key=None):
    """Returns the measured rates in percent, or those under `key`; NaN, which is not drawn, for zero."""
    rates = [p[key] if key else p["passed"] / p["tested"] for p in points]
    return [100 * rate if rate > 0 else float("nan") for rate in rates]


def _plot_measured(axes, points, looks, **more):
    for (name, of_series), look in zip(_series(points).items(), looks):
        xs = [p["x"] for p in of_series]
        line = {"label": name, "markersize": 5, "linewidth": 1.6, **{**look, **more}}
        if name.startswith("binary fuse, "):  # it has no values between its two sizes
            line["linestyle"] = ""
        axes.plot(xs, _percent(of_series), **line)


def _percent_ticks(axes):
    axes.set_yscale("log")
    axes.yaxis.set_major_formatter(lambda y, _: f"{y:g} %")


def _bits(lab, path):
    figure, axes = _new(
        "The more bits, the fewer absent keys pass", "bits per key", "absent keys that pass"
    )
    points = lab["bits_per_key"]
    theory = [p for p in points if p["series"] == "two hashes, table"]
    _plot_measured(axes, points, LOOKS)
    xs = [p["x"] for p in theory]
    axes.plot(xs, _percent(theory, "theory"), color=INK, linewidth=1, linestyle="--",
              label="Bloom filter, theory")
    axes.plot(xs, [100 * 2**-x for x in xs], color=INK, linewidth=1, linestyle=":",
              label="no filter can be better")
    _percent_ticks(axes)
    axes.set_xticks(range(4, 25, 2))
    axes.set_ylim(5e-4, 30)
    axes.legend(fontsize=9.5)
    _save(figure, path, "Share of absent keys that pass by bits per key, for six kinds of filters")


def _counted(lab, path):
    figure, axes = _new(
        "Even numbers in the filter, asked for the odd ones between",
        "keys in the filter (one window)",
        "odd numbers that pass",
    )
    _plot_measured(axes, lab["counted_windows"], LOOKS, marker="")
    theory = _series(lab["counted_windows"])["XXH3"]
    axes.plot([p["x"] for p in theory], _percent(theory, "theory"), color=INK, linewidth=1,
              linestyle="--", label="theory")
    _percent_ticks(axes)
    axes.legend(fontsize=9.5)
    _save(figure, path, "Share of odd numbers that pass by number of keys in the filter")


def draw_plots(lab, folder):
    """Writes filters-*.svg into `folder`."""
    _bits(lab, folder / "filters-bits.svg")
    _counted(lab, folder / "filters-counted.svg")
