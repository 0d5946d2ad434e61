"""`navcore world`: plan, build, check and list a world in sections."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path
from typing import Any

from ...build_warning import counted
from ...builder.tiles.dask_cluster import dask_executor
from ...files.strict_json import json_text
from ...kernels.kept_kernels import tell_compiling
from ...progress import Progress
from ...world.build_world import build_world, plan_world
from ...world.check_world import check_world, world_facts
from ...world.world_file import World, read_world
from ..console import interruptible, write_error, write_out
from ..exit_status import DONE, FAILED
from ..one_build import Said, warning_lines
from ..progress_line import line_on_terminal


def run(arguments: argparse.Namespace) -> int:
    """Read the world and do what is asked. Exit status 1 where `check` finds something."""
    world = read_world(arguments.file)
    folder = arguments.file.parent if arguments.folder is None else arguments.folder
    acts: dict[str, Callable[[argparse.Namespace, World, Path, Progress], int]]
    acts = {"plan": _plan, "build": _build, "check": _check, "info": _info}
    line = line_on_terminal(arguments.quiet or arguments.json)
    tell_compiling(None if line is None else line.compiling)
    progress = Progress(line)
    return acts[arguments.act](arguments, world, folder, progress)


def _say(arguments: argparse.Namespace, content: dict[str, Any], lines: list[str]) -> None:
    if arguments.json:
        write_out(json_text(content).decode())
    elif not arguments.quiet:
        write_out("".join(f"{line}\n" for line in lines))


def _plan(arguments: argparse.Namespace, world: World, folder: Path, progress: Progress) -> int:
    try:
        plans = interruptible(lambda: plan_world(world, folder, arguments.only, progress=progress), progress.cancel)
    finally:
        progress.done()
    wanted = sum(plan.build for plan in plans)
    lines = [f"{plan.name}: {'build' if plan.build else 'keep'}: {plan.why}" for plan in plans]
    lines.append(f"{arguments.file.name}: {wanted:,} of {counted(len(plans), 'section')} to build")
    _say(arguments, {"sections": [plan._asdict() for plan in plans], "build": wanted}, lines)
    return DONE


def _build(arguments: argparse.Namespace, world: World, folder: Path, progress: Progress) -> int:
    with ExitStack() as cluster:
        executor = None
        if arguments.dask is not None:
            executor = cluster.enter_context(dask_executor(arguments.dask, progress=progress))
        try:
            report = interruptible(
                lambda: build_world(
                    world, folder, arguments.only, store=arguments.store, executor=executor,
                    threads=arguments.threads, progress=progress,
                ),
                progress.cancel,
            )  # fmt: skip
        finally:
            progress.done()
    for line in warning_lines([Said(warning.code, warning.sentence) for warning in report.warnings]):
        write_error(f"navcore: {line}")
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
    warnings = [{"code": warning.code, "message": warning.sentence} for warning in report.warnings]
    content = {
        "sections": [row._asdict() for row in rows], "built": built, "warnings": warnings, "seconds": report.seconds
    }  # fmt: skip
    _say(arguments, content, lines)
    return DONE


def _check(arguments: argparse.Namespace, world: World, folder: Path, progress: Progress) -> int:
    faults = interruptible(lambda: check_world(world, folder, arguments.only), progress.cancel)
    for fault in faults:
        where = f"section “{fault.section}”: " if fault.section else ""
        write_error(f"navcore: {fault.code}: {where}{fault.message}")
    said = "all files fit the manifest and their neighbors" if not faults else f"{counted(len(faults), 'fault')}"
    _say(arguments, {"ok": not faults, "faults": [fault._asdict() for fault in faults]}, [
        f"{arguments.file.name}: {said}"
    ])  # fmt: skip
    return FAILED if faults else DONE


def _info(arguments: argparse.Namespace, world: World, folder: Path, _: Progress) -> int:
    facts = world_facts(world, folder)
    chosen = world.named(arguments.only)
    rows = [row for row in facts.sections if row.name in chosen or not arguments.only]
    lines = [
        f"{row.name}: {counted(row.tiles, 'tile')}, "
        f"{'' if row.polygons is None else counted(row.polygons, 'polygon') + ', '}"
        f"{'no file' if row.bytes is None else f'{row.bytes:,} bytes'}; beside {', '.join(row.neighbors) or 'nothing'}"
        for row in rows
    ]
    lines += [f"{name}: not built" for name in facts.missing if name in chosen]
    tile = facts.grid["tile"]
    lines.append(
        f"{arguments.file.name}: {counted(len(rows), 'section')} on tiles of {tile:g} m; a game makes its navmesh for "
        f"{facts.grid['max_tiles']:,} tiles of at most {facts.grid['max_polygons']:,} polygons"
    )
    content = {
        "grid": dict(facts.grid), "sections": [row._asdict() for row in rows], "missing": list(facts.missing)
    }  # fmt: skip
    _say(arguments, content, lines)
    return DONE
