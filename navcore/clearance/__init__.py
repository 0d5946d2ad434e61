"""How wide an agent may be: at a place, in a polygon, through a portal, and on the path from one place to another.

`polygon_borders` is what is looked at, `wall_sight` looks for walls from a place. `gaps` finds where walls face each
other, `cut_polygons` cuts polygons there into bays; `clearance_field` holds all of it and answers in metres. `largest`
finds the roomiest places, `widest_paths` the widest path, `chokepoints` what cuts ground off. `plain_clearances` asks
without runtime data. `clearance_answers` has the answers.
"""
