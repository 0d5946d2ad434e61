"""The documented door to building on a cluster: `from navcore.cluster import dask_executor`."""

from .builder.tiles.dask_cluster import dask_executor

__all__ = ["dask_executor"]
