"""Which Pythons there are on this machine: found by asking each one, never by its name alone.

Runs on the Python of .venv-tools, 3.9 or newer.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

WINDOWS = os.name == "nt"


def find_python(version: str) -> str | None:
    """Absolute path of a CPython of this version, or None."""
    return next((path for path in candidates(version) if is_python(path, version)), None)


def candidates(version: str) -> list[str]:
    """Places to look, in order. pyenv's shims on PATH refuse to run unselected versions, so its folder comes first."""
    running = getattr(sys, "_base_executable", sys.executable)
    home = Path(os.environ.get("PYENV_ROOT", Path.home() / ".pyenv"))
    pyenv = [home / "versions", home / "pyenv-win" / "versions"]
    binary = "python.exe" if WINDOWS else "bin/python"
    folders = [folder for root in pyenv for folder in sorted(root.glob(f"{version}.*"), reverse=True)]
    named = [shutil.which(name) for name in (f"python{version}", "python3", "python")]
    asked = [output_of(["py", f"-{version}", "-c", "import sys; print(sys.executable)"]) if WINDOWS else None]
    asked.append(output_of(["uv", "python", "find", "--no-project", "--no-python-downloads", version]))
    return [str(path) for path in [running, *(folder / binary for folder in folders), *named, *asked] if path]


def is_python(path: str, version: str) -> bool:
    """Ask it: names on PATH lie. No free-threaded or 32-bit builds, there are no bpy wheels for them."""
    ask = (
        "import sys, sysconfig; print('%d.%d' % sys.version_info[:2],"
        " sys.maxsize > 2**32 and not sysconfig.get_config_var('Py_GIL_DISABLED'))"
    )
    return output_of([path, "-I", "-c", ask]) == f"{version} True"


def output_of(command: list[str]) -> str | None:
    try:
        done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, timeout=20)
    except (OSError, subprocess.TimeoutExpired):
        return None
    return done.stdout.decode(errors="replace").strip() if done.returncode == 0 else None
