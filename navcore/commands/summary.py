"""What a build says when it has ended: a line for each kind of warning there is, and one line about the whole."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

_MOST = 3  # warnings of one code that are told; a report holds all of them


class Said(NamedTuple):
    """A warning as it is told."""

    code: str
    sentence: str


def warning_lines(warnings: Iterable[Said]) -> list[str]:
    """The first warnings of each code, and how many more there are."""
    by_code: dict[str, list[str]] = {}
    for warning in warnings:
        by_code.setdefault(warning.code, []).append(warning.sentence)
    lines = []
    for code, sentences in by_code.items():
        lines += [f"warning: {code}: {sentence}" for sentence in sentences[:_MOST]]
        if len(sentences) > _MOST:
            more = f"and {len(sentences) - _MOST:,} more. Give --report FILE.json to see them all."
            lines.append(f"warning: {code}: {more}")
    return lines


def not_kept(why: str, variable: str) -> list[str]:
    """A line where compiled kernels cannot be kept; `variable` is where another folder can be named."""
    if not why:
        return []
    return [
        f"warning: KERNELS_NOT_KEPT: Compiled kernels cannot be kept in {why}. So every run compiles them again, which "
        f"takes up to a minute. Make it a folder that this user alone can write to, or name another in {variable}."
    ]


def success_line(name: str, report: Mapping[str, Any]) -> str:
    """One line about a build: what it made, in what time, and how many warnings there are.

    Only what is known is told: islands of a level that is not held in memory as a whole are not.
    """
    return f"{name}: {_facts(report)} in {_seconds(report['seconds'])}{_warnings(report)}"


def unchanged_line(name: str, report: Mapping[str, Any]) -> str:
    """The same of a build that was left out."""
    return f"{name}: nothing has changed, nothing is built: {_facts(report)}{_warnings(report)}"


def _facts(report: Mapping[str, Any]) -> str:
    ground = report.get("ground") or {}
    parts = [_number(report["counts"].get("polygons", 0), "polygon")]
    if ground.get("square_metres") is not None:
        parts.append(f"{ground['square_metres']:,.1f} m²")
    if ground.get("islands") is not None:
        parts.append(_number(ground["islands"], "island"))
    return ", ".join(parts)


def _seconds(seconds: Mapping[str, Any]) -> str:
    repeat = seconds.get("repeat")
    if repeat is None:
        return f"{seconds['total']:,.2f} s"
    return f"{repeat['best']:,.2f} s at best, {repeat['median']:,.2f} s in the middle"


def _warnings(report: Mapping[str, Any]) -> str:
    codes = [warning["code"] for warning in report.get("warnings", [])]
    if not codes:
        return ""
    counts = ", ".join(f"{code} {count:,}" for code, count in sorted(Counter(codes).items()))
    return f"; {_number(len(codes), 'warning')} ({counts})"


def _number(count: int, noun: str) -> str:
    return f"{count:,} {noun}{'' if count == 1 else 's'}"
