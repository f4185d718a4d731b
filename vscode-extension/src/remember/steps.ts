/** Questions one after the other, with a way back: what the editor's own multi-step inputs do. */
import * as vscode from "vscode";

/** Where a question stands among the others. */
export interface StepPlace {
  readonly step: number;
  readonly totalSteps: number;
}

/** The user went on, went back or left. */
export type Turn = "next" | "back" | "left";

export type Step = (place: StepPlace) => Promise<Turn>;

/** Puts the questions; true when all were answered. */
export async function walk(steps: readonly Step[]): Promise<boolean> {
  let at = 0;
  for (;;) {
    const step = steps[at];
    if (!step) return true;
    const turn = await step({ step: at + 1, totalSteps: steps.length });
    if (turn === "left") return false;
    at += turn === "back" ? -1 : 1;
  }
}

export interface TextQuestion {
  readonly title: string;
  readonly prompt: string;
  readonly placeholder?: string;
  readonly value: string;
  /** What is wrong with an answer; undefined when nothing is. */
  readonly problem: (text: string) => string | undefined;
  /** Called with each state of the text, so that nothing typed is lost. */
  readonly typed: (text: string) => void;
  /** A better title, once it is known. */
  readonly titleLater?: Promise<string | undefined>;
}

/** Asks for a text. The last that was typed has been told by `typed`. */
export function askText(question: TextQuestion, place: StepPlace): Promise<Turn> {
  const box = vscode.window.createInputBox();
  prepare(box, question.title, place);
  box.prompt = question.prompt;
  box.placeholder = question.placeholder ?? "";
  box.value = question.value;
  if (question.value) box.valueSelection = [0, question.value.length];
  void question.titleLater?.then((title) => {
    if (title) box.title = title;
  });
  return answered(box, (settle) => [
    box.onDidChangeValue((text) => {
      question.typed(text);
      // while it is being written nothing is wrong yet; what was found wrong goes as soon as it is right
      if (box.validationMessage) box.validationMessage = question.problem(text);
    }),
    box.onDidAccept(() => {
      const problem = question.problem(box.value);
      box.validationMessage = problem;
      if (problem === undefined) settle("next");
    }),
    box.onDidTriggerButton((button) => {
      if (button === vscode.QuickInputButtons.Back) settle("back");
    }),
  ]);
}

export interface Choice<T> extends vscode.QuickPickItem {
  readonly value: T;
}

export interface PickQuestion<T> {
  readonly title: string;
  readonly placeholder: string;
  /** A better title, once it is known. */
  readonly titleLater?: Promise<string | undefined>;
  readonly choices: readonly Choice<T>[] | Promise<readonly Choice<T>[]>;
  /** The choice that was made before, when the user comes back. */
  readonly active?: (value: T) => boolean;
  readonly chosen: (value: T) => void;
}

/** Asks for one of several. */
export function askChoice<T>(question: PickQuestion<T>, place: StepPlace): Promise<Turn> {
  const box = vscode.window.createQuickPick<Choice<T>>();
  prepare(box, question.title, place);
  box.placeholder = question.placeholder;
  box.matchOnDetail = true;
  box.busy = true;
  void question.titleLater?.then((title) => {
    if (title) box.title = title;
  });
  void Promise.resolve(question.choices).then((choices) => {
    box.items = choices;
    box.busy = false;
    const active = choices.find((choice) => question.active?.(choice.value));
    if (active) box.activeItems = [active];
  });
  return answered(box, (settle) => [
    box.onDidAccept(() => {
      const [item] = box.selectedItems;
      if (!item) return;
      question.chosen(item.value);
      settle("next");
    }),
    box.onDidTriggerButton((button) => {
      if (button === vscode.QuickInputButtons.Back) settle("back");
    }),
  ]);
}

/** As `askChoice`, for any number of them; at least one. */
export function askSeveral<T>(
  question: Omit<PickQuestion<T>, "chosen" | "active"> & { readonly chosen: (values: T[]) => void },
  place: StepPlace,
  picked: (value: T) => boolean,
): Promise<Turn> {
  const box = vscode.window.createQuickPick<Choice<T>>();
  prepare(box, question.title, place);
  box.placeholder = question.placeholder;
  box.canSelectMany = true;
  box.matchOnDescription = true;
  box.matchOnDetail = true;
  box.busy = true;
  void Promise.resolve(question.choices).then((choices) => {
    box.items = choices;
    box.selectedItems = choices.filter((choice) => picked(choice.value));
    box.busy = false;
  });
  return answered(box, (settle) => [
    box.onDidAccept(() => {
      if (box.selectedItems.length === 0) return;
      question.chosen(box.selectedItems.map((item) => item.value));
      settle("next");
    }),
    box.onDidTriggerButton((button) => {
      if (button === vscode.QuickInputButtons.Back) settle("back");
    }),
  ]);
}

function prepare(box: vscode.QuickInput & { buttons: readonly vscode.QuickInputButton[] }, title: string, place: StepPlace): void {
  box.title = title;
  box.step = place.step;
  box.totalSteps = place.totalSteps;
  box.ignoreFocusOut = true; // people look at the code while they write about it
  if (place.step > 1) box.buttons = [vscode.QuickInputButtons.Back];
}

function answered(box: vscode.QuickInput, listen: (settle: (turn: Turn) => void) => vscode.Disposable[]): Promise<Turn> {
  return new Promise((resolve) => {
    const settle = (turn: Turn): void => {
      resolve(turn);
      ends.forEach((end) => {
        end.dispose();
      });
      box.dispose();
    };
    const ends = [...listen(settle), box.onDidHide(() => settle("left"))];
    box.show();
  });
}
