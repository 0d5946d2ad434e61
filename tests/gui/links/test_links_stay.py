"""Twenty rebuilds while the level changes: what was decided about links stays, and what can't be taken is told."""

import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

sys.path.insert(0, str(Path(__file__).parents[1]))

import bpy
import driver
import levels
from driver import Hands, Steps, say
from links.link_steps import KINDS, build, colors_of, ends, open_the_list, reset_view, rows
from mathutils import Vector
from mathutils.geometry import intersect_point_line

REBUILDS = 20
PIXELS = 1500  # of red, at least, where a ribbon is; the axis has some, too
AWAY, BETWEEN = (-6.0, -3.0, 1.5), (0.0, -3.0, 1.5)  # where the pillar stands
FAR = ((-6.0, 11.5, -0.5), (5.5, 3.5, 0.5))  # the floor beyond, which comes and goes
EDITS = ("pillar between", "pillar away", "floor gone", "floor back", "both", "neither")
FOUND, PINNED, MOVED = range(3)


class Decided(NamedTuple):
    """What was decided before the first rebuild, by ids."""

    rejected: int
    pinned: int
    moved: int
    corners: dict[int, list[list[list[float]]]]  # of both that are kept


def scenario() -> Steps:
    hands = Hands()
    open_the_list()
    make_level()
    yield 1
    yield from driver.open_sidebar(hands, "Navmesh")
    yield from build()
    decided = decide()
    known: dict[tuple[bool, bool], str] = {}  # what the same level has shown before
    for number, edit in zip(range(REBUILDS), edits(), strict=False):
        watch = driver.ours("watch.level_changes")
        yield from driver.wait(lambda watch=watch: not watch._look.asked, "the level of now to be looked at")
        change(edit)
        yield from driver.wait(out_of_date, f"“{edit}” to be noticed")
        yield from build()
        level = look(decided, known)
        say(f"{number}: {edit}, {len(rows().ids)} links, {sorted(warned())}")
        if number % 3 == 2:
            yield from back_and_forth(hands, decided, known, level)
        if number < len(EDITS):
            yield from picture(hands, f"links-stay-{number}-{edit.replace(' ', '-')}", bool(warned()))
    yield from picture(hands, "links-stay-end", bool(warned()))


def make_level() -> None:
    """Three floors with gaps of a metre between them, a terrace that agents can drop from, and a pillar."""
    levels.clear()
    levels.add_box("West", (-6.0, 0, -0.5), (5.5, 7, 0.5))
    levels.add_box("East", (6.0, 0, -0.5), (5.5, 7, 0.5))
    levels.add_box("Terrace", (9.0, 0, 0.5), (2.5, 7, 1.0))
    levels.add_box("Far", *FAR)
    levels.add_box("Pillar", AWAY, (0.4, 0.4, 1.5))
    draft = bpy.context.scene.navmesh.draft
    draft.generate_links, draft.scope = True, "VISIBLE"
    draft.cell_size, draft.cell_height = 0.25, 0.125  # parts of a power of two, as corners of links are
    reset_view()
    bpy.ops.ed.undo_push(message="Level")


def edits() -> Iterator[str]:
    while True:
        yield from EDITS


def change(edit: str) -> None:
    """A step of its own, as a person's edits are."""
    if edit in ("pillar between", "both"):
        bpy.data.objects["Pillar"].location = BETWEEN
    if edit in ("pillar away", "neither"):
        bpy.data.objects["Pillar"].location = AWAY
    if edit in ("floor gone", "both"):
        bpy.data.objects.remove(bpy.data.objects["Far"])
    if edit in ("floor back", "neither"):
        levels.add_box("Far", *FAR)
    bpy.ops.ed.undo_push(message="Edit")


def decide() -> Decided:
    """The jump to the floor beyond is pinned, the one over the gap moved, a drop rejected: each a step."""
    for k in jumps():
        say(f"jump {rows().ids[k]}: {[[round(c, 2) for c in end] for end in ends(k)]}")
    pinned = next(k for k in jumps() if max(ends(k)[0].y, ends(k)[1].y) > 7.5)
    moved = next(k for k in jumps() if ends(k)[0].x * ends(k)[1].x < 0)
    bpy.ops.navmesh.pin_link("EXEC_DEFAULT", True, link=pinned)
    end = ends(moved)[1]
    place = (end.x + (0.375 if end.x > 0 else -0.375), end.y, end.z)
    bpy.ops.navmesh.set_link_end("EXEC_DEFAULT", True, link=moved, which="END", place=place)
    corners = {int(rows().ids[k]): rows().corners[k].tolist() for k in (pinned, moved)}
    both = int(rows().ids[pinned]), int(rows().ids[moved])
    drop = next(k for k in range(len(rows().ids)) if KINDS[rows().kinds[k]] == "drop")
    number = int(rows().ids[drop])
    bpy.ops.navmesh.reject_link("EXEC_DEFAULT", True, link=drop)
    return Decided(number, *both, corners)


def jumps() -> list[int]:
    return [k for k in range(len(rows().ids)) if KINDS[rows().kinds[k]] == "jump"]


def look(decided: Decided, known: dict[tuple[bool, bool], str]) -> tuple[bool, bool]:
    """Everything that was decided holds, and the same level has the same links; returns which level it is."""
    level = bpy.data.objects["Pillar"].location.x == BETWEEN[0], "Far" in bpy.data.objects
    now, all_ids = rows(), rows().ids.tolist()
    assert driver.ours("stored.links_mesh").decisions_of(bpy.data.objects["Navmesh"]).rejected.ids.tolist() == [
        decided.rejected
    ]
    assert decided.rejected not in all_ids
    states = {number: int(state) for number, state in zip(all_ids, now.states, strict=True) if state != FOUND}
    assert states == {decided.pinned: PINNED, decided.moved: MOVED}, states
    for number, corners in decided.corners.items():
        assert now.corners[all_ids.index(number)].tolist() == corners, number
    wanted = {"LINK_BLOCKED": decided.moved} if level[0] else {}
    wanted |= {} if level[1] else {"LINK_ENDS_NOWHERE": decided.pinned}
    assert warned() == wanted, (warned(), wanted)
    blocked = driver.ours("views.drawn_links").blocked_rows(bpy.data.objects["Navmesh"], now)
    assert {number for number, one in zip(all_ids, blocked, strict=True) if one} == set(wanted.values())
    assert out_of_date() == ""
    assert [one.name for one in bpy.data.objects if one.name.endswith("Links")] == ["Navmesh Links"]
    content = json.dumps([all_ids, now.corners.tolist(), now.states.tolist()])
    assert known.setdefault(level, content) == content, "the same level has other links than before"
    return level


def warned() -> dict[str, int]:
    """Ids of kept links that can't be taken, by the code of the warning; each code once."""
    warnings = json.loads(bpy.data.objects["Navmesh"]["navmesh_report"])["warnings"]
    of_links = [warning for warning in warnings if warning["code"].startswith("LINK")]
    numbers = {one["code"]: link_at(Vector(one["place"])) for one in of_links}
    assert len(numbers) == len(of_links), of_links
    return numbers


def link_at(place: Vector) -> int:
    """The id of the link whose edges a warning's place is nearest to; both are in the builder's coordinates."""
    return min(zip(rows().corners, rows().ids, strict=True), key=lambda row: distance_to(place, row[0].tolist()))[
        1
    ].item()


def distance_to(place: Vector, corners: list[list[float]]) -> float:
    """To the nearer of a link's two edges."""
    edges = [[Vector(corner) for corner in corners[first : first + 2]] for first in (0, 2)]
    nearest = [(intersect_point_line(place, *edge), edge) for edge in edges]
    return min((place - edge[0].lerp(edge[1], min(max(part, 0.0), 1.0))).length for (_, part), edge in nearest)


def back_and_forth(
    hands: Hands, decided: Decided, known: dict[tuple[bool, bool], str], level: tuple[bool, bool]
) -> Steps:
    """Undo takes back the build and the edit; redo brings both again, and the links with them."""
    now = rows().corners.tolist()
    yield from hands.undo()
    yield from hands.undo()
    assert out_of_date() == "", "the level is the one before, and so is its navmesh"
    assert look(decided, known) != level
    for _ in range(2):
        yield from hands.move(driver.middle(driver.region()))
        yield from hands.key("Z", ctrl=True, shift=True)
        yield 0.7
    assert look(decided, known) == level and rows().corners.tolist() == now


def picture(hands: Hands, name: str, red: bool) -> Steps:
    """Red is what can't be taken, and nothing else."""
    yield from hands.move(driver.middle(driver.region("UI")))
    reset_view()
    yield 1
    count = colors_of(driver.screenshot(name))["red"]
    say(f"{name}: {count} red pixels")
    assert (count > PIXELS) == red, count


def out_of_date() -> str:
    polygons, setup = bpy.data.objects["Navmesh"], bpy.context.scene.navmesh.setups[0]
    return str(driver.ours("watch.out_of_date").out_of_date(polygons, setup))


driver.run(scenario)
