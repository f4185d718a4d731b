"""Writes the files that `memlsp.recall.static_encoder` reads."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import numpy.typing as npt

from memlsp.recall.static_encoder import Floats


def write(folder: Path, about: dict[str, object], vocabulary: Sequence[str], rows: Floats) -> None:
    """Write the three files: the description (with `name`), the vocabulary by line, and the rows, each as signed bytes
    followed by their scale."""
    scales = (np.abs(rows).max(axis=1, keepdims=True) / 127).astype("<f4")
    small: npt.NDArray[np.int8] = np.rint(rows / np.maximum(scales, 1e-12)).astype(np.int8)
    (folder / "encoder.json").write_text(json.dumps(about, indent=1) + "\n", encoding="utf-8")
    (folder / "encoder.txt").write_text("\n".join(vocabulary), encoding="utf-8", newline="\n")
    np.save(folder / "encoder.npy", np.hstack([small, scales.view(np.int8)]), allow_pickle=False)
