"""The field's older ways to divide ground and to refine paths, to compare with.

`edge_search` is A* over the middles of edges. `refinements` draws lines through corridors. `meadow` divides islands as
Meadow mapping does, `meadow_kernel` one of them, and `ground_meadow` a navmesh's ground.
"""
