"""What people see and press: panels, operators, progress, the checks before a build."""
