"""What goes to the GPU for a picture: quads for faces and for lines, in Blender's axes, as its buffers want them."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest


def test_faces_are_quads_in_the_axes_and_units_of_the_scene(addon: Any) -> None:
    layers = addon("views.gpu_layers")
    corners = np.array([[[1, 2, 3], [1, 2, 5], [4, 2, 5], [4, 2, 5]]], np.float32)
    arrays = layers.face_arrays(corners, np.array([[9, 8, 7, 6]], np.uint8), 0.5)
    assert arrays["pos"].tolist() == [[2, -6, 4], [2, -10, 4], [8, -10, 4], [8, -10, 4]]
    assert arrays["pos"].dtype == np.float32 and arrays["pos"].flags["C_CONTIGUOUS"]
    assert arrays["color"].tolist() == [[9, 8, 7, 6]] * 4 and arrays["color"].dtype == np.uint8


def test_lines_are_quads_whose_corners_know_their_side_and_the_other_end(addon: Any) -> None:
    layers = addon("views.gpu_layers")
    lines = np.array([[[0, 0, 0], [1, 0, 0]], [[5, 1, 0], [5, 2, 0]]], np.float32)
    arrays = layers.line_arrays(lines, np.array([[1, 2, 3, 4], [5, 6, 7, 8]], np.uint8), 1.0)
    assert arrays["pos"].tolist() == [[0, 0, 0]] * 2 + [[1, 0, 0]] * 2 + [[5, 0, 1]] * 2 + [[5, 0, 2]] * 2
    assert arrays["other"].tolist() == [[1, 0, 0]] * 2 + [[0, 0, 0]] * 2 + [[5, 0, 2]] * 2 + [[5, 0, 1]] * 2
    assert arrays["corner"].ravel().tolist() == [1, -1, -2, 2] * 2
    assert arrays["color"][:5, 0].tolist() == [1, 1, 1, 1, 5]
    assert all(values.flags["C_CONTIGUOUS"] for values in arrays.values())
    assert {name for name, values in arrays.items() if values.dtype == np.float32} == {"pos", "other", "corner"}


def test_two_triangles_for_each_quad(addon: Any) -> None:
    indices = addon("views.gpu_layers").quad_indices(2)
    assert indices.tolist() == [[0, 1, 2], [0, 2, 3], [4, 5, 6], [4, 6, 7]] and indices.dtype == np.int32


@pytest.mark.parametrize("chosen", [[True] * 7, [True, False] * 4, [False] * 3])
def test_every_chosen_row_goes_up_once(addon: Any, monkeypatch: pytest.MonkeyPatch, chosen: list[bool]) -> None:
    layers = addon("views.gpu_layers")
    monkeypatch.setattr(layers, "PIECE", 3)
    rows = [np.arange(len(chosen))[piece].tolist() for piece in layers._pieces(np.array(chosen))]
    assert [row for piece in rows for row in piece] == np.flatnonzero(chosen).tolist() and all(
        0 < len(piece) <= 3 for piece in rows
    )
