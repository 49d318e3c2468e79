"""Tests by GoogleTest, a target for each file."""

# Dependencies that all tests have, besides the code that they test.
TEST_DEPS = [
    "//tests/support",
    "@com_google_absl//absl/functional:function_ref",
    "@com_google_absl//absl/status",
    "@com_google_absl//absl/status:statusor",
    "@com_google_absl//absl/strings",
    "@com_google_absl//absl/strings:str_format",
    "@com_google_absl//absl/types:span",
    "@com_google_googletest//:gtest",
]

# Clang rejects a precompiled header that was compiled with other options. GCC ignores it and reads
# the header itself.
_PRECOMPILED_COPTS = select({
    "//tests/support:clang": [],
    "//conditions:default": ["-include", "tests/support/precompiled.h"],
})
_PRECOMPILED_DEPS = select({
    "//tests/support:clang": [],
    "//conditions:default": ["//tests/support:precompiled"],
})

def test_library(name, deps, **kwargs):
    """A cc_library for tests, compiled as they are."""
    native.cc_library(
        name = name,
        testonly = True,
        copts = _PRECOMPILED_COPTS,
        deps = deps + _PRECOMPILED_DEPS,
        **kwargs
    )

def unit_test(name, deps, size = "small", **kwargs):
    """A test of `name`.cc. `deps` are those beside TEST_DEPS."""
    native.cc_test(
        name = name,
        size = size,
        srcs = [name + ".cc"],
        copts = _PRECOMPILED_COPTS,
        deps = deps + TEST_DEPS + ["@com_google_googletest//:gtest_main"] + _PRECOMPILED_DEPS,
        **kwargs
    )

def unit_tests(names, deps, more_deps = {}, **kwargs):
    """A test for each of `names`. `more_deps` has those that only some tests need, by name."""
    for name in names:
        unit_test(name = name, deps = deps + more_deps.get(name, []), **kwargs)
