#!/usr/bin/env python3
"""Builds a wheel of the Python package.

pip calls it (pyproject.toml), and CMake then compiles the library. To pack a library that already
exists:

  python/build_wheel.py FOLDER LIBRARY
  python/build_wheel.py FOLDER LIBRARY PLATFORM LICENCES

The second form is for a library that needs no other and was built for another system. PLATFORM is
the platform tag of the wheel, LICENCES a file to include.

The wheel contains the library and the libraries that it needs, except those of the C and C++
compilers (libc, libm, libgcc_s, libstdc++), which every Linux system with Python has. Its tag names
the glibc of this machine, so pip refuses it on systems with an older one. Builds are reproducible
on one machine. Uses only Python's standard library.
"""

import base64
import hashlib
import os
import pathlib
import platform
import re
import subprocess
import sys
import tempfile
import zipfile

ROOT = pathlib.Path(__file__).absolute().parent.parent
SYSTEM = re.compile(r"(ld-linux.*|linux-vdso|libc|libm|libgcc_s|libstdc\+\+|libpthread|libdl|librt)\.so")
HEADER_ONLY = {"nlohmann-json3-dev"}  # packages that are compiled into the library
SUMMARY = "Reads and writes the tables of LevelDB, and reads its databases' folders"


def bundled(library):
  """Maps the name of each library that `library` needs to its path, except those of SYSTEM."""
  lines = subprocess.run(["ldd", library], check=True, stdout=subprocess.PIPE, text=True).stdout
  found = dict(re.findall(r"^\s*(\S+) => (\S+)", lines, re.MULTILINE))
  return {name: pathlib.Path(path) for name, path in found.items() if not SYSTEM.match(name)}


def notices(libraries):
  """Maps each Debian package that the libraries come from, and each in HEADER_ONLY, to its
  copyright notice."""
  paths = [path.resolve() for path in libraries]
  # dpkg may know a file under /lib, which is now a link to /usr/lib.
  names = [str(path) for path in paths] + [str(path).replace("/usr/lib", "/lib") for path in paths]
  lines = subprocess.run(["dpkg", "--search", *names], check=False, stdout=subprocess.PIPE,
                         stderr=subprocess.DEVNULL, text=True).stdout.splitlines()
  owners = {line.rpartition("/")[2]: line.partition(":")[0] for line in lines}
  packages = {owners[path.name] for path in paths} | HEADER_ONLY
  return {name: pathlib.Path("/usr/share/doc", name, "copyright").read_bytes() for name in packages}


def version_and_tag(platforms=None):
  version = re.search(r'SSTABLE_VERSION "(.*)"', (ROOT / "include/sstable/version.h").read_text())[1]
  libc = os.confstr("CS_GNU_LIBC_VERSION").split()[1].replace(".", "_")
  return version, f"py3-none-{platforms or f'manylinux_{libc}_{platform.machine()}'}"


def metadata(version, tag):
  """Maps the name of each metadata file to its contents."""
  interpreter, platforms = tag.rsplit("-", 1)
  tags = "".join(f"Tag: {interpreter}-{name}\n" for name in platforms.split("."))
  return {
      "METADATA": (
          f"Metadata-Version: 2.1\nName: sstable\nVersion: {version}\nSummary: {SUMMARY}\n"
          "License: Apache-2.0\nRequires-Python: >=3.8\nProvides-Extra: arrays\n"
          'Requires-Dist: numpy; extra == "arrays"\n'
          f"Description-Content-Type: text/plain\n\n{SUMMARY}.\n").encode(),
      "WHEEL": (
          f"Wheel-Version: 1.0\nGenerator: build_wheel.py\nRoot-Is-Purelib: false\n{tags}").encode(),
  }


def contents(library, version, tag, licences):
  """Maps the name of each file in the wheel to its contents."""
  files = {f"sstable/{path.name}": path.read_bytes()
           for path in (ROOT / "python/sstable").iterdir() if path.suffix in (".py", ".typed")}
  info = f"sstable-{version}.dist-info"
  files[f"sstable/lib/{library.name}"] = library.read_bytes()
  files[f"{info}/licenses/LICENSE"] = (ROOT / "LICENSE").read_bytes()
  if licences:
    files[f"{info}/licenses/{licences.name}"] = licences.read_bytes()
  else:
    others = bundled(library)
    for name, path in others.items():
      files[f"sstable/lib/{name}"] = path.read_bytes()
    for package, text in notices(others.values()).items():
      files[f"{info}/licenses/{package}.txt"] = text
  for name, data in metadata(version, tag).items():
    files[f"{info}/{name}"] = data
  record = "".join(f"{name},sha256={digest(data)},{len(data)}\n"
                   for name, data in sorted(files.items()))
  files[f"{info}/RECORD"] = f"{record}{info}/RECORD,,\n".encode()
  return files


def digest(data):
  return base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()


def write_wheel(library, folder, platforms=None, licences=None):
  version, tag = version_and_tag(platforms)
  folder.mkdir(parents=True, exist_ok=True)
  wheel = folder / f"sstable-{version}-{tag}.whl"
  with zipfile.ZipFile(wheel, "w", zipfile.ZIP_DEFLATED) as out:
    for name, data in sorted(contents(library, version, tag, licences).items()):
      entry = zipfile.ZipInfo(name)  # dated 1980, so that two builds are equal
      entry.external_attr = 0o644 << 16
      entry.compress_type = zipfile.ZIP_DEFLATED
      out.writestr(entry, data)
  return wheel


def prepare_metadata_for_build_wheel(metadata_directory, config_settings=None):  # pylint: disable=unused-argument
  """Called by pip before build_wheel() (PEP 517). Without this hook, pip would compile the library
  to get the metadata."""
  version, tag = version_and_tag()
  info = pathlib.Path(metadata_directory, f"sstable-{version}.dist-info")
  info.mkdir()
  for name, data in metadata(version, tag).items():
    (info / name).write_bytes(data)
  return info.name


def build_wheel(wheel_directory, config_settings=None, metadata_directory=None):  # pylint: disable=unused-argument
  """Called by pip (PEP 517). Returns the wheel's name."""
  with tempfile.TemporaryDirectory() as build:
    subprocess.run(["cmake", "-S", ROOT, "-B", build, "-DSSTABLE_TOOL=OFF", "-DSSTABLE_PYTHON=ON"], check=True)
    jobs = os.environ.get("CMAKE_BUILD_PARALLEL_LEVEL", str(os.cpu_count()))
    subprocess.run(["cmake", "--build", build, "--target", "sstable_c", "--parallel", jobs],
                   check=True)
    return write_wheel(pathlib.Path(build, "libsstable_c.so"), pathlib.Path(wheel_directory)).name


if __name__ == "__main__":
  print(write_wheel(pathlib.Path(sys.argv[2]), ROOT / sys.argv[1], *sys.argv[3:4],
                    *map(pathlib.Path, sys.argv[4:5])))
