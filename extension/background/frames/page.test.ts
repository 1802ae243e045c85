import { afterEach, beforeEach, expect, test, vi } from "vitest";
import type { AgentAnswer, AgentCall } from "../../messages/agent.ts";
import { AgentFrames } from "./agent.ts";
import { Calls } from "./calls.ts";
import { type Documents, Page } from "./page.ts";
import { RefBlocks } from "./refs.ts";

/** Frames of the tab: 0 is the main one. */
let frames: number;
/** How often all frames were looked for. */
let looks: number;
/** Answers a call in a frame's document. */
let answer: (frame: number, call: AgentCall) => Promise<AgentAnswer>;
let come: () => void;
/** How long a frame takes to say where it is, ms. */
let takes: (frame: number) => number;

const forever = new Promise<never>(() => undefined);
const value = (given: object): AgentAnswer => ({ ok: true, value: given as never, refsLeft: 1000 });
const failed = (code: string, message: string): AgentAnswer => ({
  ok: false,
  error: { code, message },
  refsLeft: 1000,
});

beforeEach(() => {
  vi.useFakeTimers();
  looks = 0;
  takes = () => 5;
  come = () => undefined;
  type Injection = { target: { allFrames?: boolean; frameIds?: number[]; documentIds?: string[] }; args: unknown[] };
  const executeScript = async ({ target, args }: Injection): Promise<unknown> => {
    const [call] = args as [AgentCall | string | undefined];
    if (call !== undefined) {
      const frame = Number(target.documentIds?.[0]?.slice(1));
      return [{ result: typeof call === "string" ? null : await answer(frame, call) }];
    }
    if (target.allFrames || target.frameIds) looks++;
    const asked = Array.from({ length: frames }, (_, i) => i).filter(
      (i) => target.allFrames || target.frameIds?.includes(i) || target.documentIds?.includes(`d${i}`),
    );
    await new Promise((resolve) => setTimeout(resolve, Math.max(...asked.map(takes))));
    return asked.map((i) => ({
      frameId: i,
      documentId: `d${i}`,
      result: { path: i === 0 ? [] : [i - 1], url: "", origins: [], title: "", shown: true, empty: false, children: 0 },
    }));
  };
  const stored = new Map<string, unknown>();
  const session = {
    get: async (key: string) => (stored.has(key) ? { [key]: stored.get(key) } : {}),
    set: async (items: Record<string, unknown>) => {
      for (const [key, item] of Object.entries(items)) stored.set(key, item);
    },
  };
  vi.stubGlobal("chrome", { scripting: { executeScript }, storage: { session } });
});

afterEach(() => vi.useRealTimers());

const documents: Documents = {
  known: () => Array.from({ length: frames }, (_, frame) => ({ frame, document: `d${frame}`, page_url: "" })),
  onCome: (_tab, heard) => {
    come = heard;
    return () => (come = () => undefined);
  },
  onLeft: () => () => undefined,
  granted: () => true,
};

const page = (signal?: AbortSignal): Page =>
  new Page(
    1,
    new Calls(
      new RefBlocks(),
      () => () => undefined,
      async () => undefined,
      undefined,
      signal,
    ),
    documents,
  );

const waitFor = { op: "wait_for", params: { text: "x" } } as const;

test("documents that come while the frames are looked for ask for one more look", async () => {
  frames = 1;
  answer = (frame) => (frame === 30 ? Promise.resolve(value({ matched_text: "x" })) : forever);
  const first = page().first(Date.now() + 5000, () => waitFor);
  for (let i = 1; i <= 30; i++) {
    frames++;
    come();
  }
  await vi.advanceTimersByTimeAsync(100);
  expect((await first).frame.documentId).toBe("d30");
  expect(looks).toBe(2);
});

test("a frame that is busy with itself while the frames are looked for is looked into when it answers, once", async () => {
  frames = 3;
  const busy = [Date.now() + 4000, Date.now() + 1e9];
  takes = (frame) => Math.max(5, (busy[frame - 1] ?? 0) - Date.now());
  let asked = 0;
  answer = async (frame) => (frame === 1 ? (asked++, value({ matched_text: "x" })) : forever);
  let left = 0;
  const first = page().first(
    Date.now() + 9000,
    () => waitFor,
    (unasked) => (left = unasked),
  );
  await vi.advanceTimersByTimeAsync(3900);
  const before = [looks, left];
  await vi.advanceTimersByTimeAsync(2000);
  expect((await first).frame).toMatchObject({ documentId: "d1", name: "0" });
  expect([...before, looks, left, asked]).toEqual([2, 2, 3, 1, 1]);
});

test("of very many frames fifty are waited in, also when it is looked again, and the others are counted", async () => {
  frames = 180;
  const asked = new Set<number>();
  answer = async (frame, { deadline }) => {
    asked.add(frame);
    if (frame !== 0) return forever;
    await new Promise((resolve) => setTimeout(resolve, deadline - Date.now()));
    return failed("timeout", "It did not come.");
  };
  let left = 0;
  const first = page().first(
    Date.now() + 300,
    () => waitFor,
    (unasked) => (left = unasked),
  );
  const failure = expect(first).rejects.toMatchObject({ code: "timeout", message: "It did not come." });
  for (let i = 0; i < 5; i++) setTimeout(() => come(), 20 * i);
  await vi.advanceTimersByTimeAsync(500);
  await failure;
  expect([asked.size, left]).toEqual([50, 130]);
});

test("a fault of the call ends the wait, what a frame lacks does not", async () => {
  frames = 3;
  answer = async (frame) => {
    if (frame === 1) return failed("element_not_found", "Not here.");
    return frame === 2 ? failed("invalid_selector", "No CSS.") : forever;
  };
  const first = page().first(Date.now() + 5000, () => waitFor);
  const failure = expect(first).rejects.toMatchObject({ code: "invalid_selector" });
  await vi.advanceTimersByTimeAsync(100);
  await failure;
});

test("a wait that nobody waits for any more ends, also when it was over before it began", async () => {
  frames = 1;
  answer = () => forever;
  const control = new AbortController();
  const first = page(control.signal).first(Date.now() + 60_000, () => waitFor);
  control.abort(new Error("nobody waits"));
  await expect(first).rejects.toThrow("nobody waits");
  await expect(page(control.signal).first(Date.now() + 60_000, () => waitFor)).rejects.toThrow("nobody waits");
});

test("the next change is a document that came since, or what one of the documents says", async () => {
  frames = 1;
  answer = () => forever;
  const came = page().change(Date.now() + 60_000);
  come();
  await came.next();
  came.stop();
  answer = async () => value({});
  const changed = page().change(Date.now() + 60_000);
  const next = changed.next();
  await vi.advanceTimersByTimeAsync(100);
  await next;
  changed.stop();
});

test("that nothing fits is known of a page that looked and does not say what it has instead", async () => {
  frames = 2;
  let says: "nothing" | "silent" = "nothing";
  answer = async (_frame, { op, params, deadline }) => {
    if (op !== "probe" || says === "silent") return forever;
    if (!(params as { wait?: boolean }).wait) return value({ count: 0, visible: 0 });
    await new Promise((resolve) => setTimeout(resolve, deadline - Date.now()));
    return failed("element_not_found", "Nothing fits.");
  };
  const agents = new AgentFrames(new RefBlocks(), documents, async () => undefined);
  const lost = async (): Promise<unknown> => {
    const deadline = Date.now() + 30_000;
    const call = agents.call(1, "click", { selector: "#save" }, deadline).catch((error: unknown) => error);
    await vi.advanceTimersByTimeAsync(26_000);
    expect(agents.missing).toBeUndefined(); // it may come yet
    await vi.advanceTimersByTimeAsync(2000); // of 30 s three are left for the last look
    const { missing } = agents;
    await vi.advanceTimersByTimeAsync(10_000);
    expect(await call).toMatchObject({ code: "timeout" });
    return missing;
  };
  expect(await lost()).toMatchObject({
    code: "element_not_found",
    message: "Nothing fits #save. The page is busy: it did not say in time what it has instead.",
  });
  says = "silent";
  expect(await lost()).toBeUndefined();
});

test("a document that Chrome does not let answer any more, since its frame shows another site, was left", async () => {
  frames = 1;
  answer = () =>
    Promise.reject(new Error("Cannot access contents of the page. Extension manifest must request permission"));
  const agents = new AgentFrames(new RefBlocks(), documents, async () => undefined);
  const call = agents.call(1, "click", { selector: "#save", frame: "main" }, Date.now() + 5000);
  const failure = expect(call).rejects.toMatchObject({ code: "page_left" });
  await vi.advanceTimersByTimeAsync(100);
  await failure;
});
