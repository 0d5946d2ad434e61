"""Compiled kernels: kept on disk, shipped with the extension, loaded under any install path and module name.

`sources` says which files decide what a kernel compiles to; `entry` is one compiled kernel as bytes; `rebuild` turns it
into something Numba can call, and back; `pack` holds many of them, as they are shipped; `folder` is the user's own;
`store` looks in both; `dispatcher` asks the store and compiles the rest. Nothing here is pickled: what is read is
object code under a digest, a header in JSON, and the key it must have been stored under.
"""
