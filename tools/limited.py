"""Running a module or a script in an environment, for so many minutes and no longer.

Runs on the Python of .venv-tools, 3.9 or newer.
"""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
from pathlib import Path

import nox

ROOT = Path(__file__).resolve().parents[1]
WINDOWS = os.name == "nt"


def run_limited(session: nox.Session, minutes: float, *arguments: str) -> None:
    """Run the environment's Python on a module or a script, and end it with all its children when the time is up."""
    python = Path(session.bin) / ("python.exe" if WINDOWS else "python")
    command = [str(python), *([] if arguments[0].endswith(".py") else ["-m"]), *arguments]
    session.log(f"{' '.join(arguments)}  (limit {minutes:g} minutes)")
    env = {key: value for key, value in {**os.environ, **session.env}.items() if value is not None}
    process = subprocess.Popen(command, cwd=ROOT, env=env, start_new_session=not WINDOWS)
    try:
        status = process.wait(timeout=minutes * 60)
    except subprocess.TimeoutExpired:
        session.error(f"{arguments[0]} did not end within {minutes:g} minutes and was stopped")
    finally:
        # Also after Ctrl-C, and for children that outlive their parent: nothing may be left running.
        end_tree(process)
    if status:
        session.error(f"{' '.join(arguments)} ended with status {status}")


def end_tree(process: subprocess.Popen[bytes]) -> None:
    if WINDOWS:
        if process.poll() is None:
            subprocess.run(["taskkill", "/F", "/T", "/PID", str(process.pid)], stdout=subprocess.DEVNULL)
    else:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
    process.wait()
