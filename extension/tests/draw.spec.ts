import type { Page } from "@playwright/test";
import { open } from "./acting.ts";
import type { FakeDaemon } from "./daemon.ts";
import { expect, test } from "./extension.ts";

const SHOTS = process.env["SHOTS"];

/** Keeps what each listener on window hears that the page adds first of all. */
const HEARS = `<script>
  window.heard = [];
  for (const type of ["keydown", "keypress", "keyup", "beforeinput", "input", "compositionstart", "pointerdown", "pointermove",
    "pointerup", "pointerover", "pointerout", "pointerenter", "pointerleave", "mousedown", "mousemove", "mouseup", "mouseover", "mouseout", "mouseenter",
    "mouseleave", "click", "dblclick", "contextmenu", "auxclick", "focusin", "focusout", "focus", "blur", "wheel", "touchstart", "copy", "paste"])
    window.addEventListener(type, (event) => { if (event.target !== window) window.heard.push(event.type) }, true);
</script>`;

const SHOP = `${HEARS}<style>body { margin: 0; font: 16px sans-serif } main { padding: 120px 40px } button { padding: 12px 40px; background: #ccc }</style>
  <main><h1>Cart</h1><p>Two items</p><button id=pay data-testid=pay>Pay now</button></main>`;

const heard = (page: Page): Promise<string[]> => page.evaluate(() => (window as never as { heard: string[] }).heard);

/** The annotations that came. */
const drawn = (daemon: FakeDaemon, type = "annotation") => daemon.events("marks").filter((mark) => mark.type === type);

async function drag(page: Page, box: { x: number; y: number; width: number; height: number }): Promise<void> {
  await page.mouse.move(box.x, box.y);
  await page.mouse.down();
  await page.mouse.move(box.x + box.width / 2, box.y + box.height, { steps: 3 });
  await page.mouse.move(box.x + box.width, box.y + box.height);
  await page.mouse.up();
}

async function boxOf(page: Page, selector: string) {
  const box = await page.locator(selector).boundingBox();
  if (!box) throw new Error(`${selector} has no box`);
  return { x: box.x - 4, y: box.y - 4, width: box.width + 8, height: box.height + 8 };
}

test("a rectangle with a comment tells the element under it, and the page hears nothing of it", async ({
  daemon,
  site,
  browserWithExtension: browser,
}) => {
  const { page, run } = await open(browser, site, daemon, SHOP);
  const box = await boxOf(page, "#pay");
  await page.evaluate(() => ((window as never as { heard: string[] }).heard = []));
  const { result } = await run("draw_mode_start", { name: "checkout", text: "Which button is too small?" });
  expect(result).toEqual({ name: "checkout", replaced: false });
  await expect(page.locator("#gasoline-draw")).toHaveCount(1);
  await drag(page, box);
  await page.keyboard.type("Too small, קטן מדי");
  if (SHOTS) await page.screenshot({ path: `${SHOTS}/draw-light.png` });
  await page.keyboard.press("Enter");
  await page.keyboard.press("Enter");
  const [mark] = await daemon.until("the annotation", () => drawn(daemon).length > 0 && drawn(daemon));
  expect(mark?.label).toBe("Too small, קטן מדי");
  const detail = mark?.detail as Record<string, never>;
  expect(detail).toMatchObject({
    name: "checkout",
    shape: "rectangle",
    rect: { x: Math.round(box.x), y: Math.round(box.y), width: Math.round(box.width), height: Math.round(box.height) },
    number: 1,
    of: 1,
    element: { tag: "button", role: "button", name: "Pay now", text: "Pay now", ref: expect.stringMatching(/^e\d+$/) },
  });
  const { locators, styles } = detail["element"] as { locators: object[]; styles: object };
  expect(locators[0]).toMatchObject({ kind: "testid", value: "pay", matches: 1 });
  expect(styles).toMatchObject({ "background-color": "rgb(204, 204, 204)", padding: "12px 40px" });
  expect(mark?.picture?.length).toBeGreaterThan(1000);
  expect(mark?.page_url ?? "").toBe("");
  await expect(page.locator("#gasoline-draw")).toHaveCount(0);
  expect(await heard(page)).toEqual([]);
  // And it hears its user again.
  await page.locator("#pay").click();
  expect(await heard(page)).toContain("click");
});
