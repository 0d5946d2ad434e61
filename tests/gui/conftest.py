"""Nothing here is for pytest: run.py runs every scenario in a Blender with a window."""

collect_ignore_glob = ["*"]
