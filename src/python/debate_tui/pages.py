"""HTML for notebooks: the exported page of a debate, and tables of results."""

from __future__ import annotations

import html
from collections.abc import Mapping, Sequence
from typing import Any

from .program import text_of

#: The maximum number of rows of a table; a note counts the others.
MAX_ROWS = 100


def debate_html(save: str | None, end: Mapping[str, Any] | None) -> str:
    """Returns the page of a saved debate (`export --to html`), in a frame. Without a save, returns the result of the
    debate."""
    if save is None:
        if end is None:
            return "<p>This debate is not over. Only a saved debate (<code>save=True</code>) can be shown earlier.</p>"
        outcome = end["outcome"]
        fields = {name: outcome[name] for name in ("outcome", "answer", "truth", "payoff_exact")}
        return table_html([fields])
    page = text_of(["export", save, "--to", "html"])
    # The page contains scripts of its own, which must not reach the notebook.
    return (
        f'<iframe sandbox="allow-scripts" srcdoc="{html.escape(page)}" width="100%" height="600" '
        'style="border: 1px solid #8888"></iframe>'
    )


def table_html(rows: Sequence[Mapping[str, Any]]) -> str:
    """Returns a table of rows with equal columns. Columns without a value are left out, and so are columns with the same
    value in all rows, which are listed below the table. A single row is written as one line for each column."""
    columns = [name for name in rows[0] if any(row[name] is not None for row in rows)] if rows else []
    if len(rows) == 1:
        return _lines_html([(name, rows[0][name]) for name in columns])
    shared = [name for name in columns if all(row[name] == rows[0][name] for row in rows)]
    columns = [name for name in columns if name not in shared]
    head = "".join(f"<th>{html.escape(name)}</th>" for name in columns)
    lines = [f"<table><thead><tr>{head}</tr></thead><tbody>"]
    for row in rows[:MAX_ROWS]:
        cells = "".join(f"<td>{html.escape(_written(row[name]))}</td>" for name in columns)
        lines.append(f"<tr>{cells}</tr>")
    lines.append("</tbody></table>")
    if shared:
        lines.append("<details><summary>Equal in all rows</summary>")
        lines.append(_lines_html([(name, rows[0][name]) for name in shared]))
        lines.append("</details>")
    if len(rows) > MAX_ROWS:
        lines.append(f"<p>{len(rows) - MAX_ROWS} more rows: see <code>frame()</code>.</p>")
    return "".join(lines)


def _lines_html(values: Sequence[tuple[str, Any]]) -> str:
    lines = [f"<tr><th>{html.escape(name)}</th><td>{html.escape(_written(value))}</td></tr>" for name, value in values]
    return f"<table><tbody>{''.join(lines)}</tbody></table>"


def _written(value: Any) -> str:
    if value is None:
        return ""
    return f"{value:.6g}" if isinstance(value, float) else str(value)
