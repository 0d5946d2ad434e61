"""Questions to the finished navmesh: what is asked, what is answered, and how the answer is drawn."""
