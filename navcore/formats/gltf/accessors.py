"""Arrays of a glTF file: numbers of many kinds, laid out in many ways, within its buffers."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from .gltf_values import GltfValues, Row

_KINDS = {5120: "<i1", 5121: "<u1", 5122: "<i2", 5123: "<u2", 5125: "<u4", 5126: "<f4"}
_WIDTHS = {"SCALAR": 1, "VEC3": 3}
_WHOLE = (5121, 5123, 5125)  # what numbers of vertices may be


class Accessors:
    """Reads arrays by their number. No array is longer than the bytes that are there."""

    def __init__(self, values: GltfValues, buffers: list[bytes]) -> None:
        self._values, self._buffers = values, buffers
        self._rows, self._views = values.rows("accessors"), values.rows("bufferViews")

    def points(self, attributes: Row) -> tuple[int, npt.NDArray[Any]]:
        """The number of the accessor that holds positions, and the positions (N, 3)."""
        number = self._values.index(attributes, "POSITION", self._rows)
        row = self._rows[number]
        if row.get("type") != "VEC3":
            self._values.refuse(f"accessor {number} holds positions and must be VEC3, not {row.get('type')!r:.40}")
        array = self._array(number, row)
        if row.get("normalized") is True and array.dtype.kind in "iu":  # KHR_mesh_quantization
            array = np.maximum(array / np.iinfo(array.dtype).max, -1.0)
        return number, array

    def indices(self, primitive: Row) -> npt.NDArray[np.int64]:
        """Numbers of vertices."""
        number = self._values.index(primitive, "indices", self._rows)
        row = self._rows[number]
        if row.get("type") != "SCALAR" or row.get("componentType") not in _WHOLE:
            self._values.refuse(f"accessor {number} holds indices and must be whole numbers without a sign, one by one")
        return self._array(number, row).ravel().astype(np.int64)

    def _array(self, number: int, row: Row) -> npt.NDArray[Any]:
        values = self._values
        count, kind, width = values.number(row, "count"), self._kind(row), _WIDTHS[row["type"]]
        if "bufferView" not in row:
            values.refuse(
                f"accessor {number} has no bytes (compressed meshes are not read; export without compression)"
            )
        begin = values.number(row, "byteOffset", 0)
        array = self._strided(row, begin, count, kind, width)
        if "sparse" in row:
            array = self._replaced(values.row(row, "sparse"), array)
        return array

    def _kind(self, row: Row) -> np.dtype[Any]:
        kind = row.get("componentType")
        if not isinstance(kind, int) or kind not in _KINDS:
            self._values.refuse(f"“componentType” is {kind!r:.40}, and there is no such kind of numbers")
        return np.dtype(_KINDS[kind])

    def _strided(self, owner: Row, begin: int, count: int, kind: np.dtype[Any], width: int) -> npt.NDArray[Any]:
        """`count` times `width` numbers of a view that may hold other numbers between them."""
        values = self._values
        view = self._views[values.index(owner, "bufferView", self._views)]
        data = self._buffers[values.index(view, "buffer", self._buffers)]
        length, size = values.number(view, "byteLength"), kind.itemsize * width
        stride, at = values.number(view, "byteStride", size), values.number(view, "byteOffset", 0)
        end = begin + (stride * (count - 1) + size if count else 0)
        if stride < size or end > length or at + length > len(data):
            values.refuse(
                f"{count:,} numbers of {size} bytes do not fit where “bufferViews” says that they are", "TRUNCATED"
            )
        if count == 0:
            return np.empty((0, width), kind)
        return np.ndarray((count, width), kind, data, at + begin, (stride, kind.itemsize)).copy()

    def _replaced(self, sparse: Row, array: npt.NDArray[Any]) -> npt.NDArray[Any]:
        """With the rows that a sparse accessor says otherwise."""
        values = self._values
        count = values.number(sparse, "count")
        where, what = values.row(sparse, "indices"), values.row(sparse, "values")
        kind = self._kind(where)
        if where["componentType"] not in _WHOLE:
            values.refuse("the indices of a sparse accessor must be whole numbers without a sign")
        rows = self._strided(where, values.number(where, "byteOffset", 0), count, kind, 1).ravel().astype(np.int64)
        if count and int(rows.max()) >= len(array):
            values.refuse("a sparse accessor replaces what is not there", "INDEX_OUT_OF_RANGE")
        begin = values.number(what, "byteOffset", 0)
        array[rows] = self._strided(what, begin, count, array.dtype, array.shape[1])
        return array
