"""JSON for people and programs: indented, no NaN, one trailing newline."""

from __future__ import annotations

import json
from typing import Any


def json_text(content: Any) -> bytes:
    return (json.dumps(content, indent=2, allow_nan=False) + "\n").encode()
