"""Operators on links: what is decided about found ones, and moving ends onto the navmesh.

link_operators   keeps, rejects and restores found links, or looks at one
hand_made_links  a curve of a found link, and ends that go onto the navmesh
move_link        handles of the active found link; handles of the active link object
"""
