"""Runs docs/examples/recipes/langgraph_store.py with the real LangGraph and a scripted model, and prints what happened
as JSON. Its folder is a project with client.py, and its argument the program that stands first on the recipe's page."""

import asyncio
import json
import sys
from pathlib import Path
from typing import Any

from langchain_core.language_models.fake_chat_models import GenericFakeChatModel
from langchain_core.messages import AIMessage
from langgraph.store.memory import InMemoryStore
from langgraph_store import REPOSITORY, BeliefStore, graph

from memlsp import Memory

seen: list[str] = []


class Scripted(GenericFakeChatModel):
    def _generate(self, messages: Any, *rest: Any, **options: Any) -> Any:
        seen.append(str(messages[0].content))
        return super()._generate(messages, *rest, **options)


def main() -> None:
    happened: dict[str, Any] = {}
    with Memory.open(".") as memory:
        store = BeliefStore(memory, InMemoryStore())
        store.put(REPOSITORY, "retries", {"text": "fetch tries three times", "at": "client.py#fetch"})
        store.put(("people", "ann"), "likes", {"text": "short answers"})
        happened["others"] = store.get(("people", "ann"), "likes").value
        happened["first"] = store.get(REPOSITORY, "retries").value
        happened["filtered"] = len(store.search(REPOSITORY, filter={"standing": "contradicted"}))
        source = Path("client.py").read_text(encoding="utf-8")
        Path("client.py").write_text(source.replace("retries=3", "retries=5"), encoding="utf-8")
        memory.files_changed(["client.py"])
        made = graph(Scripted(messages=iter([AIMessage("five"), AIMessage("5")])), store)
        happened["answer"] = made.invoke({"messages": [("user", "how often does fetch try?")]})["messages"][-1].content
        made_async = made.ainvoke({"messages": [("user", "how often does fetch try?")]})
        happened["again"] = asyncio.run(made_async)["messages"][-1].content
        happened["seen"] = [*seen]
    with Memory.open(".") as memory:  # another process, later
        store = BeliefStore(memory, InMemoryStore())
        key = store.search(REPOSITORY, query="fetch")[0].key
        store.put(REPOSITORY, "retries", {"text": "fetch tries five times"})
        happened["second"] = store.get(REPOSITORY, "retries").value
        happened["former"] = store.get(REPOSITORY, key)
        happened["history"] = [str(each.action) for each in memory.revisions(key)]
        store.delete(REPOSITORY, "retries")
        happened["left"] = [store.get(REPOSITORY, "retries"), *store.search(REPOSITORY)]
    shown: dict[str, Any] = {"model": Scripted(messages=iter([AIMessage("as on the page")]))}
    exec(compile(Path(sys.argv[1]).read_text(encoding="utf-8"), sys.argv[1], "exec"), shown)
    happened["page"] = seen[-1]
    sys.stdout.write(json.dumps(happened))


main()
