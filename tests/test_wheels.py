"""The wheels that the extension ships: the manifest and the hashes name the same ones, and none is missing."""

import hashlib
import subprocess
import tomllib
from collections.abc import Callable
from itertools import product
from pathlib import Path

import pytest

from tools import wheels
from tools.versions import NUMBA

MANIFEST = tomllib.loads((wheels.ROOT / "blender_manifest.toml").read_text(encoding="utf-8"))
ENDINGS = {
    "linux-x64": "x86_64",
    "windows-x64": "win_amd64",
    "macos-arm64": "arm64",
    "macos-x64": "x86_64",
}
# Python of Blender 4.2 to 5.0, and of 5.1 and newer, which no longer runs on Macs with Intel processors.
PYTHONS = [pair for pair in product(("cp311", "cp313"), ENDINGS) if pair != ("cp313", "macos-x64")]
# Elsewhere, llvmlite must not be older: in a process that holds another LLVM, 0.45 crashes.
PAIR = ("numba-0.63.1", "llvmlite-0.46.0")
PAIRS = {"macos-x64": ("numba-0.62.1", "llvmlite-0.45.1")}


def test_manifest_lists_the_pinned_wheels() -> None:
    assert MANIFEST["wheels"] == [f"./wheels/{name}" for name in sorted(wheels.pinned())]


@pytest.mark.parametrize(("python", "system"), PYTHONS)
def test_every_blender_gets_one_wheel_of_each(python: str, system: str) -> None:
    assert system in MANIFEST["platforms"]
    fitting = [name for name in wheels.pinned() if fits(name, python, system)]
    assert sorted(name.partition(f"-{python}-")[0] for name in fitting) == sorted(PAIRS.get(system, PAIR))


def fits(name: str, python: str, system: str) -> bool:
    mac = system.startswith("macos")
    return f"-{python}-" in name and name.endswith(f"{ENDINGS[system]}.whl") and ("macosx" in name) == mac


def test_what_is_tested_is_what_ships() -> None:
    pins = {pin.partition(";")[0] for pin in NUMBA}
    assert pins == {"==".join(name.split("-")[:2]) for name in wheels.pinned()}


def test_wheel_with_another_hash_is_not_taken(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    name = "toy-1.0-cp311-cp311-win_amd64.whl"
    pins = tmp_path / "pins"
    pins.write_text(f"{hashlib.sha256(b'good').hexdigest()}  {name}\n")
    asked: list[list[str]] = []

    def pip(content: bytes) -> Callable[..., None]:
        def run(command: list[str], check: bool) -> None:
            assert check
            asked.append(command)
            (Path(command[command.index("--dest") + 1]) / name).write_bytes(content)

        return run

    monkeypatch.setattr(subprocess, "run", pip(b"evil"))
    with pytest.raises(SystemExit, match="should have the hash"):
        wheels.fetch(tmp_path / "wheels", pins)
    assert list((tmp_path / "wheels").iterdir()) == []

    monkeypatch.setattr(subprocess, "run", pip(b"good"))
    assert [path.read_bytes() for path in wheels.fetch(tmp_path / "wheels", pins)] == [b"good"]
    wheels.fetch(tmp_path / "wheels", pins)
    assert len(asked) == 2, "a wheel that is there is not fetched again"
    assert asked[1][asked[1].index("--platform") + 1] == "win_amd64" and asked[1][-1] == "toy==1.0"
