"""How wide an agent may be: at a place, in a polygon, through a portal, and on the way from one place to another."""
