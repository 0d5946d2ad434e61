"""Judges found links on many generated levels: `python -m tests.navcore.link_finder.judge.measure --levels 200`."""

from __future__ import annotations

import argparse
from typing import Any

from navcore import NavmeshError, Settings, build_navmesh

from .levels import level
from .verdict import Case, Verdict, judge

SETTINGS: tuple[dict[str, Any], ...] = (
    {},
    {"link_jump_distance": 4.0, "link_jump_height": 1.4, "link_drop_height": 6.0},
    {"agent_radius": 0.4, "agent_max_climb": 0.4, "cell_size": 0.2, "cell_height": 0.1},
)
NOTHING = Verdict(0, 0, 0, 0, 0, 0, 0, 0)


def judged(seed: int, cases: list[Case]) -> Verdict:
    """One level, with the settings whose turn it is."""
    mesh = level(seed)
    try:
        navmesh = build_navmesh(*mesh, Settings(generate_links=True, **SETTINGS[seed % len(SETTINGS)]), threads=1)
    except NavmeshError:  # no place for this agent
        return NOTHING
    return judge(navmesh, *mesh, cases)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--levels", type=int, default=200)
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--cases", type=int, default=0, help="how many of each level's faults to list")
    arguments = parser.parse_args()
    total = NOTHING
    for seed in range(arguments.first, arguments.first + arguments.levels):
        cases: list[Case] = []
        one = judged(seed, cases)
        total += one
        if arguments.cases and cases:
            print(f"{seed}: {one.in_words()}")
            for case in cases[: arguments.cases]:
                print(f"    {case.what}: {case.start} -> {case.end}")
    print(f"{arguments.levels} levels: {total.in_words()}")


if __name__ == "__main__":
    main()
