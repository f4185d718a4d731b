import asyncio
from pathlib import Path

from memlsp import Memory
from memlsp.model.recall import Recall


async def ask(questions: list[str], folder: str | Path = ".") -> list[Recall]:
    """Ask several questions at once, without holding up the event loop."""
    memory = await asyncio.to_thread(Memory.open, folder)
    try:
        return await asyncio.gather(*(asyncio.to_thread(memory.recall, question) for question in questions))
    finally:
        await asyncio.to_thread(memory.close)
