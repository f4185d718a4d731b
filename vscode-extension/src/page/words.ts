/** Every word on the belief page, in the editor's language. The page itself has none of its own. */
import * as vscode from "vscode";
import { STANDINGS, standingWord } from "../views/standings";
import type { Link } from "../wire";

/** The texts of the page; `{0}` is filled in there. */
export type Words = ReturnType<typeof words>;

/** What the page shows beside what the server says. */
export function words() {
  return {
    actions: vscode.l10n.t("Actions"),
    isTrue: vscode.l10n.t("Is it still true?"),
    moreActions: vscode.l10n.t("More…"),
    reasons: vscode.l10n.t("Why it stands so"),
    noReasons: vscode.l10n.t("The code still agrees with it."),
    inConflict: vscode.l10n.t("in conflict"),
    other: vscode.l10n.t("Another belief says something else:"),
    places: vscode.l10n.t("Where it is tied to"),
    noPlaces: vscode.l10n.t("It is tied to no place in the code."),
    goTo: vscode.l10n.t("Go to {0}"),
    maybe: vscode.l10n.t("It may be there now"),
    alike: vscode.l10n.t("{0} alike"),
    code: vscode.l10n.t("The code then and now"),
    then: vscode.l10n.t("As it was verified on {0}"),
    thenAt: vscode.l10n.t("As it was verified on {0}, commit {1}"),
    same: vscode.l10n.t("The code is as it was."),
    lost: vscode.l10n.t("The code is not found any more."),
    became: vscode.l10n.t("It is now {0}"),
    openDiff: vscode.l10n.t("Open as diff"),
    difference: vscode.l10n.t("What is different in {0}"),
    added: vscode.l10n.t("added"),
    removed: vscode.l10n.t("removed"),
    history: vscode.l10n.t("History"),
    number: vscode.l10n.t("Number"),
    when: vscode.l10n.t("When"),
    what: vscode.l10n.t("What"),
    who: vscode.l10n.t("Who"),
    note: vscode.l10n.t("Note"),
    confidence: vscode.l10n.t("Confidence"),
    why: vscode.l10n.t("Why it moved"),
    confidenceLine: vscode.l10n.t("Confidence from {0} to {1} in {2} steps"),
    undoes: vscode.l10n.t("takes back number {0}"),
    served: vscode.l10n.t("Where it was served"),
    notServed: vscode.l10n.t("No answer has carried it yet."),
    servedTotal: vscode.l10n.t("Answers that carried it: {0}. The newest are shown."),
    asker: vscode.l10n.t("Asked by"),
    question: vscode.l10n.t("Question"),
    links: vscode.l10n.t("Links to other beliefs"),
    linkGraph: vscode.l10n.t("Graph of beliefs"),
    here: vscode.l10n.t("this belief"),
    details: vscode.l10n.t("Details"),
    id: vscode.l10n.t("Id"),
    copy: vscode.l10n.t("Copy id"),
    scope: vscode.l10n.t("Scope"),
    authority: vscode.l10n.t("Authority"),
    author: vscode.l10n.t("Said by"),
    source: vscode.l10n.t("Source"),
    created: vscode.l10n.t("Created"),
    updated: vscode.l10n.t("Updated"),
    confirmed: vscode.l10n.t("Confirmed"),
    expires: vscode.l10n.t("Expires"),
    recheck: vscode.l10n.t("To be confirmed every"),
    days: vscode.l10n.t("{0} days"),
    conditions: vscode.l10n.t("Only when"),
    session: vscode.l10n.t("Taught in"),
    guards: vscode.l10n.t("Guards"),
    locked: vscode.l10n.t("locked"),
    proposed: vscode.l10n.t("proposed"),
    replacedBy: vscode.l10n.t("Replaced by"),
    checked: vscode.l10n.t("checked: {0}"),
    unchecked: vscode.l10n.t("no claim checked"),
    standsNow: vscode.l10n.t("It is now {0}."),
    more: vscode.l10n.t("{0} more lines"),
    kinds: {
      decision: vscode.l10n.t("Decision"),
      rule: vscode.l10n.t("Rule"),
      gotcha: vscode.l10n.t("Gotcha"),
      fact: vscode.l10n.t("Fact"),
      preference: vscode.l10n.t("Preference"),
      procedure: vscode.l10n.t("Procedure"),
    } as Readonly<Record<string, string>>,
    standings: Object.fromEntries(STANDINGS.map((standing) => [standing, standingWord(standing)])) as Readonly<Record<string, string>>,
    linkKinds: {
      because_of: vscode.l10n.t("rests on"),
      superseded_by: vscode.l10n.t("replaced"),
      contradicts: vscode.l10n.t("contradicts"),
    } satisfies Record<Link["kind"], string>,
    actionNames: actionNames(),
    revisionNames: revisionNames(),
  };
}

/** What the buttons say; an action that is not listed here is called by its name. */
function actionNames(): Readonly<Record<string, string>> {
  return {
    settle: vscode.l10n.t("Settle…"),
    admit: vscode.l10n.t("Admit"),
    reject: vscode.l10n.t("Reject"),
    confirm: vscode.l10n.t("Still true"),
    supersede: vscode.l10n.t("Replace…"),
    scope: vscode.l10n.t("Only under a condition…"),
    reanchor: vscode.l10n.t("Tie to another place…"),
    retire: vscode.l10n.t("No longer true…"),
    lock: vscode.l10n.t("Lock"),
    unlock: vscode.l10n.t("Unlock"),
    rollback: vscode.l10n.t("Take back a change…"),
    forget: vscode.l10n.t("Forget for good…"),
  };
}

/** What was done, in the history. */
function revisionNames(): Readonly<Record<string, string>> {
  return {
    remember: vscode.l10n.t("remembered"),
    propose: vscode.l10n.t("proposed"),
    admit: vscode.l10n.t("admitted"),
    confirm: vscode.l10n.t("confirmed"),
    supersede: vscode.l10n.t("replaced"),
    retire: vscode.l10n.t("retired"),
    lock: vscode.l10n.t("locked"),
    unlock: vscode.l10n.t("unlocked"),
    reanchor: vscode.l10n.t("tied to another place"),
    scope: vscode.l10n.t("limited"),
    worked: vscode.l10n.t("held"),
    failed: vscode.l10n.t("did not hold"),
    rollback: vscode.l10n.t("taken back"),
  };
}
