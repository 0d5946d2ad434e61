"""Views of the stages: what each stage made, as faces, lines and labels with colors and a legend, in metres, y up."""
