import { beforeEach, describe, expect, test } from "vitest";
import { click } from "../../dom-agent/act/click.ts";
import { problem, put, within } from "./world.ts";

const BAR = "position:sticky;background:#fff;z-index:2;";
const room = "<div style='height:2000px'></div>";
let heard = 0;

function page(html: string): void {
  put(html);
  scrollTo(0, 0);
  heard = 0;
  document.querySelector("[x]")!.addEventListener("click", () => heard++);
}
beforeEach(() => scrollTo(0, 0));

describe("what lies behind a bar that stays", () => {
  test.each([
    [
      "at the top",
      `<header style='position:fixed;top:0;left:0;right:0;height:400px;background:#fff'></header>${room}<button x>a</button>${room}`,
    ],
    [
      "at the bottom",
      `${room}<button x>a</button>${room}<footer style='position:fixed;bottom:0;left:0;right:0;height:400px'></footer>`,
    ],
    [
      "at the top, as a part of the page",
      `<header style='${BAR}top:0;height:400px'></header>${room}<button x>a</button>${room}`,
    ],
    [
      "in a part that scrolls",
      `<div id=s style='height:300px;overflow:auto'><header style='${BAR}top:0;height:200px'></header>${room}<button x>a</button>${room}</div>`,
    ],
    [
      "at the side",
      `<nav style='position:fixed;left:0;top:0;bottom:0;width:500px;background:#fff'></nav><div style='width:3000px'><button x style='margin-left:1200px'>a</button></div>`,
    ],
  ])("is scrolled to where it is free: %s", async (_, html) => {
    page(html as string);
    const { result } = await click({ selector: "[x]" }, within(2000));
    expect([heard, result.auto_scrolled]).toEqual([1, true]);
  });
  test("is scrolled to where it is free, although it is in the viewport already", async () => {
    page(
      `<header style='position:fixed;top:0;left:0;right:0;height:60px;background:#fff'></header>${room}<button x>a</button>${room}`,
    );
    document.querySelector("[x]")!.scrollIntoView({ block: "start", behavior: "instant" });
    expect((await click({ selector: "[x]" }, within(2000))).result.auto_scrolled).toBe(true);
    expect(heard).toBe(1);
  });
  test("is covered where no place is free, and stays in the middle", async () => {
    page(`${room}<button x>a</button>${room}<div id=wall style='position:fixed;inset:0'>wall</div>`);
    expect(await problem(() => click({ selector: "[x]" }, within(150)))).toMatchObject({
      code: "blocked_by_overlay",
      blocker: '<div#wall> "wall"',
    });
    const { y, height } = document.querySelector("[x]")!.getBoundingClientRect();
    expect(Math.abs(y + height / 2 - innerHeight / 2)).toBeLessThan(30);
    expect(heard).toBe(0);
  });
  test("is scrolled away from a bar over a part of it", async () => {
    page(
      `<header style='position:fixed;top:0;left:0;right:0;height:60px;background:#fff'></header>${room}<button x style='width:200px;height:60px'>a</button>${room}`,
    );
    scrollTo(0, document.querySelector("[x]")!.getBoundingClientRect().y);
    await click({ selector: "[x]" }, within(2000));
    expect(heard).toBe(1);
  });
});
