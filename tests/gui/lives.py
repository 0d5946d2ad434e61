"""Blenders that end while they build: killed, closed, and started again. Runs beside Blender, in its Debian's Python.

First of all scenarios: in a fresh home the first Blender is killed while it compiles kernels, and the next one has to
cope with what is left.
"""

import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))

from run import FLAGS  # noqa: E402

STEPS = HERE / "life_steps.py"
KILL_AFTER = 3.0  # seconds of building
QUIT_SECONDS = 30.0
ALARMS = ("Traceback", "Error", "Segmentation", "blender.crash", "Leak", "leak")
OLD = b"what was there before"


class Blender:
    """One that does a step of life_steps.py. Its console stays in `console`."""

    def __init__(self, *step: str, env: dict[str, str] | None = None) -> None:
        command = ["blender", *FLAGS, "--python", str(STEPS), "--", *step]
        self._process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, env=env)
        self.console = ""

    def until(self, word: str) -> str:
        """Wait until it says this; returns the line."""
        assert self._process.stdout is not None
        for line in self._process.stdout:
            self.console += line
            if word in line:
                return line.strip()
        raise AssertionError(f"Blender ended with {self._process.wait()} and never said {word}:\n{self.console}")

    def kill(self) -> int:
        self._process.send_signal(signal.SIGKILL)
        return self.end()

    def end(self) -> int:
        """Its exit status, once it has ended."""
        said, _ = self._process.communicate(timeout=900)
        self.console += said
        return self._process.returncode

    def check_console(self) -> None:
        found = [line for line in self.console.splitlines() if any(alarm in line for alarm in ALARMS)]
        assert not found, found


def killed_while_it_builds() -> None:
    blender = Blender("build")
    blender.until("RUNNING")
    time.sleep(KILL_AFTER)
    assert blender.kill() == -signal.SIGKILL, blender.console
    print(f"  killed; {len(kernels())} compiled kernels were there")
    first = built_by_the_next()
    assert built_by_the_next() == first


def built_by_the_next() -> str:
    """What the next Blender builds, and how it ends."""
    blender = Blender("build")
    said = blender.until("BUILT")
    assert blender.end() == 0, blender.console
    blender.check_console()
    print(f"  the next Blender: {said}, {len(kernels())} compiled kernels")
    return said


def kernels() -> list[Path]:
    return [path for path in Path.home().rglob("kernels/**/*") if path.is_file()]


def closed_while_it_builds() -> None:
    blender = Blender("close")
    blender.until("RUNNING")
    began = time.perf_counter()
    status = blender.end()
    print(f"  closed: status {status} after {time.perf_counter() - began:.1f} s")
    assert status == 0, blender.console
    assert time.perf_counter() - began < QUIT_SECONDS
    blender.check_console()


def command_killed_while_it_builds() -> None:
    """At three moments: the file is the old one or the new one, and nothing but hidden parts stands beside it."""
    with tempfile.TemporaryDirectory() as folder:
        level, output = Path(folder) / "level.blend", Path(folder) / "out.bin"
        saving = Blender("save", str(level))
        assert saving.end() == 0, saving.console
        began = time.perf_counter()
        assert command(level, output).wait() == 0
        took, whole = time.perf_counter() - began, output.read_bytes()
        for part in (0.3, 0.6, 0.9):
            output.write_bytes(OLD)
            process = command(level, output)
            time.sleep(part * took)
            process.kill()
            process.wait()
            assert output.read_bytes() in (OLD, whole), "half-written"
            assert {path.name for path in Path(folder).glob("[!.]*")} == {"level.blend", "out.bin"}
        assert command(level, output).wait() == 0 and output.read_bytes() == whole
        print(f"  the command: {took:.1f} s for {len(whole):,} bytes, killed three times, the same bytes afterwards")


def command(level: Path, output: Path) -> subprocess.Popen[bytes]:
    line = ["blender", "--background", "--command", "navmesh", "build", str(level), "-o", str(output)]
    return subprocess.Popen([*line, "--cell-size", "0.06"], stdout=subprocess.DEVNULL)


if __name__ == "__main__":
    killed_while_it_builds()
    closed_while_it_builds()
    command_killed_while_it_builds()
