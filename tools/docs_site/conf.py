"""How Sphinx builds the site; the pages are laid out by tools/docs_site/build.py."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from navcore.help_pages import SITE
from navcore.version import __version__

project = "Navmesh"
author = copyright = "Navmesh developers"  # noqa: A001 - Sphinx wants this name
version = release = __version__
extensions = ["myst_parser"]
myst_enable_extensions = ["colon_fence", "html_image"]
myst_heading_anchors = 4
suppress_warnings = ["misc.highlighting_failure"]  # Pygments knows less of GDScript than Godot does
highlight_language = "none"
python_maximum_signature_line_length = 100
toc_object_entries_show_parents = "hide"
html_theme = "furo"
html_title = f"Navmesh {__version__}"
html_baseurl = SITE
html_copy_source = False
html_theme_options = {"navigation_with_keys": True}
