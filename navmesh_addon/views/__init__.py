"""What is drawn over the viewport."""
