/** What can be done about a belief, the likeliest first. Knows neither the editor nor a document. */
import type { BeliefPage } from "../wire";

/** Reports from practice, which agents make: a person says whether it is still true, and that says this too. */
const REPORTS: readonly string[] = ["worked", "failed"];

/** The names of the actions; `settle` where another belief contradicts it. */
export function offeredActions({ belief, actions }: BeliefPage): readonly string[] {
  const settle = belief.conflicts?.length ? ["settle"] : [];
  return [...settle, ...actions.filter((action) => !REPORTS.includes(action))];
}
