import { afterEach, beforeEach, expect, test, vi } from "vitest";
import type { Film } from "@gasoline/schema/wire";
import type { FromFilm, ToFilm } from "../../messages/film.ts";
import { type DaemonClient, Unreachable } from "../daemon/client.ts";
import type { Debuggers } from "../debugger/debugger.ts";
import type { Covers } from "./cover.ts";
import { TabFilms } from "./films.ts";

/** What the daemon got, and from when on it answers again, epoch ms. */
let got: Film[];
let away: number;
/** Says something as the film page. */
let say: (message: FromFilm) => void;

const none = async (): Promise<void> => undefined;
const batch = (us: number, last = false): FromFilm => ({
  type: "batch",
  width: 2,
  height: 2,
  colours: { full_range: false },
  frames: [{ us, key: true, data: "" }],
  last,
});

beforeEach(() => {
  vi.useFakeTimers({ now: 0 });
  got = [];
  away = 0;
  const port = {
    onMessage: { addListener: (hear: typeof say) => (say = hear) },
    onDisconnect: { addListener: () => undefined },
    postMessage: ({ type }: ToFilm) => {
      if (type === "capture") say({ type: "captured" });
      if (type === "end") say(batch(99, true));
    },
    disconnect: () => undefined,
  };
  vi.stubGlobal("chrome", {
    offscreen: { hasDocument: async () => true },
    runtime: { connect: () => port },
    storage: { session: { set: none } },
    tabCapture: { getMediaStreamId: async () => "stream" },
    tabs: { get: async () => ({ width: 2, height: 2 }) },
  });
});
afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

/** Begins a film of a tab, whose first picture came. */
async function begin(): Promise<TabFilms> {
  const client = {
    post: async (_path: string, film: Film) => {
      if (Date.now() < away) throw new Unreachable("the daemon has not proved itself");
      got.push(film);
      return Response.json({});
    },
  };
  const cover = { go: none, top: true, fields: 0, uncovered: [] };
  const films = new TabFilms(
    undefined as unknown as Debuggers,
    client as unknown as DaemonClient,
    { take: () => cover, letGo: none } as unknown as Covers,
    async () => "session",
    none,
  );
  const begun = films.start(1, { name: "a", fps: 10, sound: false }, Date.now() + 10_000);
  await vi.advanceTimersByTimeAsync(1);
  say({ type: "taken", width: 2, height: 2 });
  await begun;
  return films;
}

test.each([
  [9000, "stopped", [1, 2, 3, 4, 99]],
  [12_000, "failed", [99]], // what was encoded last
])(
  "a film goes on where the daemon is not heard for %s ms, as long as that waits for it: %s",
  async (ms, ended, times) => {
    const films = await begin();
    away = Date.now() + ms;
    for (let us = 1; us <= 4; us++) {
      say(batch(us));
      await vi.advanceTimersByTimeAsync(500);
    }
    await vi.advanceTimersByTimeAsync(ms);
    const stopped = films.stop(1);
    await vi.advanceTimersByTimeAsync(10_000);
    await stopped;
    expect(got.flatMap(({ frames }) => frames.map(({ us }) => us))).toEqual(times);
    expect(got.at(-1)?.ended).toBe(ended);
  },
);
