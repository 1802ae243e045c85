import { beforeEach, expect, test, vi } from "vitest";
import type { Result } from "@gasoline/schema/wire";
import type { Context, Frames } from "../../commands/context.ts";
import { CommandProblem, notGranted } from "../../commands/problem.ts";
import { Executor, type ExecutorParts } from "./executor.ts";
import { Powers } from "./powers.ts";

const forever = new Promise<never>(() => undefined);

beforeEach(() => {
  vi.useFakeTimers();
  const session = { get: async () => ({}), set: async () => undefined };
  vi.stubGlobal("chrome", { storage: { session } });
});

/** What a command comes to in a tab whose documents never answer; missing: what is known of its target by then. */
async function answer(kind: string, missing: CommandProblem | undefined, made: boolean): Promise<unknown> {
  const frames = { missing, call: () => forever, first: () => forever, inner: () => false } as Partial<Frames>;
  const pages = { dialog: () => undefined, nextDialog: () => ({ opened: forever, stop: () => undefined }) };
  const sent: unknown[] = [];
  const parts = {
    results: { undelivered: async () => undefined, send: async (result: unknown) => void sent.push(result) },
    powers: {
      on: async () => undefined,
      begins: async () => undefined,
      site: async () => "",
      may: async () => undefined,
    },
    context: async (_kind: string, tab: number, deadline: number, signal: AbortSignal) =>
      ({ tab, deadline, signal, frames, pages }) as unknown as Context,
    describe: async () => ({ id: 1 }),
    activeTab: async () => 1,
    begin: () => () => undefined,
    waits: (_action: string, otherwise?: unknown) => (made ? undefined : otherwise),
    log: () => undefined,
  } as unknown as ExecutorParts;
  const command = { id: "c", correlation_id: "a", kind, tab: 1, params: { selector: "#save" }, timeout_ms: 5000 };
  const taken = new Executor(parts).take(command);
  await vi.advanceTimersByTimeAsync(5000);
  await taken;
  return sent[0];
}

test("a page that is silent at the deadline is told of by what is known of the target", async () => {
  const missing = new CommandProblem("element_not_found", "Nothing fits #save.");
  const known = { status: "error", error: { code: "element_not_found", message: "Nothing fits #save." } };
  const silent = { status: "timeout", error: { code: "timeout" } };
  for (const kind of ["get_text", "get_value"]) {
    expect(await answer(kind, missing, false), kind).toMatchObject(known);
    expect(await answer(kind, undefined, false), kind).toMatchObject(silent);
    // What was done may have been done to it.
    expect(await answer(kind, missing, true), kind).toMatchObject(silent);
  }
});

/** What a command comes to whose page its tab shows no more, or still, when Chrome refuses to ask the documents of the tab. */
async function refused(kind: string, params: object, granted: () => boolean): Promise<unknown> {
  const refuse = () => Promise.reject(notGranted());
  const frames = { call: refuse, first: refuse, each: refuse, find: refuse, inner: () => false } as Partial<Frames>;
  const pages = {
    dialog: () => undefined,
    nextDialog: () => ({ opened: forever, stop: () => undefined }),
    watch: () => ({ stop: () => undefined }),
    document: () => undefined,
    describe: async () => ({ id: 1 }),
    captured: () => false,
  };
  const sent: unknown[] = [];
  const parts = {
    results: { undelivered: async () => undefined, send: async (result: unknown) => void sent.push(result) },
    powers: new Powers(
      async () => ({ pilot: true, pilotSites: [] }),
      async () => ({ url: "", granted: granted() }),
    ),
    context: async (_kind: string, tab: number, deadline: number, signal: AbortSignal) =>
      ({ tab, deadline, signal, frames, pages, performed: () => undefined, part: () => "" }) as unknown as Context,
    describe: async () => ({ id: 1 }),
    begin: () => () => undefined,
    waits: () => undefined,
    log: () => undefined,
  } as unknown as ExecutorParts;
  await new Executor(parts).take({ id: "c", correlation_id: "a", kind, tab: 1, params, timeout_ms: 5000 });
  return (sent[0] as Result).error?.code;
}

test("a page that went on to a site that is not granted was left, in the words of every kind", async () => {
  for (const [kind, params] of [
    ["click", { selector: "#save" }],
    ["execute_js", { script: "1" }],
    ["get_text", { selector: "#save" }],
    ["list_interactive", {}],
    ["snapshot", {}],
    ["wait_for", { text: "Saved" }],
    ["wait_for", { text: "Saving", absent: true }],
  ] as const) {
    let asked = 0;
    const once = (): boolean => asked++ < 2; // when its turn comes, and for which site it acts
    const acts = kind === "click" || kind === "execute_js";
    expect(await refused(kind, params, acts ? once : () => asked++ < 1), kind).toBe("page_left");
    // It is the one that it was; Chrome lets nobody into it.
    expect(await refused(kind, params, () => true), kind).toBe("origin_not_allowed");
  }
});
