"""navcore as a package: what a wheel holds and whom it is for, and that it works where nothing else is."""

import json
import os
import re
import shutil
import subprocess
import sys
import sysconfig
import tarfile
import venv
import zipfile
from pathlib import Path

import pytest

from navcore import __version__
from navcore.kernels.pack_file import PackedEntry, pack_bytes, read_pack
from navcore.kernels.shipped_pack import Baseline, pack_for_here, pack_name
from navcore.version import code_fingerprint

ROOT = Path(__file__).resolve().parents[2]
MADE = ROOT / "dist/python"
SOURCES = ("pyproject.toml", "README.md", "LICENSE", "CHANGELOG.md", ".gitignore", "tools/wheel_kernels.py")
WITHOUT = shutil.ignore_patterns("__pycache__", "compiled", "manual")
NEEDED = ("numpy", "numpy.libs", "numba", "llvmlite", "llvmlite.libs")
LEVEL = "v 0 0 0\nv 0 0 9\nv 9 0 9\nv 9 0 0\nf 1 2 3 4\n"
PACK = pack_bytes(pack_for_here({"a": PackedEntry("source", b"code")}, Baseline("any", ())))


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    """What wheels are made from, without compiled kernels."""
    folder = tmp_path / "checkout"
    shutil.copytree(ROOT / "navcore", folder / "navcore", ignore=WITHOUT)
    for name in SOURCES:
        (folder / name).parent.mkdir(exist_ok=True)
        shutil.copy(ROOT / name, folder / name)
    return folder


def made(folder: Path, kind: str = "wheel") -> tuple[Path, str]:
    """The package that hatchling makes in a folder, and what it says."""
    command = [sys.executable, "-m", "hatchling", "build", "-t", kind, "-d", "made"]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    return next((folder / "made").glob("*.whl" if kind == "wheel" else "*.tar.gz")), done.stdout + done.stderr


def names(wheel: Path) -> set[str]:
    with zipfile.ZipFile(wheel) as archive:
        return set(archive.namelist())


def test_without_packs_a_wheel_is_for_every_python_and_holds_navcore_alone(checkout: Path) -> None:
    wheel, _ = made(checkout)
    assert wheel.name == f"navmesh-{__version__}-py3-none-any.whl"
    sources = {
        path.relative_to(ROOT).as_posix() for kind in ("*.py", "*.txt") for path in (ROOT / "navcore").rglob(kind)
    }
    sources |= {path.relative_to(ROOT).as_posix() for path in (ROOT / "navcore/page/browser").iterdir()}
    about = {name for name in names(wheel) if ".dist-info/" in name}
    assert names(wheel) - about == sources | {"navcore/py.typed"}
    with zipfile.ZipFile(wheel) as archive:
        text = archive.read(f"navmesh-{__version__}.dist-info/METADATA").decode()
    assert f"\nVersion: {__version__}\n" in text and "\nRequires-Dist: numba" in text


def test_a_wheel_brings_the_packs_of_its_python_and_is_for_that(checkout: Path) -> None:
    compiled = checkout / "navcore/compiled"
    compiled.mkdir()
    (compiled / pack_name()).write_bytes(PACK)
    (compiled / pack_name().replace(sys.implementation.cache_tag, "cpython-38")).write_bytes(PACK)
    wheel, said = made(checkout)
    assert {name for name in names(wheel) if "compiled" in name} == {f"navcore/compiled/{pack_name()}"}
    python = f"cp{sys.version_info.major}{sys.version_info.minor}"
    assert wheel.name.startswith(f"navmesh-{__version__}-{python}-{python}-") and "-none-" not in wheel.name
    assert "stays out" not in said


def test_a_pack_that_does_not_fit_stays_out_with_a_sentence(checkout: Path) -> None:
    compiled = checkout / "navcore/compiled"
    compiled.mkdir()
    other = read_pack_from(PACK, compiled)._replace(sources="then")
    (compiled / pack_name()).write_bytes(pack_bytes(other))
    (compiled / pack_name().replace("numba", "numba9.")).write_bytes(PACK[:50])
    wheel, said = made(checkout)
    assert wheel.name.endswith("-py3-none-any.whl") and not any("compiled" in name for name in names(wheel))
    assert "was made from other sources" in said and "damaged" in said and "dev.py wheel" in said


def read_pack_from(data: bytes, folder: Path):
    (folder / "aside").write_bytes(data)
    return read_pack(folder / "aside")


def test_the_sdist_makes_the_same_pure_wheel(checkout: Path, tmp_path: Path) -> None:
    compiled = checkout / "navcore/compiled"
    compiled.mkdir()
    (compiled / pack_name()).write_bytes(PACK)
    sdist, _ = made(checkout, "sdist")
    with tarfile.open(sdist) as archive:
        assert not [name for name in archive.getnames() if "compiled" in name]
        archive.extractall(tmp_path, filter="data")
    again, _ = made(tmp_path / f"navmesh-{__version__}")
    shutil.rmtree(compiled)
    assert again.read_bytes() == made(checkout)[0].read_bytes()


# --- installed


def environment(folder: Path) -> Path:
    """An empty environment. Returns its Python."""
    venv.create(folder, with_pip=True)
    return folder / ("Scripts/python.exe" if os.name == "nt" else "bin/python")


def link_what_is_needed(python: Path) -> None:
    """The packages that navcore depends on, those of this environment: nothing has to be fetched."""
    packages = next(python.parents[1].rglob("site-packages"))
    for name in NEEDED:
        if (found := Path(sysconfig.get_path("platlib")) / name).exists():
            (packages / name).symlink_to(found)


def run(command: list[object], folder: Path, empty_home: bool = True) -> str:
    """What a command prints, with a home that is empty when the test begins."""
    env = {key: value for key, value in os.environ.items() if not key.startswith(("NUMBA_", "NAVMESH_", "PYTHON"))}
    if empty_home:
        env |= dict.fromkeys(("HOME", "XDG_CACHE_HOME", "LOCALAPPDATA"), str(folder / "home"))
    done = subprocess.run([*map(str, command)], cwd=folder, env=env, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def use(python: Path, folder: Path, empty_home: bool) -> dict[str, int]:
    """The command and the README's Python. Returns what became of the kernels of the first build."""
    (folder / "level.obj").write_text(LEVEL)
    command = python.with_name("navcore.exe" if os.name == "nt" else "navcore")
    assert run([command, "--version"], folder) == f"navcore {__version__}\n"
    run([command, "build", "level.obj", "-o", "level.bin", "--report", "report.json"], folder, empty_home)
    text = (ROOT / "README.md").read_text(encoding="utf-8").split("## From Python", 1)[1].split("\n## ", 1)[0]
    blocks = re.findall(r"```python\n(.*?)```", text, re.DOTALL)
    assert len(blocks) == 2
    run([python, "-c", "\n".join(blocks) + "\nassert level.tiles"], folder, empty_home)
    return json.loads((folder / "report.json").read_text())["kernels"]


def test_a_wheel_is_installed_into_an_empty_environment_and_used(checkout: Path, tmp_path: Path) -> None:
    current = [p for p in (ROOT / "navcore/compiled").glob(pack_name()) if read_pack(p).sources == code_fingerprint()]
    for path in current:
        (checkout / "navcore/compiled").mkdir()
        shutil.copy(path, checkout / "navcore/compiled")
    wheel, _ = made(checkout)
    python = environment(tmp_path / "environment")
    run([python, "-m", "pip", "install", "--quiet", "--no-index", "--no-deps", wheel], tmp_path)
    link_what_is_needed(python)
    kernels = use(python, tmp_path, empty_home=bool(current))  # a user's own kernels save a minute of compiling
    assert kernels["compiled"] == 0 or not current
    typed = [path.name for path in (tmp_path / "environment").rglob("navcore/py.typed")]
    assert typed == ["py.typed"], "type checkers read no annotations without it"


def test_what_the_word_wheel_made_installs_as_the_readme_says(tmp_path: Path) -> None:
    """With its dependencies from wherever pip gets them; so only where wheels were just made."""
    tag = f"cp{sys.version_info.major}{sys.version_info.minor}"
    if not list(MADE.glob(f"navmesh-{__version__}-{tag}-*.whl")):
        pytest.skip("`python3 dev.py wheel` has made none for this Python")
    python = environment(tmp_path / "environment")
    run([python, "-m", "pip", "install", "--quiet", "--find-links", MADE, f"navmesh=={__version__}"], tmp_path)
    assert use(python, tmp_path, empty_home=True)["compiled"] == 0
