/** Every word on the belief page, in the editor's language. The page itself has none of its own. */
import * as vscode from "vscode";
import { STANDINGS, standingWord } from "../views/standings";
import type { Link } from "../wire";

/** The texts of the page; `{0}` is filled in there. */
export type Words = ReturnType<typeof words>;

/** What the page shows beside what the server says. */
export function words() {
  const t = vscode.l10n.t;
  return {
    actions: t("Actions"),
    reasons: t("Why it stands so"),
    noReasons: t("The code still agrees with it."),
    places: t("Where it is tied to"),
    noPlaces: t("It is tied to no place in the code."),
    goTo: t("Go to {0}"),
    maybe: t("It may be there now"),
    alike: t("{0} alike"),
    code: t("The code then and now"),
    then: t("As it was verified on {0}"),
    thenAt: t("As it was verified on {0}, commit {1}"),
    same: t("The code is as it was."),
    lost: t("The code is not found any more."),
    became: t("It is now {0}"),
    openDiff: t("Open as diff"),
    difference: t("What is different in {0}"),
    added: t("added"),
    removed: t("removed"),
    history: t("History"),
    number: t("Number"),
    when: t("When"),
    what: t("What"),
    who: t("Who"),
    note: t("Note"),
    confidence: t("Confidence"),
    why: t("Why it moved"),
    confidenceLine: t("Confidence from {0} to {1} in {2} steps"),
    undoes: t("takes back number {0}"),
    served: t("Where it was served"),
    notServed: t("No answer has carried it yet."),
    servedTotal: t("Answers that carried it: {0}. The newest are shown."),
    asker: t("Asked by"),
    question: t("Question"),
    tokens: t("Tokens"),
    links: t("Links to other beliefs"),
    linkGraph: t("Graph of beliefs"),
    here: t("this belief"),
    details: t("Details"),
    id: t("Id"),
    copy: t("Copy id"),
    scope: t("Scope"),
    authority: t("Authority"),
    author: t("Said by"),
    source: t("Source"),
    created: t("Created"),
    updated: t("Updated"),
    confirmed: t("Confirmed"),
    expires: t("Expires"),
    recheck: t("To be confirmed every"),
    days: t("{0} days"),
    conditions: t("Only when"),
    session: t("Taught in"),
    guards: t("Guards"),
    locked: t("locked"),
    proposed: t("proposed"),
    replacedBy: t("Replaced by"),
    standsNow: t("It is now {0}."),
    more: t("{0} more lines"),
    kinds: {
      decision: t("Decision"),
      rule: t("Rule"),
      gotcha: t("Gotcha"),
      fact: t("Fact"),
      preference: t("Preference"),
      procedure: t("Procedure"),
    } as Readonly<Record<string, string>>,
    standings: Object.fromEntries(STANDINGS.map((standing) => [standing, standingWord(standing)])) as Readonly<Record<string, string>>,
    linkKinds: {
      because_of: t("rests on"),
      superseded_by: t("replaced"),
      contradicts: t("contradicts"),
    } satisfies Record<Link["kind"], string>,
    actionNames: actionNames(),
    revisionNames: revisionNames(),
  };
}

/** What the buttons say; an action that is not listed here is called by its name. */
function actionNames(): Readonly<Record<string, string>> {
  const t = vscode.l10n.t;
  return {
    admit: t("Admit"),
    reject: t("Reject"),
    confirm: t("Still true"),
    supersede: t("Replace…"),
    scope: t("Only under a condition…"),
    reanchor: t("Tie to another place…"),
    retire: t("No longer true…"),
    lock: t("Lock"),
    unlock: t("Unlock"),
    worked: t("It held"),
    failed: t("It did not hold…"),
    rollback: t("Take back a change…"),
    forget: t("Forget for good…"),
  };
}

/** What was done, in the history. */
function revisionNames(): Readonly<Record<string, string>> {
  const t = vscode.l10n.t;
  return {
    remember: t("remembered"),
    propose: t("proposed"),
    admit: t("admitted"),
    confirm: t("confirmed"),
    supersede: t("replaced"),
    retire: t("retired"),
    lock: t("locked"),
    unlock: t("unlocked"),
    reanchor: t("tied elsewhere"),
    scope: t("narrowed"),
    worked: t("held"),
    failed: t("did not hold"),
    rollback: t("rolled back"),
  };
}
