"""Building a navmesh: the one place that knows the order of the stages, for a level, a tile, a cluster."""
