import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { type DaemonClient, type Holder, Unreachable } from "./client.ts";
import type { Identity } from "./identity.ts";
import { CommandLine } from "./poll.ts";

beforeEach(() => void vi.useFakeTimers({ now: 0 }));
afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

/** A line to a daemon that is proven from the nth challenge on. Times are ms since the start. */
function open(
  poll: (nth: number) => Promise<Response>,
  { write = async (): Promise<void> => {}, holders = [] as Holder[] } = {},
) {
  const asks: number[] = [];
  vi.stubGlobal("chrome", {
    storage: { session: { set: write } },
    runtime: { sendNativeMessage: () => Promise.reject(new Error(`not found, ${asks.push(Date.now())}`)) },
  });
  const polls: number[] = [];
  const heard: string[] = [];
  const client = {
    proven: false,
    distrust: () => (client.proven = false),
    prove: async () => {
      const holder = holders.shift() ?? "proven";
      client.proven = holder === "proven";
      return holder;
    },
    get: () => poll(polls.push(Date.now())).catch((error: unknown) => ((client.proven = false), Promise.reject(error))),
  };
  const identity = { session: async () => "s", name: async () => "n", place: async () => ({ port: 1 }) };
  const hear = (what: string) => () => heard.push(what);
  const line = new CommandLine(client as unknown as DaemonClient, identity as unknown as Identity, {
    connected: hear("connected"),
    pairing: hear("pairing"),
    foreign: hear("foreign"),
    lost: hear("lost"),
    refused: hear("refused"),
    command: hear("command"),
    cancel: hear("cancel"),
  });
  line.ensure();
  return { polls, heard, asks };
}

const held = (): Promise<Response> => new Promise(() => {});

test("a daemon that proves itself and answers nothing is asked ever more slowly", async () => {
  const { polls, heard } = open((nth) => (nth > 50 ? held() : Promise.reject(new Unreachable("no"))));
  await vi.advanceTimersByTimeAsync(10_000);
  expect(polls).toEqual([0, 300, 900, 1900, 2900, 4400, 5900, 7400, 8900]);
  expect(heard).not.toContain("connected");
});

test("without a proof there is no poll, and the native host is asked now and then", async () => {
  const { polls, heard, asks } = open(held, { holders: Array<Holder>(40).fill("gasoline") });
  await vi.advanceTimersByTimeAsync(25_000);
  expect(polls).toEqual([]);
  expect(asks).toEqual([0, 1500, 4500, 9000, 18_000]);
  expect(new Set(heard)).toEqual(new Set(["pairing"]));
});

test("who else holds the port is told, and the daemon is found when it is there", async () => {
  const { polls, heard } = open((nth) => (nth === 1 ? Promise.resolve(Response.json({})) : held()), {
    holders: ["stranger", "silent"],
  });
  await vi.advanceTimersByTimeAsync(10_000);
  expect(polls).toEqual([3000, 3000]);
  expect(heard).toEqual(["foreign", "foreign", "connected"]);
});

test("storage that takes nothing does not end the line", async () => {
  const { heard } = open((nth) => (nth === 1 ? Promise.resolve(Response.json({})) : held()), {
    write: async () => {
      throw new Error("Session storage quota bytes exceeded. Values were not stored.");
    },
  });
  await vi.advanceTimersByTimeAsync(10_000);
  expect(heard).toEqual(["connected"]);
});
