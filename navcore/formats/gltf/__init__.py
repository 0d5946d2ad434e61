"""glTF binary: written for any engine, for three-pathfinding and yuka, and read back."""
