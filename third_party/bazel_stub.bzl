"""Stand-ins for repositories that Bazel would download: bazel_stubs/README.md."""

def _bazel_stub_impl(ctx):
    for file, path in ctx.attr.files.items():
        ctx.symlink(file, path)

bazel_stub = repository_rule(
    implementation = _bazel_stub_impl,
    attrs = {
        "files": attr.label_keyed_string_dict(
            mandatory = True,
            doc = "The files of the repository, and where in it they are.",
        ),
    },
)
