"""Arrays after every stage, against the C++ library."""
