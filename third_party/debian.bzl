"""Repositories made of what a Debian package has put in /usr."""

def missing_package(name, package, path):
    """Stops the build and says what to install."""
    fail("@{name} needs {path}, which is missing. Install it with: apt-get install {package}".format(
        name = name,
        package = package,
        path = path,
    ))

def _debian_library_impl(ctx):
    header = "/usr/include/" + ctx.attr.header
    folders = ["/usr/include"]
    for folder in ctx.path("/usr/include").readdir():
        if folder.basename.endswith("-linux-gnu"):
            folders.append(str(folder))
    if not any([ctx.path(folder + "/" + ctx.attr.header).exists for folder in folders]):
        missing_package(ctx.name, ctx.attr.package, header)
    ctx.symlink(ctx.attr.build_file, "BUILD.bazel")

debian_library = repository_rule(
    doc = """A compiled library. The compiler finds its headers in /usr/include by itself (and gives no
warnings for them), so `build_file` only names the targets and their -l flags.""",
    implementation = _debian_library_impl,
    attrs = {
        "build_file": attr.label(mandatory = True),
        "header": attr.string(mandatory = True, doc = "Present in /usr/include, or its folder for a processor, if the package is."),
        "package": attr.string(mandatory = True),
    },
    local = True,  # Look again at each start of the Bazel server: packages come and go.
)
