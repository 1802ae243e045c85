import { readFileSync, statSync } from "node:fs";
import { type Agent, type Browser, expect, front, type Page, test } from "./support/fixtures.ts";

test.use({ pilot: true });

/**
 * The colours of the page, one every 300 ms, at least 22 apart, so that one that is less than 11 off is no other; none so
 * saturated that VP8 is off by more. The page keeps when it showed which.
 */
const COLOURS = `<!doctype html><title>Colours</title><body style="margin:0;height:100vh"><script>
  window.shown = [];
  let n = 0; 
  const next = () => {
    const colour = [(n * 67) % 150 + 50, (n * 131) % 150 + 50, (n * 29) % 150 + 50];
    document.body.style.background = "rgb(" + colour + ")";
    shown.push({ at: Date.now(), colour });
    n++;
  };
  next();
  setInterval(next, 300);
</script>`;

interface Film {
  status: string;
  source: string;
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

/** Loads a film into a video element and seeks to times (s). The colours are those in the middle of its height, so far across. */
async function played(page: Page, path: string, times: number[], across = [0.5]) {
  const base64 = readFileSync(path).toString("base64");
  return page.evaluate(
    async ({ base64, times, across }) => {
      const bytes = Uint8Array.from(atob(base64), (letter) => letter.charCodeAt(0));
      const video = document.createElement("video");
      video.muted = true;
      video.src = URL.createObjectURL(new Blob([bytes], { type: "video/webm" }));
      await new Promise((resolve, reject) => {
        video.onloadeddata = resolve;
        video.onerror = () => reject(new Error(video.error?.message));
      });
      const { duration, videoWidth: width, videoHeight: height } = video;
      const paper = new OffscreenCanvas(width, height).getContext("2d", { willReadFrequently: true })!;
      const seen: { at: number; colours: number[][] }[] = [];
      for (const at of times) {
        // A place that was jumped to has its picture a moment later; where it is the one that is shown none comes.
        const painted = new Promise((resolve) => {
          video.requestVideoFrameCallback(resolve);
          video.addEventListener("seeked", () => setTimeout(resolve, 200), { once: true });
        });
        await new Promise((resolve) => {
          video.onseeked = resolve;
          video.currentTime = at;
        });
        await painted;
        paper.drawImage(video, 0, 0);
        const colour = (x: number) => Array.from(paper.getImageData(width * x, height / 2, 1, 1).data.subarray(0, 3));
        seen.push({ at, colours: across.map(colour) });
      }
      return { duration, width, height, seen };
    },
    { base64, times, across },
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
  await tab.waitForTimeout(6000);
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
  // The least ms from when a colour was shown until the film has it, by the clock of the film: in the beginning, and at the end.
  const late: number[] = [];
  const times = [0.15, 0.2, 0.25, 0.3, 0.7, 0.75, 0.8, 0.85].map((part) => film.duration_seconds * part);
  const there = await played(player, film.path, times);
  expect(Math.abs(there.duration - film.duration_seconds)).toBeLessThan(0.05);
  expect([there.width, there.height]).toEqual([film.width, film.height]);
  for (const [n, { at, colours }] of there.seen.entries()) {
    const [colour] = colours as [number[]];
    const off = shown.map((was) => Math.max(...was.colour.map((c, i) => Math.abs(c - colour[i]!))));
    const which = off.indexOf(Math.min(...off));
    expect(off[which], `${String(colour)} was not shown`).toBeLessThan(11);
    const i = n < 4 ? 0 : 1;
    late[i] = Math.min(late[i] ?? Infinity, at * 1000 - shown[which]!.at);
  }
  // The film's clock goes as the page's: a colour stays for 300 ms, and the picture of it comes later, on a busy machine by
  // more. Over the three seconds between the two, another clock would differ by more than that.
  expect(Math.abs(late[1]! - late[0]!)).toBeLessThan(900);
  // And its end is when it was stopped.
  const end = Math.min(...late) - film.duration_seconds * 1000;
  expect(-end).toBeGreaterThan(stopping - 1200);
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
    .poll(() => saved().then(({ recordings }) => recordings, String))
    .toMatchObject([{ name: "cut", truncated: true, ended: "daemon_lost" }]);
  const player = await profile.context.newPage();
  await player.goto(site.page("/player", "<!doctype html><title>Player</title>"));
  const there = await played(player, film.path, [1]);
  expect([there.width, there.height]).toEqual([film.width, film.height]);
  expect(Math.max(...there.seen[0]!.colours[0]!)).toBeGreaterThan(30);
  await player.close();
  // The browser's half of it has ended, too: the tab can be filmed anew.
  await front(agent, tab);
  await expect
    .poll(async () => (await agent.call("interact", { action: "screen_recording_start", name: "anew" })).text)
    .toContain("filming tab");
  expect(await agent.ask("interact", { action: "screen_recording_stop" })).toContain("anew.webm");
});

/** Opens the extension's popup over a tab, as the user's click on the icon does. */
async function invoke({ context, worker }: Browser, page: Page): Promise<void> {
  const session = await context.browser()!.newBrowserCDPSession();
  const send = session.send.bind(session) as (method: string, params: object) => Promise<unknown>;
  const { targetInfos } = (await send("Target.getTargets", { filter: [{ type: "tab" }] })) as {
    targetInfos: { targetId: string; url: string }[];
  };
  const target = targetInfos.find(({ url }) => url === page.url());
  await send("Extensions.triggerAction", { id: new URL(worker.url()).host, targetId: target!.targetId });
  await session.detach();
}

/** Two tones after each other, each for a second, from the first click on. */
const TONES = `<script>
  addEventListener("click", () => {
    const context = new AudioContext({ latencyHint: "playback" }); // a busy machine has time
    const tone = new OscillatorNode(context, { frequency: 440 });
    tone.frequency.setValueAtTime(440, 0);
    for (let s = 0; s < 30; s++) tone.frequency.setValueAtTime(s % 2 ? 880 : 440, context.currentTime + s);
    tone.connect(new GainNode(context, { gain: 0.05 })).connect(context.destination);
    tone.start();
  });
</script>`;

/** What a browser makes of the sound of a film: its length, s, and the crossings of zero in each tenth of a second. */
async function heard(page: Page, path: string) {
  const base64 = readFileSync(path).toString("base64");
  return page.evaluate(async (base64) => {
    const bytes = Uint8Array.from(atob(base64), (letter) => letter.charCodeAt(0));
    const { duration, sampleRate, ...sound } = await new OfflineAudioContext(1, 1, 48_000)
      .decodeAudioData(bytes.buffer)
      .then((buffer) => ({
        duration: buffer.duration,
        sampleRate: buffer.sampleRate,
        channels: buffer.numberOfChannels,
        samples: buffer.getChannelData(0),
      }));
    const crossings: number[] = [];
    const tenth = sampleRate / 10;
    for (let from = 0; from + tenth <= sound.samples.length; from += tenth) {
      let count = 0;
      for (let i = from + 1; i < from + tenth; i++) if (sound.samples[i - 1]! < 0 !== sound.samples[i]! < 0) count++;
      crossings.push(count);
    }
    return { duration, channels: sound.channels, crossings };
  }, base64);
}

test.describe("of a page that sounds", () => {
  test.use({ without: ["--mute-audio", "--disable-extensions"] });
  test("a film of a captured tab has its sound, shows no secret, and can be sought in", async ({
    site,
    tab,
    agent,
    profile,
  }) => {
    const secret = `<input type="password" value="hunter2" style="position:fixed;inset:0;width:50vw;height:100vh;background:#fff">`;
    await tab.goto(site.page("/", COLOURS + TONES + secret));
    await front(agent, tab);
    await invoke(profile, tab);
    await tab.mouse.click(1000, 300);
    const begun = await json<Film>(agent, "screen_recording_start", { name: "tones", fps: 20, audio: "tab" });
    expect(begun).toMatchObject({ source: "tab_capture", film: { audio: "opus", has_audio: true, covered_fields: 1 } });
    expect(begun).not.toHaveProperty("refused");
    await tab.waitForTimeout(4000);
    // A page that comes with a secret in it: not one picture may show it.
    await tab.goto(site.page("/next", COLOURS + secret));
    await tab.waitForTimeout(2000);
    const { film } = await json<Film & { film: object }>(agent, "screen_recording_stop");
    expect(film).toMatchObject({ source: "tab_capture", audio: "opus", covered_fields: 2, truncated: false });
    expect(film.duration_seconds).toBeGreaterThan(5.5);
    expect(film.frames).toBeGreaterThan(8);

    const player = await profile.context.newPage();
    await player.goto(site.page("/player", "<!doctype html><title>Player</title>"));
    const sound = await heard(player, film.path);
    expect(sound.channels).toBe(2);
    // What is decoded has no gaps: where the machine lost samples it is shorter than the film.
    expect(sound.duration).toBeLessThan(film.duration_seconds + 0.05);
    expect(sound.duration).toBeGreaterThan(film.duration_seconds - 1);
    // 440 Hz cross zero 88 times in a tenth of a second, 880 Hz 176 times.
    const first = sound.crossings.slice(0, 35);
    expect(first.filter((n) => Math.abs(n - 88) <= 3).length).toBeGreaterThan(10);
    expect(first.filter((n) => Math.abs(n - 176) <= 3).length).toBeGreaterThan(10);
    // A tone's end spoils a tenth of a second, and so does each place where samples were lost, 10 ms at least.
    const lost = Math.max(0, film.duration_seconds - sound.duration);
    expect(first.filter((n) => Math.abs(n - 88) > 3 && Math.abs(n - 176) > 3).length).toBeLessThan(6 + lost / 0.01);

    const times = Array.from({ length: Math.floor(film.duration_seconds * 5) }, (_, n) => 0.05 + n / 5);
    const there = await played(player, film.path, times, [0.25, 0.75]);
    expect(Math.abs(there.duration - film.duration_seconds)).toBeLessThan(0.05);
    for (const { at, colours } of there.seen) {
      // Between two pages a tab is white all over: there is no field yet.
      if (Math.min(...colours.flat()) > 230) continue;
      expect(Math.max(...colours[0]!), `at ${at} s`).toBeLessThan(40);
    }
    await player.close();
    expect(await tab.locator("[data-gasoline-covered]").count()).toBe(0);
    const saved = await agent.ask("observe", { what: "saved_videos" });
    expect(saved).toContain("with sound");
  });
});
