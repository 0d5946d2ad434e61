"""Every answer of the C++ library to pairs of random points, array for array: run where a folder of dumps is named."""

from __future__ import annotations

import io
import json
from pathlib import Path

import numpy as np
import pytest

from navcore import NavQuery, read_navmesh
from navcore.files.npz import npz_bytes
from navcore.questions.question_files import answers_to, read_questions
from tests import dumps

FOLDER = Path() if dumps.FOLDER is None else dumps.FOLDER / "queries"
SETS = json.loads((FOLDER / "manifest.json").read_text()) if (FOLDER / "manifest.json").is_file() else {}


@pytest.mark.parametrize("name", SETS)
def test_every_answer(name: str, tmp_path: Path) -> None:
    assert dumps.FOLDER is not None
    wanted = np.load(FOLDER / f"{name}.npz")
    navmesh = np.load(dumps.FOLDER / SETS[name]["mesh"] / f"{SETS[name]['variant']}.npz")[SETS[name]["nav_array"]]
    (tmp_path / "questions.npz").write_bytes(npz_bytes({"points": wanted["points"]}))
    questions = read_questions(tmp_path / "questions.npz")
    file = io.BytesIO(npz_bytes(answers_to(NavQuery(read_navmesh(navmesh.tobytes())), questions, threads=2)))
    found = np.load(file)
    assert set(found.files) == set(wanted.files)
    for array in wanted.files:
        assert found[array].dtype == wanted[array].dtype and found[array].shape == wanted[array].shape, array
        assert found[array].tobytes() == wanted[array].tobytes(), array
