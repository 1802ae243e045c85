import { createContext, runInContext } from "node:vm";
import { expect, test } from "vitest";
import type { FrameInfo, Send } from "./context.ts";
import { evaluate } from "./execute_js.ts";

const frame = { name: "", path: [], url: "http://localhost:3000/a", documentId: "d" } as unknown as FrameInfo;

/** What the debugger runs in a page of an origin, and what came of it. */
async function runs(origin: string, script: string) {
  const page = createContext({ location: { origin }, ran: [] as string[] });
  const send: Send = async (_method, params) => {
    const { expression } = params as { expression: string };
    try {
      return { result: { value: await (runInContext(expression, page) as unknown) } };
    } catch (error) {
      return { exceptionDetails: { text: "Uncaught", exception: { value: error, description: String(error) } } };
    }
  };
  const outcome = await evaluate(send, Date.now() + 1000, frame, script, false);
  return { outcome, ran: page["ran"] as string[] };
}

const SCRIPTS = [
  "ran.push('here')",
  "ran.push('here'); return 1",
  // Those that close the expression, the function or the call that they are put into.
  "0), 0, {}) : 0; ran.push('here'); true ? (async () => (0",
  "0), 0, {}); ran.push('here'); (async () => (0",
  "}, 0, {}) : 0; ran.push('here'); true ? (async () => {",
  "}, 0, {}); ran.push('here'); (async () => {",
  "0), 0, {}); var location = { origin: 'http://localhost:3000' }; ran.push('here'); (async () => (0",
  "}, 0, {}); function location() {} ran.push('here'); (async () => {",
];

test.each(SCRIPTS)("no script runs in a page of another origin, whatever it closes: %s", async (script) => {
  const { outcome, ran } = await runs("https://bank.test", script);
  expect(ran).toEqual([]);
  expect(outcome.ok).toBe(false);
});

test("a script whose page was left says so", async () => {
  const { outcome } = await runs("https://bank.test", "1");
  expect(outcome).toMatchObject({ ok: false, code: "page_left" });
});

test("a script runs where its page still is", async () => {
  const { outcome, ran } = await runs("http://localhost:3000", "ran.push('here'); return 1 + 1");
  expect(ran).toEqual(["here"]);
  expect(outcome).toMatchObject({ ok: true, value: 2 });
});
