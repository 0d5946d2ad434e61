"""What several stages share: grids and tiles in the world, integer predicates, columns of spans, sorting, hashing."""
