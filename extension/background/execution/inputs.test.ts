import { expect, test, vi } from "vitest";
import type { Debug, Send } from "../../commands/context.ts";
import { CommandProblem } from "../../commands/problem.ts";
import type { AskInput } from "../../messages/agent.ts";
import { Inputs } from "./inputs.ts";

type Hears = (message: AskInput, sender: object, reply: (answer: unknown) => void) => void;

test("each part of real input is asked for, and what is held is let go of in any case", async () => {
  let hears: Hears = () => {};
  const onMessage = { addListener: (given: Hears) => (hears = given) };
  vi.stubGlobal("chrome", { runtime: { id: "ours", onMessage } });
  const sent: unknown[] = [];
  const send: Send = async (_method, params) => sent.push((params as { type: string }).type);
  const debug = { run: (_tab, _deadline, work) => work(send), on: () => () => undefined } as Partial<Debug> as Debug;
  let left = 0; // parts that may be made yet
  const may = async (): Promise<void> => {
    if (left-- <= 0) throw new CommandProblem("pilot_elsewhere", "Another page.");
  };
  const inputs = new Inputs(
    debug,
    async (_tab, _document, point) => point,
    async () => ({ x: 0, y: 0 }),
    async () => true,
    may,
    () => () => undefined,
  );
  inputs.listen();
  const press = async (parts: number): Promise<unknown[]> => {
    left = parts;
    sent.length = 0;
    inputs.open("act", 1, Date.now() + 10_000);
    const gesture = { type: "press", button: "left", count: 2 } as const;
    const ask: AskInput = { type: "gasoline-input", action: "act", step: "send", gesture, x: 1, y: 1 };
    const answer = await new Promise((reply) => hears(ask, { id: "ours", tab: { id: 1 }, documentId: "d" }, reply));
    inputs.close("act");
    return [(answer as { code?: string } | null)?.code, ...sent];
  };
  const moves = "mouseMoved";
  const click = ["mousePressed", "mouseReleased"];
  expect(await press(9)).toEqual([undefined, moves, ...click, ...click]);
  expect(await press(0)).toEqual(["pilot_elsewhere"]);
  expect(await press(2)).toEqual(["pilot_elsewhere", moves, ...click]);
});
