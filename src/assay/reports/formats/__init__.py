"""Report formats, one file each: a renderer knows blocks, not runs, judges or checkpoints.

In: a Document. Out: lines on a terminal, or a text. Each file registers the format that
`assay report --format NAME` looks up; a plugin adds others the same way.

    terminal   text   with rich: narrow, without colour and into files too
    markdown   md     GitHub-flavoured
    html       html   one self-contained page
    json       json   the documents of the contract
"""
