"""Agents that walk the tested path: on a thread, drawn as capsules of the agent's size, or baked to actions.

current_walk  the one walk that goes on: what starts and ends it
walk_job      steps the crowd on a thread, as fast as time passes; free ground around the start
heat_of_walk  where it loses time, noted on its thread
drawn_walk    draws the walk, and that
capsules      agents and their trails as arrays
baked_walk    a walk as animation
"""
