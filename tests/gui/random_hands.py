"""What tests share in which hands do anything in any order: `run.py VERSION TEST --minutes=10`."""

import random
from collections.abc import Callable, Sequence

import bpy
import driver
from driver import Hands, Steps

Act = Callable[[Hands], Steps]
BUILD_SECONDS = 3000  # the first one may compile all kernels, on a machine that does other things
CHECKED_EVERY, _REMEMBERED = 10, 12


class RandomActs:
    """Acts by chance, for as many minutes as the command line says, and what was done so far."""

    def __init__(self, acts: Sequence[Act], chance: random.Random, minutes: float) -> None:
        self.acts, self.chance, self.seconds = acts, chance, 60 * driver.given("minutes", minutes)
        self.began, self.count = driver.clock(), 0
        self.done: dict[str, int] = {}
        self.last: list[str] = []

    def go_on(self) -> bool:
        """Until the time is over and all was checked."""
        return driver.clock() - self.began < self.seconds or not self.is_checked()

    def choose(self) -> Act:
        """The next one."""
        act = self.chance.choice(self.acts)
        self.count += 1
        self.done[act.__name__] = self.done.get(act.__name__, 0) + 1
        self.last = [*self.last, act.__name__][-_REMEMBERED:]
        return act

    def is_checked(self) -> bool:
        """Whether it is time for what is looked at now and then."""
        return self.count % CHECKED_EVERY == 0

    def when(self) -> str:
        """For a sentence about what went wrong."""
        return f"after {self.count} acts, the last: {self.last}"

    def told(self) -> str:
        """How many of each."""
        return f"{self.count} acts in {driver.clock() - self.began:.0f} s: {self.done}"


def somewhere(chance: random.Random) -> tuple[int, int]:
    """In the viewport, and off its headers and edges."""
    place = driver.region()
    x = place.x + chance.randint(place.width // 6, 4 * place.width // 6)
    return x, place.y + chance.randint(place.height // 6, 5 * place.height // 6)


def tool(name: str) -> None:
    """Where there is none, as in edit mode, that is said and no more."""
    if bpy.context.mode == "OBJECT":
        with driver.in_viewport():
            bpy.ops.wm.tool_set_by_id(name=name)


def pushed(name: str) -> None:
    """A step of undo, as what people do makes one."""
    bpy.ops.ed.undo_push(message=name)
