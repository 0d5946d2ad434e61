"""What is missing between two islands of a navmesh: a link, a higher climb, or a thinner agent."""
