"""The outside libraries of //:sstable, for this WORKSPACE and for those that use this repository.

Both macros skip a name that the WORKSPACE has defined before: to build a library from its source,
put an http_archive of that name above the call.
"""

load(":abseil.bzl", "debian_abseil")
load(":bazel_stub.bzl", "bazel_stub")
load(":debian.bzl", "debian_library")

def _unless_defined(rule, name, **attributes):
    if not native.existing_rule(name):
        rule(name = name, **attributes)

def sstable_repositories():
    """Takes them from Debian's packages, under the labels that their own Bazel builds use."""

    # Core.
    _unless_defined(debian_abseil, name = "com_google_absl")
    _unless_defined(
        debian_library,
        name = "com_github_intel_isal",
        build_file = Label("//third_party:isal.BUILD"),
        header = "isa-l.h",
        package = "libisal-dev",
    )
    _unless_defined(
        debian_library,
        name = "com_github_google_highway",
        build_file = Label("//third_party:highway.BUILD"),
        header = "hwy/highway.h",
        package = "libhwy-dev",
    )
    _unless_defined(
        debian_library,
        name = "com_github_cyan4973_xxhash",
        build_file = Label("//third_party:xxhash.BUILD"),
        header = "xxhash.h",
        package = "libxxhash-dev",
    )

    # Compression.
    _unless_defined(
        debian_library,
        name = "com_google_snappy",
        build_file = Label("//third_party:snappy.BUILD"),
        header = "snappy.h",
        package = "libsnappy-dev",
    )
    _unless_defined(
        debian_library,
        name = "com_github_facebook_zstd",
        build_file = Label("//third_party:zstd.BUILD"),
        header = "zstd.h",
        package = "libzstd-dev",
    )
    _unless_defined(
        debian_library,
        name = "com_github_lz4",
        build_file = Label("//third_party:lz4.BUILD"),
        header = "lz4.h",
        package = "liblz4-dev",
    )
    _unless_defined(
        debian_library,
        name = "org_sourceware_bzip2",
        build_file = Label("//third_party:bzip2.BUILD"),
        header = "bzlib.h",
        package = "libbz2-dev",
    )
    _unless_defined(
        debian_library,
        name = "zlib",
        build_file = Label("//third_party:zlib.BUILD"),
        header = "zlib.h",
        package = "zlib1g-dev",
    )

def debian_bazel_repositories():
    """Defines what Bazel itself would download. With this, Debian's Bazel 4.2 needs no network.

    Not for another Bazel.
    """
    _unless_defined(
        native.local_repository,
        name = "platforms",
        path = "/usr/share/bazel/platforms",
    )
    _unless_defined(
        native.local_repository,
        name = "rules_java",
        path = "/usr/share/bazel/rules/java",
    )
    _unless_defined(
        bazel_stub,
        name = "rules_cc",
        files = {
            Label("//third_party:bazel_stubs/rules_cc.BUILD"): "cc/BUILD.bazel",
            Label("//third_party:bazel_stubs/rules_cc_defs.bzl"): "cc/defs.bzl",
        },
    )
    _unless_defined(
        bazel_stub,
        name = "remote_coverage_tools",
        files = {
            Label("//third_party:bazel_stubs/remote_coverage_tools.BUILD"): "BUILD.bazel",
            Label("//third_party:bazel_stubs/unavailable.sh"): "unavailable.sh",
        },
    )
