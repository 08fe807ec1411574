# SPDX-License-Identifier: Apache-2.0
"""Objects that notebooks show: arrays with names, tables, and replays."""
from __future__ import annotations

import html
from typing import Any, Iterable, List, Optional, Sequence, Tuple

import numpy as np
from numpy.typing import NDArray

_MOST_ROWS = 20
_MOST_COLUMNS = 12


class Array(np.ndarray):  # type: ignore[type-arg]
    """An array of numbers that a notebook shows as a table, with the names of its rows and
    columns.

    Parts of it, and results of operations with it, have no names.
    """

    rows: Optional[Sequence[str]] = None
    """None: rows are numbered."""
    columns: Optional[Sequence[str]] = None
    """None: columns are numbered."""
    _is_whole = False  # whether it is no part of another one

    def __reduce__(self) -> Any:
        return np.asarray(self).__reduce__()

    def _repr_html_(self) -> Optional[str]:
        if not self._is_whole or self.ndim not in (1, 2):
            return None
        numbers = np.asarray(self)[:, None] if self.ndim == 1 else np.asarray(self)
        count, width = numbers.shape
        rows = range(count) if self.rows is None else self.rows
        columns = (['value'] if self.ndim == 1 else range(width)) if self.columns is None else self.columns
        if (len(rows), len(columns)) != numbers.shape:
            return None
        shown = ([f'{number:.6g}' for number in row[:_MOST_COLUMNS]] for row in numbers)
        return table(columns, zip(rows, shown), count)


def labelled(array: NDArray[Any], rows: Optional[Sequence[str]],
             columns: Optional[Sequence[str]]) -> Array:
    """The same memory as an Array with names."""
    made: Array = array.view(Array)
    made.rows, made.columns, made._is_whole = rows, columns, True
    return made


def table(columns: Iterable[Any], rows: Iterable[Tuple[Any, Sequence[Any]]], count: int) -> str:
    """An HTML table of the first of `count` rows. Each row is a name and its cells."""
    names = list(columns)
    more = len(names) > _MOST_COLUMNS
    head = ''.join(f'<th>{html.escape(str(name))}</th>' for name in names[:_MOST_COLUMNS])
    lines: List[str] = []
    for name, cells in rows:
        if len(lines) == _MOST_ROWS:
            lines.append(f'<tr><th>…</th><td colspan="{len(names) + 1}">{count - _MOST_ROWS} more '
                         'rows</td></tr>')
            break
        row = ''.join(f'<td>{html.escape(str(cell))}</td>' for cell in cells[:_MOST_COLUMNS])
        lines.append(f'<tr><th>{html.escape(str(name))}</th>{row}{"<td>…</td>" * more}</tr>')
    return (f'<table><thead><tr><th></th>{head}{"<th>…</th>" * more}</tr></thead>'
            f'<tbody>{"".join(lines)}</tbody></table>')


class Replay(str):
    """The HTML page of a recording as a text, to be written to a file. A notebook shows it in
    place.
    """

    world: str
    """The name of its file."""

    def __new__(cls, page: str, world: str) -> Replay:
        made = super().__new__(cls, page)
        made.world = world
        return made

    def __repr__(self) -> str:
        return f'<Replay of {self.world!r}, a page of {len(self) // 1000} kB>'

    def _repr_html_(self) -> str:
        return (f'<iframe srcdoc="{html.escape(self, quote=True)}" style="border: 0; width: 100%; '
                'height: 480px"></iframe>')
