"""Pictures of navmeshes seen from above: a drawing of plain shapes, and writers that need no other package."""
