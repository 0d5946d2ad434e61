"""What `navcore query` and `navcore path` take, and how they answer."""
