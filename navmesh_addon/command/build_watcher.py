"""Who looks at a build that the command runs: shows how far it is on a terminal, and can cancel it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...navcore.commands.console import write_error
from ...navcore.commands.progress_line import line_on_terminal
from ...navcore.compile_ahead import starter
from ...navcore.compile_ahead.waiting import COMPILING

if TYPE_CHECKING:
    from ...navcore.progress import Progress


class BuildWatcher:
    """As a context manager: kernels that are compiled are shown meanwhile, and the line is gone afterwards."""

    def __init__(self, quiet: bool) -> None:
        self.cancelled = False
        self._quiet, self._line = quiet, line_on_terminal(quiet)
        self._progress: Progress | None = None

    def show_progress(self, _number: int, stage: str, fraction: float) -> None:
        """How far a stage is, or what other processes compile."""
        if self._line is None:
            if stage == COMPILING and not self._quiet:
                from ...navcore.compile_ahead.said_meanwhile import begin_saying

                begin_saying()
            return
        compiler = starter.current() if stage == COMPILING else None
        if compiler is None:
            self._line(stage, fraction)
        else:
            self._line.compiled(compiler.compiled)

    def watch(self, progress: Progress) -> None:
        """Something to cancel."""
        self._progress = progress
        if self.cancelled:
            progress.cancel()

    def cancel(self) -> None:
        """Stop the build at its next step, or the waiting for kernels."""
        self.cancelled = True
        if self._progress is not None:
            self._progress.cancel()

    def __enter__(self) -> BuildWatcher:
        from ...navcore.compile_ahead.said_meanwhile import say_meanwhile
        from ...navcore.kernels.kept_kernels import tell_compiling

        if self._line is not None:
            tell_compiling(self._line.compiling)
        elif not self._quiet:
            say_meanwhile(lambda text: write_error(f"navmesh: {text}"), cure="")
        return self

    def __exit__(self, *_: object) -> None:
        from ...navcore.compile_ahead.said_meanwhile import say_meanwhile
        from ...navcore.kernels.kept_kernels import tell_compiling

        tell_compiling(None)
        say_meanwhile(None)
        self.show_progress(0, "done", 1.0)
