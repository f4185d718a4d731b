"""A model on loopback that says what it was told to: enough of four protocols to take an agent through a session.

The n-th turn of the script answers the n-th tool result, so that a request that is made twice gets the same answer.
"""

from __future__ import annotations

import json
import threading
from collections.abc import Generator, Sequence
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from attrs import frozen

Json = dict[str, Any]


@frozen
class Turn:
    """What the model says: words, or a call of a tool."""

    text: str = ""
    tool: str = ""
    arguments: Any = None


@contextmanager
def scripted_model(script: Sequence[Turn], heard: list[str] | None = None) -> Generator[str]:
    """The address of a model that follows the script. What it is asked with tools at hand goes to `heard`."""
    listening = heard

    class Handler(_Model):
        turns = script
        heard = listening

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_address[1]}"
    finally:
        server.shutdown()
        server.server_close()
        thread.join(10)


class _Model(BaseHTTPRequestHandler):
    turns: Sequence[Turn] = ()
    heard: list[str] | None = None
    protocol_version = "HTTP/1.1"

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002  (the base class's name)
        """Nothing is logged."""

    def do_GET(self) -> None:
        self._send({"object": "list", "data": [], "models": []})

    def do_POST(self) -> None:
        raw = self.rfile.read(int(self.headers.get("content-length") or 0))
        body: Json = json.loads(raw or b"{}")
        path = self.path.partition("?")[0]
        if self.heard is not None and body.get("tools"):
            self.heard.append(json.dumps(body.get("messages") or body.get("input") or body.get("contents")))
        if path.endswith("/messages"):
            self._stream(_anthropic(self._turn(body, _anthropic_results(body))))
        elif path.endswith("/responses"):
            self._stream(_openai(self._turn(body, _count(body.get("input"), "type", "call_output"))))
        elif path.endswith("/chat/completions"):
            self._stream(_chat(self._turn(body, _count(body.get("messages"), "role", "tool"))))
        elif "enerateContent" in path:
            answer = _gemini(self._turn(body, str(body.get("contents")).count("'functionResponse'")))
            self._stream([("", answer)]) if "stream" in path else self._send(answer)
        else:
            self._send({"input_tokens": 1, "totalTokens": 1})

    def _turn(self, body: Json, done: int) -> Turn:
        # without tools it is a side question: a title, or which model to take
        return self.turns[min(done, len(self.turns) - 1)] if body.get("tools") else Turn('{"title": "x"}')

    def _send(self, value: Json) -> None:
        self._answer(json.dumps(value).encode(), "application/json")

    def _stream(self, events: Sequence[tuple[str, Json]]) -> None:
        lines = [
            f"event: {name}\ndata: {json.dumps(value)}\n\n" if name else f"data: {json.dumps(value)}\n\n"
            for name, value in events
        ]
        self._answer("".join(lines).encode(), "text/event-stream")

    def _answer(self, data: bytes, kind: str) -> None:
        self.send_response(200)
        self.send_header("content-type", kind)
        self.send_header("content-length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)


def _count(items: Any, key: str, ending: str) -> int:
    return sum(str(item.get(key, "")).endswith(ending) for item in items or ())


def _anthropic_results(body: Json) -> int:
    contents = [message["content"] for message in body.get("messages", []) if isinstance(message["content"], list)]
    return sum(_count(content, "type", "tool_result") for content in contents)


def _anthropic(turn: Turn) -> list[tuple[str, Json]]:
    if turn.tool:
        start: Json = {"type": "tool_use", "id": f"toolu_{id(turn)}", "name": turn.tool, "input": {}}
        delta: Json = {"type": "input_json_delta", "partial_json": json.dumps(turn.arguments)}
    else:
        start, delta = {"type": "text", "text": ""}, {"type": "text_delta", "text": turn.text}
    message: Json = {
        "id": "msg_1", "type": "message", "role": "assistant", "model": "m", "content": [], "stop_reason": None,
        "stop_sequence": None, "usage": {"input_tokens": 1, "output_tokens": 1},
    }  # fmt: skip
    stop: Json = {"stop_reason": "tool_use" if turn.tool else "end_turn", "stop_sequence": None}
    events: list[Json] = [
        {"type": "message_start", "message": message},
        {"type": "content_block_start", "index": 0, "content_block": start},
        {"type": "content_block_delta", "index": 0, "delta": delta},
        {"type": "content_block_stop", "index": 0},
        {"type": "message_delta", "delta": stop, "usage": {"output_tokens": 1}},
        {"type": "message_stop"},
    ]
    return [(event["type"], event) for event in events]


def _openai(turn: Turn) -> list[tuple[str, Json]]:
    call: Json = {"id": "i_1", "call_id": f"call_{id(turn)}", "name": turn.tool, "status": "completed"}
    if turn.tool and isinstance(turn.arguments, str):
        item: Json = {"type": "custom_tool_call", "input": turn.arguments, **call}
    elif turn.tool:
        item = {"type": "function_call", "arguments": json.dumps(turn.arguments), **call}
    else:
        content: Json = {"type": "output_text", "text": turn.text, "annotations": []}
        item = {"type": "message", "id": "m_1", "role": "assistant", "status": "completed", "content": [content]}
    usage: Json = {"input_tokens": 1, "output_tokens": 1, "total_tokens": 2}
    response: Json = {
        "id": "r_1",
        "object": "response",
        "created_at": 1,
        "status": "completed",
        "output": [item],
        "usage": usage,
    }
    names = ("response.created", "response.output_item.done", "response.completed")
    return [(name, {"type": name, "output_index": 0, "item": item, "response": response}) for name in names]


def _chat(turn: Turn) -> list[tuple[str, Json]]:
    message: Json = {"role": "assistant", "content": turn.text or None}
    if turn.tool:
        function: Json = {"name": turn.tool, "arguments": json.dumps(turn.arguments)}
        message["tool_calls"] = [{"index": 0, "id": f"call_{id(turn)}", "type": "function", "function": function}]
    base: Json = {"id": "c_1", "object": "chat.completion.chunk", "created": 1, "model": "scripted"}
    end = "tool_calls" if turn.tool else "stop"
    usage: Json = {"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2}
    return [
        ("", {**base, "choices": [{"index": 0, "delta": message, "finish_reason": None}]}),
        ("", {**base, "choices": [{"index": 0, "delta": {}, "finish_reason": end}], "usage": usage}),
    ]


def _gemini(turn: Turn) -> Json:
    part: Json = {"functionCall": {"name": turn.tool, "args": turn.arguments}} if turn.tool else {"text": turn.text}
    usage: Json = {"promptTokenCount": 1, "candidatesTokenCount": 1, "totalTokenCount": 2}
    candidate: Json = {"content": {"role": "model", "parts": [part]}, "finishReason": "STOP", "index": 0}
    return {"candidates": [candidate], "usageMetadata": usage, "modelVersion": "scripted"}
