/** A belief as the server sends it, for a test to change. */
import type { Belief } from "../src/wire";

export const ROOT = "file:///project";

export function belief(change: Partial<Belief> = {}): Belief {
  return {
    id: "b_1",
    text: "Retries three times, because the service drops one call in ten",
    kind: "decision",
    scope: "symbol",
    authority: "person",
    confidence: 0.8,
    status: "active",
    standing: "current",
    checked: ["three"],
    reasons: [],
    anchors: [{ path: "src/net.py", symbol: "fetch", line: 12 }],
    candidates: [],
    author: { name: "Ada", kind: "person" },
    source: "cli",
    created_at: "2026-11-01T10:00:00Z",
    updated_at: "2026-11-02T10:00:00Z",
    expires_at: null,
    superseded_by: null,
    conditions: [],
    because_of: [],
    stale_after_days: null,
    confirmed_at: null,
    session: null,
    guards: [],
    locked: false,
    holds: true,
    root: ROOT,
    ...change,
  };
}
