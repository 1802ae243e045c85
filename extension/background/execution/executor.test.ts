import { beforeEach, expect, test, vi } from "vitest";
import type { Context, Frames } from "../../commands/context.ts";
import { CommandProblem } from "../../commands/problem.ts";
import { Executor, type ExecutorParts } from "./executor.ts";

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
