"""The chart of a run: a bar for each memory with its interval, for the first measure of each part's judging half."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

from .answers import Answers
from .tables import columns_of, figure, halves_of, parts_of, short

_LABEL, _WIDE, _BAR, _ROW = 190, 400, 13, 20


def chart(answers: Sequence[Answers], name: str = "") -> str:
    """The SVG; the bars of the memory called `name` are of another colour."""
    rows: list[str] = []
    top = 52
    for part in parts_of(answers):
        of_part = [each for each in answers if each.part == part]
        half = halves_of(of_part)[0]
        head, (measure, more) = next(iter(columns_of(part).items()))
        figures = [(each, figure(each, half, measure)) for each in of_part]
        figures.sort(key=lambda entry: (-entry[1][0] if more else entry[1][0], entry[0].name))
        aim = "more is better" if more else "less is better"
        rows.append(f'<text x="12" y="{top}" font-weight="600">{part}, {half} half: {head} ({aim})</text>')
        top += 10
        for each, (value, low, high) in figures:
            colour, middle = ("#2f6f4f" if each.name == name else "#b4885a"), top + _BAR / 2
            x, y = _LABEL + value * _WIDE, top + _BAR - 2
            rows += [
                f'<text x="{_LABEL - 8}" y="{y}" text-anchor="end">{escape(each.name)}</text>',
                f'<rect x="{_LABEL}" y="{top}" width="{value * _WIDE:.1f}" height="{_BAR}" fill="{colour}"/>',
                f'<path d="M{_LABEL + low * _WIDE:.1f} {middle}H{_LABEL + high * _WIDE:.1f}" stroke="#222222"/>',
                f'<text x="{max(x, _LABEL + high * _WIDE) + 6:.1f}" y="{y}" font-size="10">{short(value)}</text>',
            ]
            top += _ROW
        top += 24
    dates = sorted({each.date for each in answers})
    span = dates[0] if len(dates) == 1 else f"{dates[0]} to {dates[-1]}"
    foot = f"StaleCode, {span}. Lines are 95 % intervals over bases. No model is asked."
    size = f'viewBox="0 0 {_LABEL + _WIDE + 60} {top + 10}" width="{_LABEL + _WIDE + 60}" height="{top + 10}"'
    title = "StaleCode: memories of code, after the code changed"
    font = 'font-family="system-ui, sans-serif" font-size="12" fill="#333333"'
    return "\n".join(
        [
            f'<svg xmlns="http://www.w3.org/2000/svg" {size} {font} role="img">',
            f"<title>{title}</title>",
            '<rect width="100%" height="100%" fill="#ffffff"/>',
            f'<text x="12" y="22" font-size="14" font-weight="600">{title}</text>',
            *rows,
            f'<text x="12" y="{top}" font-size="10" fill="#777777">{foot}</text>',
            "</svg>\n",
        ]
    )
