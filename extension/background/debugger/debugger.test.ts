import { expect, test } from "vitest";
import type { Send } from "../../commands/context.ts";
import { Debuggers } from "./debugger.ts";

test("a film and what else has a tab draw share its screencast, which ends with the last of them", async () => {
  const sent: string[] = [];
  const send: Send = async (method, params) =>
    sent.push(`${method.slice(5)} ${params ? JSON.stringify(params["format"]) : ""}`.trim());
  const debuggers = new Debuggers();
  const film = await debuggers.draw(1, send, { format: "png" });
  const picture = await debuggers.draw(1, send);
  const other = await debuggers.draw(2, send);
  await picture();
  await film();
  await other();
  expect(sent.splice(0)).toEqual([
    `startScreencast "png"`,
    `startScreencast "jpeg"`,
    "stopScreencast",
    "stopScreencast",
  ]);
  const drag = await debuggers.draw(1, send);
  const begun = await debuggers.draw(1, send, { format: "png" });
  await begun();
  expect(sent.splice(0)).toEqual([`startScreencast "jpeg"`, `startScreencast "png"`]);
  await drag();
  expect(sent.splice(0)).toEqual(["stopScreencast"]);
  // One that could not begin is none.
  const fails: Send = async (method) => (method === "Page.startScreencast" ? Promise.reject(new Error("no")) : null);
  await expect(debuggers.draw(1, fails)).rejects.toThrow("no");
  await (
    await debuggers.draw(1, send)
  )();
  expect(sent).toEqual([`startScreencast "jpeg"`, "stopScreencast"]);
});
