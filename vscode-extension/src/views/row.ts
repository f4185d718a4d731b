/**
 * A line of a view as plain data: what it shows, what it says to a screen reader, and what is below it.
 *
 * The views turn answers of the server into rows; only `outline.ts` knows that rows become tree items.
 */
import type { Belief, ReviewItem, Thread, TimelineEntry, Episode, CodeChange } from "../wire";

/** Something of the code: a file of a workspace, a line of it from 1. */
export interface Place {
  readonly root: string;
  readonly path: string;
  readonly line: number | null;
}

/** What a command takes from the row that it was run on. */
export interface Subject {
  readonly belief?: Belief;
  readonly item?: ReviewItem;
  readonly thread?: Thread;
  readonly entry?: TimelineEntry;
  readonly episode?: Episode;
  readonly change?: CodeChange;
  /** Which of the changes of its item that is. */
  readonly changeAt?: number;
  readonly place?: Place;
  /** The folder whose memory was asked, as a uri. */
  readonly folder?: string;
}

export interface Icon {
  readonly id: string;
  readonly color?: string;
}

/** A tooltip as paragraphs of stored text, and lines of a list below them. */
export interface Tip {
  readonly text: string;
  readonly list?: readonly string[];
  readonly foot?: string;
}

export interface Row extends Subject {
  /** Unique in its view, and the same as long as it shows the same thing. */
  readonly id: string;
  readonly label: string;
  readonly description?: string;
  readonly icon?: Icon;
  readonly tip?: Tip;
  /** What a screen reader says instead of label and description. */
  readonly spoken?: string;
  /** Words that menus look for. */
  readonly context?: string;
  /** The command that a click runs; it is given the row's node. */
  readonly command?: string;
  /** The rows below it, where they are known. */
  readonly rows?: readonly Row[];
  /** The rows below it, where they are asked for when it is opened. */
  readonly load?: Load;
  /** It is open until somebody closes it. */
  readonly open?: boolean;
}

/** Asks for rows. What it throws is shown in their place. */
export type Load = (cancelled: () => boolean) => Promise<readonly Row[]>;
