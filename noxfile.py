"""Environments, and what is done in them ("words"). Run through dev.py.

An environment is `core`, without Blender, or that of one Blender version, with the NumPy which that Blender ships.
A word is what a developer asks for; it sends tasks to environments, so that none is made twice.

This file runs on the Python of .venv-tools, 3.9 or newer.
"""

from __future__ import annotations

import argparse
import os
import shutil
import sys
from pathlib import Path
from typing import Callable

import nox

ROOT = Path(__file__).resolve().parent
sys.path.insert(0, str(ROOT))  # nox may have been started elsewhere

from tools import versions  # noqa: E402
from tools.interpreters import find_python  # noqa: E402
from tools.limited import run_limited  # noqa: E402
from tools.release import missing  # noqa: E402
from tools.versions import BLENDERS, CORE_NUMPY, DEFAULT_BLENDERS, WHEEL_NUMPY, WINDOW_BLENDERS  # noqa: E402

# Without .pyc files `import numba` takes 0.7 s instead of 0.2 s in every process.
os.environ["UV_COMPILE_BYTECODE"] = "1"

nox.needs_version = ">=2025.5.1"
nox.options.envdir = ".venv-nox"
nox.options.reuse_venv = "yes"
# nox otherwise skips a missing interpreter and exits with 0: a test that never ran would look green.
nox.options.error_on_missing_interpreters = True


CORE_MINUTES = 30
CORE_PROCESSES = 4  # at most: each takes about a gigabyte
BLENDER_MINUTES = 20  # bpy 4.2 and 4.5 can hang at exit, so every process has a limit
INSTALL_MINUTES = BAKE_MINUTES = 180  # ends what hangs alone: compiling takes a busy machine ten times as long
WINDOW_MINUTES = 90

PROJECT = nox.project.load_toml(str(ROOT / "pyproject.toml"))

PYTHONS = {version: find_python(version) for version in {**CORE_NUMPY, **WHEEL_NUMPY}}
RUNNING = f"{sys.version_info.major}.{sys.version_info.minor}"
CORE_PYTHON = next((v for v in (RUNNING, *CORE_NUMPY) if v in CORE_NUMPY and PYTHONS[v]), "3.11")
SITE_PYTHON = next((v for v in (RUNNING, *WHEEL_NUMPY) if PYTHONS.get(v)), "3.11")  # needs no NumPy: any will do


def newest_blender() -> str:
    """The newest Blender for whose Python there is an interpreter here."""
    return next((v for v in reversed(list(BLENDERS)) if PYTHONS[BLENDERS[v].python]), "5.2")


# ------------------------------------------------------------------------ words


@nox.session(venv_backend="none")
def test(session: nox.Session) -> None:
    """All tests: without Blender once, then in one Blender per Python found. --blender X: all of them in Blender X."""
    parser = argparse.ArgumentParser("dev.py test")
    parser.add_argument("--blender", choices=sorted(BLENDERS))
    chosen = parser.parse_args(session.posargs).blender
    if chosen:
        session.notify(environment_of(chosen), ["everything"])
        return
    session.notify("core", ["tests"])
    for version in DEFAULT_BLENDERS:
        if not blender_tests():
            session.warn("tests/blender holds no tests: nothing to run inside Blender.")
            return
        if PYTHONS[BLENDERS[version].python]:
            session.notify(environment_of(version), ["tests"])
        else:
            session.warn(f"NOT TESTED: Blender {version}, there is no Python {BLENDERS[version].python} here.")


@nox.session(venv_backend="none")
def check(session: nox.Session) -> None:
    """Everything that needs no Blender: format, lint, types, tests."""
    session.notify("core", ["check"])


@nox.session(venv_backend="none")
def demo(session: nox.Session) -> None:
    """Build and render the example level in headless Blender."""
    session.notify(environment_of(newest_blender()), ["demo", *session.posargs])


@nox.session(venv_backend="none")
def bench(session: nox.Session) -> None:
    """Benchmarks: `run` (default) or one of those that task_bench names, with their options."""
    if not (ROOT / "benchmarks/run.py").is_file():
        session.error("benchmarks/run.py is not there: there is nothing to measure.")
    if session.posargs[:1] != ["first"]:
        session.notify("core", ["bench", *session.posargs])
        return
    for version in DEFAULT_BLENDERS:  # the first build after installing the zip, in one Blender per Python
        if PYTHONS[BLENDERS[version].python]:
            session.notify(environment_of(version), ["bench", *session.posargs])
        else:
            session.warn(f"NOT MEASURED: Blender {version}, there is no Python {BLENDERS[version].python} here.")


@nox.session(venv_backend="none")
def clients(session: nox.Session) -> None:
    """Engines and libraries that load the exports: those of npm, and Godot where it is found or can be unpacked."""
    session.notify("core", ["clients", *session.posargs])


@nox.session(venv_backend="none")
def package(session: nox.Session) -> None:
    """The extension's zips in dist/, installed into one Blender per Python found. --every-blender: into all of them."""
    parser = argparse.ArgumentParser("dev.py package")
    parser.add_argument("--every-blender", action="store_true")
    queue_package(session, parser.parse_args(session.posargs).every_blender)


def queue_package(session: nox.Session, every: bool) -> None:
    session.run(sys.executable, "tools/wheels.py", external=True)
    bake_kernels(session)
    session.notify(environment_of(newest_blender()), ["package"])
    for version, blender in BLENDERS.items():
        if not PYTHONS[blender.python]:
            session.warn(f"NOT INSTALLED: into Blender {version}, there is no Python {blender.python} here.")
        elif version != newest_blender() and (every or version in DEFAULT_BLENDERS):
            session.notify(environment_of(version), ["installs"])


@nox.session(venv_backend="none")
def bake(session: nox.Session) -> None:
    """The compiled kernels of this platform that the zips bring, into navcore/compiled/. `package` does it, too."""
    bake_kernels(session)


@nox.session(venv_backend="none")
def wheel(session: nox.Session) -> None:
    """navcore's wheels in dist/python/, each installed and used, for each Python found or --python X. And its sdist."""
    parser = argparse.ArgumentParser("dev.py wheel")
    parser.add_argument("--python", choices=sorted(WHEEL_NUMPY))
    queue_wheels(session, parser.parse_args(session.posargs).python)


@nox.session(venv_backend="none")
def release(session: nox.Session) -> None:
    """dist/release/VERSION, as it is published. What is missing is made first; --as-is takes what there is."""
    parser = argparse.ArgumentParser("dev.py release")
    parser.add_argument("--as-is", action="store_true")
    lacking = [] if parser.parse_args(session.posargs).as_is else missing(ROOT)
    if lacking:
        session.log(f"To be made before: {', '.join(lacking)}. It takes minutes for each Python.")
    if "package" in lacking:
        queue_package(session, every=False)
    if "wheel" in lacking:
        queue_wheels(session, None)
    session.notify("site", ["release", *(["docs"] if "docs" in lacking else [])])


def queue_wheels(session: nox.Session, chosen: str | None) -> None:
    if not chosen:
        shutil.rmtree(ROOT / "dist/python", ignore_errors=True)
    for python in WHEEL_NUMPY:
        if chosen not in (None, python):
            continue
        if PYTHONS[python]:
            session.notify(wheel_environment(python), ["wheel"])
        else:
            session.warn(f"NO WHEEL: for Python {python}, which isn't here. It will compile the kernels.")


@nox.session(venv_backend="none")
def gui(session: nox.Session) -> None:
    """Tests in a real Blender window: Debian's 4.3 and 5.2, under a virtual screen. --blender X: only in that one."""
    parser = argparse.ArgumentParser("dev.py gui")
    parser.add_argument("--blender", choices=WINDOW_BLENDERS)
    chosen, options = parser.parse_known_args(session.posargs)
    versions = [chosen.blender] if chosen.blender else WINDOW_BLENDERS
    for version in versions:
        pins = f"tests/gui/wheels/{version}.sha256"
        session.run(sys.executable, "tools/wheels.py", ".venv-gui/wheels", pins, external=True)
    bake_kernels(session)
    session.notify(environment_of(newest_blender()), ["gui", ",".join(versions), *options])


@nox.session(venv_backend="none")
def soak(session: nox.Session) -> None:
    """Random levels × 3 partitions × in one piece and in tiles. --blender X: many builds in one session instead."""
    parser = argparse.ArgumentParser("dev.py soak", add_help=False)
    parser.add_argument("--blender", choices=sorted(BLENDERS))
    chosen, options = parser.parse_known_args(session.posargs)
    session.notify(environment_of(chosen.blender) if chosen.blender else "core", ["soak", *options])


@nox.session(venv_backend="none")
def fuzz(session: nox.Session) -> None:
    """Hostile bytes for every reader; options are passed on to tests/soak/fuzz.py."""
    session.notify("fuzzers", ["fuzz", *session.posargs])


@nox.session(venv_backend="none")
def coverage(session: nox.Session) -> None:
    """Lines and branches that the tests reach; options are passed on to tests/soak/coverage_run.py."""
    session.notify("core", ["coverage", *session.posargs])


@nox.session(venv_backend="none")
def docs(session: nox.Session) -> None:
    """The site of the documents into out/docs; options are passed on to tools/docs_site/build.py."""
    session.notify("site", ["docs", *session.posargs])


@nox.session(venv_backend="none")
def pictures(session: nox.Session) -> None:
    """Every picture of README and docs; options are passed on to examples/pictures.py."""
    for pins in ("tests/gui/wheels/4.3.sha256", "tests/gui/wheels/5.2.sha256"):
        session.run(sys.executable, "tools/wheels.py", ".venv-gui/wheels", pins, external=True)
    bake_kernels(session)  # else the panel shows that it compiles
    session.notify(environment_of(newest_blender()), ["pictures", *session.posargs])


def bake_kernels(session: nox.Session) -> None:
    """Compile what the zips of this platform ship, once per Python; what is there and current stays."""
    for python in CORE_NUMPY:
        if PYTHONS[python]:
            session.notify(f"kernels-{python}", ["bake"])
        else:
            session.warn(f"NO KERNELS: for Python {python}, which isn't here. Blenders with it will compile them.")


# ------------------------------------------------------------------------ tasks


def task_check(session: nox.Session, options: list[str]) -> None:
    session.run("ruff", "format", "--check", ".")
    session.run("ruff", "check", ".")
    session.run("mypy")
    check_addon_types(session)
    task_core_tests(session, options)


def check_addon_types(session: nox.Session) -> None:
    """The extension's types against those of the oldest Blender, laid out as Blender loads it: in one package.

    The folder stays, so that what was checked before is known.
    """
    session.install(versions.STUBS)
    folder = Path(session.virtualenv.location) / "types"
    package = folder / "navmesh"
    shutil.rmtree(package, ignore_errors=True)
    for part in ("navcore", "navmesh_addon"):
        shutil.copytree(ROOT / part, package / part, ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copy2(ROOT / "__init__.py", package)
    with session.chdir(folder):
        session.run("mypy", "--config-file", str(ROOT / "pyproject.toml"), "-p", "navmesh.navmesh_addon")


def task_core_tests(session: nox.Session, options: list[str]) -> None:
    """In as many processes as there are processors: many tests wait for programs that they start."""
    elsewhere = [f"--ignore=tests/{folder}" for folder in ("blender", "gui", "package", "clients")]
    processes = ["-n", str(min(os.cpu_count() or 1, CORE_PROCESSES)), "--dist", "worksteal"]
    run_limited(session, CORE_MINUTES, "pytest", "tests", *processes, *elsewhere, *options)


def task_blender_tests(session: nox.Session, options: list[str]) -> None:
    run_limited(session, BLENDER_MINUTES, "pytest", "tests/blender", *options)


def task_everything(session: nox.Session, options: list[str]) -> None:
    task_core_tests(session, options)
    if blender_tests():
        task_blender_tests(session, options)


def task_demo(session: nox.Session, options: list[str]) -> None:
    run_limited(session, BLENDER_MINUTES, "examples/demo.py", *options)


def task_pictures(session: nox.Session, options: list[str]) -> None:
    run_limited(session, WINDOW_MINUTES, "examples/pictures.py", *options)


def task_package(session: nox.Session, options: list[str]) -> None:
    session.run("python", "tools/package.py")
    task_installs(session, options)


def task_bake(session: nox.Session, _options: list[str]) -> None:
    run_limited(session, BAKE_MINUTES, "tools/bake.py")


def task_wheel(session: nox.Session, options: list[str]) -> None:
    task_bake(session, [])
    session.run("python", "-m", "tools.docs_site.shipped_pages")  # the sdist is made first, and takes them along
    session.run("hatchling", "build", "-d", "dist/python", "-t", "sdist", "-t", "wheel")
    run_limited(session, INSTALL_MINUTES, "pytest", "tests/wheel", *options)


def task_installs(session: nox.Session, options: list[str]) -> None:
    run_limited(session, INSTALL_MINUTES, "pytest", "tests/package", *options)


def task_gui(session: nox.Session, options: list[str]) -> None:
    for version in options[0].split(","):
        run_limited(session, WINDOW_MINUTES, "tests/gui/run.py", version, *options[1:])


def task_clients(session: nox.Session, options: list[str]) -> None:
    npm = shutil.which("npm")
    if npm is None or shutil.which("node") is None:
        session.error("The clients are npm packages: install Node.js 20 or newer, then run again.")
    folder = ROOT / "tests/clients"
    stamp = folder / "node_modules" / "installed.json"
    wanted = (folder / "package.json").read_bytes()
    if not stamp.is_file() or stamp.read_bytes() != wanted:
        with session.chdir(folder):
            quiet = ("--ignore-scripts", "--no-package-lock", "--legacy-peer-deps", "--no-audit", "--no-fund")
            session.run(npm, "install", *quiet, external=True)
        stamp.write_bytes(wanted)
    run_limited(session, CORE_MINUTES, "pytest", "tests/clients", *options)


def task_bench(session: nox.Session, options: list[str]) -> None:
    scripts = (
        *("run", "against", "page", "growth", "reading", "first", "store", "cluster", "obstacles", "threads"),
        *("newcomers/browser", "newcomers/contact"),
    )
    named = options[:1] and options[0] in scripts
    script, rest = (options[0], options[1:]) if named else ("run", options)
    session.run("python", f"benchmarks/{script}.py", *rest)


def task_soak(session: nox.Session, options: list[str]) -> None:
    peer = "--peer" in options  # the same levels through Recast itself
    session.run("python", "-m", f"tests.soak.{'peer' if peer else 'run'}", *(o for o in options if o != "--peer"))


def task_lives(session: nox.Session, options: list[str]) -> None:
    run_limited(session, INSTALL_MINUTES, "tests.soak.lives", *options)


def task_fuzz(session: nox.Session, options: list[str]) -> None:
    session.run("python", "-m", "tests.soak.fuzz", *options)


def task_docs(session: nox.Session, options: list[str]) -> None:
    session.run("python", "-m", "tools.docs_site.build", *options)


def task_release(session: nox.Session, options: list[str]) -> None:
    if options:
        task_docs(session, [])
    session.run("python", "tools/release.py")


def task_coverage(session: nox.Session, options: list[str]) -> None:
    session.install(*nox.project.dependency_groups(PROJECT, "coverage"))
    session.run("python", "-m", "tests.soak.coverage_run", *options)


CORE_TASKS = {
    "tests": task_core_tests,
    "check": task_check,
    "bench": task_bench,
    "clients": task_clients,
    "soak": task_soak,
    "coverage": task_coverage,
}
BLENDER_TASKS = {
    "tests": task_blender_tests,
    "everything": task_everything,
    "demo": task_demo,
    "bench": task_bench,
    "package": task_package,
    "installs": task_installs,
    "gui": task_gui,
    "pictures": task_pictures,
    "soak": task_lives,
}


def blender_tests() -> bool:
    return any((ROOT / "tests/blender").rglob("test_*.py"))


# ------------------------------------------------------------------------ environments


def environment_of(blender: str) -> str:
    return f"blender-{blender}"


def wheel_environment(python: str) -> str:
    return f"wheel-{python}"


def add_environment(name: str, python: str, packages: tuple[str, ...], tasks: dict[str, Callable[..., None]]) -> None:
    @nox.session(name=name, python=PYTHONS[python] or python, default=False)
    def run_task(session: nox.Session) -> None:
        if not session.posargs or session.posargs[0] not in tasks:
            session.error(f"Environment {name} wants one of: {', '.join(tasks)}.")
        session.install(*packages, *nox.project.dependency_groups(PROJECT, "test"))
        tasks[session.posargs[0]](session, session.posargs[1:])


add_environment(
    "core",
    CORE_PYTHON,
    (f"numpy=={CORE_NUMPY[CORE_PYTHON]}", *versions.NUMBA, *nox.project.dependency_groups(PROJECT, "lint")),
    CORE_TASKS,
)
add_environment(
    "fuzzers",
    CORE_PYTHON,
    (f"numpy=={CORE_NUMPY[CORE_PYTHON]}", *versions.NUMBA, *nox.project.dependency_groups(PROJECT, "fuzz")),
    {"fuzz": task_fuzz},
)
add_environment(
    "site", SITE_PYTHON, nox.project.dependency_groups(PROJECT, "docs"), {"docs": task_docs, "release": task_release}
)
for _python, _numpy in CORE_NUMPY.items():
    add_environment(f"kernels-{_python}", _python, (f"numpy=={_numpy}", *versions.NUMBA), {"bake": task_bake})
for _python, _numpy in WHEEL_NUMPY.items():
    add_environment(
        wheel_environment(_python),
        _python,
        (f"numpy=={_numpy}", *versions.WHEEL_NUMBA),
        {"bake": task_bake, "wheel": task_wheel, "tests": task_core_tests},
    )
for _version, _blender in BLENDERS.items():
    add_environment(
        environment_of(_version),
        _blender.python,
        (f"bpy=={_blender.bpy}", f"numpy=={_blender.numpy}", *versions.NUMBA),
        BLENDER_TASKS,
    )
