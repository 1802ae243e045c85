import { describe, expect, test } from "vitest";
import { type Refusal, watchRefusals } from "../../activation.ts";
import { user } from "./setup.ts";

/** What is told to be refused while work runs, with natives that the page has. */
function refused(work: () => unknown): Refusal[] {
  const told: Refusal[] = [];
  const stop = watchRefusals((what) => void told.push(what));
  try {
    work();
  } catch {
    // The page's own.
  } finally {
    stop();
  }
  return told;
}

const input = (type: string): HTMLInputElement => Object.assign(document.createElement("input"), { type });
/** Does work while open() gives what a popup blocker gives. */
function opening(result: unknown, work: () => void): void {
  const native = window.open;
  window.open = (() => result) as typeof window.open;
  try {
    work();
  } finally {
    window.open = native;
  }
}

describe("what needs a user", () => {
  test.each([
    ["a file chooser", () => input("file").click(), ["file chooser"]],
    ["a choice of colour", () => input("color").click(), ["picker"]],
    ["a picker", () => input("date").showPicker(), ["picker"]],
    ["full screen", () => void document.body.requestFullscreen().catch(() => 0), ["full screen"]],
    ["no click of other inputs", () => input("checkbox").click(), []],
    ["no click of other elements", () => document.createElement("button").click(), []],
    ["no click of what is no element", () => HTMLElement.prototype.click.call({} as HTMLElement), []],
  ])("%s", (_, work, told) => {
    user.active = false;
    expect(refused(work as () => void)).toEqual(told);
    user.active = true;
    expect(refused(work as () => void)).toEqual([]);
    user.active = false;
  });
  test("a window that was not opened, unless that cannot be told", () => {
    opening(null, () => {
      expect(refused(() => window.open("/"))).toEqual(["window"]);
      expect(refused(() => window.open("/", "", "popup"))).toEqual(["window"]);
      expect(refused(() => window.open("/", "", "width=1, NoOpener"))).toEqual([]);
      expect(refused(() => window.open("/", "", "noreferrer"))).toEqual([]);
    });
    opening({}, () => expect(refused(() => window.open("/"))).toEqual([]));
  });
  test("is asked for by the page as ever", () => {
    opening("opened", () => {
      const stop = watchRefusals(() => undefined);
      expect(window.open("/")).toBe("opened");
      expect(() => HTMLElement.prototype.click.call({} as HTMLElement)).toThrow(TypeError);
      stop();
    });
    const { click } = HTMLElement.prototype;
    watchRefusals(() => undefined)();
    expect(HTMLElement.prototype.click).toBe(click);
  });
});
