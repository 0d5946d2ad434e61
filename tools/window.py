"""A real Blender with a window, on a Linux without a screen or a GPU: `window.py 4.3 [COMMAND...]`. Needs root.

Blender comes from the Debian release that carries this version, unpacked once into .venv-gui/VERSION. A command runs
there under a virtual screen that is drawn in software, in namespaces of its own, so that nothing stays mounted or
running afterwards. It sees this checkout at its own path.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
HOUSE = ROOT / ".venv-gui"
RELEASES = {"4.3": "trixie", "5.2": "sid", "godot": "sid"}
SCREEN = (1600, 1000)
MINUTES = 30
KEYRING = "/usr/share/keyrings/debian-archive-keyring.gpg"

# Debian's Blender needs these Python packages and doesn't say so.
PACKAGES: tuple[str, ...] = ("blender", "python3-numpy", "python3-cattr", "python3-requests", "python3-zstandard")
SCREEN_PACKAGES: tuple[str, ...] = ("xvfb", "xauth", "imagemagick", "libgl1-mesa-dri", "fonts-dejavu-core")

ENTER = """
mount -t proc proc "$HOUSE/proc"
mount --rbind /dev "$HOUSE/dev"
mount --rbind -o ro /sys "$HOUSE/sys"
mount -t tmpfs tmpfs "$HOUSE/tmp"
mkdir -p -m 1777 "$HOUSE/tmp/.X11-unix"
mkdir -p "$HOUSE/tmp/home" "$HOUSE$PROJECT"
[ -z "$PERSON" ] || mount --bind "$PERSON" "$HOUSE/tmp/home"
mount --bind "$PROJECT" "$HOUSE$PROJECT"
# Not exec: xvfb-run waits for a signal that the X server doesn't send to a parent with the number 1.
status=0
chroot "$HOUSE" "$@" || status=$?
exit $status
"""


def main(argv: list[str]) -> int:
    if not argv or argv[0] not in RELEASES:
        print(f"window.py VERSION [COMMAND...], with a version of: {', '.join(RELEASES)}", file=sys.stderr)
        return 2
    make_house(argv[0])
    return run(argv[0], argv[1:]) if argv[1:] else 0


def make_house(version: str) -> Path:
    """Unpack Debian with this Blender (or with Godot), aside and renamed when it is complete."""
    house = HOUSE / version
    if (house / ".ready").exists():
        return house
    refuse_without_means()
    print(f"window: making .venv-gui/{version} (1 GB or more, a minute or two)", flush=True)
    packages = SCREEN_PACKAGES + (("godot",) if version == "godot" else PACKAGES)
    part = HOUSE / f"{version}.part"
    shutil.rmtree(part, ignore_errors=True)
    HOUSE.mkdir(exist_ok=True)
    options = ["APT::Install-Recommends=false", "Acquire::Languages=none", "Acquire::Check-Valid-Until=false"]
    without = [f"path-exclude=/usr/share/{folder}/*" for folder in ("doc", "man", "locale")]
    command = ["mmdebstrap", "--variant=apt", f"--include={','.join(packages)}", f"--keyring={KEYRING}"]
    command += [f'--aptopt={name} "{value}"' for name, value in (option.split("=") for option in options)]
    command += [f"--dpkgopt={option}" for option in (*without, "force-unsafe-io")]
    log = HOUSE / f"{version}.log"
    with log.open("w") as file:
        made = subprocess.run([*command, RELEASES[version], str(part), mirror()], stdout=file, stderr=file)
    if made.returncode:
        raise SystemExit(f"window: Debian could not be unpacked; {log} says why.")
    mounts = part / "etc/mtab"
    mounts.unlink(missing_ok=True)
    mounts.symlink_to("/proc/self/mounts")
    (part / "var/cache/mesa").mkdir(parents=True)
    (part / ".ready").touch()
    part.rename(house)
    return house


def refuse_without_means() -> None:
    if not sys.platform.startswith("linux") or os.geteuid() != 0:
        raise SystemExit("window: the tests in a window need Linux and root, for a Debian in a folder of its own.")
    missing = [name for name in ("mmdebstrap", "unshare", "chroot") if not shutil.which(name)]
    if missing:
        raise SystemExit(f"window: install {', '.join(missing)} first (apt-get install mmdebstrap util-linux).")


def mirror() -> str:
    """Where this machine itself gets Debian from."""
    places = [Path("/etc/apt/sources.list"), *Path("/etc/apt/sources.list.d").glob("*")]
    text = "\n".join(path.read_text() for path in places if path.suffix in (".list", ".sources") and path.is_file())
    found = re.search(r"^(?:URIs:|deb(?: \[[^]]*\])?) *([a-z]+://\S+/debian/?)(?:\s|$)", text, re.MULTILINE)
    if not found:
        raise SystemExit("window: this machine's apt sources name no Debian mirror.")
    return found[1]


def run(version: str, command: list[str], home: Path | None = None, minutes: float = MINUTES) -> int:
    """Run a command in the house, under a screen of its own. Returns its exit status.

    Without a home to come back to, it gets one that is gone afterwards.
    """
    env = {
        "HOME": "/tmp/home",
        "XDG_RUNTIME_DIR": "/tmp/home",
        "PATH": "/usr/local/bin:/usr/bin:/bin",
        "LANG": "C.UTF-8",
    }
    env |= {"LIBGL_ALWAYS_SOFTWARE": "1", "GALLIUM_DRIVER": "llvmpipe", "MESA_SHADER_CACHE_DIR": "/var/cache/mesa"}
    env |= {"NO_AT_BRIDGE": "1", "PYTHONDONTWRITEBYTECODE": "1"}
    pairs = [f"{name}={value}" for name, value in env.items()]
    screen = f"-screen 0 {SCREEN[0]}x{SCREEN[1]}x24 -nolisten tcp"
    inner = ["/usr/bin/env", "-i", "-C", str(ROOT), *pairs, "xvfb-run", "-a", "-s", screen, *command]
    outer = ["unshare", "--mount", "--pid", "--fork", "--kill-child", "bash", "-euc", ENTER, "window", *inner]
    places = {"HOUSE": str(HOUSE / version), "PROJECT": str(ROOT), "PERSON": str(home or "")}
    process = subprocess.Popen(outer, env={**os.environ, **places})
    try:
        return process.wait(timeout=minutes * 60)
    except subprocess.TimeoutExpired:
        print(f"window: not done after {minutes:g} minutes, stopped.", file=sys.stderr)
        return 124
    finally:
        process.kill()  # with --kill-child, everything in there ends with it
        process.wait()


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
