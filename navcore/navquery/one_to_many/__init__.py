"""One search to many ends: costs and paths to all of them, what lies within a cost, what can be reached at all."""
