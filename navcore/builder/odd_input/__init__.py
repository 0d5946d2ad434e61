"""What is accepted and hardly meant: levels in other units, with another axis up, turned over, with triangles far away.

look                 all of it, as warnings, and as the causes of errors
survey               one pass over all triangles: which way they face, and where they lie
surface_columns      what lies above each other in columns a few cells apart
floors_upside_down   ground that looks down, told from ceilings and undersides
far_triangles        outliers: a few triangles far away, a sky, vertices that nobody uses
units_and_axes       told by rooms, walls and by which way most faces look
unused_marks         volumes that mark nothing, indices that count from 1
odd_settings         settings, flags of links and of areas

None of it changes what is built. `InputLook` is what others need.
"""

from .look import InputLook
from .odd_settings import without_flags
from .unused_marks import middle_of, unused_volumes, unused_warning, used_volumes

__all__ = ["InputLook", "middle_of", "unused_volumes", "unused_warning", "used_volumes", "without_flags"]
