"""Paths and places that must be there after every build: the list, asking again, and files of them."""
