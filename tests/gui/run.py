"""Install the extension's zip into a Blender with a window and run the scenarios there: `run.py VERSION [NAME...]
[--keep-home] [--mesh=LEVEL.obj] [--minutes=10] [--seed=8] [--screen=1920x1080]`; minutes and seed are for what goes on
at random.

Runs in an environment with bpy, whose tool makes the zips. Pictures are left in out/gui/: look at them.
"""

import shutil
import sys
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))

from tools import package, wheels, window  # noqa: E402

HERE = Path(__file__).parent
ZIPS = ROOT / "out/gui/zip"
INSTALL = "blender --command extension install-file -r user_default -e {archive} >/tmp/log || (cat /tmp/log; exit 1)"
FLAGS = ["--no-window-focus", "--window-geometry", "0", "0", *map(str, window.SCREEN), "--enable-event-simulate"]
SIZE = FLAGS.index("--window-geometry") + 3  # where they hold the window's


def main(argv: list[str]) -> int:
    version, *options = argv
    for option in options:
        if option.startswith("--screen="):
            width, height = map(int, option.removeprefix("--screen=").split("x"))
            window.SCREEN = width, height
            FLAGS[SIZE : SIZE + 2] = [str(width), str(height)]
    names = [option for option in options if not option.startswith("--")]
    window.make_house(version)
    home = fresh_home(version, keep="--keep-home" in options)
    archive = make_zip(version)
    status = window.run(version, ["bash", "-euc", INSTALL.format(archive=archive)], home)
    if status:
        print(f"The extension could not be installed ({status}).")
        return 1
    beside = {"lives": [], "first": [str(archive), *given_mesh(options)]}  # these start their own Blenders
    known = [*beside, *sorted(path.stem for path in HERE.rglob("test_*.py"))]
    chosen = [name for name in known if not names or name in names]
    more = [option for option in options if option.startswith(("--minutes=", "--seed="))]
    failed = [name for name in chosen if not passes(version, name, home, beside.get(name), more)]
    print(f"Blender {version}: {len(chosen) - len(failed)} of {len(chosen)} passed. {' '.join(failed)}")
    return 1 if failed or not chosen else 0


def given_mesh(options: list[str]) -> list[str]:
    """The level that `first` builds, where it can be seen from within."""
    given = [option.removeprefix("--mesh=") for option in options if option.startswith("--mesh=")]
    return [shutil.copy(path, ROOT / "out/gui/level.obj") for path in given[:1]]


def fresh_home(version: str, keep: bool) -> Path:
    """One home for all scenarios, so that only the first compiles the kernels. Keeping it saves that, too."""
    home = ROOT / "out/gui" / f"home-{version}"
    if not keep:
        shutil.rmtree(home, ignore_errors=True)
    home.mkdir(parents=True, exist_ok=True)
    return home


def passes(version: str, name: str, home: Path, arguments: list[str] | None, more: list[str]) -> bool:
    """Run a scenario inside Blender with `more`, or beside it with these arguments."""
    print(f"{name} in Blender {version}", flush=True)
    started = time.perf_counter()
    scenario = str(next(HERE.rglob(f"{name}.py")))
    inside, beside = ["blender", *FLAGS, "--python", scenario, "--", *more], ["python3", "-u", scenario]
    at_random = sum(float(option.removeprefix("--minutes=")) for option in more if "--minutes=" in option)
    command = inside if arguments is None else [*beside, *arguments]
    status = window.run(version, command, home, window.MINUTES + at_random)
    result = "FAILED" if status else "passed"
    print(f"{name}: {result}, status {status}, {time.perf_counter() - started:.0f} s", flush=True)
    return status == 0


def make_zip(version: str) -> Path:
    """A zip with the wheels for this Debian's Python, which is another than in the same Blender from blender.org."""
    source = ZIPS / f"source-{version}"  # both may be made at once
    copy_with_wheels(source, HERE / f"wheels/{version}.sha256")
    return next(path for path in package.package(source, ZIPS / version) if "linux" in path.name)


def copy_with_wheels(source: Path, pins: Path) -> None:
    """What belongs into the zip, with other wheels in the manifest."""
    shutil.rmtree(source, ignore_errors=True)
    (source / "wheels").mkdir(parents=True)
    for name in package.BELONGS - {"wheels"}:
        if (ROOT / name).is_dir():
            shutil.copytree(ROOT / name, source / name, ignore=shutil.ignore_patterns("__pycache__", "compiled"))
        else:
            shutil.copyfile(ROOT / name, source / name)
    (source / "navcore/compiled").mkdir()
    for pack in filter(package.is_current, (ROOT / "navcore/compiled").glob("*.kernels")):
        shutil.copy(pack, source / "navcore/compiled")
    for name in wheels.pinned(pins):
        (source / "wheels" / name).hardlink_to(ROOT / ".venv-gui/wheels" / name)
    text = (source / "blender_manifest.toml").read_text(encoding="utf-8")
    before, rest = text.split("wheels = [", 1)
    listed = "".join(f'  "./wheels/{name}",\n' for name in wheels.pinned(pins))
    before = "\n".join(line for line in before.splitlines() if not line.startswith("platforms"))
    text = f'{before}\nplatforms = ["linux-x64"]\nwheels = [\n{listed}]{rest.split("]", 1)[1]}'
    (source / "blender_manifest.toml").write_text(text, encoding="utf-8")


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
