"""Stage 2: triangles → solid spans in columns.

Triangles are cut into rows of cells (`triangle_walk`), rows into cells (`row_walk`), and the height range of what lies
in a cell becomes a span of its column (`spans`), all in one go; where rounding goes wrong, by `clipping`. Threads share
the work by rows (`rasterize_level`). `grid_frame` is the grid as kernels know it.
"""

from __future__ import annotations

from .rasterize_level import cut_rows, rasterize_rows, rasterize_triangles

__all__ = ["cut_rows", "rasterize_rows", "rasterize_triangles"]
