"""Links that agents can take without anybody having drawn them: jumps, drops and climbs along the edges of the ground.

Written from what is known of such finders (sampled wall edges, a ballistic arc, an agent swept along it), not from any
program that has one. `find_links.py` is the way in.
"""
