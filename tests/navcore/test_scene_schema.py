"""docs/scene.schema.json says what Scene takes, no more and no less than a schema can."""

from __future__ import annotations

import copy
import importlib.util
import json
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from navcore.errors import BadInput
from navcore.scene import load_scene
from tests.navcore import test_scene as scenes

ROOT = Path(__file__).resolve().parents[2]
SCHEMA = json.loads((ROOT / "docs/scene.schema.json").read_text(encoding="utf-8"))
BEYOND = ("must be at least", "must be above", "there is no area")
"""What a schema can't say: that one number is above another, and that a name is in a table."""


@pytest.fixture(scope="module")
def validator() -> Any:
    jsonschema = pytest.importorskip("jsonschema", reason="jsonschema comes with `dev.py test`")
    jsonschema.Draft202012Validator.check_schema(SCHEMA)
    return jsonschema.Draft202012Validator(SCHEMA)


def example_level() -> dict[str, Any]:
    sys.path.insert(0, str(ROOT / "examples"))
    try:
        spec = importlib.util.spec_from_file_location("level", ROOT / "examples/level.py")
        assert spec is not None and spec.loader is not None
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
        return dict(module.scene())
    finally:
        sys.path.remove(str(ROOT / "examples"))


def scenes_of_documents() -> Iterator[dict[str, Any]]:
    for page in ("docs/guide/scene-file.md", "docs/pipeline.md"):
        for block in re.findall(r"```json\n(.*?)```", (ROOT / page).read_text(encoding="utf-8"), re.DOTALL):
            if block.startswith("{"):
                yield json.loads(block)


def refused_scenes() -> Iterator[tuple[dict[str, Any], str]]:
    """Those of the tests of scenes, with the message."""
    for test, wrap in (
        (scenes.test_volumes_are_refused_by_name, lambda volume: {"volumes": [volume]}),
        (scenes.test_links_are_refused_by_name, lambda link: {"links": [link]}),
        (scenes.test_scenes_are_refused_by_name, lambda scene: scene),
    ):
        for item, message in test.pytestmark[0].args[1]:
            yield wrap(item), message


def is_json(value: Any) -> bool:
    try:
        json.dumps(value, allow_nan=False)
    except ValueError:
        return False
    return True


def test_the_examples_fit(validator: Any) -> None:
    documented = list(scenes_of_documents())
    assert len(documented) == 2
    for scene in (*documented, example_level(), scenes.WHOLE, {}):
        validator.validate(scene)
        load_scene(scene)


def test_what_is_written_back_fits(validator: Any) -> None:
    validator.validate(json.loads(json.dumps(load_scene(scenes.WHOLE).to_mapping())))


def test_what_scenes_refuse_the_schema_refuses(validator: Any) -> None:
    looked_at = 0
    for scene, message in refused_scenes():
        if is_json(scene) and not (any(part in message for part in BEYOND) and "number" not in message):
            assert not validator.is_valid(scene), message
            looked_at += 1
    assert looked_at > 35


def test_every_field_and_default_is_that_of_the_scene() -> None:
    import dataclasses

    from navcore.scene import BoxVolume, ConvexVolume, CylinderVolume, Link, Scene, Seed

    assert set(SCHEMA["properties"]) == {field.name for field in dataclasses.fields(Scene)}
    for name, kind in (
        *(("box", BoxVolume), ("cylinder", CylinderVolume), ("convex", ConvexVolume), ("link", Link), ("seed", Seed)),
    ):
        described, declared = SCHEMA["$defs"][name], {f.name: f.default for f in dataclasses.fields(kind)}
        assert set(described["properties"]) - {"shape"} == set(declared)
        needed = {field for field, default in declared.items() if default is dataclasses.MISSING}
        assert set(described["required"]) - {"shape"} == needed
        for field in set(declared) - needed:
            assert described["properties"][field]["default"] == declared[field]


VALUES = st.one_of(
    st.none(), st.booleans(), st.integers(-2, 70), st.integers(-(2**40), 2**40), st.text(max_size=3),
    st.sampled_from([0.5, -1.5, 1e39, 3.4e38]), st.lists(st.integers(-3, 3), max_size=7),
    st.dictionaries(st.text(max_size=2), st.integers(0, 9), max_size=2),
)  # fmt: skip
WHOLE = {
    **scenes.WHOLE, "seeds": [[1, 2, 3], {"point": [4, 5, 6], "name": "A"}],
    "area_types": {"7": {"name": "lava", "flags": 64, "cost": 4, "color": [1, 0.5, 0]}, "8": 3},
    "materials": {"a*": 0, "b": "lava"}, "groups": {"c": 7},
}  # fmt: skip


def places(value: Any, way: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """The way to every value in a scene."""
    inner = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, part in inner:
        yield (*way, key)
        yield from places(part, (*way, key))


@settings(max_examples=300, deadline=None)
@given(st.sampled_from(list(places(WHOLE))), VALUES)
def test_schema_and_scene_agree_about_any_one_changed_value(validator: Any, way: tuple[Any, ...], value: Any) -> None:
    changed = copy.deepcopy(WHOLE)
    part: Any = changed
    for key in way[:-1]:
        part = part[key]
    part[way[-1]] = value
    try:
        load_scene(changed)
    except BadInput as refused:
        message = str(refused)
        only_here = any(part in message for part in BEYOND) and "number" not in message
        assert only_here or not validator.is_valid(changed), message
    else:
        lenient = way[0] == "area_types" and isinstance(value, str) and value.isdigit()  # numbers as text
        assert lenient or validator.is_valid(changed), "refused by the schema alone"
