/** What every part of the page is given: the belief, the words, and a way to tell the extension what was pressed. */
import type { BeliefPage } from "../../wire";
import type { FromPage } from "../messages";
import type { Words } from "../words";

export interface Telling {
  readonly page: BeliefPage;
  readonly words: Words;
  readonly language: string;
  readonly tell: (message: FromPage) => void;
}
