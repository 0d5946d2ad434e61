"""What several stages share: grids, tiles and columns, directions, distances to edges, predicates, sorting, hashing."""
