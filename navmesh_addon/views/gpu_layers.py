"""A picture on the GPU: brought there in pieces so that the window goes on, and drawn over the viewport.

What is drawn lies a little nearer to the eye than things are, so that what lies on a surface neither sinks nor
flickers; lines lie nearer still. Faces that are opaque hide what is behind them, those that can be seen through do not.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import numpy.typing as npt

from ..axes import to_blender
from .gpu_shaders import face_shader, line_shader

if TYPE_CHECKING:
    import gpu
    from mathutils import Matrix

    from ...navcore.views.picture import Picture

F32 = npt.NDArray[np.float32]
U8 = npt.NDArray[np.uint8]
I32 = npt.NDArray[np.int32]
RowChoice = slice | npt.NDArray[np.intp]

PIECE = 50_000  # faces or lines that are uploaded at once: a few milliseconds
_NEARER = 0.002  # of the distance to the eye
_BEHIND = 0.35  # of the opacity, with X-ray, of what something stands before
_OPAQUE = 255
_FACES, _LINES = 1, 2  # how much nearer they are drawn
_QUAD = np.array([0, 1, 2, 0, 2, 3], np.int32)
_CORNER = np.array([1, -1, -2, 2], np.float32)  # of a line's quad: its side; the second end has 2


class _Batch(NamedTuple):
    batch: gpu.types.GPUBatch
    nearer: int  # _FACES or _LINES
    hides: bool  # what is behind it


class _Eye(NamedTuple):
    """How one drawing of a viewport is seen."""

    to_clip: tuple[Matrix, Matrix]  # of faces and of lines
    size: tuple[int, int]  # pixels
    fade: float


class Upload:
    """One picture on its way to the GPU, and there. To be made, stepped and drawn by the main thread."""

    def __init__(self, picture: Picture, metres: float, line_width: float = 2.0) -> None:
        """`metres` is the scene's unit scale, `line_width` in pixels."""
        self._metres, self._width = metres, line_width
        self._batches: list[_Batch] = []
        self._indices: dict[int, gpu.types.GPUIndexBuf] = {}
        self._memory = 0
        self._pieces: Iterator[None] | None = self._upload(picture)
        self._before: Upload | None = None

    def step(self, seconds: float) -> bool:
        """Upload for at most so long, but one piece at least; True when all is there."""
        until = time.perf_counter() + seconds
        while self._pieces is not None:
            if next(self._pieces, self) is self:
                self._pieces = None  # and with it the picture
            elif time.perf_counter() > until:
                break
        if self._pieces is None:
            self._before = None
        return self._pieces is None

    def replace(self, before: Upload) -> None:
        """Draw what was there before, as long as something of this is on its way: nothing vanishes in between."""
        self._before = before if before._pieces is None else before._before

    def draw(
        self, size: tuple[int, int], *, x_ray: bool = False, fade: float = 0.0, opacity: float = 1.0, lift: float = 0.0
    ) -> None:
        """Draw what is there into a viewport of so many pixels; the GPU's state is afterwards as it was.

        With `x_ray` also what something stands before, weaker. `fade` is the distance, in Blender's units, at which
        nothing is left of it (it begins at half of that; 0: nowhere), in perspective only. `lift` is how far above
        its place everything is drawn, in Blender's units.
        """
        if self._before is not None:
            self._before.draw(size, x_ray=x_ray, fade=fade, opacity=opacity, lift=lift)
            return
        if not self._batches:
            return
        eye = _eye(size, fade, lift)
        with _state():
            if x_ray:  # before anything of this picture hides something
                self._draw_all(eye, "GREATER", opacity * _BEHIND, hides=False)
            self._draw_all(eye, "LESS_EQUAL", opacity, hides=True)

    def memory(self) -> int:
        """Bytes on the GPU."""
        return self._memory + (0 if self._before is None else self._before.memory())

    def _draw_all(self, eye: _Eye, depth: str, opacity: float, *, hides: bool) -> None:
        import gpu

        gpu.state.depth_test_set(depth)
        for one in self._batches:
            gpu.state.depth_mask_set(hides and one.hides)
            shader = line_shader() if one.nearer == _LINES else face_shader()
            shader.bind()
            shader.uniform_float("to_clip", eye.to_clip[one.nearer - 1])
            shader.uniform_float("fade", eye.fade)
            shader.uniform_float("opacity", opacity)
            if one.nearer == _LINES:
                shader.uniform_float("viewport", eye.size)
                shader.uniform_float("width", line_weight(self._width))
            one.batch.draw(shader)

    def _upload(self, picture: Picture) -> Iterator[None]:
        """What hides comes first, then what is seen through, then lines."""
        opaque = picture.face_colors[:, 3] == _OPAQUE
        for hides in (True, False):
            for rows in _pieces(opaque if hides else ~opaque):
                arrays = face_arrays(picture.corners[rows], picture.face_colors[rows], self._metres)
                self._add(arrays, _FACES, hides)
                yield
        for rows in _pieces(np.ones(len(picture.lines), bool)):
            arrays = line_arrays(picture.lines[rows], picture.line_colors[rows], self._metres)
            self._add(arrays, _LINES, hides=False)
            yield

    def _add(self, arrays: dict[str, F32 | U8], nearer: int, hides: bool) -> None:
        import gpu

        types = _untyped(gpu.types)
        layout = types.GPUVertFormat()
        for name, values in arrays.items():
            if values.dtype == np.uint8:
                layout.attr_add(id=name, comp_type="U8", len=4, fetch_mode="INT_TO_FLOAT_UNIT")
            else:
                layout.attr_add(id=name, comp_type="F32", len=values.size // len(values), fetch_mode="FLOAT")
        count = len(arrays["pos"])
        vertices = types.GPUVertBuf(layout, count)
        for name, values in arrays.items():
            vertices.attr_fill(name, values)
        self._memory += sum(values.nbytes for values in arrays.values())
        batch = types.GPUBatch(type="TRIS", buf=vertices, elem=self._indices_of(count // 4))
        self._batches.append(_Batch(batch, nearer, hides))

    def _indices_of(self, quads: int) -> gpu.types.GPUIndexBuf:
        """Two triangles for each quad; pieces of one size share them."""
        import gpu

        if quads not in self._indices:
            corners, types = quad_indices(quads), _untyped(gpu.types)
            self._indices[quads] = types.GPUIndexBuf(type="TRIS", seq=corners)
            self._memory += corners.nbytes
        return self._indices[quads]


def line_weight(width: float) -> float:
    """In pixels of this screen: where the interface is drawn twice as large, lines are twice as wide."""
    import bpy

    preferences = bpy.context.preferences
    return width * max(1.0, float(preferences.system.pixel_size) if preferences is not None else 1.0)


def _untyped(module: Any) -> Any:
    """The stubs of Blender's gpu know neither the parameters of its types nor what its state is."""
    return module


def face_arrays(corners: F32, colors: U8, metres: float) -> dict[str, F32 | U8]:
    """Four vertices for each face."""
    points = np.ascontiguousarray(to_blender(corners.reshape(-1, 3), metres), np.float32)
    return {"pos": points, "color": np.repeat(np.ascontiguousarray(colors, np.uint8), 4, axis=0)}


def line_arrays(lines: F32, colors: U8, metres: float) -> dict[str, F32 | U8]:
    """Four vertices for each line: its first end twice, then its second."""
    ends = to_blender(lines.reshape(-1, 3), metres).reshape(-1, 2, 3)
    return {
        "pos": np.ascontiguousarray(ends.repeat(2, axis=1).reshape(-1, 3), np.float32),
        "color": np.repeat(np.ascontiguousarray(colors, np.uint8), 4, axis=0),
        "other": np.ascontiguousarray(ends[:, ::-1].repeat(2, axis=1).reshape(-1, 3), np.float32),
        "corner": np.tile(_CORNER, len(ends)).reshape(-1, 1),
    }


def quad_indices(quads: int) -> I32:
    """(2 * quads, 3) corners of triangles. A face of three corners has its last one twice: its second one is none."""
    first = np.arange(0, 4 * quads, 4, dtype=np.int32)
    return np.ascontiguousarray((first[:, None] + _QUAD).reshape(-1, 3))


def _pieces(chosen: npt.NDArray[np.bool_]) -> Iterator[RowChoice]:
    """The chosen rows, some at a time; where all are, they need not be copied."""
    if chosen.all():
        for first in range(0, len(chosen), PIECE):
            yield slice(first, first + PIECE)
    elif chosen.any():
        rows = np.flatnonzero(chosen)
        for first in range(0, len(rows), PIECE):
            yield rows[first : first + PIECE]


def _eye(size: tuple[int, int], fade: float, lift: float) -> _Eye:
    """In perspective everything shrinks towards the eye, which moves nothing on the screen."""
    import gpu
    from mathutils import Matrix

    projection = gpu.matrix.get_projection_matrix()
    view = gpu.matrix.get_model_view_matrix() @ Matrix.Translation((0, 0, lift))
    is_flat = projection[3][3] == 1.0
    ways = []
    for times in (_FACES, _LINES):
        if is_flat:
            nearer = Matrix.Translation((0, 0, times * _NEARER * 2 / projection[1][1]))  # of the height that is seen
        else:
            nearer = Matrix.Diagonal((*[1 - times * _NEARER] * 3, 1))
        ways.append(projection @ nearer @ view)
    return _Eye((ways[0], ways[1]), size, 0.0 if is_flat else fade)


@contextmanager
def _state() -> Iterator[None]:
    """What is changed of the GPU's state is put back."""
    import gpu

    state = _untyped(gpu.state)
    blend, depth, mask = state.blend_get(), state.depth_test_get(), state.depth_mask_get()
    gpu.state.blend_set("ALPHA")
    try:
        yield
    finally:
        gpu.state.blend_set(blend)
        gpu.state.depth_test_set(depth)
        gpu.state.depth_mask_set(mask)
