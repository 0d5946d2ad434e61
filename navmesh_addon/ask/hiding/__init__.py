"""Places of cover around a navmesh: found on a thread, drawn over the viewport, kept as empties.

current_cover  what was found last, and what finds it
cover_empties  an empty for each place, in a collection of their own
"""
