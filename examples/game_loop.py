"""A small game loop: obstacles and a door come and go in a tile cache, and an agent asks for its way each time.

python -m examples.game_loop
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from navcore import NavQuery, PathStatus, Settings, TileCache

HALL = np.float32([[0, 0, 0], [0, 0, 20], [20, 0, 20], [20, 0, 0]]), np.int32([[0, 1, 2], [0, 2, 3]])
SETTINGS = Settings(tile_size=32, agent_radius=0.4)
START, END = (3.0, 0.0, 10.0), (17.0, 0.0, 10.0)


class Turn(NamedTuple):
    """What one turn of the loop came to."""

    is_open: bool
    obstacles: int
    length: float  # metres of the way; of the part of it that there is while the door is closed
    arrives: bool


def play(turns: int = 12) -> list[Turn]:
    """A wall with a door in the middle of a hall, and crates that are dropped and taken away again."""
    cache = TileCache(*HALL, SETTINGS)
    cache.add_box((9.8, -0.5, 0), (10.2, 3, 9))
    cache.add_box((9.8, -0.5, 11), (10.2, 3, 20))
    query = NavQuery(cache.navmesh)
    door, crates, story = 0, list[int](), list[Turn]()
    for turn in range(turns):
        if turn % 4 == 0:  # somebody closes the door, two turns later somebody opens it
            door = cache.add_box((9.8, -0.5, 9), (10.2, 3, 11))
        elif turn % 4 == 2:
            cache.remove(door)
            door = 0
        crates.append(cache.add_cylinder((4 + turn % 5, 0, 9 + turn % 3), 0.5, 1))
        if len(crates) > 3:
            cache.remove(crates.pop(0))
        while cache.step():  # one tile at a time: a game does as many of them in a frame as it has time for
            pass
        query.update(cache.navmesh)  # the tiles that have changed, and no others
        path = query.find_path(START, END)
        story.append(Turn(door == 0, len(cache.obstacles), path.length, path.status == PathStatus.COMPLETE))
    return story


if __name__ == "__main__":
    for number, turn in enumerate(play()):
        door = "open" if turn.is_open else "closed"
        says = f"{turn.length:.1f} m to the end" if turn.arrives else f"no way; {turn.length:.1f} m as far as it goes"
        print(f"turn {number}: door {door}, {turn.obstacles} obstacles, {says}")
