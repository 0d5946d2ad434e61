"""A navmesh as one page for a browser, that needs no network and no library.

`page_arrays` gathers what the page shows as arrays and facts, `write_page` makes one file of them and of `browser/`:
the page's own modules, which are joined as they stand; and opens one. What lies in `browser/` has a license of its own,
so that games may ship what it makes.
"""
