"""Litmus tests as tests of Bazel: copy this beside your tests; BUILD.bazel here shows its use.

The program comes from a package (litmus-*.tar.gz, as `./dev release` makes it). In MODULE.bazel:

    http_archive = use_repo_rule("@bazel_tools//tools/build_defs/repo:http.bzl", "http_archive")
    http_archive(
        name = "litmus",
        url = "https://...",
        sha256 = "...",
        strip_prefix = "litmus-0.1.0-linux-x86_64",
        build_file_content = "exports_files([\\"bin/litmus\\"])",
    )
"""

def _quoted(word):
    return "'" + word.replace("'", "'\\''") + "'"

def _litmus_test_impl(ctx):
    program = ctx.executable.litmus
    if ctx.file.baseline:
        words = ["regress", "--baseline", ctx.file.baseline.short_path]
    else:
        words = ["check"]
    words += ctx.attr.options + [file.short_path for file in ctx.files.srcs]
    script = ctx.actions.declare_file(ctx.label.name + ".sh")
    command = " ".join([_quoted(word) for word in [program.short_path] + words])
    ctx.actions.write(script, "#!/bin/sh\nexec " + command + "\n", is_executable = True)
    files = ctx.files.srcs + [program] + ([ctx.file.baseline] if ctx.file.baseline else [])
    return [DefaultInfo(executable = script, runfiles = ctx.runfiles(files = files))]

# Passes when every claim of the tests holds; with a baseline, when nothing changed since. `shard_count` shares the tests out.
litmus_test = rule(
    implementation = _litmus_test_impl,
    test = True,
    attrs = {
        "srcs": attr.label_list(allow_files = [".litmus", ".test"], mandatory = True),
        "baseline": attr.label(allow_single_file = True),
        "options": attr.string_list(doc = "such as --timeout 60"),
        "litmus": attr.label(default = "@litmus//:bin/litmus", executable = True, cfg = "exec", allow_single_file = True),
    },
)
