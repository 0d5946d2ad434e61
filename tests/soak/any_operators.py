"""All operators in any order with any values: `python -m tests.soak.any_operators --first 20 --sessions 10` with bpy

A scene changes beneath the extension: objects come, go, are renamed, hidden, marked, scaled; settings, units and
scenes change; files are saved and opened, steps undone. Between that operators are called as scripts call them. After
each step every panel is drawn. A find is a traceback: what is refused has to be a sentence. A crash ends the process,
and the last line that was printed says in which step.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import traceback
from collections import Counter
from pathlib import Path
from random import Random
from typing import Any

from tests.blender.conftest import MODULE, known_to, module_of
from tests.blender.drawn_panels import draw_panels
from tests.blender.scenes import add_plane

STEPS = 400
FAULT = "failed, which it should not"  # what people are told of in place of a traceback
_NEVER = ("forget_kernels", "show_page", "preset_add")  # minutes of compiling, a browser, files in the user's folders
_SELDOM = ("build", "rebuild", "live")  # of these few values are given: most of them are refused
_NUMBERS = (-1, 0, 1e-3, 0.1, 0.3, 0.5, 1, 2, 3, 5, 10, 45, 63, 64)
_NAMES = ("Navmesh", "Navmesh Links", "Navmesh Detail", "Navmesh Edits", "Agent", "Renamed", "Ünï", "a/b")
_WORDS = ("", "nope", *_NAMES, "[[0, 0], [2, 0], [2, 2]]", "[[0, 0, 0], [3, 0, 0], [3, 3, 0]]")
_FILES = ("a.bin", "a.json", "b.glb", "c.html", "d.tilecache.bin", "e.svg", "tests.json", "")


class AnyOperators:
    """One session in an empty file."""

    def __init__(self, bpy: Any, addon: Any, seed: int, folder: Path) -> None:
        self.bpy, self.addon, self.random, self.folder = bpy, addon, Random(f"operators-{seed}"), folder
        self.seed, self.done, self.finds = seed, Counter[str](), list[str]()
        self._names = sorted(set(dir(bpy.ops.navmesh)).difference(_NEVER))
        bpy.ops.wm.read_homefile(use_empty=True)
        add_plane(bpy, "Ground", size=20)
        add_plane(bpy, "Step", size=5, at=(3, 3, 1))
        bpy.ops.navmesh.build(scope="VISIBLE")
        self._remember()

    def run(self, steps: int, say: Any = print) -> None:
        kinds = (self._change, self._call, self._call, self._undo, self._file)
        for number in range(steps):
            (kind,) = self.random.choices(kinds, (9, 4, 4, 2, 0.5))
            try:
                what = kind()
                draw_panels(self.bpy, self.addon)
            except Exception:  # noqa: BLE001 - the very thing that is looked for
                what = kind.__name__
                self.finds.append(f"session {self.seed}, step {number}, {what}: {traceback.format_exc()}")
            say(f"{self.seed}.{number} {what}")

    def _remember(self) -> None:
        """A step of undo, as hands make one: what was changed without one makes Blender crash when steps are undone."""
        self.bpy.context.view_layer.update()
        self.bpy.ops.ed.undo_push(message="step")

    # --- what is done

    def _undo(self) -> str:
        if self.bpy.ops.ed.undo.poll():
            self.bpy.ops.ed.undo()
        return "undo"

    def _file(self) -> str:
        """Save and open again; or another scene."""
        if self.random.random() < 0.5:
            path = str(self.folder / "level.blend")
            self.bpy.ops.wm.save_as_mainfile(filepath=path)
            self.bpy.ops.wm.open_mainfile(filepath=path)
            return "opened"
        kind = self.random.choice(("FULL_COPY", "LINK_COPY", "EMPTY", "NEW"))
        self.bpy.ops.scene.new(type=kind)
        self._remember()
        return f"scene {kind}"

    def _call(self) -> str:
        """One operator, with some of its values."""
        name = self.random.choice(self._names if self.random.random() < 0.7 else _SELDOM)
        operator = getattr(self.bpy.ops.navmesh, name)
        given = {}
        for property_ in operator.get_rna_type().properties:
            if (
                not property_.is_hidden
                and property_.identifier != "rna_type"
                and self.random.random() < (0.07 if name in _SELDOM else 0.6)
            ):
                given[property_.identifier] = self._value(property_)
        objects = list(self.bpy.context.scene.objects)
        if "uid" in given and objects:
            given["uid"] = self.random.choice(objects).session_uid
        self.done[name] += 1
        return f"{name} {given}: {self._outcome(operator, given)}"

    def _outcome(self, operator: Any, given: dict[str, Any]) -> str:
        if not operator.poll():
            return "greyed out"
        try:
            return str(operator("EXEC_DEFAULT", True, **{k: v for k, v in given.items() if v is not None}))
        except TypeError as refused:  # by Blender: a value that no list has, say
            return str(refused).splitlines()[0]
        except RuntimeError as told:  # what an operator reports as an error reaches a script so
            if "Traceback" in str(told) or FAULT in str(told):
                raise
            return str(told).splitlines()[0]

    def _change(self) -> str:
        """Something in the scene, as hands and other scripts do it."""
        scene, random = self.bpy.context.scene, self.random
        setups = list(scene.navmesh.setups)
        kinds = [self._add, self._of_object, self._of_object, self._of_object]
        kind = random.choice(kinds)
        if (chance := random.random()) < 0.1:
            scene.unit_settings.scale_length = random.choice((1, 1, 0.01, 0.3048))
        elif chance < 0.25:
            self._set_any(scene.navmesh)
        elif chance < 0.4 and setups:
            self._set_any(random.choice(setups))
        else:
            kind()
        self._remember()
        return "change"

    def _add(self) -> None:
        random = self.random
        at = (random.uniform(-8, 8), random.uniform(-8, 8), random.choice((0, 0, 1, 3)))
        add_plane(self.bpy, random.choice(("Plane", "Ground", *_NAMES)), size=random.choice((3, 8, 15)), at=at)

    def _of_object(self) -> None:
        random, objects = self.random, list(self.bpy.context.scene.objects)
        if not objects:
            return
        object_ = random.choice(objects)
        kind = random.randrange(9)
        if kind == 0:
            object_.location.x += random.uniform(-3, 3)
        elif kind == 1:
            object_.name = random.choice(_NAMES)
        elif kind == 2 and random.random() < 0.5:
            self.bpy.data.objects.remove(object_)
        elif kind == 3:
            object_.scale = (random.choice((1, 2, -1, 0.01)), 1, 1)
        elif kind == 4:
            object_.navmesh.use = random.choice(
                [i.identifier for i in object_.navmesh.bl_rna.properties["use"].enum_items]
            )
        elif kind == 5:
            self._set_any(object_.navmesh)
        elif kind == 6:
            home = self.bpy.data.collections.new(random.choice(_NAMES))
            self.bpy.context.scene.collection.children.link(home)
            home.objects.link(object_)
        elif object_.name in self.bpy.context.view_layer.objects:
            object_.hide_set(random.random() < 0.3)
            object_.select_set(random.random() < 0.7)
            self.bpy.context.view_layer.objects.active = object_

    def _set_any(self, owner: Any) -> None:
        """One value that people see; what hidden ones hold is the extension's own."""
        known = [p for p in owner.bl_rna.properties if not (p.is_readonly or p.is_hidden or p.identifier == "name")]
        property_ = self.random.choice(known)
        value = self._value(property_)
        if value is not None:
            setattr(owner, property_.identifier, value)

    def _value(self, property_: Any) -> Any:
        """Any value that such a property takes; None where it takes none."""
        random, kind = self.random, property_.type
        if kind == "STRING":
            scene = self.bpy.context.scene
            there = [*(o.name for o in scene.objects), *(s.name for s in scene.navmesh.setups)]
            file = str(self.folder / random.choice(_FILES))
            return random.choice((random.choice(_WORDS), random.choice(there or [""]), file))
        if kind == "ENUM":
            items = [item.identifier for item in property_.enum_items]
            if property_.is_enum_flag:
                return {item for item in items if random.random() < 0.4}
            return random.choice(items) if items else None
        if kind not in ("BOOLEAN", "INT", "FLOAT"):
            return None
        made = [self._number(property_) for _ in range(property_.array_length if property_.is_array else 1)]
        return made if property_.is_array else made[0]

    def _number(self, property_: Any) -> Any:
        if property_.type == "BOOLEAN":
            return self.random.random() < 0.5
        number = min(max(self.random.choice(_NUMBERS), property_.hard_min), property_.hard_max)
        return int(number) if property_.type == "INT" else float(number)


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--first", type=int, default=0, help="number of the first session")
    parser.add_argument("--sessions", type=int, default=10)
    parser.add_argument("--steps", type=int, default=STEPS, help="of each session")
    parser.add_argument("--quiet", action="store_true", help="say what was found alone")
    arguments = parser.parse_args()
    import bpy  # first: it makes Blender's own modules findable

    finds, done = list[str](), Counter[str]()
    with tempfile.TemporaryDirectory() as folder:
        addon_utils = known_to(bpy, Path(folder))
        addon_utils.enable(MODULE, default_set=False)
        for seed in range(arguments.first, arguments.first + arguments.sessions):
            session = AnyOperators(bpy, module_of, seed, Path(folder))
            session.run(arguments.steps, (lambda _: None) if arguments.quiet else _say)
            finds += session.finds
            done += session.done
        addon_utils.disable(MODULE, default_set=False)
    print(*finds, f"{done.total():,} calls of {len(done)} operators, {len(finds)} finds", sep="\n")
    return 1 if finds else 0


def _say(line: str) -> None:
    """At once: after a crash nothing more is written."""
    print(line, flush=True)


if __name__ == "__main__":
    status = main()
    sys.stdout.flush()
    raise SystemExit(status)
