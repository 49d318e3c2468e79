"""A fuzz target: a test with a driver of our own, or a libFuzzer program with --config=fuzz."""

def fuzz_target(name, runs, deps, data = []):
    """A test of `name`.cc.

    First it runs the inputs in found/`name`, which once failed, then the files of `data`, then its
    seeds; then `runs` inputs made of them all, which are two or three seconds of work. Work, not
    time, is bounded, so that each run of the test tries the same.
    """
    found = native.glob(["found/%s/*" % name])
    native.cc_test(
        name = name,
        size = "medium",  # for sanitizers on a busy machine
        srcs = [name + ".cc"],
        args = [str(runs)] + ["tests/fuzz/" + path for path in found] +
               ["$(rootpaths %s)" % label for label in data],
        data = found + data,
        linkopts = select({
            ":libfuzzer": ["-fsanitize=fuzzer"],
            "//conditions:default": [],
        }),
        deps = deps + [":fuzz"] + select({
            ":libfuzzer": [":libfuzzer_seeds"],
            "//conditions:default": [":driver"],
        }),
    )
