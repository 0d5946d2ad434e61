"""What is accepted and hardly meant is said, and of sane levels nothing is."""
