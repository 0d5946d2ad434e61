"""One page of a navmesh: what is in it, that it asks for nothing else, and that it finds the paths that we find."""

from __future__ import annotations

import base64
import json
import re
import shutil
import subprocess
import zlib
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from navcore import (
    BadInput,
    Link,
    NavMesh,
    NavQuery,
    PathStatus,
    Seed,
    Settings,
    Sight,
    build_navmesh,
    find_cover,
    read_navmesh,
    walk,
    walk_heat,
    write_cover,
    write_heat,
    write_navmesh,
)
from navcore.__main__ import main
from navcore.build_warning import BuildWarning
from navcore.formats.cover_files import read_cover
from navcore.formats.heat_files import read_heat
from navcore.page.page_arrays import MAX_LEVEL_TRIANGLES, Beside, page_level
from navcore.page.write_page import PageContent, modules, page_of, write_page
from navcore.views.cover_faces import cover_faces
from navcore.views.heat_faces import heat_faces
from tests import scenes

HERE = Path(__file__).parent
NODE = shutil.which("node")
BUILDS = {
    "plaza": (scenes.plaza(4), Settings()),
    "plaza in tiles": (scenes.plaza(4), Settings(tile_size=32)),
    "stairs": (scenes.stairs(), Settings(cell_size=0.2)),
    "terrain in tiles": (scenes.terrain(40, 0.3), Settings(tile_size=24)),
    "without detail": (scenes.plaza(3), Settings(detail_mesh=False)),
}


@cache
def built(name: str) -> NavMesh:
    level, settings = BUILDS[name]
    return build_navmesh(*level, settings)


def facts_of(text: str) -> Any:
    return json.loads(re.search(r'id="facts">(.*?)</script>', text, re.S)[1])  # type: ignore[index]


def arrays_of(text: str, part: str) -> dict[str, np.ndarray[Any, Any]]:
    packed = re.search(r'id="arrays">(.*?)</script>', text, re.S)[1]  # type: ignore[index]
    content = zlib.decompress(base64.b64decode(packed))
    table = facts_of(text)[part]["arrays"]
    kinds = {"f4": "<f4", "u1": "u1", "u2": "<u2", "u4": "<u4"}
    return {name: np.frombuffer(content, kinds[kind], count, begin) for name, (kind, begin, count) in table.items()}


@pytest.mark.parametrize("name", BUILDS)
def test_it_has_the_navmesh_as_its_file_has_it(name: str, tmp_path: Path) -> None:
    write_navmesh(built(name), tmp_path / "level.bin")
    file = read_navmesh(tmp_path / "level.bin")
    of_build, of_file = (page_of(PageContent("x", navmesh)) for navmesh in (built(name), file))
    ours, theirs = arrays_of(of_build, "navmesh"), arrays_of(of_file, "navmesh")
    for key in theirs.keys() - {"region"}:
        np.testing.assert_array_equal(ours[key], theirs[key], key)
    polygons = sum(len(tile.sections.polygons) for tile in file.tiles)
    assert len(theirs["area"]) == polygons and len(theirs["firstCorner"]) == polygons + 1
    triangles = sum(len(tile.sections.detail_triangles) for tile in file.tiles)
    assert theirs["firstTriangle"][-1] == triangles and len(theirs["triangles"]) == 3 * triangles


@pytest.mark.skipif(NODE is None, reason="Node.js is not here: it runs the page's search outside of a browser")
@pytest.mark.parametrize("name", BUILDS)
def test_it_finds_the_paths_that_navcore_finds(name: str, tmp_path: Path) -> None:
    page = tmp_path / "page.html"
    write_page(PageContent(name, built(name)), page)
    query = NavQuery(built(name))
    places = query.random_points(400, seed=3).points.astype(np.float64)
    places[::7] += [0.4, 0.6, -0.3]  # beside the ground, and above it
    places[::31] += [500.0, 0.0, 0.0]  # nowhere
    starts, ends = places[::2], places[1::2]
    wanted = query.find_paths(starts, ends)
    (tmp_path / "asked.json").write_text(json.dumps(np.stack([starts, ends], axis=1).tolist()))
    command = [
        str(NODE),
        str(HERE / "ask_page.mjs"),
        str(page),
        str(tmp_path / "asked.json"),
        str(next(modules()).parent),
    ]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    assert [row["status"] for row in found] == [PathStatus(int(status)).name.lower() for status in wanted.status]
    np.testing.assert_allclose([row["length"] for row in found], wanted.length, rtol=1e-5, atol=1e-4)
    counts = np.diff(wanted.offsets)
    for row, count, begin in zip(found, counts.tolist(), wanted.offsets.tolist(), strict=False):
        np.testing.assert_allclose(
            np.array(row["points"]).reshape(-1, 3), wanted.points[begin : begin + count], atol=1e-5
        )
    assert {"complete", "no_start"} <= {row["status"] for row in found}


ORDER = """
import { largestFirst } from "%s";
const places = Float32Array.from(%s), owners = Uint32Array.from(%s);
const made = largestFirst(places, owners), lines = largestFirst(places.slice(0, 6 * %d));
process.stdout.write(JSON.stringify([made.places, made.owners, lines.places].map((values) => [...values])));
"""


@pytest.mark.skipif(NODE is None, reason="Node.js is not here: it runs the page's modules outside of a browser")
def test_a_part_of_all_triangles_is_the_largest_of_everywhere(tmp_path: Path) -> None:
    """What is drawn of a large navmesh while it is turned: large ones first, from everywhere."""
    generator, count = np.random.default_rng(1), 4000
    sizes = np.where(np.arange(count) % 4 == 0, 8.0, 1.0)
    corners = np.array([[0, 0, 0], [0, 0, 1], [1, 0, 0]]) * sizes[:, None, None]
    corners[7] = 0  # no triangle at all
    places = (corners + np.stack([np.arange(count), np.zeros(count), generator.random(count)], 1)[:, None]).astype("f4")
    owners = np.repeat(np.arange(count), 3)
    module = (next(modules()).parent / "scene.js").as_uri()
    script = tmp_path / "order.mjs"
    script.write_text(ORDER % (module, places.ravel().tolist(), owners.tolist(), 2000))
    done = subprocess.run([str(NODE), str(script)], capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stderr
    made, owner, lines = (np.array(values) for values in json.loads(done.stdout))
    order = owner.reshape(-1, 3)[:, 0]
    assert sorted(order) == list(range(count)) and order[-1] == 7
    np.testing.assert_array_equal(made.reshape(-1, 3, 3), places[order])
    np.testing.assert_array_equal(owner, np.repeat(order, 3))
    assert (sizes[order[: count // 4]] == 8.0).all()
    first = order[: count // 20]  # a fifth of the large ones
    assert abs(np.histogram(first, 10, (0, count))[0] - len(first) / 10).max() <= 2
    length = np.linalg.norm(np.diff(lines.reshape(-1, 2, 3), axis=1), axis=2).ravel()
    assert len(length) == 2000 and (2.01 * length >= np.maximum.accumulate(length[::-1])[::-1]).all()


def test_it_asks_for_nothing_else() -> None:
    """No address, no library, nothing that is fetched."""
    text = page_of(PageContent("x", built("plaza")))
    assert not re.search(r"https?:|//cdn|src=|@import|url\(|fetch\(|XMLHttpRequest|WebSocket|\bimport\s*[({\"']", text)
    assert "default-src 'none'" in text
    lines = [line for path in modules() for line in path.read_text(encoding="utf-8").splitlines()]
    assert len(lines) < 1500
    assert (next(modules()).parent / "LICENSE").read_text(encoding="utf-8").startswith("MIT License")


def test_texts_of_a_level_are_no_html() -> None:
    """Names come from files: none of them may become a part of the page."""
    evil = "</script><img src=x onerror=alert(1)>"
    beside = Beside([BuildWarning("DETAIL", evil, (1.0, 2.0, 3.0), evil)], (Seed(point=(0.0, 0.0, 0.0), name=evil),))
    text = page_of(PageContent(evil, built("plaza"), beside=beside))
    assert "<img" not in text and text.count("</script>") == 3
    facts = facts_of(text)
    assert facts["warnings"][0] == {"code": "DETAIL", "message": evil, "at": [1.0, 2.0, 3.0], "name": evil}
    assert facts["seeds"] == [{"at": [0.0, 0.0, 0.0], "name": evil}] and facts["title"] == evil


def test_what_changed_is_in_it() -> None:
    level, settings = BUILDS["plaza"]
    vertices, triangles = level
    before = build_navmesh(vertices, triangles[: len(triangles) // 2], settings)
    text = page_of(PageContent("x", built("plaza"), before=before))
    facts = facts_of(text)
    assert facts["difference"]["added"] > 0 and facts["difference"]["places"][0]["kind"] in (
        "added",
        "removed",
        "moved",
    )
    faces = arrays_of(text, "difference")
    assert len(faces["faces"]) / 12 == len(faces["colors"]) / 4 > 0
    assert facts["before"]["polygons"] == len(before.polygon_mesh.polygons)


def test_the_level_beneath_is_right_to_a_65535th() -> None:
    vertices, triangles = scenes.terrain(30, 0.3)
    level = page_level(vertices, triangles)
    places = np.array(level.facts["low"]) + level.arrays["places"] * np.array(level.facts["step"])
    corners = np.asarray(vertices, np.float64)[np.asarray(triangles)].reshape(-1, 3)
    assert (abs(places[level.arrays["corners"]] - corners) <= np.array(level.facts["step"])).all()
    assert level.facts["shown"] == level.facts["triangles"] == len(triangles)


def test_of_a_large_level_the_largest_triangles_are_shown(monkeypatch: pytest.MonkeyPatch) -> None:
    assert MAX_LEVEL_TRIANGLES == 400_000
    monkeypatch.setattr("navcore.page.page_arrays.MAX_LEVEL_TRIANGLES", 10)
    small = np.array([[0, 0, 0], [0, 0, 0.1], [0.1, 0, 0]])
    parts = [small * (10 if number % 3 == 0 else 1) + [number, 0, 0] for number in range(30)]
    level = page_level(np.concatenate(parts), np.arange(90).reshape(-1, 3))
    assert (level.facts["triangles"], level.facts["shown"]) == (30, 10)
    x = level.facts["low"][0] + level.arrays["places"][level.arrays["corners"]][:, 0] * level.facts["step"][0]
    assert sorted({round(float(low)) for low in x.reshape(-1, 3).min(axis=1)}) == list(range(0, 30, 3))


def test_an_empty_level_and_links_are_shown() -> None:
    level, settings = BUILDS["plaza"]
    link = Link(start=(0.0, 0.0, 0.0), end=(3.0, 0.0, 3.0))
    facts = facts_of(
        page_of(PageContent("x", build_navmesh(*level, settings, links=[link]), (np.zeros((0, 3)), np.zeros((0, 3)))))
    )
    assert facts["navmesh"]["links"]["points"][0]["end"] == [3.0, 0.0, 3.0] and facts["level"]["shown"] == 0


def test_heat_and_cover_are_in_it(tmp_path: Path) -> None:
    level, _ = BUILDS["stairs"]
    query = NavQuery(built("stairs"))
    starts, ends = query.random_points(12, seed=1).points, query.random_points(12, seed=2).points
    heat, cover = walk_heat(query, walk(query, starts, ends, 8), ends), find_cover(built("stairs"), Sight(*level))
    write_heat(heat, tmp_path / "heat.json")
    write_cover(cover, tmp_path / "cover.json")
    write_navmesh(built("stairs"), tmp_path / "level.bin")
    words = ["--heat", str(tmp_path / "heat.json"), "--cover", str(tmp_path / "cover.json"), "--quiet"]
    assert main(["page", str(tmp_path / "level.bin"), *words, "-o", str(tmp_path / "page.html")]) == 0
    text = (tmp_path / "page.html").read_text(encoding="utf-8")
    facts = facts_of(text)
    assert facts["cover"]["places"] == len(cover.at) == sum(row["count"] for row in facts["cover"]["legend"]) > 0
    assert [place["agents"] for place in facts["heat"]["places"]] == [place.agents for place in heat.chokepoints]
    for part, picture in (("heat", heat_faces(read_heat(tmp_path / "heat.json"))), ("cover", cover_faces(cover))):
        arrays = arrays_of(text, part)
        assert len(picture.corners) > 0
        np.testing.assert_allclose(arrays["faces"].reshape(-1, 4, 3), picture.corners, atol=2e-3)
        np.testing.assert_allclose(arrays["lines"].reshape(-1, 2, 3), picture.lines, atol=2e-3)
        assert len(arrays["colors"]) == 4 * len(picture.corners)


def test_files_of_heat_and_cover_are_read_as_they_were_written(tmp_path: Path) -> None:
    level, _ = BUILDS["stairs"]
    cover = find_cover(built("stairs"), Sight(*level))
    write_cover(cover, tmp_path / "cover.json")
    assert read_cover(tmp_path / "cover.json").to_mapping() == cover.to_mapping()
    query, ends = NavQuery(built("stairs")), [[2.0, 0.0, 2.0]]
    heat = walk_heat(query, walk(query, query.random_points(1, seed=4).points, ends, 5), ends)
    write_heat(heat, tmp_path / "heat.json")
    again = read_heat(tmp_path / "heat.json").to_mapping()
    of_agents = ("agents", "mean_time_lost")  # what each lost is not in the file
    assert all(again[key] == value for key, value in heat.to_mapping().items() if key not in of_agents)


def test_a_heat_of_nobody_on_the_way_is_read_and_shown(tmp_path: Path) -> None:
    """No way leads from far outside: the maps have no row."""
    write_navmesh(built("stairs"), tmp_path / "level.bin")
    files = [str(tmp_path / name) for name in ("level.bin", "heat.json", "page.html")]
    assert main(["walk", files[0], "--from", "500,0,0", "--to", "2,0,2", "--heat", files[1]]) == 3
    assert read_heat(files[1]).density.shape == (0, 0)
    assert main(["page", files[0], "--heat", files[1], "--quiet", "-o", files[2]]) == 0


@pytest.mark.parametrize(
    "content", ["[]", "{}", '{"format": 1}', '{"format": 1, "points": [{"at": [1, 2]}]}',
                '{"format": 1, "points": [{"at": [1, 2, "x"], "towards": [1, 0, 0], "kind": "low", "lean": []}]}',
                '{"format": 1, "cell": 1, "origin": [0], "density": [[1], [1, 2]]}'],
)  # fmt: skip
def test_another_file_is_no_heat_and_no_cover(content: str, tmp_path: Path) -> None:
    (tmp_path / "other.json").write_text(content)
    with pytest.raises(BadInput) as refused:
        read_cover(tmp_path / "other.json")
    assert refused.value.code == "BAD_COVER"
    with pytest.raises(BadInput, match="is no heat of a walk") as refused:
        read_heat(tmp_path / "other.json")
    assert refused.value.code == "BAD_HEAT"


@pytest.mark.parametrize("name", ["density", "waiting", "cell", "origin", "columns"])
@pytest.mark.parametrize("value", [None, "1", -1])
def test_a_heat_that_lacks_a_number(name: str, value: object, tmp_path: Path) -> None:
    """NumPy takes null for NaN, and text for the number in it."""
    maps = {part: [[0.0, 1.0]] for part in ("density", "time_lost", "waiting")}
    columns = {"cell": 0.5, "rows": [[0.0, 0.0, 0.0, 1.0, 2.0, 3.0]]}
    heat = {"format": 1, "cell": 0.5, "origin": [0.0, 0.0], **maps, "chokepoints": [], "columns": columns}
    (tmp_path / "heat.json").write_text(json.dumps(heat))
    read_heat(tmp_path / "heat.json")
    heat[name] = {"columns": {**columns, "cell": value}, "cell": value, "origin": [0.0, value]}.get(
        name, [[0.0, value]]
    )
    (tmp_path / "heat.json").write_text(json.dumps(heat))
    if value == -1 and "c" not in name[0]:  # lengths alone are above 0
        assert read_heat(tmp_path / "heat.json")
        return
    with pytest.raises(BadInput, match="is no heat of a walk"):
        read_heat(tmp_path / "heat.json")


@pytest.mark.parametrize(
    "report", [[], {}, {"warnings": [{"code": 1}]}, {"warnings": [{"code": "A", "message": "b", "place": [1, 2]}]},
               {"warnings": [], "tests": [{}]}, {"warnings": [], "must_reach": [{"ok": True, "point": None}]},
               {"warnings": [], "tests": [{"name": "a", "ok": True, "from": [0, 0, 0], "length": None}]},
               {"warnings": [], "tests": [{"ok": True, "from": [0, 0, 0], "length": 1.5}]},
               {"warnings": [], "must_reach": [{"name": "a", "ok": False, "point": [0, 0, 0]}]}],
)  # fmt: skip
def test_another_file_is_no_report(report: object) -> None:
    with pytest.raises(BadInput, match="none of a build") as refused:
        Beside.of_report(report)
    assert refused.value.code == "BAD_REPORT"


def test_a_report_on_several_builds_says_that_it_is_one() -> None:
    with pytest.raises(BadInput, match=r"on 2 builds, and a page shows one\. Build that level alone"):
        Beside.of_report({"builds": [{"warnings": []}, {"warnings": []}]})


def test_a_page_is_called_html(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match="Name it so"):
        write_page(PageContent("x", built("plaza")), tmp_path / "page.txt")
    assert not list(tmp_path.iterdir())


def test_a_navmesh_shows_itself(monkeypatch: pytest.MonkeyPatch) -> None:
    opened: list[str] = []
    monkeypatch.setattr("webbrowser.open", opened.append)
    page = built("plaza").show()
    assert opened == [page.path.as_uri()] and page.path.read_text(encoding="utf-8") == page.text
    assert page._repr_html_().startswith("<iframe srcdoc=") and "<script" not in page._repr_html_()  # type: ignore[attr-defined]
    shutil.rmtree(page.path.parent)


def test_a_name_of_a_file_may_be_any_bytes() -> None:
    """Linux has names that are no UTF-8: such a page ended with a traceback, and the build with it."""
    name = b"caf\xe9.bin".decode(errors="surrogateescape")
    page = page_of(PageContent(name, built("stairs")))
    assert b"<title>caf&#56553;.bin</title>" in page.encode()


@pytest.mark.parametrize(
    ("level", "said"),
    [("level.obj", "level is a str"), ((np.zeros((3, 3)),), r"Give \(vertices, triangles\)"),
     ((np.zeros((3, 3)), [[0, 1, 3]]), "names vertices from 0 to 3"),
     ((np.zeros((3, 2)), [[0, 1, 2]]), "vertices must be")],
)  # fmt: skip
def test_what_is_no_level_is_not_shown(monkeypatch: pytest.MonkeyPatch, level: Any, said: str) -> None:
    monkeypatch.setattr("webbrowser.open", lambda _: pytest.fail("a page was opened"))
    with pytest.raises(BadInput, match=said):
        built("plaza").show(level=level)
