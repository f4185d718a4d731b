/**
 * Input boxes and quick picks that a test answers: the next of `fake.answers` is what the user types or chooses. A text
 * is typed and sent, `undefined` is Escape, `BACK` the button, and a function is given the items (it answers with those
 * to choose) or, for an input box, the box.
 */
import { EventEmitter, fake } from "./vscode";

export const BACK = Symbol("back");

export const QuickInputButtons = { Back: { iconPath: "back" } };

abstract class FakeQuickInput {
  title: string | undefined;
  step: number | undefined;
  totalSteps: number | undefined;
  enabled = true;
  busy = false;
  ignoreFocusOut = false;
  value = "";
  placeholder: string | undefined;
  buttons: readonly unknown[] = [];
  shown = false;
  protected readonly changed = new EventEmitter<string>();
  protected readonly accepted = new EventEmitter<void>();
  protected readonly triggered = new EventEmitter<unknown>();
  protected readonly hidden = new EventEmitter<void>();
  readonly onDidChangeValue = this.changed.event;
  readonly onDidAccept = this.accepted.event;
  readonly onDidTriggerButton = this.triggered.event;
  readonly onDidHide = this.hidden.event;

  /** The person in front of it acts once what is shown is complete. */
  show(): void {
    if (this.shown) return;
    this.shown = true;
    const wait = (): void => {
      if (!this.shown) return;
      if (this.busy) setImmediate(wait);
      else this.face();
    };
    setImmediate(wait);
  }
  hide(): void {
    if (!this.shown) return;
    this.shown = false;
    this.hidden.fire();
  }
  dispose(): void {
    this.hide();
  }
  type(text: string): void {
    this.value = text;
    this.changed.fire(text);
  }
  accept(): void {
    this.accepted.fire();
  }
  press(button: unknown): void {
    this.triggered.fire(button);
  }
  protected abstract face(): void;
}

export class FakeInputBox extends FakeQuickInput {
  prompt: string | undefined;
  validationMessage: unknown;
  valueSelection: unknown;
  password = false;

  protected face(): void {
    const answer = fake.answers.shift();
    fake.asked.push({ what: "input", options: Object.assign({}, this) });
    if (answer === undefined) this.hide();
    else if (answer === BACK) this.press(QuickInputButtons.Back);
    else if (typeof answer === "function") (answer as (box: this) => void)(this);
    else if (typeof answer === "string") {
      this.type(answer);
      this.accept();
    }
  }
}

export class FakeQuickPick extends FakeQuickInput {
  items: readonly unknown[] = [];
  activeItems: readonly unknown[] = [];
  selectedItems: readonly unknown[] = [];
  canSelectMany = false;
  matchOnDescription = false;
  matchOnDetail = false;
  keepScrollPosition = false;
  private readonly pressed = new EventEmitter<{ button: unknown; item: unknown }>();
  private readonly moved = new EventEmitter<unknown>();
  readonly onDidTriggerItemButton = this.pressed.event;
  readonly onDidChangeSelection = this.moved.event;
  readonly onDidChangeActive = this.moved.event;

  choose(...items: unknown[]): void {
    this.selectedItems = items;
    this.accept();
  }
  pressOn(item: unknown, button: unknown): void {
    this.pressed.fire({ button, item });
  }
  protected face(): void {
    const answer = fake.answers.shift();
    fake.asked.push({ what: "pick", options: Object.assign({}, this), items: this.items });
    if (answer === undefined) this.hide();
    else if (answer === BACK) this.press(QuickInputButtons.Back);
    else if (typeof answer === "function") {
      const chosen = (answer as (items: readonly unknown[], box: this) => unknown)(this.items, this);
      if (chosen !== undefined) this.choose(...(Array.isArray(chosen) ? (chosen as unknown[]) : [chosen]));
    } else if (typeof answer === "string") {
      this.choose(...this.items.filter((item) => (item as { label: string }).label.includes(answer)));
    }
  }
}

/** An entry of the status bar. */
export class FakeStatusBarItem {
  name: string | undefined;
  text = "";
  tooltip: unknown;
  command: unknown;
  accessibilityInformation: unknown;
  backgroundColor: unknown;
  visible = false;
  constructor(readonly id: string) {
    fake.statusBar.push(this);
  }
  show(): void {
    this.visible = true;
  }
  hide(): void {
    this.visible = false;
  }
  dispose(): void {
    this.visible = false;
  }
}
