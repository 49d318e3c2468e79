"""A folder beside the workspace that may or may not be there."""

def _optional_folder_impl(ctx):
    root = ctx.path(ctx.attr.workspace_file).dirname
    folder = ctx.path(str(root) + "/" + ctx.attr.path)
    if folder.exists:
        ctx.symlink(folder, "files")
    ctx.symlink(ctx.attr.build_file, "BUILD.bazel")

optional_folder = repository_rule(
    doc = """What is in a folder, as `files/...`; nothing, if there is no such folder. Bazel looks for it
when its server starts and at `bazel sync --configure`, so a folder that comes or goes is noticed after
one of these or `bazel shutdown`.""",
    implementation = _optional_folder_impl,
    attrs = {
        "build_file": attr.label(mandatory = True),
        "path": attr.string(mandatory = True, doc = "From the workspace's root."),
        "workspace_file": attr.label(default = "//:WORKSPACE"),
    },
    configure = True,
    local = True,
)
