"""Comparisons with Recast as WebAssembly, where Node.js and npm are at hand."""
