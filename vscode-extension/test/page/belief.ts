/** A belief's page as the server sends it, with as much or as little in it as a test wants. */
import type { Belief, BeliefPage, Revision } from "../../src/wire";
import { belief as sample, ROOT } from "../sample";

export { ROOT };

export function belief(change: Partial<Belief> = {}): Belief {
  return sample({
    text: "fetch retries three times, because the service drops one call in ten",
    authority: "said by a person",
    standing: "contradicted",
    holds: false,
    reasons: [
      { code: "literal", message: "`3` is `5` now", path: "src/net.py", symbol: "fetch", commit: "0123456789abcdef", at: null },
    ],
    source: "editor",
    ...change,
  });
}

export function revision(change: Partial<Revision> = {}): Revision {
  return {
    number: 1,
    action: "remember",
    author: { name: "Ada", kind: "person" },
    source: "editor",
    at: "2026-11-01T10:00:00Z",
    note: "",
    undoes: null,
    session: null,
    confidence_before: null,
    confidence: 0.7,
    how: "said by a person",
    ...change,
  };
}

export function page(change: Partial<BeliefPage> = {}): BeliefPage {
  return {
    belief: belief(),
    changes: [
      {
        was: "src/net.py#fetch",
        now: "src/net.py#fetch",
        verified_at: "2026-11-01T10:00:00Z",
        commit: "0123456789abcdef",
        lines: [" def fetch(url):", "-    tries = 3", "+    tries = 5", "     return get(url, tries)", "…"],
      },
    ],
    revisions: [
      revision(),
      revision({ number: 2, action: "confirm", confidence_before: 0.7, confidence: 0.8, how: "confirmed by a person" }),
    ],
    served: [{ at: "2026-11-03T10:00:00Z", asker: "claude-code", query: "how often does fetch retry?" }],
    served_total: 1,
    nodes: [
      { id: "b_1", text: "fetch retries three times", standing: "contradicted", here: true },
      { id: "b_2", text: "the service drops one call in ten", standing: "current", here: false },
      { id: "b_3", text: "fetch never retries", standing: "current", here: false },
    ],
    links: [
      { from_id: "b_1", to_id: "b_2", kind: "because_of" },
      { from_id: "b_3", to_id: "b_1", kind: "contradicts" },
    ],
    actions: ["confirm", "supersede", "retire"],
    ...change,
  };
}
