import type { Page } from "@playwright/test";
import type { Actors, Expected } from "../sources/actor.ts";
import { expect, test, type Records } from "./support/fixture.ts";

const both = { page: true, document: true, handle: true };

const acting = (page: Page, action: "begin" | "end", expected?: Expected): Promise<void> =>
  page.evaluate(
    ([action, expected]) => {
      const { captures } = (window as never as { capture: { captures: { actors?: Actors }[] } }).capture;
      const { actors } = captures.find((capture) => capture.actors) as { actors: Actors };
      if (action === "begin") actors.begin("c1", "claude");
      if (expected) actors.expect(expected as Expected);
      if (action === "end") actors.end("c1");
    },
    [action, expected] as const,
  );

/** What was recorded until a mark that the page logs. */
async function told(page: Page, records: Records): Promise<unknown[][]> {
  // Scrolling is told when it has paused.
  await page.waitForTimeout(700);
  await page.evaluate(() => console.log("mark"));
  await records.one("logs", (x) => x.message === "mark");
  return records.all("actions").map((x) => [x.by, x.type]);
}

/** Waits until what scrolls the page has come to rest. */
const rested = (page: Page): Promise<void> =>
  page.evaluate(async () => {
    for (let still = 0, at = scrollY; still < 15; still = at === scrollY ? still + 1 : 0, at = scrollY)
      await new Promise(requestAnimationFrame);
  });

/** Brings the page to its top, once what scrolls it has come to rest, and waits until it heard of that. */
async function toTop(page: Page): Promise<void> {
  await rested(page);
  await page.waitForTimeout(1100); // what comes a second after a finger's scrolling is the finger's
  await page.evaluate(() => scrollTo(0, 0));
  await rested(page);
}

const tall = `<style>body{margin:0}</style><div id=list style="height:100px;overflow:auto"><div style="height:3000px">List</div></div>
  <a href="#end">End</a><button>Press</button><input type=range id=slider min=0 max=100 style="width:200px">
  <label id=label>Agree <input type=checkbox></label><select id=select><option>a<option>b</select>
  <div style="height:3000px"></div><h2 id=end>End</h2>`;

test("a page that scrolls itself, an anchor, a press that leads to scrolling: nobody scrolled", async ({
  page,
  capture,
  server,
}) => {
  const records = await capture(both);
  const url = server.page(tall);
  await page.goto(url);
  await page.evaluate(async () => {
    const list = document.getElementById("list")!;
    document.querySelector("button")!.onclick = () => document.getElementById("end")!.scrollIntoView();
    for (let i = 0; i < 5; i++) {
      list.scrollTop += 100;
      await new Promise((next) => setTimeout(next, 100));
    }
  });
  expect(await told(page, records)).toEqual([]);
  await page.click("text=Press");
  await page.evaluate(() => scrollTo(0, 0));
  await page.click("a");
  await page.reload();
  await page.goBack();
  expect((await told(page, records)).filter(([, type]) => type === "scroll")).toEqual([]);
});

test("wheel, keys and a pointer that is down scroll for the user, each told once", async ({
  page,
  capture,
  server,
}) => {
  const records = await capture(both);
  await page.goto(server.page(tall));
  await page.mouse.move(400, 300);
  for (let i = 0; i < 5; i++) await page.mouse.wheel(0, 100);
  expect(await told(page, records)).toEqual([["user", "scroll"]]);
  await page.keyboard.press("PageDown");
  expect((await told(page, records)).filter(([, type]) => type === "scroll")).toEqual([
    ["user", "scroll"],
    ["user", "scroll"],
  ]);
  await page.evaluate(() => scrollTo(0, 0));
  const before = (await told(page, records)).length;
  // A drag that selects text beyond the edge scrolls.
  await page.mouse.move(20, 20);
  await page.mouse.down();
  await page.mouse.move(20, 95, { steps: 3 });
  await page.mouse.move(20, 400, { steps: 3 });
  await page.waitForTimeout(500);
  await page.mouse.up();
  const after = (await told(page, records)).slice(before);
  expect(after.every(([by]) => by === "user")).toBe(true);
});

test("what follows an agent's real input is the agent's, also when its command is over", async ({
  page,
  capture,
  server,
}) => {
  const records = await capture(both);
  await page.goto(server.page(tall));
  const press = async (selector: string, steps = 0): Promise<void> => {
    const box = (await page.locator(selector).boundingBox())!;
    const x = Math.round(box.x + 10);
    const y = Math.round(box.y + box.height / 2);
    await acting(page, "begin", { type: "pointer", x, y, press: true });
    await page.mouse.move(x, y);
    await page.mouse.down();
    if (steps > 0) await page.mouse.move(x + 120, y + 40, { steps });
    await page.mouse.up();
    await acting(page, "end");
  };
  await press("#slider");
  await press("#slider", 4);
  await press("#label");
  await press("button", 3);
  const actions = await told(page, records);
  expect(actions.map(([by]) => by)).toEqual(actions.map(() => "agent"));
  expect(actions.map(([, type]) => type)).toContain("check");
  // The user beside it.
  await page.click("button");
  await page.mouse.move(400, 300);
  await page.mouse.wheel(0, 200);
  const later = (await told(page, records)).slice(actions.length);
  expect(later).toEqual([
    ["user", "click"],
    ["user", "scroll"],
  ]);
});

test("keys of an agent on a slider and a list are the agent's", async ({ page, capture, server }) => {
  const records = await capture(both);
  await page.goto(server.page(tall));
  for (const id of ["slider", "select"]) {
    await page.focus("#" + id);
    await acting(page, "begin", { type: "keys", keys: ["ArrowRight", "ArrowDown"] });
    await page.keyboard.press("ArrowRight");
    await page.keyboard.press("ArrowDown");
    await acting(page, "end");
  }
  const actions = await told(page, records);
  expect(actions.length).toBeGreaterThan(3);
  expect(actions.filter(([by]) => by !== "agent")).toEqual([]);
});

test("a finger that pans scrolls for the user; a pen that presses clicks for the user", async ({
  page,
  capture,
  server,
}) => {
  const records = await capture(both);
  await page.goto(server.page(tall));
  const browser = await page.context().newCDPSession(page);
  const touch = (type: string, y?: number) =>
    browser.send("Input.dispatchTouchEvent", {
      type: type as "touchStart",
      touchPoints: y === undefined ? [] : [{ x: 400, y }],
    });
  await touch("touchStart", 500);
  for (let y = 480; y > 200; y -= 20) await touch("touchMove", y);
  await touch("touchEnd");
  await page.waitForFunction("scrollY > 100");
  await rested(page);
  const panned = await told(page, records);
  // A machine that stalls makes a pause of it.
  expect(new Set(panned.map(String))).toEqual(new Set(["user,scroll"]));
  await toTop(page);
  const { x, y } = (await page.locator("button").boundingBox())!;
  for (const type of ["mouseMoved", "mousePressed", "mouseReleased"] as const)
    await browser.send("Input.dispatchMouseEvent", {
      type,
      x: x + 5,
      y: y + 5,
      button: type === "mouseMoved" ? "none" : "left",
      clickCount: 1,
      pointerType: "pen",
    });
  expect((await told(page, records)).slice(panned.length)).toEqual([["user", "click"]]);
});

test("a wheel and a finger of an agent, and scrolling that goes on smoothly behind its act, are not the user's", async ({
  page,
  capture,
  server,
}) => {
  const records = await capture(both);
  await page.goto(server.page(tall));
  await page.evaluate(() => {
    document.querySelector("button")!.onclick = () =>
      document.getElementById("end")!.scrollIntoView({ behavior: "smooth" });
  });
  await page.mouse.move(400, 300);
  await acting(page, "begin", { type: "pointer", x: 400, y: 300, press: false });
  await page.mouse.wheel(0, 300);
  await page.waitForFunction("scrollY > 200");
  await acting(page, "end");
  await toTop(page);
  const browser = await page.context().newCDPSession(page);
  await acting(page, "begin", { type: "pointer", x: 400, y: 500, press: true });
  await browser.send("Input.dispatchTouchEvent", { type: "touchStart", touchPoints: [{ x: 400, y: 500 }] });
  for (let y = 480; y > 200; y -= 20)
    await browser.send("Input.dispatchTouchEvent", { type: "touchMove", touchPoints: [{ x: 400, y }] });
  await browser.send("Input.dispatchTouchEvent", { type: "touchEnd", touchPoints: [] });
  await page.waitForFunction("scrollY > 100");
  await acting(page, "end");
  await toTop(page);
  const { x, y } = (await page.locator("button").boundingBox())!;
  await acting(page, "begin", { type: "pointer", x: x + 5, y: y + 5, press: true });
  await page.mouse.click(x + 5, y + 5);
  await acting(page, "end");
  await page.waitForFunction("scrollY > 2000");
  expect((await told(page, records)).filter(([by]) => by === "user")).toEqual([]);
});
