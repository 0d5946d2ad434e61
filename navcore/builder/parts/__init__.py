"""A level of parts that come, go and move: what changed is built again, and nothing else.

level         `Level`: parts are set, removed and arranged, and `update` builds
dirty_tiles   which tiles something has changed for since the last update
part          one part, and which tiles see which of its triangles
"""
