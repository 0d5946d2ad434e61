"""Commands that make navmesh files of other files: convert_command."""
