"""What can be said of a level before it is built: the forecast, hints, and what their buttons do.

level_forecast   grid, memory, time, and what looks wrong, from boxes;
                 what looks wrong about settings by themselves;
                 levels so small that nothing of them would be left
likely_unit      the unit that a level was drawn in, where its free heights tell
object_boxes     the boxes of all objects that a build would use, and what is odd about these objects
other_cells      tiles with finer or coarser cells: how many, and how much more work they are
hints_and_fixes  a hint, and its buttons, as data
"""
