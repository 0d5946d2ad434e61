"""What the site holds, in its order. A page that is not named here is not in the site; a test finds forgotten ones."""

from __future__ import annotations

FRONT, INDEX = "README.md", "index.md"  # the one becomes the other
API, CODES = "api.md", "codes/index.md"  # made while the site is built
MADE = {"navcore/__init__.py": API, "navcore/codes/__init__.py": CODES, FRONT: INDEX}
"""On a forge a link leads to these files, on the site to the page that is made of them."""

CONTENTS: tuple[tuple[str, tuple[str, ...]], ...] = (
    (
        "In Blender",
        (
            "docs/guide/install.md",
            "docs/guide/five-minutes.md",
            "docs/guide/blender.md",
            "docs/guide/live.md",
            "docs/guide/views.md",
            "docs/guide/islands.md",
            "docs/guide/by-hand.md",
            "docs/guide/found_links.md",
            "docs/guide/links_in_blender.md",
            "docs/guide/which-setting-when.md",
        ),
    ),
    (
        "To the engine",
        (
            "docs/engines/README.md",
            "docs/engines/loaders.md",
            "docs/engines/recast-navigation-js.md",
            "docs/engines/three.md",
            "docs/engines/babylon.md",
            "docs/engines/playcanvas.md",
            "docs/engines/godot.md",
            "docs/engines/recastdemo.md",
            "docs/engines/others.md",
        ),
    ),
    (
        "In a pipeline",
        (
            "docs/guide/ten-minutes-shell.md",
            "docs/guide/ten-minutes-python.md",
            "docs/pipeline.md",
            "docs/guide/page.md",
            "docs/guide/scene-file.md",
            "docs/large-levels.md",
            "docs/guide/worlds.md",
            "docs/guide/queries.md",
            "docs/guide/clearance.md",
            "docs/guide/crowd.md",
            "docs/guide/cover.md",
            "docs/guide/doors.md",
            "docs/guide/sizes.md",
            "docs/guide/resolution.md",
            "docs/guide/obstacles.md",
            "docs/guide/why.md",
        ),
    ),
    ("Reference", (API, CODES)),
    (
        "What to expect",
        (
            "docs/peers.md",
            "docs/deviations.md",
            "docs/reliability.md",
            "docs/catalogue.md",
            "docs/performance.md",
            "SECURITY.md",
            "docs/reviewers.md",
        ),
    ),
    ("The project", ("CHANGELOG.md", "CONTRIBUTING.md", "ARCHITECTURE.md")),
)


def written_pages() -> list[str]:
    """The pages that lie in the repository, the front page first."""
    return [FRONT, *(page for _, pages in CONTENTS for page in pages if page not in (API, CODES))]
