/**
 * Nodes of the page, built one by one. Text becomes text nodes, attributes are a short list without `style`, `href`, `src`
 * and handlers: nothing that is remembered can become markup here.
 */

type Attribute = "class" | "id" | "role" | "scope" | "tabindex" | "dir" | "title" | "datetime" | "data-key" | `aria-${string}`;
type Attributes = Readonly<Partial<Record<Attribute, string>>>;
export type Child = Node | string | undefined;

/** An element with its children; undefined ones are left out. */
export function element<K extends keyof HTMLElementTagNameMap>(
  tag: K,
  attributes: Attributes = {},
  ...children: readonly Child[]
): HTMLElementTagNameMap[K] {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) if (value !== undefined) made.setAttribute(name, value);
  made.append(...children.filter((child) => child !== undefined));
  return made;
}

const SVG = "http://www.w3.org/2000/svg";

/** An element of a drawing. Numbers are its own units. */
export function drawn(tag: string, attributes: Readonly<Record<string, string | number>>, ...children: readonly Node[]): Element {
  const made = document.createElementNS(SVG, tag);
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, String(value));
  made.append(...children);
  return made;
}

/** A button; `key` is how it is found again after the page was drawn anew. */
export function button(key: string, label: string, press: () => void, attributes: Attributes = {}): HTMLButtonElement {
  const made = element("button", { "data-key": key, ...attributes }, label);
  made.type = "button";
  made.addEventListener("click", press);
  return made;
}

/** Remembered text: kept apart from the direction of the text around it, with what would turn it around made visible. */
export function remembered(text: string, className = "remembered"): HTMLElement {
  return element("bdi", { class: className, dir: "auto" }, visible(text));
}

/** A sentence of the server's: what stands between backticks is code. */
export function prose(text: string): HTMLElement {
  const parts = visible(text).split(/`([^`]+)`/);
  return element("bdi", { class: "remembered", dir: "auto" }, ...parts.map((part, index) => (index % 2 ? element("code", {}, part) : part)));
}

// eslint-disable-next-line no-control-regex -- these are what is looked for
const HIDDEN = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f\u200b\u202a-\u202e\u2060\u2066-\u2069\ufeff]/g;

/** Characters that cannot be seen, or that show text in another order than it has, as their numbers. */
export function visible(text: string): string {
  return text.replace(HIDDEN, (one) => `[U+${one.charCodeAt(0).toString(16).toUpperCase().padStart(4, "0")}]`);
}

/** A section with its heading, as a landmark. */
export function section(id: string, heading: string, ...children: readonly Child[]): HTMLElement {
  const title = element("h2", { id: `${id}-heading` }, heading);
  return element("section", { id, class: id, "aria-labelledby": `${id}-heading` }, title, ...children);
}

/** A moment as people write it, with the exact one for machines. */
export function moment(at: string, language: string): HTMLElement {
  return element("time", { datetime: at, title: at }, written(at, language));
}

/** A moment as people write it; as it came where it is none. */
export function written(at: string, language: string): string {
  const time = new Date(at);
  if (Number.isNaN(time.getTime())) return at;
  return new Intl.DateTimeFormat(languageTag(language), { dateStyle: "medium", timeStyle: "short" }).format(time);
}

/** A share between 0 and 1 as a percentage. */
export function percent(share: number, language: string): string {
  return new Intl.NumberFormat(languageTag(language), { style: "percent", maximumFractionDigits: 0 }).format(share);
}

/** A text with its gaps `{0}`, `{1}` filled. */
export function fill(text: string, ...values: readonly (string | number)[]): string {
  return text.replace(/\{(\d)\}/g, (gap, index: string) => String(values[Number(index)] ?? gap));
}

function languageTag(language: string): string {
  try {
    return Intl.getCanonicalLocales(language)[0] ?? "en";
  } catch {
    return "en";
  }
}
