"""`navcore world`: plan, build, check and list a world in sections."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path
from typing import Any, NamedTuple

from ...build_warning import counted
from ...builder.tiles.dask_cluster import dask_executor
from ...errors import BadInput
from ...files.strict_json import json_text
from ...kernels.kept_kernels import tell_compiling
from ...progress import Progress
from ...world.build_world import build_world, plan_world
from ...world.check_world import check_world, world_facts
from ...world.world_file import World, read_world
from ..console import interruptible, watched, write_error, write_out
from ..exit_status import DONE, FAILED
from ..one_build import Said, warning_lines
from ..progress_line import line_on_terminal

_OF_BUILDS = {"references": 32, "store": None, "dask": None}  # flags, and what they are where nobody gives them


class Asked(NamedTuple):
    """What is asked of a world, and by whom."""

    arguments: argparse.Namespace
    world: World
    progress: Progress
    program: str = "navcore"

    @property
    def folder(self) -> Path:
        """Where the files of the world are."""
        return folder_of(self.arguments)

    def said(self, line: str) -> None:
        """Something that whoever asked should know."""
        write_error(f"{self.program}: {line}")


def run(arguments: argparse.Namespace) -> int:
    """Read the world and do what is asked. Exit status 1 where `check` finds something."""
    return run_world(Asked(arguments, read_world(arguments.file), new_progress(arguments)))


def folder_of(arguments: argparse.Namespace) -> Path:
    """Where the files of the world are."""
    folder: Path = arguments.file.parent if arguments.folder is None else arguments.folder
    return folder


def new_progress(arguments: argparse.Namespace) -> Progress:
    """Shown on a line of the terminal, unless nothing is to be said."""
    line = line_on_terminal(arguments.quiet or arguments.json)
    tell_compiling(None if line is None else line.compiling)
    return Progress(line)


def run_world(asked: Asked) -> int:
    """The same of a world that was read."""
    acts: dict[str, Callable[[Asked], int]] = {"plan": _plan, "build": _build, "check": _check, "info": _info}
    if asked.arguments.act in ("check", "info"):
        _refuse_flags_of_builds(asked.arguments)
    return acts[asked.arguments.act](asked)


def _refuse_flags_of_builds(arguments: argparse.Namespace) -> None:
    """Raises BadInput for what only builds heed: files stay what they are."""
    given = [f"--{flag}" for flag, usual in _OF_BUILDS.items() if getattr(arguments, flag) != usual]
    if given:
        raise BadInput(
            f"{given[0]} is for `world build` and `world plan`: files are checked and told as they are. Leave it out.",
            "WRONG_QUESTION",
        )


def _say(arguments: argparse.Namespace, content: dict[str, Any], lines: list[str]) -> None:
    if arguments.json:
        write_out(json_text(content).decode())
    elif not arguments.quiet:
        write_out("".join(f"{line}\n" for line in lines))


def _plan(asked: Asked) -> int:
    arguments, world, progress = asked.arguments, asked.world, asked.progress
    bits = arguments.references
    plans = watched(
        lambda: plan_world(world, asked.folder, arguments.only, reference_bits=bits, progress=progress), progress
    )
    wanted = sum(plan.build for plan in plans)
    lines = [f"{plan.name}: {'build' if plan.build else 'keep'}: {plan.why}" for plan in plans]
    lines.append(f"{arguments.file.name}: {wanted:,} of {counted(len(plans), 'section')} to build")
    _say(arguments, {"sections": [plan._asdict() for plan in plans], "build": wanted}, lines)
    return DONE


def _build(asked: Asked) -> int:
    arguments, world, progress = asked.arguments, asked.world, asked.progress
    with ExitStack() as cluster:
        executor = None
        if arguments.dask is not None:
            executor = cluster.enter_context(dask_executor(arguments.dask, progress=progress))
        report = watched(
            lambda: build_world(
                world, asked.folder, arguments.only, store=arguments.store, executor=executor,
                threads=arguments.threads, reference_bits=arguments.references, progress=progress,
            ), progress,
        )  # fmt: skip
    for line in warning_lines([Said(row.warning.code, row.sentence) for row in report.told]):
        asked.said(line)
    rows = report.sections
    lines = [
        f"{row.name}: {row.why}: {counted(row.tiles, 'tile')}, {counted(row.polygons, 'polygon')}"
        f"{f' in {row.seconds:,.2f} s' if row.built else ', kept'}"
        for row in rows
    ]
    built = sum(row.built for row in rows)
    lines.append(
        f"{arguments.file.name}: {built:,} of {counted(len(rows), 'section')} built in {report.seconds:,.2f} s"
    )
    warnings = [row.to_mapping() for row in report.told]
    content = {
        "sections": [row._asdict() for row in rows], "built": built, "warnings": warnings, "seconds": report.seconds
    }  # fmt: skip
    _say(arguments, content, lines)
    return DONE


def _check(asked: Asked) -> int:
    arguments, world = asked.arguments, asked.world
    faults = interruptible(lambda: check_world(world, asked.folder, arguments.only), asked.progress.cancel)
    for fault in faults:
        where = f"section “{fault.section}”: " if fault.section else ""
        asked.said(f"{fault.code}: {where}{fault.message}")
    said = "all files fit the manifest and their neighbors" if not faults else f"{counted(len(faults), 'fault')}"
    _say(arguments, {"ok": not faults, "faults": [fault._asdict() for fault in faults]}, [
        f"{arguments.file.name}: {said}"
    ])  # fmt: skip
    return FAILED if faults else DONE


def _info(asked: Asked) -> int:
    arguments, world = asked.arguments, asked.world
    facts = world_facts(world, asked.folder)
    chosen = world.named(arguments.only)
    rows = [row for row in facts.sections if row.name in chosen or not arguments.only]
    lines = [
        f"{row.name}: {counted(row.tiles, 'tile')}, "
        f"{'' if row.polygons is None else counted(row.polygons, 'polygon') + ', '}"
        f"{'no file' if row.bytes is None else f'{row.bytes:,} bytes'}; beside {', '.join(row.neighbors) or 'nothing'}"
        for row in rows
    ]
    lines += [f"{name}: not built" for name in facts.missing if name in chosen]
    if facts.sizes:
        said = ", ".join(f"{size['name']} excludes {size['exclude']:#06x}" for size in facts.sizes)
        lines.append(f"for {counted(len(facts.sizes), 'size')} of agents: {said}")
    tile = facts.grid["tile"]
    lines.append(
        f"{arguments.file.name}: {counted(len(rows), 'section')} on tiles of {tile:g} m; a game makes its navmesh for "
        f"{facts.grid['max_tiles']:,} tiles of at most {facts.grid['max_polygons']:,} polygons"
        f"{', with 64-bit references' if facts.grid.get('references') == 64 else ''}"
    )
    content = {
        "grid": dict(facts.grid), "sections": [row._asdict() for row in rows], "missing": list(facts.missing),
        **({"sizes": [dict(size) for size in facts.sizes]} if facts.sizes else {}),
    }  # fmt: skip
    _say(arguments, content, lines)
    return DONE
