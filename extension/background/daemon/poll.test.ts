import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { type DaemonClient, Unauthorized } from "./client.ts";
import type { Identity } from "./identity.ts";
import { CommandLine } from "./poll.ts";

beforeEach(() => void vi.useFakeTimers({ now: 0 }));
afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

/** A line to a daemon that gives a token to everybody. Times are ms since the start. */
function open(poll: (nth: number) => Promise<Response>, write = async (): Promise<void> => {}) {
  vi.stubGlobal("chrome", { storage: { session: { set: write } } });
  const polls: number[] = [];
  const heard: string[] = [];
  let token: string | undefined;
  const client = {
    post: async () => Response.json({ token: "t" }),
    get: () => poll(polls.push(Date.now())),
  };
  const identity = {
    session: async () => "s",
    name: async () => "n",
    door: async () => ({ port: 1, token }),
    keepToken: async (given: string) => (token = given),
    forgetToken: async () => (token = undefined),
  };
  const hear = (what: string) => () => heard.push(what);
  const line = new CommandLine(client as unknown as DaemonClient, identity as unknown as Identity, {
    connected: hear("connected"),
    pairing: hear("pairing"),
    lost: hear("lost"),
    refused: hear("refused"),
    command: hear("command"),
  });
  line.ensure();
  return { polls, heard };
}

const held = (): Promise<Response> => new Promise(() => {});

test("a daemon that gives tokens and takes none is asked ever more slowly", async () => {
  const { polls, heard } = open((nth) => (nth > 50 ? held() : Promise.reject(new Unauthorized("no"))));
  await vi.advanceTimersByTimeAsync(10_000);
  expect(polls).toEqual([0, 300, 900, 1900, 2900, 4400, 5900, 7400, 8900]);
  expect(heard).not.toContain("connected");
});

test("a daemon that forgot the token is paired with again", async () => {
  const { polls, heard } = open((nth) =>
    nth === 1 ? Promise.reject(new Unauthorized("no")) : nth === 2 ? Promise.resolve(Response.json({})) : held(),
  );
  await vi.advanceTimersByTimeAsync(10_000);
  expect(polls).toEqual([0, 300, 300]);
  expect(heard).toEqual(["lost", "connected"]);
});

test("storage that takes nothing for a moment does not end the line", async () => {
  let writes = 0;
  const { heard } = open(
    (nth) => (nth === 1 ? Promise.resolve(Response.json({})) : held()),
    async () => {
      if (++writes === 1) throw new Error("Session storage quota bytes exceeded. Values were not stored.");
    },
  );
  await vi.advanceTimersByTimeAsync(10_000);
  expect(heard).toEqual(["lost", "connected"]);
});
