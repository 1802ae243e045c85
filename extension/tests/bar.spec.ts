// What the bar of the debugger does: it comes when Chrome likes, a moment after the debugger has attached, and takes room
// from the page. The other tests have browsers without it.
import { open } from "./acting.ts";
import { NO_BAR, windowOf } from "./chromium.ts";
import { expect, test } from "./extension.ts";
import { FORM } from "./pages.ts";

test.use({ without: [NO_BAR] });

interface Held {
  release: () => void;
}

/** Runs in the worker: the first release of a button waits until the test lets it go on. */
function holdRelease(): void {
  const send = chrome.debugger.sendCommand.bind(chrome.debugger);
  let held: Promise<void> | undefined = new Promise((resolve) => ((globalThis as unknown as Held).release = resolve));
  const inOrder = async (...[target, method, params]: Parameters<typeof send>): Promise<object | undefined> => {
    if (held && params && "type" in params && params.type === "mouseReleased") {
      await held;
      held = undefined;
    }
    return send(target, method, params);
  };
  chrome.debugger.sendCommand = inOrder as typeof send;
}

test.describe("a page that gets smaller, as by the bar,", () => {
  test.use({ without: [] });

  for (const [where, style, acts, want] of [
    ["at the end of the page is made anew", "", "", ["mousedown", "mouseup", "click"]],
    [
      "in the middle of the window is made anew",
      "position: fixed; top: 50%; height: 24px",
      "",
      ["mousedown", "mouseup", "click"],
    ],
    [
      "on what changes how it looks is made anew",
      "",
      `pay.className = "pressed"; pay.append(document.createElement("span"))`,
      ["mousedown", "mouseup", "click"],
    ],
    ["on what acts by the press is not made anew", "", `document.title = "Paid"`, []],
  ] as const)
    test(`between press and release: a real click ${where}`, async ({ daemon, site, browserWithExtension }) => {
      const { page, run } = await open(
        browserWithExtension,
        site,
        daemon,
        `<title>Shop</title><div style="height: 3000px"></div><button id=pay style="${style}">Pay</button>
        <script>
          var heard = [], heights = [];
          for (const name of ["mousedown", "mouseup", "click"])
            document.addEventListener(name, ({ target }) => {
              heard.push(name + (target === pay ? "" : " elsewhere"));
              heights.push(innerHeight);
            }, true);
          pay.addEventListener("mousedown", () => {
            ${acts};
          }, { once: true });
        </script>`,
      );
      const height = (): Promise<number> => page.evaluate(() => innerHeight);
      const full = await height();
      const worker = await browserWithExtension.worker();
      await worker.evaluate(holdRelease);
      const clicking = run("click", { selector: "#pay", trusted: "always" });
      await page.waitForFunction(() => (window as unknown as { heard: string[] }).heard.length > 0);
      const session = await page.context().browser()!.newBrowserCDPSession();
      const { windowId, bounds } = await windowOf(page);
      await session.send("Browser.setWindowBounds", { windowId, bounds: { height: bounds.height! - 56 } });
      await expect.poll(height).toBe(full - 56);
      await worker.evaluate(() => (globalThis as unknown as Held).release());
      const { error, result } = await clicking;
      const { heights, heard } = await page.evaluate(() => {
        const { heard, heights } = window as unknown as { heard: string[]; heights: number[] };
        return { heard, heights };
      });
      expect(heights.slice(0, 2)).toEqual([full, full - 56]);
      expect(heard).toEqual(["mousedown", "mouseup elsewhere", ...want]);
      if (want.length > 0) {
        expect(error).toBeUndefined();
        expect(result.trusted).toBe(true);
      } else
        expect(error).toMatchObject({
          code: "not_actionable",
          message: expect.stringContaining("look at the page before you repeat it"),
        });
      await session.detach();
    });
});

test("a dragging that the page gives up when its size changes is not disturbed by the debugger's bar", async ({
  daemon,
  site,
  browserWithExtension: browser,
}) => {
  const { page, run } = await open(
    browser,
    site,
    daemon,
    `<p id=from style="width:80px;height:40px;background:silver">Card</p><p id=to style="margin-top:200px;height:60px;background:tan">Done</p>
     <script>
       let held = false;
       from.onpointerdown = () => (held = true);
       addEventListener("resize", () => { if (held) document.title = "given up"; held = false; });
       addEventListener("pointerup", ({ target }) => { if (held && target === to) document.title = "dropped"; held = false; });
     </script>`,
  );
  expect((await run("drag", { selector: "#from", to: "#to" })).error).toBeUndefined();
  expect(await page.title()).toBe("dropped");
});

test("a screenshot by the debugger: whole page, crop, size, grey, secrets", async ({
  daemon,
  site,
  browserWithExtension,
}) => {
  const { run } = await open(browserWithExtension, site, daemon, FORM);
  const plain = await run("screenshot", {});
  expect(plain.result).toMatchObject({ format: "png", width: 1280, route: "debugger", redacted: 1, title: "A" });
  // Chrome shows its bar a moment after the debugger has attached, and a bar takes 56 of the page's height.
  expect([720, 720 - 56]).toContain(plain.result.height);
  const small = await run("screenshot", { max_width: 640, grayscale: true, format: "jpeg", quality: 60 });
  expect(small.result).toMatchObject({ width: 640, scale: 50, format: "jpeg" });
  expect(Buffer.from(small.result.data, "base64").subarray(0, 2).toString("hex")).toBe("ffd8");
  expect((await run("screenshot", { full_page: true })).result.height).toBeGreaterThan(1500);
  expect((await run("screenshot", { selector: "h1" })).result.height).toBeLessThan(100);
  // The command has more time than the test waits for it.
  expect((await run("screenshot", { selector: "#no" }, { timeoutMS: 300_000 })).error?.code).toBe("element_not_found");
});
