import { describe, expect, test } from "vitest";
import { plain, plainLabel, tooltip } from "../../src/views/plain";

describe("stored text", () => {
  test("is one line without anything that hides in it", () => {
    expect(plain("one\n\ttwo\u202e three\u200b  four\u0007")).toBe("one two three four");
  });

  test("ends with a sign when it is cut, and never in the middle of a letter", () => {
    expect(plain("abcdef", 4)).toBe("abc…");
    expect(plain("abc\u{1f600}def", 5)).toBe("abc…");
  });

  test("draws no picture in a list of choices", () => {
    expect(plainLabel("$(trash) it")).toBe("\\$(trash) it");
  });
});

describe("a tooltip", () => {
  test("shows statement, list and origin, and trusts none of them", () => {
    const shown = tooltip({
      text: "[run](command:memlsp.restart) <img src=x onerror=1>",
      list: ["**a**", "b"],
      foot: "Ada",
    });
    expect(shown.isTrusted).toBeFalsy();
    expect(shown.supportHtml).toBeFalsy();
    expect(shown.value).not.toMatch(/(?<!\\)\[run|(?<!\\)<img|(?<!\\)\*\*/);
    expect(shown.value.split("\n").filter((line) => line.startsWith("- "))).toHaveLength(2);
  });

  test("makes no link of an address", () => {
    const { value } = tooltip({ text: "see https://example.org, www.example.org and a@example.org" });
    expect(value).not.toMatch(/https:\/\/|www\.e|a@/);
  });

  test("breaks between words, and shows what stands between backticks as code", () => {
    const { value } = tooltip({ text: "`charge` tries * three times, `one", list: ["1. first"] });
    expect(value).toBe("`charge` tries \\* three times, \\`one\n\n- 1\\. first");
  });

  test("has no code in which a mark could come back to life", () => {
    const { value } = tooltip({ text: "``[run](command:memlsp.restart)`` and `a\n\n# b`" });
    expect(value).not.toMatch(/(?<!\\)\]\(|\n/);
  });
});
