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
      return { duration, width, height, colour: [...paper.getImageData(width / 2, height / 2, 1, 1).data.slice(0, 3)] };
    },
    { base64, at },
  );
}

const json = <T>(agent: Agent, action: string, more: object = {}) => agent.json<T>("interact", { action, ...more });

test("a film of a tab can be played and sought in, and shows each moment as it was", async ({ site, tab, agent, profile }) => {
  await tab.goto(site.page("/", COLOURS));
  await front(agent, tab);
  const begun = await json<Film>(agent, "screen_recording_start", { name: "colours", fps: 20 });
  expect(begun).toMatchObject({ status: "recording", visible: true, film: { name: "colours" } });
  await tab.waitForTimeout(3000);
  const stopping = Date.now();
  const { film } = await json<Film>(agent, "screen_recording_stop");
  expect(film).toMatchObject({ truncated: false, ended: "stopped" });
  expect(film.path).toMatch(/videos.colours\.webm$/);
  expect(film.size_bytes).toBe(statSync(film.path).size);
  expect(statSync(film.path).mode & 0o777).toBe(0o600);
  const shown = await tab.evaluate(() => (window as unknown as { shown: { at: number; colour: number[] }[] }).shown);

  const player = await profile.context.newPage();
  await player.goto(site.page("/player", "<!doctype html><title>Player</title>"));
  for (const part of [0.25, 0.5, 0.75]) {
    const at = film.duration_seconds * part;
    const seen = await played(player, film.path, at);
    expect(Math.abs(seen.duration - film.duration_seconds)).toBeLessThan(0.05);
    expect([seen.width, seen.height]).toEqual([film.width, film.height]);
    const moment = stopping - (film.duration_seconds - at) * 1000;
    const near = shown.filter((s) => s.at > moment - 650 && s.at < moment + 250).map((s) => s.colour);
    const off = near.map((colour) => Math.max(...colour.map((c, i) => Math.abs(c - seen.colour[i]!))));
    expect(Math.min(...off), `${String(seen.colour)} is none of ${JSON.stringify(near)}`).toBeLessThan(14);
  }
  expect(Math.abs(film.duration_seconds - 3)).toBeLessThan(0.5);
  await player.close();

  const saved = await agent.json<{ recordings: object[]; total: number }>("observe", { what: "saved_videos" });
  expect(saved).toMatchObject({ total: 1, recordings: [{ name: "colours", format: "webm", truncated: false }] });
  expect(await agent.ask("interact", { action: "screen_recording_stop" })).toContain("colours.webm");
});
