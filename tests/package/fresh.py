"""A Blender that has never seen the extension, for tests and measurements of what the zip brings.

Every step is a fresh process with the same user folder. Numba is kept out of Blender's reach but for the wheels in the
zip, although it stands in this environment for other tests.
"""

import json
import os
import platform
import subprocess
import sys
import sysconfig
import tempfile
from pathlib import Path
from typing import Any

from tools.package import GENERATIONS

ROOT = Path(__file__).resolve().parents[2]
STEPS = Path(__file__).with_name("in_blender.py")
SYSTEMS = {"Linux": "linux", "Windows": "windows", "Darwin": "macos"}
MACHINES = {"x86_64": "x64", "AMD64": "x64", "arm64": "arm64"}
STEP_SECONDS = 1500  # a first build compiles for a minute, and longer where the machine is busy


def zip_of_this_machine() -> Path:
    """What `dev.py package` made for it, and for the Blenders with this Python."""
    python = f"cp{sys.version_info.major}{sys.version_info.minor}"
    first = next(generation.first for generation in GENERATIONS if generation.python == python).rpartition(".")[0]
    name = f"blender{first}-{SYSTEMS[platform.system()]}_{MACHINES[platform.machine()]}"
    found = list((ROOT / "dist").glob(f"navmesh-*-{name}.zip"))
    assert len(found) == 1, f"dist/ holds {found}: run `python3 dev.py package`"
    return found[0]


class Blender:
    """A Blender with a user folder of its own."""

    def __init__(self, folder: Path) -> None:
        self.home = folder / "home"
        self.user = self.home / "blender"
        self.packages = folder / "packages"
        self.user.mkdir(parents=True)
        self.packages.mkdir()
        for path in Path(sysconfig.get_path("purelib")).iterdir():
            if not path.name.startswith(("numba", "llvmlite")):
                (self.packages / path.name).symlink_to(path)

    def run(self, step: str, *arguments: str) -> dict[str, Any]:
        """Run a step of in_blender.py. The console of the last one stays in `console`."""
        with tempfile.TemporaryDirectory() as folder:
            result = Path(folder) / "result.json"
            env = {key: value for key, value in os.environ.items() if not key.startswith(("NUMBA_", "PYTHON"))}
            env |= dict.fromkeys(("HOME", "XDG_CACHE_HOME", "LOCALAPPDATA"), str(self.home))
            env |= {"BLENDER_USER_RESOURCES": str(self.user), "PYTHONPATH": str(self.packages)}
            env["no_proxy"] = "127.0.0.1"
            # -S: without this environment's packages, only those linked above
            command = [sys.executable, "-S", str(STEPS), step, str(result), *arguments]
            done = subprocess.run(command, env=env, cwd=folder, capture_output=True, text=True, timeout=STEP_SECONDS)
            self.console = done.stdout + done.stderr
            assert done.returncode == 0, self.console
            assert "Traceback" not in self.console
            return json.loads(result.read_text())

    def holds(self, *names: str) -> list[str]:
        """Files and folders below the home folder that carry one of these names."""
        paths = self.home.rglob("*")
        return sorted(str(p.relative_to(self.home)) for p in paths if any(name in p.name.lower() for name in names))
