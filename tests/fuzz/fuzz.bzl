"""A fuzz target: a test with a driver of our own, or a libFuzzer program with --config=fuzz."""

def fuzz_target(name, deps):
    """Makes a test of `name`.cc; first it runs the inputs in found/`name`, which once failed."""
    found = native.glob(["found/%s/*" % name])
    native.cc_test(
        name = name,
        size = "small",
        srcs = [name + ".cc"],
        args = ["tests/fuzz/" + path for path in found],
        data = found,
        linkopts = select({
            ":libfuzzer": ["-fsanitize=fuzzer"],
            "//conditions:default": [],
        }),
        deps = deps + [":fuzz"] + select({
            ":libfuzzer": [":libfuzzer_seeds"],
            "//conditions:default": [":driver"],
        }),
    )
