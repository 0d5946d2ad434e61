"""The JSON of a glTF file: every value is looked at before it is used."""

from __future__ import annotations

from typing import Any, NoReturn

from ...errors import BadInput

Row = dict[str, Any]


class GltfValues:
    """The lists of the file and what stands in their rows; whatever is not as it should be is refused by name."""

    def __init__(self, file: str, content: object) -> None:
        self.file = file
        self._content = content if isinstance(content, dict) else self.refuse("its JSON is no object")

    def refuse(self, why: str, code: str | None = None) -> NoReturn:
        """Raise BadInput with what to do."""
        raise BadInput(
            f"{self.file} is not read: {why}. Export the level again, or check whether the file is whole.", code
        )

    def row(self, owner: Row | None, name: str) -> Row:
        """An object within another, None for the whole file; empty where it is missing."""
        value = (self._content if owner is None else owner).get(name, {})
        return value if isinstance(value, dict) else self.refuse(f"“{name}” is no object")

    def rows(self, name: str) -> list[Row]:
        """One of the lists of objects: nodes, meshes …"""
        return self.rows_in(self._content, name)

    def rows_in(self, owner: Row, name: str) -> list[Row]:
        value = owner.get(name, [])
        if not isinstance(value, list) or not all(isinstance(item, dict) for item in value):
            self.refuse(f"“{name}” is no list of objects")
        return value

    def names_in(self, name: str) -> list[str]:
        """A list of names of the whole file."""
        value = self._content.get(name, [])
        if not isinstance(value, list) or not all(isinstance(item, str) for item in value):
            self.refuse(f"“{name}” is no list of names")
        return value

    def has(self, name: str) -> bool:
        return name in self._content

    def number(self, owner: Row | None, name: str, default: int | None = None) -> int:
        """A whole number from 0 on."""
        value = (self._content if owner is None else owner).get(name, default)
        if isinstance(value, bool) or not isinstance(value, int) or not 0 <= value < 1 << 53:
            self.refuse(f"“{name}” must be a whole number from 0 on, not {value!r:.40}")
        return value

    def index(self, owner: Row | None, name: str, rows: list[Any], default: int | None = None) -> int:
        """The number of one of these rows."""
        value = self.number(owner, name, default)
        return self._within(value, name, rows)

    def indices(self, owner: Row, name: str, rows: list[Any]) -> list[int]:
        """Numbers of some of these rows."""
        values = owner.get(name, [])
        if not isinstance(values, list) or not all(isinstance(v, int) and not isinstance(v, bool) for v in values):
            self.refuse(f"“{name}” is no list of whole numbers")
        return [self._within(value, name, rows) for value in values]

    def floats(self, owner: Row, name: str, default: tuple[float, ...]) -> list[float]:
        """As many numbers as the default has."""
        values = owner.get(name, default)
        numbers = isinstance(values, (list, tuple)) and len(values) == len(default)
        if not numbers or not all(isinstance(v, (int, float)) and not isinstance(v, bool) for v in values):
            self.refuse(f"“{name}” must be {len(default)} numbers, not {values!r:.60}")
        return [float(value) for value in values]

    def text(self, owner: Row, name: str) -> str:
        """A name; "" where there is none."""
        value = owner.get(name, "")
        return value if isinstance(value, str) else self.refuse(f"“{name}” is no text")

    def _within(self, value: int, name: str, rows: list[Any]) -> int:
        if not 0 <= value < len(rows):
            self.refuse(
                f"“{name}” is {value}, and there are {len(rows):,} to choose from, counted from 0", "INDEX_OUT_OF_RANGE"
            )
        return value
