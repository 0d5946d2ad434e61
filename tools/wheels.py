"""Fetch wheels, and trust none whose hash isn't written down: `wheels.py [FOLDER PINS]`.

Without arguments: those that the extension ships, listed in wheels.sha256, into wheels/.

Runs on the Python of .venv-tools, because it needs pip: pip knows where this machine gets its packages from.
A new version: write its names and hashes into wheels.sha256 and blender_manifest.toml (a test compares them).
"""

from __future__ import annotations

import hashlib
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
FOLDER = ROOT / "wheels"
PINS = Path(__file__).with_name("wheels.sha256")


def pinned(pins: Path = PINS) -> dict[str, str]:
    """File name → hash, from lines as sha256sum writes them."""
    lines = [line.split() for line in pins.read_text(encoding="utf-8").splitlines() if line.strip()]
    return {name: digest for digest, name in lines}


def fetch(folder: Path = FOLDER, pins: Path = PINS) -> list[Path]:
    """Make every pinned wheel be there. Returns their paths."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, digest in pinned(pins).items():
        if sha256(folder / name) != digest:
            download(folder, name, digest)
    return [folder / name for name in pinned(pins)]


def download(folder: Path, name: str, digest: str) -> None:
    """Download aside and move the wheel into place once its hash is right."""
    print(f"wheels: {name}", flush=True)
    project, version, python, _abi, platforms = name[: -len(".whl")].split("-")
    command = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--only-binary=:all:"]
    command += ["--python-version", f"{python[2]}.{python[3:]}", "--platform", platforms.split(".")[0]]
    with tempfile.TemporaryDirectory(dir=folder) as aside:
        subprocess.run([*command, "--dest", aside, f"{project}=={version}"], check=True)
        got = sha256(Path(aside) / name)
        if got != digest:
            found = ", ".join(path.name for path in Path(aside).iterdir())
            raise SystemExit(f"wheels: {name} should have the hash {digest}, but pip brought {found} ({got}).")
        (Path(aside) / name).replace(folder / name)


def sha256(path: Path) -> str | None:
    """The file's hash, or None where there is no file."""
    if not path.is_file():
        return None
    with path.open("rb") as file:
        digest = hashlib.sha256()
        while block := file.read(1 << 20):
            digest.update(block)
    return digest.hexdigest()


if __name__ == "__main__":
    fetch(*map(Path, sys.argv[1:]))
