"""Several meshes built by one command: what each writes, and one report and one line on all of them."""

from __future__ import annotations

import argparse
import copy
from collections.abc import Sequence
from pathlib import Path

from ...build_warning import counted
from ...errors import BadInput, Cancelled, NavmeshError
from ...files.atomic_write import check_apart, write_whole
from ...files.strict_json import json_text
from ...formats import files_of
from ..one_build import JsonReport, check_placeholders

FILES = "{file}", "{name}"
"""Either stands for a mesh's own name, without its ending."""
_WRITTEN = ("report", "last_report", "page", "dump_stages")  # beside the outputs


def one_by_one(arguments: argparse.Namespace) -> list[argparse.Namespace]:
    """What is asked for each mesh: `input`, and the names of files filled in. Raises BadInput where a file would be
    written twice, or over one that is read."""
    given: list[Path] = arguments.inputs
    check_placeholders([*arguments.outputs, *(getattr(arguments, name) for name in _WRITTEN)], FILES)
    if len(given) > 1:
        for path in [*arguments.outputs, arguments.page, arguments.dump_stages]:
            if path is not None and not _has_name(path):
                raise BadInput(
                    f"{path} would be written for each of {len(given):,} files. Put {FILES[0]} into its name.",
                    "SAME_NAME",
                )
        seen: dict[str, Path] = {}
        for mesh in given:
            first = seen.setdefault(mesh.stem.casefold(), mesh)
            if first is not mesh:
                raise BadInput(
                    f"{first} and {mesh} have the same name, and outputs are called by it. Build them one by one.",
                    "SAME_NAME",
                )
    builds = [_of(mesh, arguments) for mesh in given]
    for one in builds:
        _check_files(one)
    return builds


def _check_files(one: argparse.Namespace) -> None:
    """The last report is one of those that are read, unless this build's report replaces it."""
    beside = [path for path in (one.report, one.page, one.dump_stages) if path is not None]
    last = [] if one.last_report == one.report else [one.last_report]
    written = [*(path for output in one.outputs for path in files_of(output)), *beside]
    check_apart(written, [*one.inputs, one.scene, one.settings, one.test, one.must_reach, *last])


def _of(mesh: Path, arguments: argparse.Namespace) -> argparse.Namespace:
    one = copy.copy(arguments)
    one.input, one.outputs = mesh, [_filled(path, mesh) for path in arguments.outputs]
    for name in _WRITTEN:
        path = getattr(arguments, name)
        setattr(one, name, None if path is None else _filled(path, mesh))
    return one


def _has_name(path: Path) -> bool:
    return any(name in str(path) for name in FILES)


def _filled(path: Path, mesh: Path) -> Path:
    text = str(path)
    for name in FILES:
        text = text.replace(name, mesh.stem)
    return Path(text)


def shares_report(arguments: argparse.Namespace) -> bool:
    """Whether one report tells of several builds."""
    return len(arguments.inputs) > 1 and arguments.report is not None and not _has_name(arguments.report)


def write_shared_report(path: Path, reports: Sequence[JsonReport]) -> None:
    """Of all builds, in the order of the command."""
    write_whole(path, json_text({"ok": all(report["ok"] for report in reports), "builds": list(reports)}))


def summary(count: int, errors: Sequence[NavmeshError | None], reports: Sequence[JsonReport], seconds: float) -> str:
    """One line on all builds: of so many files, what became of those whose turn has come."""
    unchanged = sum(not error and bool(report.get("unchanged")) for error, report in zip(errors, reports, strict=True))
    refused = sum(error is not None and not isinstance(error, Cancelled) for error in errors)
    built = sum(error is None for error in errors) - unchanged
    rest = {"unchanged": unchanged, "refused": refused, "cancelled": count - built - unchanged - refused}
    said = "".join(f", {number:,} {what}" for what, number in rest.items() if number)
    return f"{counted(count, 'file')}: {built:,} built{said} in {seconds:,.2f} s"
