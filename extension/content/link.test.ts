// @vitest-environment happy-dom
import { afterEach, expect, test, vi } from "vitest";
import { WorkerLink } from "./link.ts";

afterEach(() => vi.unstubAllGlobals());

test("a page that was written over still gets a new line when it comes back from the cache, and one only", () => {
  const listener = { addListener: () => {} };
  const connect = vi.fn(() => ({
    onMessage: listener,
    onDisconnect: listener,
    postMessage: () => {},
    disconnect: () => {},
  }));
  vi.stubGlobal("chrome", { runtime: { id: "x", connect } });
  const heard: [string, EventListener][] = [];
  const add = vi
    .spyOn(window, "addEventListener")
    .mockImplementation((type, listen) => void heard.push([type, listen as EventListener]));
  const nothing = (): void => {};
  const link = new WorkerLink("document_start", false, {
    config: nothing,
    flush: nothing,
    begin: nothing,
    end: nothing,
    room: nothing,
    orphaned: nothing,
    stop: nothing,
  });
  link.open();
  expect(connect).toHaveBeenCalledTimes(1);
  heard.length = 0; // document.open() takes the listeners away
  link.listen();
  link.listen();
  add.mockRestore();
  for (const [type, listen] of heard) addEventListener(type, listen, true);
  dispatchEvent(Object.assign(new Event("pageshow"), { persisted: true }));
  expect(connect).toHaveBeenCalledTimes(2);
});
