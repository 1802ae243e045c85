import { readFileSync, statSync } from "node:fs";
import { type Agent, expect, front, type Page, test } from "./support/fixtures.ts";

test.use({ pilot: true });

/** The colours of the page, one every 300 ms; the page keeps when it showed which. */
const COLOURS = `<!doctype html><title>Colours</title><body style="margin:0;height:100vh"><script>
  window.shown = [];
  let n = 0; 
  const next = () => {
    const colour = [(n * 67) % 200 + 30, (n * 131) % 200 + 30, (n * 29) % 200 + 30];
    document.body.style.background = "rgb(" + colour + ")";
    shown.push({ at: Date.now(), colour });
    n++;
  };
  next();
  setInterval(next, 300);
</script>`;

interface Film {
  status: string;
  film: {
    name: string;
    path: string;
    duration_seconds: number;
    size_bytes: number;
    width: number;
    height: number;
    truncated: boolean;
    ended?: string;
    frames: number;
  };
}

/** Loads a film into a video element and seeks to a time (s). */
async function played(page: Page, path: string, at: number) {
  const base64 = readFileSync(path).toString("base64");
  return page.evaluate(
    async ({ base64, at }) => {
      const bytes = Uint8Array.from(atob(base64), (letter) => letter.charCodeAt(0));
      const video = document.createElement("video");
      video.muted = true;
      video.src = URL.createObjectURL(new Blob([bytes], { type: "video/webm" }));
      await new Promise((resolve, reject) => {
        video.onloadeddata = resolve;
        video.onerror = () => reject(new Error(video.error?.message));
      });
      const { duration, videoWidth: width, videoHeight: height } = video;
      await new Promise((resolve) => {
        video.onseeked = resolve;
        video.currentTime = at;
      });
      const canvas = new OffscreenCanvas(width, height);
      const paper = canvas.getContext("2d")!;
      paper.drawImage(video, 0, 0);
      return {
        duration,
        width,
        height,
        colour: Array.from(paper.getImageData(width / 2, height / 2, 1, 1).data.subarray(0, 3)),
      };
    },
    { base64, at },
  );
}

const json = <T>(agent: Agent, action: string, more: object = {}) => agent.json<T>("interact", { action, ...more });

test("a film of a tab can be played and sought in, and shows each moment as it was", async ({
  site,
  tab,
  agent,
  profile,
}) => {
  await tab.goto(site.page("/", COLOURS));
  await front(agent, tab);
  const asked = Date.now();
  const begun = await json<Film>(agent, "screen_recording_start", { name: "colours", fps: 20 });
  const begins = Date.now();
  expect(begun).toMatchObject({ status: "recording", visible: true, film: { name: "colours" } });
  await tab.waitForTimeout(3000);
  const stopping = Date.now();
  const { film } = await json<Film>(agent, "screen_recording_stop");
  const stopped = Date.now();
  expect(film).toMatchObject({ truncated: false, ended: "stopped" });
  expect(film.path).toMatch(/videos.colours\.webm$/);
  expect(film.size_bytes).toBe(statSync(film.path).size);
  expect(statSync(film.path).mode & 0o777).toBe(0o600);
  const shown = await tab.evaluate(() => (window as unknown as { shown: { at: number; colour: number[] }[] }).shown);

  const player = await profile.context.newPage();
  await player.goto(site.page("/player", "<!doctype html><title>Player</title>"));
  const late: number[] = []; // ms from when a colour was shown until the film has it, by the clock of the film
  for (const part of [0.25, 0.5, 0.75]) {
    const at = film.duration_seconds * part;
    const seen = await played(player, film.path, at);
    expect(Math.abs(seen.duration - film.duration_seconds)).toBeLessThan(0.05);
    expect([seen.width, seen.height]).toEqual([film.width, film.height]);
    const off = shown.map(({ colour }) => Math.max(...colour.map((c, i) => Math.abs(c - seen.colour[i]!))));
    const which = off.indexOf(Math.min(...off));
    expect(off[which], `${String(seen.colour)} was not shown`).toBeLessThan(10);
    late.push(at * 1000 - shown[which]!.at);
  }
  // The film's clock goes as the page's: a colour stays for 300 ms, and the picture of it comes a little later.
  expect(Math.max(...late) - Math.min(...late)).toBeLessThan(450);
  // And its end is when it was stopped.
  const end = Math.max(...late) - film.duration_seconds * 1000;
  expect(-end).toBeGreaterThan(stopping - 700);
  expect(-end).toBeLessThan(stopped + 100);
  expect(film.duration_seconds).toBeGreaterThan((stopping - begins) / 1000 - 0.1);
  expect(film.duration_seconds).toBeLessThan((stopped - asked) / 1000 + 0.1);
  await player.close();

  const saved = await agent.json<{ recordings: object[]; total: number }>("observe", { what: "saved_videos" });
  expect(saved).toMatchObject({ total: 1, recordings: [{ name: "colours", format: "webm", truncated: false }] });
  expect(await agent.ask("interact", { action: "screen_recording_stop" })).toContain("colours.webm");
});

test("a daemon that is killed leaves a film that plays, and the next one tells of it", async ({
  place,
  site,
  tab,
  agent,
  profile,
}) => {
  await tab.goto(site.page("/", COLOURS));
  await front(agent, tab);
  const { film } = await json<Film>(agent, "screen_recording_start", { name: "cut" });
  await tab.waitForTimeout(5000);
  process.kill(place.pid!, "SIGKILL");
  const saved = () =>
    agent.json<{ recordings: { name: string; truncated: boolean; ended: string }[] }>("observe", {
      what: "saved_videos",
    });
  // A call that the death of the daemon cuts off says so, and is to be repeated.
  await expect
    .poll(() => saved().then(({ recordings }) => recordings, String), { timeout: 20_000 })
    .toMatchObject([{ name: "cut", truncated: true, ended: "daemon_lost" }]);
  const player = await profile.context.newPage();
  await player.goto(site.page("/player", "<!doctype html><title>Player</title>"));
  const seen = await played(player, film.path, 1);
  expect([seen.width, seen.height]).toEqual([film.width, film.height]);
  expect(Math.max(...seen.colour)).toBeGreaterThan(30);
  await player.close();
  // The browser's half of it has ended, too: the tab can be filmed anew.
  await front(agent, tab);
  await expect
    .poll(async () => (await agent.call("interact", { action: "screen_recording_start", name: "anew" })).text, {
      timeout: 25_000,
    })
    .toContain("filming tab");
  expect(await agent.ask("interact", { action: "screen_recording_stop" })).toContain("anew.webm");
});
