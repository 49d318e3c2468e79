"""Abseil from Debian's libabsl-dev, under the labels of Abseil's own Bazel build."""

load(":debian.bzl", "missing_package")

# Bazel target -> pkg-config module (without its "absl_" prefix). Add a line to use one more.
_MODULES = {
    "absl/algorithm:container": "algorithm_container",
    "absl/base:config": "config",
    "absl/base:core_headers": "core_headers",
    "absl/base:endian": "endian",
    "absl/cleanup:cleanup": "cleanup",
    "absl/container:btree": "btree",
    "absl/container:fixed_array": "fixed_array",
    "absl/container:flat_hash_map": "flat_hash_map",
    "absl/container:flat_hash_set": "flat_hash_set",
    "absl/container:inlined_vector": "inlined_vector",
    "absl/container:node_hash_map": "node_hash_map",
    "absl/debugging:failure_signal_handler": "failure_signal_handler",
    "absl/debugging:symbolize": "symbolize",
    "absl/flags:config": "flags_config",
    "absl/flags:flag": "flags",
    "absl/flags:marshalling": "flags_marshalling",
    "absl/flags:parse": "flags_parse",
    "absl/flags:reflection": "flags_reflection",
    "absl/flags:usage": "flags_usage",
    "absl/functional:any_invocable": "any_invocable",
    "absl/functional:bind_front": "bind_front",
    "absl/functional:function_ref": "function_ref",
    "absl/hash:hash": "hash",
    "absl/memory:memory": "memory",
    "absl/meta:type_traits": "type_traits",
    "absl/numeric:bits": "bits",
    "absl/numeric:int128": "int128",
    "absl/random:bit_gen_ref": "random_bit_gen_ref",
    "absl/random:distributions": "random_distributions",
    "absl/random:random": "random_random",
    "absl/random:seed_sequences": "random_seed_sequences",
    "absl/status:status": "status",
    "absl/status:statusor": "statusor",
    "absl/strings:cord": "cord",
    "absl/strings:str_format": "str_format",
    "absl/strings:strings": "strings",
    "absl/synchronization:synchronization": "synchronization",
    "absl/time:time": "time",
    "absl/types:any": "any",
    "absl/types:compare": "compare",
    "absl/types:optional": "optional",
    "absl/types:span": "span",
    "absl/types:variant": "variant",
    "absl/utility:utility": "utility",
}

_TARGET = """
cc_library(
    name = "{name}",
    visibility = ["//visibility:public"],
    deps = ["//:abseil"],
)
"""

# Every target above leads here, so a program names each archive once, in an order that links; the
# linker takes from them what the program uses.
_ROOT = """
cc_library(
    name = "abseil",
    linkopts = {linkopts},
    visibility = ["//:__subpackages__"],
)

# For a shared object, which can't have Debian's archives in it: they are not compiled for that. With
# this as one of its deps, the linker finds empty archives under their names.
cc_library(
    name = "shared",
    linkopts = {shared_linkopts},
    visibility = ["//visibility:public"],
)
"""

def _link_flags(ctx):
    pkg_config = ctx.which("pkg-config")
    if not pkg_config:
        missing_package(ctx.name, "pkg-config", "pkg-config")
    modules = ["absl_" + module for module in _MODULES.values()]
    result = ctx.execute([pkg_config, "--libs"] + modules)
    if result.return_code != 0:
        fail("@{} needs Abseil. Install it with: apt-get install libabsl-dev\n{}".format(
            ctx.name,
            result.stderr,
        ))
    return [flag.strip() for flag in result.stdout.split(" ") if flag.strip()]

# -labsl_foo takes what it finds first; -l:libabsl_foo.a takes the archive.
def _only(suffix, flags):
    return [
        "-l:lib%s%s" % (flag[len("-l"):], suffix) if flag.startswith("-labsl_") else flag
        for flag in flags
    ]

def _debian_abseil_impl(ctx):
    flags = _link_flags(ctx)
    archives = _only(".a", flags)
    for archive in archives:
        if archive.startswith("-l:"):
            ctx.file("empty/" + archive[len("-l:"):], "!<arch>\n")
    ctx.file("BUILD.bazel", _ROOT.format(
        linkopts = repr(archives),
        shared_linkopts = repr(
            ["-L%s" % ctx.path("empty"), "-Wl,--as-needed"] + _only(".so", flags),
        ),
    ))
    packages = {}
    for label in _MODULES:
        package, name = label.split(":")
        packages[package] = packages.get(package, "") + _TARGET.format(name = name)
    for package, targets in packages.items():
        ctx.file(package + "/BUILD.bazel", targets)

debian_abseil = repository_rule(
    doc = "Abseil's headers are in /usr/include, so its targets only bring the archives to link.",
    implementation = _debian_abseil_impl,
    local = True,
)
