"""`navcore picture LEVEL --view`: every view as a file, settings as for a build, what is refused."""

from __future__ import annotations

from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pytest

from navcore.__main__ import main
from navcore.commands.picture_command import drawing_of
from navcore.pictures.drawing import Lines, Patches
from navcore.views.catalog import VIEWS
from navcore.views.picture import EMPTY, LegendRow
from tests import scenes
from tests.navcore.pictures.plans import pixels_of


@pytest.fixture(scope="module")
def level(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("levels") / "town.obj"
    path.write_text(scenes.obj_text(scenes.city(1, seed=4)), encoding="utf-8")
    return path


def text_of(path: Path) -> list[str]:
    return [text.strip() for text in ElementTree.fromstring(path.read_text(encoding="utf-8")).itertext()]


@pytest.mark.parametrize("view", VIEWS)
def test_every_view_as_a_file(level: Path, tmp_path: Path, view: str) -> None:
    out = tmp_path / "view.svg"
    assert main(["picture", str(level), "--view", view, "-o", str(out), "--width", "600"]) == 0
    texts = text_of(out)
    assert f"town.obj: {VIEWS[view].label}" in texts and any(text.endswith(")") for text in texts[1:])


def test_settings_variants_and_slices_are_heard(level: Path, tmp_path: Path) -> None:
    out = tmp_path / "view.svg"
    words = ["picture", str(level), "-o", str(out), "--view"]
    assert main([*words, "TILES", "--tile-size", "32"]) == 0
    assert "Tiles (4)" in text_of(out)
    assert main([*words, "TRIANGLES", "--variant", "after", "--cell-size", "0.5"]) == 0
    coarse = text_of(out)
    assert main([*words, "TRIANGLES"]) == 0
    assert text_of(out) != coarse
    assert main([*words, "POLYGONS", "--highest", "-50"]) == 0
    assert not any(text.startswith("Region") for text in text_of(out))


def test_notes_are_told(level: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    picture = tmp_path / "tree.png"
    assert main(["picture", str(level), "--view", "TREE", "--level", "0", "-o", str(picture), "--width", "500"]) == 0
    assert capsys.readouterr().out.startswith("Depth 0 of ")
    assert pixels_of(picture.read_bytes()).shape[1] == 500


@pytest.mark.parametrize(
    ("words", "code", "said"),
    [
        (["--view", "HEIGHTS"], "BAD_INPUT", "There is no view named"),
        (["--view", "CONTOURS", "--variant", "fine"], "BAD_INPUT", "It has simplified, both, bridges."),
        (["--view", "REGIONS", "--cell-size", "-1"], "BAD_SETTINGS", "cell_size"),
        (["--cell-size", "0.2"], "WRONG_QUESTION", "which --view names"),
        (["--variant", "both"], "WRONG_QUESTION", "which --view names"),
    ],
)
def test_what_is_refused(
    level: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], words: list[str], code: str, said: str
) -> None:
    out = tmp_path / "a.svg"
    assert main(["picture", str(level), "-o", str(out), *words]) == 1
    told = capsys.readouterr().err
    assert f"navcore: {code}: " in told and said in told and not out.exists()


def test_what_is_higher_is_drawn_later_and_sides_are_not() -> None:
    flat = np.array([[0, 0, 0], [0, 0, 1], [1, 0, 1], [1, 0, 0]], np.float32)
    side = np.array([[0, 0, 0], [0, 2, 0], [1, 2, 0], [1, 0, 0]], np.float32)
    colors = np.array([[255, 0, 0, 255], [0, 0, 255, 255], [0, 255, 0, 127]], np.uint8)
    line = np.array([[[0, 0, 0], [2, 0, 2]]], np.float32)
    white = np.array([[255, 255, 255, 128]], np.uint8)
    legend = (LegendRow("Floors", (0, 255, 0, 127), 1200),)
    high = flat + np.array([0, 5, 0], np.float32)
    picture = EMPTY._replace(
        corners=np.stack([high, side, flat]), face_colors=colors, lines=line, line_colors=white, legend=legend
    )
    drawing = drawing_of("x", picture)
    assert [shape.fill for shape in drawing.shapes if isinstance(shape, Patches)] == ["#80ff80", "#ff0000"]
    lines = [shape for shape in drawing.shapes if isinstance(shape, Lines)]
    assert [(shape.color, shape.points.tolist()) for shape in lines] == [("#8a8a8a", [[0, 0], [2, 2]])]
    assert drawing.legend[0].text == "Floors (1,200)" and drawing.low < (0, 0) and drawing.high > (2, 2)
    assert drawing_of("empty", EMPTY).shapes == ()
