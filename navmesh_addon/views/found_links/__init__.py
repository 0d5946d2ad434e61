"""Found links drawn over the viewport: as wide as they are, each kind in its color."""
