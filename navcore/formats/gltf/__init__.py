"""glTF: levels in (`level_reader.py`), navmeshes out for any engine, for three-pathfinding and yuka, and read back."""
