"""The encoder that the user's own settings name. No file of a workspace can choose one."""

from __future__ import annotations

from memlsp.recall.encoder import Encoder

EMBEDDED, NONE = "embedded", "none"


def encoder_of(choice: str) -> Encoder | None:
    """The encoder of a setting: `embedded`, `none` (None), or the name or folder of a sentence-transformers model.

    Raises BadValue when the model is not on this machine, or the extra `semantic` is not installed.
    """
    if choice == NONE:
        return None
    if choice == EMBEDDED:
        from memlsp.recall.static_encoder import StaticEncoder  # late: it needs numpy

        return StaticEncoder()
    from memlsp.recall.transformer import Transformer  # late: it needs torch

    return Transformer(choice)
