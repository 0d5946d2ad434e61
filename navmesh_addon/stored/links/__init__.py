"""Links that were found, as a mesh keeps them for the next build, with what somebody decided about them."""
