"""What is drawn over the viewport.

overlay            Overlay: handlers, uploads in slices, faults said once; a new one starts here
overlay_colors     the colors of all overlays
gpu_layers         a picture on the GPU
gpu_shaders        its shaders
viewport_overlay   draws the finished navmeshes
drawn_navmeshes    finds them, and keeps their pictures
navmesh_pictures   makes these on a thread: surface, edges, walls, vertices, helpers, links that were given
drawn_marks        draws volumes, bounds, seeds and links that people have made
drawn_links        draws found links; which of them agents cannot take
link_ribbons       as ribbons
fresh_links        those that live mode has not written yet
stage_view         draws the chosen stage of a build
stage_worker       makes its picture on a thread, of stages kept within a budget
stage_text         its legend, and the value under the mouse
stage_scrubber     steps from stage to stage
drawn_comparison   draws what changed between two navmeshes
compared_sides     which two
compare_job        compares them on a thread
latest_comparison  the one that is shown, and the one that runs
"""
