"""Views of cells: triangles, solid and open spans, and what the stages say of each."""
