"""The field's older ways to divide ground and to refine paths, to compare with."""
