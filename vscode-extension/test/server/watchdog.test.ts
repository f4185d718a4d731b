/** When a server counts as hanging, on a clock of the test's own. */
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { Watchdog } from "../../src/server/watchdog";

let sent: number;
let heard: number;
let asked: number;
let hung: number[];
let answer: () => Promise<unknown>;
let watchdog: Watchdog;

const seconds = (count: number): Promise<unknown> => vi.advanceTimersByTimeAsync(count * 1000);
const silence = (): Promise<unknown> => new Promise(() => undefined);

beforeEach(() => {
  vi.useFakeTimers({ toFake: ["setInterval", "clearInterval"] });
  [sent, heard, asked, hung] = [100, 100, 0, []];
  answer = () => {
    heard += 10;
    return Promise.resolve();
  };
  watchdog = new Watchdog({
    traffic: () => ({ sent, heard }),
    ask: () => {
      asked += 1;
      sent += 10;
      return answer();
    },
    hangs: (after) => hung.push(after),
  });
});

afterEach(() => {
  watchdog.dispose();
  vi.useRealTimers();
});

describe("a server", () => {
  test("that nobody asks anything is asked nothing", async () => {
    await seconds(3_600);
    expect(asked).toBe(0);
    expect(hung).toEqual([]);
  });

  test("that is told something and is silent is asked once, and its answer is enough", async () => {
    sent += 50; // an edit, which no server answers
    await seconds(3_600);
    expect(asked).toBe(1);
    expect(hung).toEqual([]);
  });

  test("that refuses the question is alive", async () => {
    answer = () => Promise.reject(new Error("no such document"));
    sent += 50;
    await seconds(3_600);
    expect(hung).toEqual([]);
  });

  test("that never answers hangs, which is told once within a minute", async () => {
    answer = silence;
    sent += 50;
    await seconds(40);
    expect(hung).toEqual([]);
    await seconds(20);
    expect(hung).toEqual([45]);
    await seconds(3_600);
    expect(hung).toEqual([45]);
  });

  test("that is busy and says something now and then is left alone", async () => {
    answer = silence;
    sent += 50;
    for (let times = 0; times < 20; times += 1) {
      await seconds(30);
      heard += 1; // a line of its log, a step of its progress
    }
    expect(hung).toEqual([]);
  });

  test("that hangs in the moment after an answer is noticed without another word from the user", async () => {
    await seconds(4);
    heard += 10;
    sent += 50;
    answer = silence;
    await seconds(60);
    expect(hung).toEqual([45]);
  });

  test("that is gone is watched no more", async () => {
    answer = silence;
    sent += 50;
    watchdog.dispose();
    await seconds(3_600);
    expect(hung).toEqual([]);
  });
});
