"""Jobs on their way to machines that may have another version of this package, or none: opened there, not on the way.

What comes back is packed as well: in one piece, where a cluster would otherwise count hundreds of small arrays.

A message that names a function of a package which the receiver does not have can end the receiver: Dask's workers and
scheduler unpack messages before they look at them. So a job travels as bytes, and the task that is sent is Python's own
`pickle.loads`, whose errors are the task's.
"""

from __future__ import annotations

import pickle
import socket
from collections.abc import Callable
from typing import Any

from ...errors import NavmeshError
from ...version import FOLDER, code_fingerprint


def opened_there(work: Callable[..., Any], *args: Any, **kwargs: Any) -> tuple[Callable[[bytes], Any], bytes]:
    """A function and its argument that do `work(*args, **kwargs)` where they are called, if the version is the same.

    What they return is for `unpacked`.
    """
    return pickle.loads, pickle.dumps(_Parcel(pickle.dumps((work, args, kwargs))))


class _Parcel:
    """Unpacking it does what it holds."""

    def __init__(self, content: bytes) -> None:
        self._content = content

    def __reduce__(self) -> tuple[Callable[..., Any], tuple[str, bytes]]:
        return opened, (code_fingerprint(), self._content)


def opened(expected: str, content: bytes) -> bytes:
    """Do what a parcel holds, after a look at where it came from: another version may not understand it.

    What comes of it is packed again.
    """
    if code_fingerprint() != expected:
        raise NavmeshError(
            f"The worker on {socket.gethostname()} has another version of navcore, in {FOLDER}. Install the same one "
            "on all machines and start the workers again.",
            "WORKER_VERSION",
        )
    work, args, kwargs = pickle.loads(content)
    return pickle.dumps(work(*args, **kwargs))


def unpacked(result: bytes) -> Any:
    """What the work of a parcel has come to."""
    return pickle.loads(result)


def not_opened(reason: BaseException | None) -> NavmeshError | None:
    """The sentence for a job that no worker could open, or None for any other reason."""
    if not isinstance(reason, ImportError):
        return None
    return NavmeshError(
        f"A worker cannot load navcore ({reason}). Install the same version of navcore, with NumPy and Numba, on every "
        "machine of the cluster, or start its workers with PYTHONPATH set to the folder that navcore lies in.",
        "WORKER_WITHOUT_NAVCORE",
    )
