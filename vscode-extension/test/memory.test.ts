import { expect, test } from "vitest";
import { MemoryError } from "../src/memory";

test("an error carries what to do about it", () => {
  const error = new MemoryError("no such belief", "memlsp beliefs lists them");
  expect([error.message, error.hint, error.shown]).toEqual(["no such belief", "memlsp beliefs lists them", false]);
});
