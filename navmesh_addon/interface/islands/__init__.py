"""What can be done with the islands of a navmesh: looked at, kept, dropped and joined to others."""
