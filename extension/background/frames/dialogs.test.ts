import { beforeEach, afterEach, expect, test, vi } from "vitest";
import type { Stamp } from "../daemon/outbox.ts";
import { Dialogs } from "./dialogs.ts";

const stamp = { tab: 7, frame: 0, document: "d1", page_url: "", since: "document_start" } as Stamp;
const batch = (...states: string[]): string =>
  JSON.stringify({
    records: states.map((state) => ({ kind: "lifecycle", event: { state, trigger: "confirm", title: "Sure?" } })),
  });

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

test("a dialog is open until its document says anything more", async () => {
  const dialogs = new Dialogs();
  const { opened } = dialogs.next(7);
  dialogs.look(stamp, batch("visible", "dialog_opened"));
  await vi.runAllTimersAsync();
  expect(await opened).toMatchObject({ type: "confirm", message: "Sure?" });
  expect(dialogs.of(7)).toMatchObject({ type: "confirm" });
  expect(dialogs.of(8)).toBeUndefined();
  dialogs.look({ ...stamp, document: "of another frame" }, batch("visible"));
  expect(dialogs.of(7)).toBeDefined();
  dialogs.look(stamp, batch("hidden"));
  expect(dialogs.of(7)).toBeUndefined();
});

test("a dialog that Chrome does not show holds nothing", async () => {
  const dialogs = new Dialogs();
  let woken = false;
  void dialogs.next(7).opened.then(() => (woken = true));
  dialogs.look(stamp, batch("dialog_opened"));
  dialogs.look(stamp, batch("dialog_closed"));
  dialogs.look(stamp, batch("dialog_opened", "dialog_closed"));
  await vi.runAllTimersAsync();
  expect(dialogs.of(7)).toBeUndefined();
  expect(woken).toBe(false);
});

test("a document that is gone takes its dialog along", async () => {
  const dialogs = new Dialogs();
  dialogs.look(stamp, batch("dialog_opened"));
  await vi.runAllTimersAsync();
  dialogs.left(7, "d1");
  expect(dialogs.of(7)).toBeUndefined();
});
