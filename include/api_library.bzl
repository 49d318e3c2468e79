"""A library that shows some headers and hides those that it is made with."""

def _api_library_impl(ctx):
    made_of = cc_common.merge_cc_infos(cc_infos = [dep[CcInfo] for dep in ctx.attr.deps])
    return [
        DefaultInfo(files = depset(transitive = [dep[DefaultInfo].files for dep in ctx.attr.deps])),
        CcInfo(
            compilation_context = ctx.attr.headers[CcInfo].compilation_context,
            linking_context = made_of.linking_context,
        ),
    ]

api_library = rule(
    implementation = _api_library_impl,
    attrs = {
        "deps": attr.label_list(providers = [CcInfo], doc = "Is linked; its headers stay hidden."),
        "headers": attr.label(providers = [CcInfo], doc = "All that can be included."),
    },
)
