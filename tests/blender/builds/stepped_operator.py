"""An operator that builds, stepped by hand: in background mode Blender runs no modal operator.

The operator's own `modal` is called here; tests/gui does the same in a real window.
"""

from __future__ import annotations

import threading
import time
from types import SimpleNamespace
from typing import Any

from tests import scenes as levels
from tests.blender.scenes import add_mesh


class Stepped:
    """The operator that builds, with Blender's part played by the test."""

    def __init__(self, bpy: Any, addon: Any, **wanted: Any) -> None:
        operators, requests = addon("interface.build_operators"), addon("builds.make_requests")
        self.reports: list[tuple[str, str]] = []
        stepped = self

        class Operator(operators.Building):
            properties = SimpleNamespace(bl_rna=SimpleNamespace(properties=()))  # it was called with none
            edited = "ASK"

            def make_plans(self, context: Any) -> Any:
                take = wanted.get("sources") or (lambda stored: stored._replace(scope="VISIBLE"))
                return requests.make_plans(context, requests.Overrides(sources=take, values=wanted.get("values", {})))

            def report(self, kinds: set[str], text: str) -> None:
                stepped.reports.append((next(iter(kinds)), text))

        self.operator = Operator()
        self.timers = 0
        wm = SimpleNamespace(
            event_timer_add=self._add, event_timer_remove=self._remove, modal_handler_add=lambda _: None,
            progress_begin=lambda *_: None, progress_update=lambda _: None, progress_end=lambda: None,
        )  # fmt: skip
        self.context = SimpleNamespace(
            window_manager=wm, window=object(), workspace=bpy.context.workspace, scene=bpy.context.scene,
            view_layer=bpy.context.view_layer, evaluated_depsgraph_get=bpy.context.evaluated_depsgraph_get,
        )  # fmt: skip
        monkey = operators.bpy
        operators.bpy = SimpleNamespace(**{n: getattr(monkey, n) for n in ("types", "data", "ops")}, app=FakeApp)
        try:
            self.answer = self.operator.invoke(self.context, None)
        finally:
            operators.bpy = monkey

    def _add(self, *_: Any, **__: Any) -> object:
        self.timers += 1
        return object()

    def _remove(self, _: object) -> None:
        self.timers -= 1

    def event(self, kind: str = "TIMER", value: str = "NOTHING") -> set[str]:
        self.answer = self.operator.modal(self.context, SimpleNamespace(type=kind, value=value))
        return self.answer

    def run(self, seconds: float = 400.0) -> set[str]:
        until = time.monotonic() + seconds
        while self.event() == {"PASS_THROUGH"}:
            assert time.monotonic() < until, "the build does not end"
            time.sleep(0.005)
        return self.answer


class FakeApp:
    background = False

    @staticmethod
    def is_job_running(_: str) -> bool:
        return False


def threads() -> list[str]:
    return [t.name for t in threading.enumerate() if t.name.startswith("navmesh")]


def add_city(bpy: Any, blocks: int = 3) -> Any:
    vertices, triangles = levels.city(blocks)
    return add_mesh(bpy, "City", vertices[:, [0, 2, 1]] * (1, -1, 1), triangles)


FINE = {"cell_size": 0.05, "cell_height": 0.05}  # takes seconds
