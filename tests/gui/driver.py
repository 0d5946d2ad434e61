"""Drives a Blender with a window: a scenario is a generator whose `yield seconds` gives Blender's main loop that long.

Keys and clicks go in as simulated events (--enable-event-simulate), so they take the way through Blender's event system
that a person's do. Screenshots are taken of the X server: Blender's own are black with software OpenGL.
"""

import os
import subprocess
import sys
import threading
import time
import traceback
from collections.abc import Callable, Generator
from importlib import import_module
from itertools import pairwise
from pathlib import Path

import bpy

Steps = Generator[float, None, None]

PICTURES = Path(__file__).resolve().parents[2] / "out/gui"
VERSION = "{}.{}".format(*bpy.app.version)
BEAT = 0.02  # seconds between two beats of an idle main loop
_KEYS = {"-": "MINUS", ".": "PERIOD"}
_DIGITS = ("ZERO", "ONE", "TWO", "THREE", "FOUR", "FIVE", "SIX", "SEVEN", "EIGHT", "NINE")


def given(name: str, usual: float) -> float:
    """A number of the command line: `--minutes=10`."""
    return next((float(option.split("=")[1]) for option in sys.argv if option.startswith(f"--{name}=")), usual)


def clock() -> float:
    """Seconds, but for those in which Blender's main thread could have gone on and other programs had the processor.

    A busy machine then measures what an idle one does; waiting for a lock, for a disk or for a drawing still counts.
    """
    _, ready, _ = Path("/proc/thread-self/schedstat").read_text().split()
    return time.perf_counter() - int(ready) * 1e-9


class Heartbeat:
    """A timer beside the scenario: how long Blender's main loop was away, and whether a thread was building then."""

    def __init__(self) -> None:
        self.beats: list[tuple[float, bool]] = []
        bpy.app.timers.register(self.beat, first_interval=BEAT)

    def beat(self) -> float:
        self.beats.append((clock(), bool(working_threads())))
        return BEAT

    def largest_gap(self, since: float, building: bool | None = None) -> float:
        """Of all gaps since then, or of those that began while a thread was building, or while none was."""
        beats = [beat for beat in self.beats if beat[0] >= since]
        pairs = pairwise([*beats, (clock(), False)])
        return max((after[0] - before[0] for before, after in pairs if building in (None, before[1])), default=0.0)


def run(scenario: Callable[[], Steps]) -> None:
    """Step through a scenario, then end Blender with 0, or with 1 and a picture of the failure."""
    bpy.context.preferences.view.show_splash = False
    for name, addon in bpy.context.preferences.addons.items():
        if name.endswith(".navmesh"):
            addon.preferences.first_run = False  # test_sidebar.py looks at it
    steps = scenario()

    def step() -> float:
        try:
            return next(steps)
        except StopIteration:
            finish(0)
        except BaseException:  # noqa: BLE001 - whatever it was, Blender has to end and say it
            traceback.print_exc()
            screenshot("failure")
            finish(1)
        return 0

    bpy.app.timers.register(step, first_interval=1, persistent=True)  # a scenario may load files


def finish(status: int) -> None:
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(status)


def say(text: str) -> None:
    print(f"  {text}", flush=True)


def wait(condition: Callable[[], object], what: str, seconds: float = 20) -> Steps:
    """Let Blender work until a condition holds."""
    started = time.perf_counter()
    while not condition():
        assert time.perf_counter() - started < seconds, f"waited {seconds} s for {what}"
        yield BEAT


def turns(count: int = 4) -> Steps:
    """Turns of Blender's main loop, however long each is: a button that the mouse leaves gives way to the next one, and
    is drawn so, in the turns after the mouse has moved."""
    for _ in range(count):
        yield BEAT


def screenshot(name: str) -> Path:
    """What a person in front of the screen would see."""
    PICTURES.mkdir(parents=True, exist_ok=True)
    path = PICTURES / f"{VERSION}-{name}.png"
    subprocess.run(["import", "-window", "root", str(path)], check=True)
    return path


def idle_gap(heart: Heartbeat) -> Generator[float, None, float]:
    """How long drawing alone keeps the window from answering, here and now."""
    since = clock()
    for _ in range(8):
        viewport().tag_redraw()
        yield 0.25
    return heart.largest_gap(since)


# ------------------------------------------------------------------------- places


def window() -> bpy.types.Window:
    return bpy.context.window_manager.windows[0]


def viewport() -> bpy.types.Area:
    return next(area for area in window().screen.areas if area.type == "VIEW_3D")


def region(kind: str = "WINDOW") -> bpy.types.Region:
    return next(region for region in viewport().regions if region.type == kind)


def middle(place: bpy.types.Region) -> tuple[int, int]:
    return place.x + place.width // 2, place.y + place.height // 2


def in_viewport() -> object:
    """A context for operators, as if they were started from the 3D view."""
    return bpy.context.temp_override(window=window(), area=viewport(), region=region())


def in_sidebar() -> object:
    """A context as panels are drawn in."""
    return bpy.context.temp_override(window=window(), area=viewport(), region=region("UI"))


# -------------------------------------------------------------------------- hands


class Hands:
    """Mouse and keyboard."""

    place = (0, 0)

    def move(self, place: tuple[int, int]) -> Steps:
        """In two steps, as a hand comes: a button takes no notice of a mouse that was elsewhere a moment ago."""
        for x in (place[0] - 3, place[0]):
            self.place = x, place[1]
            self.event("MOUSEMOVE", "NOTHING")
            yield from turns()

    def click(self, place: tuple[int, int]) -> Steps:
        yield from self.move(place)
        yield from self.key("LEFTMOUSE")

    def click_row(self, place: tuple[int, int]) -> Steps:
        """A row of a list: it takes notice of a mouse that comes from beside it, in some steps."""
        for above in (30, 20, 10, 0):
            self.place = place[0] - above // 10, place[1] + above
            self.event("MOUSEMOVE", "NOTHING")
            yield 0.1
        yield from self.click(place)

    def key(self, name: str, **modifiers: bool) -> Steps:
        """Down, and up some turns later: rows of lists take no notice of both in one turn."""
        self.event(name, "PRESS", **modifiers)
        yield from turns()
        self.event(name, "RELEASE", **modifiers)
        yield from turns()

    def write(self, number: str) -> Steps:
        """Digit by digit, where Blender asks for a number: there the character counts, not the key."""
        for character in number:
            name = _KEYS.get(character) or _DIGITS[int(character)]
            self.event(name, "PRESS", unicode=character)
            yield from turns()
            self.event(name, "RELEASE")
            yield from turns()

    def event(self, name: str, value: str, **more: bool | str) -> None:
        window().event_simulate(type=name, value=value, x=self.place[0], y=self.place[1], **more)

    def find_button(
        self, operator: str, kind: str = "UI", across: float = 1 / 3
    ) -> Generator[float, None, tuple[int, int]]:
        """Sweep down a region, at a part of its width, to the middle of the first button of this operator.

        The clipboard then has the button's command.
        """
        place = region(kind)
        x, heights, said = place.x + int(place.width * across), [], ""  # where the button is, and its command
        for y in range(place.y + place.height - 10, place.y, -8):
            under = yield from self.command_at((x, y), kind)
            if operator in under and said in ("", under):
                heights, said = [*heights, y], under
            elif heights:
                break
        assert heights, f"no button of {operator} in the sidebar"
        yield from self.move((x, (heights[0] + heights[-1]) // 2))
        bpy.context.window_manager.clipboard = said
        return self.place

    def command_at(self, at: tuple[int, int], kind: str = "UI") -> Generator[float, None, str]:
        """Move the mouse there. Returns the command of the button under it, "" where there is none."""
        yield from self.move(at)
        board = bpy.context.window_manager
        board.clipboard = ""
        with bpy.context.temp_override(window=window(), area=viewport(), region=region(kind)):
            if bpy.ops.ui.copy_python_command_button.poll():
                bpy.ops.ui.copy_python_command_button()
        return str(board.clipboard)

    def unfold_redo_panel(self) -> Steps:
        """It lies folded in a corner of the viewport."""
        place = region("HUD")
        if place.height < 60:
            yield from self.click((place.x + place.width // 2, place.y + place.height // 2))
            yield 1

    def find_value(self, value: str) -> Steps:
        """Sweep over the fields of the redo panel until Ctrl+C copies this value."""
        place, board = region("HUD"), bpy.context.window_manager
        for y in range(place.y + place.height - 30, place.y, -8):
            yield from self.move((place.x + 3 * place.width // 4, y))
            board.clipboard = ""
            yield from self.key("C", ctrl=True)
            if board.clipboard.startswith(value):
                return
        raise AssertionError(f"no field holds {value}")

    def scroll_down(self) -> Steps:
        """To the end of the sidebar."""
        yield from self.move(middle(region("UI")))
        for _ in range(40):
            yield from self.key("WHEELDOWNMOUSE")
        yield 0.5

    def undo(self) -> Steps:
        """Ctrl+Z with the mouse over the viewport."""
        yield from self.move(middle(region()))
        yield from self.key("Z", ctrl=True)
        yield 0.7


def show_tab(name: str) -> Steps:
    """One of the panel's three: BUILD, MARK or TEST."""
    bpy.context.scene.navmesh.tab = name
    viewport().tag_redraw()
    yield 0.5


def open_sidebar(hands: Hands, tab: str, shown: str = "BUILD") -> Steps:
    """With the key N, as a person does, then the tab; and in ours one of three."""
    yield from show_tab(shown)
    yield from hands.move(middle(region()))
    if not viewport().spaces.active.show_region_ui:
        yield from hands.key("N")
        yield 0.5
    region("UI").active_panel_category = tab
    viewport().tag_redraw()
    yield 0.5


# -------------------------------------------------------------------------- state


class Console:
    """What Python writes, remembered: tracebacks of drawing and of handlers go nowhere else."""

    def __init__(self) -> None:
        self.below, self.text = sys.stdout, ""
        sys.stdout = sys.stderr = self

    def write(self, text: str) -> int:
        self.text += text
        return self.below.write(text)

    def flush(self) -> None:
        self.below.flush()


def ours(name: str) -> object:
    """A module of the extension, as it is loaded."""
    package = next(key for key in sys.modules if key.startswith("bl_ext.") and key.endswith(".navmesh_addon"))
    return import_module(f"{package}.{name}")


def running(operator: str) -> bool:
    """Whether a modal operator is at work, by its class name."""
    return operator in [modal.bl_idname for modal in window().modal_operators]


def working_threads() -> list[str]:
    """All but those that wait for the next picture or question, and stay."""
    names = [thread.name for thread in threading.enumerate() if thread is not threading.main_thread()]
    return [name for name in names if not name.startswith(("navmesh-drawn_", "navmesh-ask_"))]
