import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { keyPress } from "../../dom-agent/act/key_press.ts";
import { worker } from "./setup.ts";
import { put, within } from "./world.ts";

beforeEach(() => {
  worker.asked.length = 0;
  worker.answer = null;
});
afterEach(() => document.querySelectorAll<HTMLElement>("[popover]").forEach((at) => at.hidePopover()));

/** Whether a key was pressed by real input. */
async function isReal(text: string, selector = "[x]"): Promise<boolean> {
  worker.asked.length = 0;
  const { result } = await keyPress({ text, selector }, within(2000));
  expect(worker.asked.some((at) => (at as { step?: string }).step === "send")).toBe(result.trusted === true);
  return result.trusted === true;
}

describe("a key whose effect is the browser's is pressed by real input", () => {
  test.each([
    ["Escape", "<input type=search x value=a>"],
    ["a", "<select x><option>a</select>"],
    ["Enter", "<select x><option>a</select>"],
    [" ", "<select x><option>a</select>"],
    ["ArrowDown", "<select x><option>a</select>"],
    ["ArrowRight", "<input type=range x>"],
    ["ArrowUp", "<input type=number x>"],
    ["ArrowDown", "<input type=radio x>"],
    ["1", "<input type=date x>"],
    ["Tab", "<input type=time x>"],
    ["Backspace", "<input type=month x>"],
    [" ", "<input type=file x>"],
    ["Enter", "<input type=color x>"],
    [" ", "<audio controls x src=data:,></audio>"],
  ])("%s in %s", async (key, html) => {
    put(html as string);
    expect(await isReal(key as string)).toBe(true);
  });
  test("Escape while a popover is open", async () => {
    put("<button x>a</button><p popover>b</p>");
    expect(await isReal("Escape")).toBe(false);
    document.querySelector<HTMLElement>("[popover]")!.showPopover();
    expect(await isReal("Escape")).toBe(true);
  });
});

describe("a key whose effect is known is not", () => {
  test.each([
    ["Escape", "<input x value=a>"],
    ["Escape", "<input type=search x>"],
    ["Tab", "<select x><option>a</select>"],
    ["Tab", "<input x>"],
    ["Enter", "<input type=date x>"],
    ["Enter", "<input type=checkbox x>"],
    ["a", "<input type=search x>"],
    [" ", "<button x>a</button>"],
    [" ", "<div role=button tabindex=0 x>a</div>"],
  ])("%s in %s", async (key, html) => {
    put(html as string);
    expect(await isReal(key as string)).toBe(false);
  });
  test("the space bar scrolls where nobody takes it", async () => {
    put("<div tabindex=0 x>a</div><div style='height:5000px'></div>");
    expect(await isReal(" ")).toBe(false);
    expect(scrollY).toBeGreaterThan(200);
    put("<div role=button tabindex=0 x>a</div><div style='height:5000px'></div>");
    scrollTo(0, 0);
    document.querySelector("[x]")!.addEventListener("keydown", (event) => event.preventDefault());
    await isReal(" ");
    expect(scrollY).toBe(0);
  });
});
