"""Describes the machine and the commit that were measured."""

import datetime
import os
import pathlib
import re
import subprocess

PACKAGES = {
    "LevelDB": "libleveldb-dev",
    "RocksDB": "librocksdb-dev",
    "Snappy": "libsnappy-dev",
    "Zstandard": "libzstd-dev",
    "ISA-L": "libisal-dev",
    "Abseil": "libabsl-dev",
    "Google Benchmark": "libbenchmark-dev",
}


def _output(*command, cwd=None):
    return subprocess.run(command, cwd=cwd, capture_output=True, text=True).stdout.strip()


def _read(path):
    try:
        return pathlib.Path(path).read_text()
    except OSError:
        return ""


def _first(pattern, text, default="unknown"):
    match = re.search(pattern, text, re.MULTILINE)
    return match.group(1).strip() if match else default


def _caches():
    caches = []
    for folder in sorted(pathlib.Path("/sys/devices/system/cpu/cpu0/cache").glob("index*")):
        if _read(folder / "type").strip() != "Instruction":
            caches.append(f"L{_read(folder / 'level').strip()} {_read(folder / 'size').strip()}")
    return ", ".join(caches)


def _vector_units(flags):
    known = [("avx512f", "AVX-512"), ("avx2", "AVX2"), ("sse4_2", "SSE4.2"), ("asimd", "NEON")]
    return next((label for flag, label in known if flag in flags.split()), "no vector units known")


def _version(package):
    return _output("dpkg-query", "--show", "--showformat=${Version}", package) or "?"


def describe_machine(root):
    """Returns a description of each part of the machine and system, by label."""
    cpu = _read("/proc/cpuinfo")
    family = "family {}, model {}".format(
        _first(r"^cpu family\s*: (.*)", cpu), _first(r"^model\s*: (.*)", cpu)
    )
    flags = _first(r"^(?:flags|Features)\s*: (.*)", cpu, "")
    memory = int(_first(r"^MemTotal:\s*(\d+) kB", _read("/proc/meminfo"), "0")) / 2**20
    return {
        "CPU": "{} ({}), {} cores, {}, {}".format(
            _first(r"^model name\s*: (.*)", cpu),
            family,
            os.cpu_count(),
            _vector_units(flags),
            _caches(),
        ),
        "Memory": f"{memory:.0f} GiB",
        "System": "{}, Linux {}".format(
            _first(r'^PRETTY_NAME="(.*)"', _read("/etc/os-release")), os.uname().release
        ),
        "Compiler": _output("g++", "--version").splitlines()[0] + ", bazel -c opt, the library with -O3",
        "Libraries": ", ".join(f"{name} {_version(p)}" for name, p in PACKAGES.items()),
        "Commit": _output("git", "describe", "--always", "--dirty", cwd=root) or "unknown",
        "Date": datetime.date.today().isoformat(),
    }
