"""Scene files: volumes, links, bounds, and the strict JSON under them."""

from __future__ import annotations

import json
import time

import numpy as np
import pytest

from navcore.area_types import AREA_TYPES, AreaType
from navcore.errors import BadInput
from navcore.files import strict_json
from navcore.files.strict_json import load_json
from navcore.scene import (
    BoxVolume,
    ConvexVolume,
    CylinderVolume,
    Link,
    Scene,
    Seed,
    as_links,
    as_seeds,
    as_volumes,
    load_scene,
)

CONVEX = {"shape": "convex", "area": 2, "min_height": -1, "max_height": 3, "points": [[0, 0], [4, 0], [0, 4.5]]}
BOX = {"shape": "box", "area": 2, "min": [0, -1, 0], "max": [4, 3, 4]}
CYLINDER = {"shape": "cylinder", "area": 2, "base": [1, 0, 1], "radius": 1, "height": 2}
LINK = {"start": [0, 1, 2], "end": [3, 4, 5.5], "radius": 0.4, "bidirectional": False, "area": 6, "flags": 9, "id": 77}
WHOLE = {"bounds": [0, -1, 0, 10, 5, 10], "volumes": [CONVEX, BOX, CYLINDER], "links": [LINK]}


def test_every_form_of_the_contract():
    scene = load_scene(WHOLE)
    assert scene.bounds == (0, -1, 0, 10, 5, 10)
    assert scene.volumes == (
        ConvexVolume(area=2, min_height=-1.0, max_height=3.0, points=((0.0, 0.0), (4.0, 0.0), (0.0, 4.5))),
        BoxVolume(area=2, min=(0.0, -1.0, 0.0), max=(4.0, 3.0, 4.0)),
        CylinderVolume(area=2, base=(1.0, 0.0, 1.0), radius=1.0, height=2.0),
    )
    expected = Link(start=(0, 1, 2), end=(3, 4, 5.5), radius=0.4, bidirectional=False, area=6, flags=9, id=77)
    assert scene.links == (expected,)


def test_everything_is_optional_but_what_a_thing_needs():
    assert load_scene({}) == Scene(bounds=None, volumes=(), links=())
    link = load_scene({"links": [{"start": [0, 0, 0], "end": [1, 0, 0]}]}).links[0]
    assert (link.radius, link.bidirectional, link.area, link.flags, link.id) == (0.6, True, 5, 8, 0)


def test_what_goes_to_the_report_comes_back():
    scene = load_scene(WHOLE)
    assert load_scene(json.loads(json.dumps(scene.to_mapping()))) == scene
    assert load_scene(Scene().to_mapping()) == Scene()
    assert scene.volumes[2].to_mapping() == CYLINDER


def test_dataclasses_mappings_and_arrays_may_be_mixed():
    box = BoxVolume(area=np.uint8(4), min=np.zeros(3, np.float32), max=np.array([1, 2, 3]))
    assert box.max == (1.0, 2.0, 3.0)
    assert type(box.area) is int
    assert as_volumes([box, CYLINDER]) == [box, as_volumes([CYLINDER])[0]]
    assert as_volumes(iter([BOX])) == as_volumes((BOX,))
    link = Link(start=(0, 0, 0), end=(1, 1, 1))
    assert as_links([LINK, link])[1] is link
    points = np.array([[0, 0], [1, 0], [0, 1]], np.float32)
    assert ConvexVolume(area=1, min_height=0, max_height=1, points=points).points[1] == (1.0, 0.0)


def test_mappings_are_left_alone():
    given = dict(CYLINDER)
    as_volumes([given])
    assert given == CYLINDER


def changed(item: dict, **values) -> dict:
    return {**item, **values}


def without(item: dict, name: str) -> dict:
    return {key: value for key, value in item.items() if key != name}


INFINITE, NOT_A_NUMBER = float("inf"), float("nan")


@pytest.mark.parametrize(
    ("volume", "message"),
    [
        (changed(CYLINDER, radius=-1), "volume 2 (cylinder): radius must be a number of at least 0, not -1."),
        (changed(CYLINDER, height=-0.5), "volume 2 (cylinder): height must be a number of at least 0, not -0.5."),
        (changed(CYLINDER, radius="1"), "volume 2 (cylinder): radius must be a number of at least 0, not '1'."),
        (changed(CYLINDER, radius=True), "volume 2 (cylinder): radius must be a number of at least 0, not True."),
        (changed(CYLINDER, radius=INFINITE), "volume 2 (cylinder): radius must be a number of at least 0, not inf."),
        (changed(CYLINDER, base=[0, 1]), "volume 2 (cylinder): base must be [x, y, z], not [0, 1]."),
        (changed(CYLINDER, base=[0, 1, None]), "volume 2 (cylinder): z of base must be a finite number, not None."),
        (changed(CYLINDER, base=[0, 1e39, 0]), "volume 2 (cylinder): y of base must be a finite number, not 1e+39."),
        (changed(CYLINDER, area=64), "volume 2 (cylinder): area must be a whole number from 0 to 63, not 64."),
        (changed(CYLINDER, area=-1), "volume 2 (cylinder): area must be a whole number from 0 to 63, not -1."),
        (changed(CYLINDER, area=2.5), "volume 2 (cylinder): area must be a whole number from 0 to 63, not 2.5."),
        (changed(CYLINDER, area=False), "volume 2 (cylinder): area must be a whole number from 0 to 63, not False."),
        (changed(CYLINDER, heigth=3), "volume 2 (cylinder): 'heigth' is not known; did you mean height?"),
        (
            changed(CYLINDER, hue=3),
            "volume 2 (cylinder): 'hue' is not known; known are area, door, closed, ability, resolution, base, radius, "
            "height.",
        ),
        (without(CYLINDER, "radius"), "volume 2 (cylinder): radius is missing."),
        (without(CYLINDER, "area"), "volume 2 (cylinder): area is missing."),
        (
            changed(CYLINDER, resolution=3),
            "volume 2 (cylinder): resolution must be 0.25 or 0.5 or 2, times the cell size of the level, not 3.",
        ),
        (
            changed(CYLINDER, resolution=True),
            "volume 2 (cylinder): resolution must be 0.25 or 0.5 or 2, times the cell size of the level, not True.",
        ),
        (changed(BOX, max=[4, -2, 4]), "volume 2 (box): y of max must be at least y of min = -1, not -2."),
        (changed(BOX, min=[0, NOT_A_NUMBER, 0]), "volume 2 (box): y of min must be a finite number, not nan."),
        (
            changed(CONVEX, points=[[0, 0], [1, 1]]),
            "volume 2 (convex): points must be at least 3 points [x, z], not 2.",
        ),
        (changed(CONVEX, points=7), "volume 2 (convex): points must be at least 3 points [x, z], not 7."),
        (
            changed(CONVEX, points=[[0, 0], [1, 1], [2, 3, 4]]),
            "volume 2 (convex): point 3 must be [x, z], not [2, 3, 4].",
        ),
        (
            changed(CONVEX, points=[[0, 0], [1, "a"], [2, 3]]),
            "volume 2 (convex): z of point 2 must be a finite number, not 'a'.",
        ),
        (
            changed(CONVEX, max_height=-2),
            "volume 2 (convex): max_height must be at least min_height = -1, not -2.",
        ),
        (changed(BOX, shape="sphere"), "volume 2: shape must be one of box, cylinder, convex, not 'sphere'."),
        (changed(BOX, shape=["box"]), "volume 2: shape must be one of box, cylinder, convex, not ['box']."),
        (without(BOX, "shape"), "volume 2: shape must be one of box, cylinder, convex, not None."),
        ([1, 2], "volume 2 must be an object with names and values, not [1, 2]."),
    ],
)
def test_volumes_are_refused_by_name(volume, message):
    with pytest.raises(BadInput) as refused:
        load_scene({"volumes": [BOX, volume]})
    assert str(refused.value) == message
    assert refused.value.code == "BAD_SCENE"


@pytest.mark.parametrize(
    ("link", "message"),
    [
        (changed(LINK, radius=0), "link 1: radius must be a number above 0, not 0."),
        (changed(LINK, bidirectional=1), "link 1: bidirectional must be true or false, not 1."),
        (changed(LINK, flags=65536), "link 1: flags must be a whole number from 0 to 65535, not 65536."),
        (changed(LINK, id=-1), "link 1: id must be a whole number from 0 to 4294967295, not -1."),
        (changed(LINK, id=2**32), "link 1: id must be a whole number from 0 to 4294967295, not 4294967296."),
        (changed(LINK, area=64), "link 1: area must be a whole number from 0 to 63, not 64."),
        (changed(LINK, start=[0, 0]), "link 1: start must be [x, y, z], not [0, 0]."),
        (without(LINK, "end"), "link 1: end is missing."),
        (changed(LINK, bidirectonal=True), "link 1: 'bidirectonal' is not known; did you mean bidirectional?"),
        ("jump", "link 1 must be an object with names and values, not 'jump'."),
    ],
)
def test_links_are_refused_by_name(link, message):
    with pytest.raises(BadInput) as refused:
        load_scene({"links": [link]})
    assert str(refused.value) == message


@pytest.mark.parametrize(
    ("scene", "message"),
    [
        ({"bounds": [0, 0, 0, 1, 1]}, "bounds must be [x0, y0, z0, x1, y1, z1], not [0, 0, 0, 1, 1]."),
        ({"bounds": [0, 0, 0, 0, 1, 1]}, "x1 of bounds must be above x0 = 0, not 0."),
        ({"bounds": [0, 0, 5, 1, 1, 4]}, "z1 of bounds must be above z0 = 5, not 4."),
        ({"bounds": [0, 2, 0, 1, 1, 1]}, "y1 of bounds must be at least y0 = 2, not 1."),
        ({"bounds": [0, 0, 0, 1, INFINITE, 1]}, "y1 of bounds must be a finite number, not inf."),
        ({"volume": []}, "'volume' is not known; did you mean volumes?"),
        ({"volumes": {"shape": "box"}}, "volumes must be a list, not {'shape': 'box'}."),
        ({"links": None}, "links must be a list, not None."),
        ({"volumes": "box"}, "volumes must be a list, not 'box'."),
        ([], "A scene must be an object with names and values, not []."),
        ({"seeds": [{"point": [0, 0, 0], "name": 7}]}, "seed 1: name must be text, not 7."),
        ({"seeds": [[0, 0]]}, "seed 1: point must be [x, y, z], not [0, 0]."),
        ({"area_types": [1]}, "area_types must map area ids to flags, not [1]."),
    ],
)
def test_scenes_are_refused_by_name(scene, message):
    with pytest.raises(BadInput) as refused:
        load_scene(scene)
    assert str(refused.value) == message


def test_flat_bounds_are_for_the_builder_to_judge():
    assert load_scene({"bounds": [0, 1, 0, 1, 1, 1]}).bounds == (0, 1, 0, 1, 1, 1)


def test_seeds_are_points_or_points_with_names():
    assert [
        seed.to_mapping() for seed in load_scene({"seeds": [[1, 2, 3], {"point": [4, 5, 6], "name": "A"}]}).seeds
    ] == [
        {"point": [1.0, 2.0, 3.0], "name": ""},
        {"point": [4.0, 5.0, 6.0], "name": "A"},
    ]


def test_seeds_that_are_seeds_stay_what_they_are():
    spawn = Seed(point=(1, 2, 3), name="Spawn")
    assert as_seeds([spawn, [4, 5, 6]])[0] is spawn


def test_area_types_are_the_usual_ones_and_those_that_are_told():
    assert load_scene({"area_types": None}).area_types == load_scene({}).area_types == AREA_TYPES
    types = load_scene({"area_types": {"7": {"name": "lava", "flags": 64}}}).area_types
    assert (types[7].cost, types[7].color) == (1.0, None)
    dear = load_scene({"area_types": {"7": {"flags": 64, "cost": 4, "color": [1, 0, 0]}}})
    assert dear.area_types[7] == AreaType("area 7", 64, 4.0, (1.0, 0.0, 0.0))
    assert load_scene(dear.to_mapping()) == dear
    assert types[7].name == "lava" and types[7].flags == 64 and {**types, **AREA_TYPES}[0] == AREA_TYPES[0]


def test_messages_are_short_for_long_values():
    with pytest.raises(BadInput) as refused:
        load_scene({"volumes": [changed(BOX, min="x" * 10_000)]})
    assert len(str(refused.value)) < 200
    with pytest.raises(BadInput) as refused:
        load_scene({"y" * 10_000: 1})
    assert len(str(refused.value)) < 200


# --- strict JSON


def test_files_and_bytes(tmp_path):
    file = tmp_path / "level.json"
    file.write_bytes(b"\xef\xbb\xbf" + json.dumps(WHOLE).encode())
    assert Scene.from_file(file) == Scene.from_file(str(file)) == load_scene(WHOLE)
    assert load_json(b'{"a": [1, -2.5, true, null, "\\u00e9"]}', "settings") == {"a": [1, -2.5, True, None, "é"]}


def test_a_refused_file_is_named(tmp_path):
    for path, why in ((tmp_path / "no.json", "No such file"), (tmp_path, ""), ("a\0b", "embedded null")):
        with pytest.raises(BadInput, match=f"The scene file .*could not read .*: {why}") as refused:
            Scene.from_file(path)
        assert refused.value.code == "CANNOT_READ"


DEEPEST = strict_json.MOST_DEPTH


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (b'{"a": NaN}', "The settings JSON holds NaN, which is no JSON number."),
        (b"[-Infinity]", "The settings JSON holds -Infinity, which is no JSON number."),
        (b"[1e999]", "The settings JSON holds 1e999, which is beyond what a float can hold."),
        (b"[" + b"9" * 301 + b"]", "The settings JSON holds a number of 301 digits."),
        (b"[" + b"9" * 100_000 + b"]", "The settings JSON holds a number of 100000 digits."),
        (b'{"a": 1, "b": {"c": 1, "c": 1}}', "The settings JSON has the key 'c' twice in one object."),
        (b'{"a": 1', "The settings JSON is not JSON: Expecting ',' delimiter in line 1, column 8."),
        (b"", "The settings JSON is not JSON: Expecting value in line 1, column 1."),
        (b'\n"\xff"', "The settings JSON is not UTF-8 text: byte 2 is wrong."),
        (b"[" * (DEEPEST + 1), f"The settings JSON is nested more than {DEEPEST} levels deep."),
        (b"[" * 5_000_000, f"The settings JSON is nested more than {DEEPEST} levels deep."),
        (b'{"a":' * 100_000, f"The settings JSON is nested more than {DEEPEST} levels deep."),
        (b'["\\\\", ' + b"[" * DEEPEST, f"The settings JSON is nested more than {DEEPEST} levels deep."),
        (b" " * (strict_json.MOST_BYTES + 1), "The settings JSON is larger than 16 MiB, the most that is read."),
    ],
)
def test_json_is_refused(text, message):
    began = time.process_time()
    with pytest.raises(BadInput) as refused:
        load_json(text, "settings")
    assert str(refused.value) == message
    assert refused.value.code == "BAD_JSON"
    assert time.process_time() - began < 5


@pytest.mark.parametrize("text", ["[" * 1000, '\\"[' * 500, "\\\\", '\\\\\\"[[', "]" * 200])
def test_brackets_in_strings_are_no_depth(text):
    value = ["x", text.replace('\\"', '"').replace("\\\\", "\\"), [text] * 3]
    assert load_json(json.dumps(value).encode(), "scene") == value


def test_the_deepest_that_is_read():
    assert load_json(b"[" * DEEPEST + b"]" * DEEPEST, "scene") is not None


def test_a_file_that_grows_is_read_no_further(tmp_path):
    file = tmp_path / "large.json"
    file.write_bytes(b"[" + b" " * 98 + b"]")
    assert load_json(file, "scene", 100) == []
    file.write_bytes(b"[" + b" " * 99 + b"]")
    with pytest.raises(BadInput, match="is larger than"):
        load_json(file, "scene", 100)
