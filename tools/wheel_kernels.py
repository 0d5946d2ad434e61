"""What hatchling asks while it builds a wheel: which packs of compiled kernels belong into it, and for whom it is then.

`tools/bake.py` leaves the packs in navcore/compiled/. Those for the Python that builds go in, where they were made from
these very sources; the wheel then is for that Python and platform. Without any it is for all of them, and kernels are
compiled where it is installed.
"""

from __future__ import annotations

import platform
import sys
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

ROOT = Path(__file__).resolve().parents[1]
# As Numba's own wheels have them: what runs there needs those anyway.
_PLATFORMS = {
    ("linux", "x86_64"): "manylinux_2_17_x86_64",
    ("linux", "aarch64"): "manylinux_2_17_aarch64",
    ("darwin", "arm64"): "macosx_11_0_arm64",
    ("darwin", "x86_64"): "macosx_10_15_x86_64",
    ("win32", "amd64"): "win_amd64",
}
_FOLDER = "navcore/compiled"


class WheelKernels(BuildHookInterface[Any]):
    """Hatchling calls this before it writes a wheel."""

    PLUGIN_NAME = "custom"

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        make_manual(Path(self.root))
        if version == "editable":  # reads the checkout's own
            return
        packs, refused = packs_for_this_python(Path(self.root))
        for reason in refused:
            self.app.display_warning(f"{reason}. It stays out of the wheel: run `python3 dev.py wheel`.")
        if packs:
            build_data["force_include"].update({str(path): f"{_FOLDER}/{path.name}" for path in packs})
            build_data["pure_python"] = False
            build_data["tag"] = wheel_tag()


def make_manual(root: Path) -> None:
    """The pages that help opens, made anew where their sources are: not in an unpacked sdist, which brings them."""
    if (root / "tools/docs_site").is_dir() and (root / "docs").is_dir():
        sys.path.insert(0, str(root))
        from tools.docs_site.shipped_pages import write_shipped_pages

        write_shipped_pages(root / "navcore/manual")


def packs_for_this_python(root: Path) -> tuple[list[Path], list[str]]:
    """The packs that belong into a wheel built here, and why others do not."""
    sys.path.insert(0, str(root))
    from navcore.kernels.pack_file import BadPack, read_pack
    from navcore.version import code_fingerprint

    packs, refused = [], []
    ending = f"-{sys.platform}-{platform.machine().lower()}.kernels"
    for path in sorted((root / _FOLDER).glob(f"{sys.implementation.cache_tag}-*{ending}")):
        try:
            made_from = read_pack(path).sources
        except (BadPack, ValueError, KeyError, TypeError) as reason:
            refused.append(f"{path.name}: {reason}")
            continue
        if made_from == code_fingerprint():
            packs.append(path)
        else:
            refused.append(f"{path.name} was made from other sources")
    return (packs if wheel_tag() else []), refused


def wheel_tag() -> str:
    """The tag of wheels for this Python on this platform; nothing where no kernels are shipped."""
    here = _PLATFORMS.get((sys.platform, platform.machine().lower()))
    python = f"cp{sys.version_info.major}{sys.version_info.minor}"
    return f"{python}-{python}-{here}" if here and sys.implementation.name == "cpython" else ""
