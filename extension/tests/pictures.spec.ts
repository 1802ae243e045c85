import type { Page } from "@playwright/test";
import { open } from "./acting.ts";
import { NO_BAR } from "./chromium.ts";
import { expect, test } from "./extension.ts";

test.use({ without: [NO_BAR] }); // the bar comes while a picture is taken

/** What a picture shows at points given as parts of its width and height: colours as hex. */
const colours = (page: Page, { format, data }: { format: string; data: string }, points: [number, number][]) =>
  page.evaluate(
    async ([url, at]) => {
      const bitmap = await createImageBitmap(await (await fetch(url)).blob());
      const paper = new OffscreenCanvas(bitmap.width, bitmap.height).getContext("2d")!;
      paper.drawImage(bitmap, 0, 0);
      return at.map(([x, y]) => {
        const { data: rgba } = paper.getImageData(
          Math.min(bitmap.width - 1, Math.floor(x * bitmap.width)),
          Math.min(bitmap.height - 1, Math.floor(y * bitmap.height)),
          1,
          1,
        );
        return Array.from(rgba.slice(0, 3), (c) => c.toString(16).padStart(2, "0")).join("");
      });
    },
    [`data:image/${format};base64,${data}`, points] as const,
  );

const INNER = `<!doctype html><body style="margin:0"><div style="height:300px"></div>
  <div id=box style="width:80px;height:40px;background:#00ff00"></div>
  <div id=wide style="width:900px;height:50px;background:#0000ff"></div>
  <input type=password value=x style="width:60px;height:20px;margin:0;border:0"><div style="height:900px"></div>`;

test("a picture of one element: by ref, in iframes of this and of another site, a whole frame, one of several", async ({
  daemon,
  site,
  browserWithExtension: browser,
}) => {
  site.page("/inner", INNER);
  const { page, run } = await open(
    browser,
    site,
    daemon,
    `<body style="margin:0;background:#fff"><h1 style="margin:0;height:50px;background:#ff0000">Shop</h1>
     <p style="margin:0;height:20px;width:100px;background:#111">one</p><p style="margin:0;height:30px;width:100px;background:#222">two</p>
     <iframe id=own src="/inner" style="border:7px solid #888;width:400px;height:200px"></iframe>
     <iframe id=other src="${site.url("/inner", "localhost")}" style="border:0;width:400px;height:200px"></iframe>`,
  );
  const ref = (await run("get_text", { selector: "h1" })).result.matched?.ref ?? "";
  const heading = (await run("screenshot", { ref })).result;
  expect(heading).toMatchObject({ height: 50 });
  expect(await colours(page, heading, [[0.9, 0.5]])).toEqual(["ff0000"]);
  for (const frame of ["#own", "#other"]) {
    const box = (await run("screenshot", { selector: "#box", frame })).result;
    expect(box, frame).toMatchObject({ width: 80, height: 40 });
    expect(box).not.toHaveProperty("cut");
    expect(
      await colours(page, box, [
        [0.05, 0.1],
        [0.95, 0.9],
      ]),
      frame,
    ).toEqual(["00ff00", "00ff00"]);
    // Of what is wider than its frame the part is pictured that the frame shows.
    const wide = (await run("screenshot", { selector: "#wide", frame })).result;
    expect(wide, frame).toMatchObject({ height: 50, cut: "frame" });
    expect(wide.width).toBeLessThanOrEqual(400);
    expect(
      await colours(page, wide, [
        [0.05, 0.5],
        [0.9, 0.5],
      ]),
      frame,
    ).toEqual(["0000ff", "0000ff"]);
    const secret = (await run("screenshot", { selector: "input", frame })).result;
    expect(await colours(page, secret, [[0.5, 0.5]]), frame).toEqual(["000000"]);
  }
  const whole = (await run("screenshot", { frame: "#own" })).result;
  expect(whole).toMatchObject({ width: 400, height: 200, cut: "frame" });
  expect((await run("screenshot", { selector: "p", nth: 1 })).result).toMatchObject({ width: 100, height: 30 });
  expect((await run("screenshot", { selector: "p" })).error?.code).toBe("ambiguous_target");
  // Without a frame it is looked for in all: two frames have one.
  expect((await run("screenshot", { selector: "#box" })).error?.code).toBe("ambiguous_target");
});

test("webp, quality and greys; a page that is too high is cut, and that is said", async ({
  daemon,
  site,
  browserWithExtension: browser,
}) => {
  const { page, run } = await open(
    browser,
    site,
    daemon,
    `<body style="margin:0;background:linear-gradient(90deg,red,blue,lime)"><div style="height:60000px">${"words ".repeat(500)}</div>`,
  );
  const fine = (await run("screenshot", { format: "webp", quality: 95 })).result;
  const coarse = (await run("screenshot", { format: "webp", quality: 10 })).result;
  const bytes = ({ data }: { data: string }): Buffer => Buffer.from(data, "base64");
  expect(fine).toMatchObject({ format: "webp" });
  expect(bytes(fine).subarray(8, 12).toString()).toBe("WEBP");
  expect(bytes(coarse).length).toBeLessThan(bytes(fine).length / 2);
  const grey = (await run("screenshot", { format: "webp", grayscale: true, max_width: 320 })).result;
  expect(grey).toMatchObject({ width: 320 });
  const [colour = ""] = await colours(page, grey, [[0.02, 0.9]]);
  expect(colour.slice(0, 2)).toBe(colour.slice(2, 4));
  const tall = (await run("screenshot", { full_page: true, max_width: 200 })).result;
  expect(tall).toMatchObject({ cut: "height", width: 200 });
  const above = await run("screenshot", { format: "gif" as "png" });
  expect(above.error?.code).toBe("invalid_param");
});

test("a page that is left while Chrome makes its picture is not waited for", async ({
  daemon,
  site,
  browserWithExtension: browser,
}) => {
  const { page, run } = await open(browser, site, daemon, `<title>First</title><body style="background:#f00">`);
  const next = site.page("/next", `<title>Next</title><body style="margin:0;background:#0f0">`);
  // Of another site: it comes while the first one draws nothing, and what Chrome had to make of that is forgotten.
  await (
    await browser.worker()
  ).evaluate(
    (url) => {
      const send = chrome.debugger.sendCommand.bind(chrome.debugger) as (...args: unknown[]) => Promise<object>;
      let first = true;
      const late = async (...args: unknown[]): Promise<object> => {
        if (args[1] !== "Page.captureScreenshot" || !first) return send(...args);
        first = false;
        const [{ tabId }] = args as [{ tabId: number }];
        const busy = "setTimeout(() => { for (const end = Date.now() + 4000; Date.now() < end; ); })";
        await send({ tabId }, "Runtime.evaluate", { expression: busy });
        const made = send(...args);
        await chrome.tabs.update(tabId, { url });
        return made;
      };
      Object.assign(chrome.debugger, { sendCommand: late });
    },
    next.replace("127.0.0.1", "localhost"),
  );
  const { result, error } = await run("screenshot", { full_page: true });
  expect(error).toBeUndefined();
  expect(result.title).toBe("Next");
  expect(await colours(page, result, [[0.5, 0.5]])).toEqual(["00ff00"]);
});
