import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync } from "node:fs";
import { join } from "node:path";
import { connected, expect, health, type Place, test, until } from "./support/fixtures.ts";
import { extensionCopy } from "../harness.ts";
import { findChromium, TEST_FLAGS } from "../../scripts/chromium.mjs";

// A browser that a debugger is attached to never puts an extension's worker to sleep, so these start
// Chromium by hand and look only at what the daemon hears. Time itself is what is tested.

/** Starts a Chromium with nothing attached to it and no page of ours. Stop it with stop. */
async function raw(place: Place): Promise<ChildProcess> {
  const profile = mkdtempSync(join(place.dir, "raw-"));
  await place.setUp(profile);
  const extension = extensionCopy(place);
  return spawn(
    findChromium() ?? "chromium",
    [
      "--headless=new",
      ...TEST_FLAGS,
      "--no-first-run",
      "--disable-background-networking",
      "--disable-component-update",
      "--disable-sync",
      `--user-data-dir=${profile}`,
      `--load-extension=${extension}`,
      "about:blank",
    ],
    { stdio: "ignore", detached: true },
  );
}

/** Ends the browser with all of its processes, and waits until it is gone. */
async function stop(browser: ChildProcess): Promise<void> {
  if (browser.exitCode !== null || browser.signalCode !== null) return;
  const ended = once(browser, "exit");
  process.kill(-browser.pid!, "SIGKILL"); // its own group, made by detached
  await ended;
}

/** Fails as soon as the browser is not connected, for this long. */
async function staysConnected(place: Place, seconds: number): Promise<void> {
  const end = performance.now() + seconds * 1000;
  await until(
    `${seconds} s`,
    async () => {
      expect(
        (await health(place)).browsers,
        `${Math.round((end - performance.now()) / 1000)} s before the end`,
      ).toHaveLength(1);
      await new Promise((done) => setTimeout(done, 950));
      return performance.now() > end;
    },
    Boolean,
    (seconds + 5) * 1000,
  );
}

/** Takes the daemon away for some seconds, and waits until the browser has found it again. */
async function away(place: Place, seconds: number): Promise<void> {
  await place.run("stop");
  await until(
    "the end of the daemon",
    () => place.healthy(),
    (alive) => !alive,
  );
  await new Promise((done) => setTimeout(done, seconds * 1000));
  await place.serve();
  await connected(place);
}

test("the extension's worker polls on with nothing to do, and finds a daemon that was away", async ({ place }) => {
  const browser = await raw(place);
  try {
    await connected(place);
    // A worker that is not kept alive dies after 30 s; 35 s after its last word the daemon takes it for gone.
    await staysConnected(place, 68);
    await away(place, 10);
  } finally {
    await stop(browser);
  }
});

test("the worker polls for five minutes, and finds a daemon that was away for longer than workers live @soak", async ({
  place,
}) => {
  test.setTimeout(600_000);
  const browser = await raw(place);
  try {
    await connected(place);
    await staysConnected(place, 270);
    await away(place, 75);
    await staysConnected(place, 40);
  } finally {
    await stop(browser);
  }
});
