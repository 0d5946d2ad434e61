"""How agents walk the tested way: how many at once, how fast, and how long where it is baked."""

from __future__ import annotations

from typing import Any

from bpy.props import FloatProperty, IntProperty

MOST = 200  # agents at a time

WALK_PROPERTIES: dict[str, Any] = {
    "walk_agents": IntProperty(
        name="Agents", description="How many agents are added, or baked", default=1, min=1, max=MOST
    ),
    "walk_speed": FloatProperty(
        name="Speed (m/s)",
        description="The most that agents walk, in metres a second. Counts for the next walk",
        default=1.5,
        min=0.01,
        soft_max=10.0,
        max=100.0,
    ),
    "walk_seconds": FloatProperty(
        name="Seconds", description="How long the baked walk is", default=20.0, min=0.1, max=600.0, precision=1
    ),
    "walk_seed": IntProperty(
        name="Seed", description="Which side agents give way to: the same seed, the same walk", min=0
    ),
}
