"""glTF files by hand: what stands in them is written out, not exported."""

from __future__ import annotations

import base64
import json
import struct
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

FLOAT, BYTE, SHORT, INT = 5126, 5121, 5123, 5125
_CODES = {FLOAT: "f", BYTE: "B", SHORT: "H", INT: "I"}

SQUARE = [[0.0, 0.0, 0.0], [0.0, 0.0, 10.0], [10.0, 0.0, 10.0], [10.0, 0.0, 0.0]]
HALVES = [0, 1, 2, 0, 2, 3]  # counter-clockwise seen from above


class GltfFile:
    """The JSON and the one buffer of a file, as arrays, meshes and nodes are added."""

    def __init__(self) -> None:
        self.buffer = b""
        self.json: dict[str, Any] = {
            "asset": {"version": "2.0"}, "scene": 0, "scenes": [{"nodes": []}], "nodes": [], "meshes": [],
            "materials": [], "accessors": [], "bufferViews": [], "buffers": [{"byteLength": 0}],
        }  # fmt: skip

    def array(self, numbers: Sequence[Any], kind: int = FLOAT, shape: str = "VEC3") -> int:
        """One accessor with a view of its own."""
        flat = np.asarray(numbers).ravel().tolist()
        content = struct.pack(f"<{len(flat)}{_CODES[kind]}", *flat)
        self.json["bufferViews"].append({"buffer": 0, "byteOffset": len(self.buffer), "byteLength": len(content)})
        self.buffer += content + b"\0" * (-len(content) % 4)
        self.json["buffers"][0]["byteLength"] = len(self.buffer)
        view = len(self.json["bufferViews"]) - 1
        count = len(flat) // (3 if shape == "VEC3" else 1)
        self.json["accessors"].append({"bufferView": view, "componentType": kind, "count": count, "type": shape})
        return len(self.json["accessors"]) - 1

    def primitive(self, points: Any = SQUARE, indices: Any = HALVES, material: str = "", **more: Any) -> dict[str, Any]:
        """Triangles, of a material where one is named."""
        found = {"attributes": {"POSITION": self.array(points)}, **more}
        if indices is not None:
            found["indices"] = self.array(indices, SHORT, "SCALAR")
        if material:
            self.json["materials"].append({"name": material})
            found["material"] = len(self.json["materials"]) - 1
        return found

    def mesh(self, *primitives: dict[str, Any], name: str = "") -> int:
        self.json["meshes"].append({"primitives": list(primitives), **({"name": name} if name else {})})
        return len(self.json["meshes"]) - 1

    def node(self, above: int | None = None, **values: Any) -> int:
        """A node below another, or at the root of the scene."""
        nodes = self.json["nodes"]
        nodes.append(values)
        owner = (
            self.json["scenes"][0].setdefault("nodes", []) if above is None else nodes[above].setdefault("children", [])
        )
        owner.append(len(nodes) - 1)
        return len(nodes) - 1

    def glb(self) -> bytes:
        text = json.dumps(self.json).encode()
        text += b" " * (-len(text) % 4)
        whole = 12 + 8 + len(text) + 8 + len(self.buffer)
        head = struct.pack("<4sIIII", b"glTF", 2, whole, len(text), 0x4E4F534A)
        return head + text + struct.pack("<II", len(self.buffer), 0x004E4942) + self.buffer

    def write(self, path: Path) -> Path:
        """A .glb, or a .gltf with its buffer as text."""
        if path.suffix == ".glb":
            path.write_bytes(self.glb())
        else:
            uri = f"data:application/octet-stream;base64,{base64.b64encode(self.buffer).decode()}"
            buffers = [{**self.json["buffers"][0], "uri": uri}]
            path.write_text(json.dumps({**self.json, "buffers": buffers}))
        return path


def square(**node: Any) -> GltfFile:
    """Ten metres square, in one node."""
    file = GltfFile()
    file.node(mesh=file.mesh(file.primitive()), **node)
    return file
