"""The first build after installing the zip, in a window: `first.py ARCHIVE [MESH.obj]`. Runs beside Blender.

In homes that have never seen the extension: with the kernels that the zip brings, then in the next Blender; and the
same without them, where they are compiled in the background while the first build goes on.
"""

import os
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import NamedTuple

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parents[1])]

from lives import Blender  # noqa: E402
from run import INSTALL  # noqa: E402

from tests import scenes  # noqa: E402

FROM_ZIP, NEXT, COMPILED = 3.0, 1.5, 15.0  # seconds
LARGEST_GAP = 1.0  # seconds, as in test_build.py
missed: list[str] = []  # reported at the end: every figure is wanted, also after one that is too large


def main(archive: str, mesh: str = "") -> None:
    with tempfile.TemporaryDirectory() as folder:
        if not mesh:
            mesh = str(Path(folder) / "town.obj")
            Path(mesh).write_text(scenes.obj_text(scenes.city(3)))
        polygons = {built(archive, mesh, with_kernels) for with_kernels in (True, False)}
    assert len(polygons) == 1, "not the same navmesh"
    assert not missed, missed


class FirstBuild(NamedTuple):
    """What a Blender says of its first build."""

    seconds: float  # from the button to the navmesh
    gap: float  # longest time in which the window did not answer
    compiled: int  # kernels
    loaded: int
    polygons: int


def built(archive: str, mesh: str, with_kernels: bool) -> int:
    """Install into a new home and build in two Blenders, one after the other. Returns the number of polygons."""
    with tempfile.TemporaryDirectory() as home:
        env = {**os.environ, "HOME": home}
        subprocess.run(["bash", "-euc", INSTALL.format(archive=archive)], env=env, check=True)
        packs = list(Path(home).rglob(f"navcore/compiled/{sys.implementation.cache_tag}-*"))
        for pack in () if with_kernels else packs:
            pack.unlink()
        shipped = with_kernels and bool(packs)
        what = "with the zip's kernels" if shipped else "without shipped kernels"
        first = first_build(f"{what}, first build", mesh, env, FROM_ZIP if shipped else COMPILED)
        after = first_build(f"{what}, the next Blender's", mesh, env, NEXT)
    assert after.compiled == 0 and (first.compiled == 0 or not shipped), "kernels were compiled again"
    assert first.polygons == after.polygons
    return first.polygons


def first_build(what: str, mesh: str, env: dict[str, str], most: float) -> FirstBuild:
    blender = Blender("first", mesh, env=env)
    numbers = blender.until("FIRST").split()[1:]
    figures = FirstBuild(float(numbers[0]), float(numbers[1]), *map(int, numbers[2:]))
    assert blender.end() == 0, blender.console
    blender.check_console()
    times = f"{figures.seconds:.2f} s, largest gap {figures.gap:.2f} s"
    print(f"  {what}: {times}, kernels: {figures.compiled} compiled in Blender")
    limits = ((figures.seconds, most, "seconds"), (figures.gap, LARGEST_GAP, "seconds without an answer"))
    for value, limit, name in limits:
        if value > limit:
            missed.append(f"{what}: {value:.2f} {name}, {limit} are allowed")
    return figures


if __name__ == "__main__":
    main(*sys.argv[1:])
