"""Compiled kernels: kept on disk, shipped with the extension, loaded under any install path and module name.

`kernel_sources` says which files decide what a kernel compiles to, `versions_and_processor` what else does;
`entry_bytes` is one compiled kernel as bytes; `compile_results` turns it into something that Numba can call, and back,
and writes its types as JSON; `shipped_pack` holds many of them, which `pack_recording` compiles; `cache_folder` is the
user's own, and `kept_kernels` says which, and counts; `kernel_store` looks in both; `dispatcher` asks the store and
compiles the rest, and `compiled` hands it the functions of `jit.py`. `plain_python` stands in for what is not compiled
yet. `llvm_clash` comes before all. `loaded_to_stay` keeps the search for garbage from all that is loaded.

Nothing here is pickled: what is read is object code under a digest, a header in JSON, and the key it must have been
stored under.
"""
