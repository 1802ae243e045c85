import { open } from "./acting.ts";
import { expect, test } from "./extension.ts";
import type { FakeDaemon } from "./daemon.ts";

const MOVES = `<body style="margin:0"><script>
  let n = 0;
  setInterval(() => (document.body.style.background = "hsl(" + (n += 20) + ",80%,50%)"), 50);
</script>`;

/** What the daemon got of a film. */
function got(daemon: FakeDaemon, name: string) {
  const batches = daemon.films.filter((film) => film.name === name);
  return { batches, frames: batches.flatMap((batch) => batch.frames), ended: batches.at(-1)?.ended };
}

test("pictures of a tab come encoded, in order, with key frames, until it is stopped", async ({
  daemon,
  site,
  browserWithExtension,
}) => {
  const { page, run } = await open(browserWithExtension, site, daemon, MOVES);
  await page.bringToFront();
  const begun = await run("screen_recording_start", { name: "a", fps: 10 });
  expect(begun.error).toBeUndefined();
  expect(begun.result).toMatchObject({ name: "a", visible: true });
  expect((await run("screen_recording_start", { name: "b", fps: 10 })).error?.code).toBe("conflict");
  await page.waitForTimeout(3000);
  await page.goto(site.page("/b", `<!doctype html><title>B</title>${MOVES}`)); // the film goes on
  await page.waitForTimeout(1500);
  const stopped = await run("screen_recording_stop", {});
  expect(stopped.result).toEqual(begun.result);

  const { batches, frames, ended } = got(daemon, "a");
  expect(ended).toBe("stopped");
  expect(batches.map(({ batch }) => batch)).toEqual(batches.map((_batch, i) => i + 1));
  for (const { width, height, codec } of batches.filter((batch) => batch.frames.length > 0)) {
    expect({ width, height, codec }).toEqual({ width: begun.result.width, height: begun.result.height, codec: "vp8" });
    expect([width % 2, height % 2]).toEqual([0, 0]);
    expect(width).toBeLessThanOrEqual(1280);
  }
  const times = frames.map(({ us }) => us / 1000);
  expect(times).toEqual(times.toSorted((a, b) => a - b));
  expect(times[0]).toBe(0);
  expect(times.at(-1)).toBeGreaterThan(4000);
  // Ten pictures a second were asked for; two may come at once, and some do not come on a busy machine.
  expect(frames.length).toBeGreaterThan(15);
  expect(frames.length).toBeLessThan((times.at(-1)! / 1000) * 10 * 1.3 + 5);
  const keys = frames.filter(({ key }) => key).map(({ us }) => us / 1000);
  expect(keys[0]).toBe(0);
  for (const [i, at] of keys.slice(1).entries()) expect(at - keys[i]!).toBeLessThan(3100);

  expect((await run("screen_recording_stop", {})).error?.code).toBe("no_data");
});

test("a page that does not change is filmed for as long as it is shown", async ({
  daemon,
  site,
  browserWithExtension,
}) => {
  const { page, run } = await open(browserWithExtension, site, daemon, "<h1>Still</h1>");
  await page.bringToFront();
  expect((await run("screen_recording_start", { name: "a", fps: 15 })).result.visible).toBe(true);
  await page.waitForTimeout(2500);
  await run("screen_recording_stop", {});
  const { frames } = got(daemon, "a");
  expect(frames.at(-1)!.us).toBeGreaterThan(2_300_000);
});

test("a film ends with its tab, with browser control, and when the daemon takes no more", async ({
  daemon,
  site,
  browserWithExtension,
}) => {
  const { page, run } = await open(browserWithExtension, site, daemon, MOVES);
  const other = await browserWithExtension.page.context().newPage();
  await other.goto(site.page("/other", `<!doctype html><title>Other</title>${MOVES}`));
  const tab = await browserWithExtension.tab(other);
  await other.bringToFront();
  const ended = (name: string) => () => got(daemon, name).ended;
  expect((await run("screen_recording_start", { name: "closed", fps: 10 }, { tab })).result.visible).toBe(true);
  await other.close();
  await expect.poll(ended("closed")).toBe("tab_closed");

  await page.bringToFront();
  expect((await run("screen_recording_start", { name: "forbidden", fps: 10 })).result.visible).toBe(true);
  await browserWithExtension.set({ pilot: false });
  await expect.poll(ended("forbidden")).toBe("pilot_off");
  expect((await run("screen_recording_start", { name: "no", fps: 10 })).error?.code).toBe("pilot_off");

  await browserWithExtension.set({ pilot: true });
  expect((await run("screen_recording_start", { name: "cancelled", fps: 10 })).result.visible).toBe(true);
  // As when the user presses Cancel in the browser's bar, which no test can reach.
  await (
    await browserWithExtension.worker()
  ).evaluate(
    async (tabId) => {
      await chrome.debugger.detach({ tabId });
      const { onDetach } = chrome.debugger as unknown as { onDetach: { dispatch: (...args: unknown[]) => void } };
      onDetach.dispatch({ tabId }, "canceled_by_user");
    },
    await browserWithExtension.tab(page),
  );
  await expect.poll(ended("cancelled")).toBe("debugger_detached");

  expect((await run("screen_recording_start", { name: "long", fps: 10 })).result.visible).toBe(true);
  daemon.filmEnded = "too_long";
  await expect
    .poll(async () => (await run("screen_recording_stop", {})).error?.code, { timeout: 15_000 })
    .toBe("no_data");
});

test("a worker that died leaves no film behind, and the tab can be filmed anew", async ({
  daemon,
  site,
  browserWithExtension: browser,
}) => {
  const { page, run } = await open(browser, site, daemon, MOVES);
  await page.bringToFront();
  expect((await run("screen_recording_start", { name: "a", fps: 10 })).result.visible).toBe(true);
  await expect.poll(() => got(daemon, "a").frames.length).toBeGreaterThan(3);
  await browser.killWorker();
  expect((await run("screen_recording_stop", {})).error?.code).toBe("no_data");
  const pages = async (): Promise<number> =>
    (await browser.worker()).evaluate(
      async () => (await chrome.runtime.getContexts({ contextTypes: ["OFFSCREEN_DOCUMENT" as never] })).length,
    );
  await expect.poll(pages).toBe(0);
  expect((await run("screen_recording_start", { name: "b", fps: 10 })).result.visible).toBe(true);
  await run("screen_recording_stop", {});
  expect(got(daemon, "b").ended).toBe("stopped");
  await expect.poll(pages).toBe(0);
});
