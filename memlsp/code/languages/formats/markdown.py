"""Markdown: headings are symbols, so that a belief can hang on a section of a document."""

from __future__ import annotations

from memlsp.code.syntax.facts import literal
from memlsp.code.syntax.language import Language

TAGS = """
(section . (atx_heading heading_content: (inline) @name)) @definition.section
"""
_LARGEST = 1024 * 1024  # bytes; beyond, a text is data


def _grammar() -> object:
    import tree_sitter_markdown  # only when a Markdown file is read

    return tree_sitter_markdown.language()  # pyright: ignore[reportUnknownMemberType, reportUnknownVariableType]


MARKDOWN = Language(
    name="markdown",
    suffixes=(".md", ".markdown", ".mdown", ".mkd"),
    grammar=_grammar,
    tags=TAGS,
    largest=_LARGEST,
    # the indentation inside of lists and quotes, and lines that are only for the one who writes
    comments=frozenset({"block_continuation", "html_comment"}),
    wrappings=frozenset(),
    punctuation=frozenset(),
    folded=frozenset({"inline", "pipe_table_cell", "info_string", "link_destination", "link_title", "link_label"}),
    strings=frozenset({"code_fence_content", "indented_code_block"}),
    read_string=lambda raw: "\n".join(line.rstrip() for line in raw.strip("\n").splitlines()),
    constants={
        "list_marker_minus": "-",
        "list_marker_star": "-",
        "list_marker_plus": "-",
        "list_marker_dot": "1.",
        "list_marker_parenthesis": "1.",
        "thematic_break": "---",
        "pipe_table_delimiter_row": "---",
    },
    solid=frozenset({"pipe_table_delimiter_row"}),
    same_kinds={"list_marker_star": "list_marker_minus", "list_marker_plus": "list_marker_minus"},
    identifiers=frozenset(),
    rules={"code_fence_content": literal},
)
