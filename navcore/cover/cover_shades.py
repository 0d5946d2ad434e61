"""In which colors places of cover are shown: green ones are the best."""

from __future__ import annotations

import math

SHADES = ((0.25, "#1a7f37", "seen from less than a quarter"), (0.5, "#d4a72c", "from a quarter to a half"),
          (math.inf, "#cf222e", "from a half and more"))  # fmt: skip
"""Below which exposure, which color, and how that is said."""
