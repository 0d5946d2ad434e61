"""Questions to the finished navmesh: what is asked, what is answered, and how the answer is drawn.

asked_navmesh      the navmesh of the active setup, made ready for questions
door_states        doors as they are drawn, where it was built with others
question_thread    asks it on a thread; an answer as a picture
current_answer     the answer to what the scene asks now
path_questions     questions about a path or a place, and their answers
in_blender         the same in the scene's coordinates and units
drawn_answer       draws it, and says it in the status bar
why_here           why there is no navmesh at a place
shown_reason       that answer while it is shown, and what its change would do
drawn_reason       draws both
link_saving        what a link saves its agents, for panels
walk_without_link  finds that out on a thread
walking/           agents that walk the tested path
"""
