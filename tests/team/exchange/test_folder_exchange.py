"""A transport that was written from the docstring of `Exchange` holds its contract."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from memlsp_team.exchange.exchange import Exchange

from tests.team.exchange.exchange_contract import ExchangeContract, Open
from tests.team.exchange.folder_exchange import FolderExchange


class TestFolderExchange(ExchangeContract):
    @pytest.fixture
    def folder_of(self, tmp_path: Path) -> Callable[[str], Path]:
        return lambda machine: tmp_path / machine

    @pytest.fixture
    def opened(self, tmp_path: Path) -> Open:
        place = tmp_path / "bucket"
        place.mkdir()

        def opened(_machine: str) -> Exchange:
            return FolderExchange(place)

        return opened
