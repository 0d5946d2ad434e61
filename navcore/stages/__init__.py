"""The stages of a build, each a file or a folder: one bundle in, the next one out. None knows another one."""
