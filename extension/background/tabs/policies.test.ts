import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { PagePolicies } from "./policies.ts";

let stored: Record<string, unknown>;
beforeEach(() => {
  stored = {};
  const session = {
    get: (key: string) => Promise.resolve({ [key]: structuredClone(stored[key]) }),
    set: (values: Record<string, unknown>) => Promise.resolve(Object.assign(stored, structuredClone(values))),
  };
  vi.stubGlobal("chrome", { storage: { session } });
});
afterEach(() => void vi.unstubAllGlobals());

test("the next life of the worker knows what this one saw, and what it saw itself stands", async () => {
  const first = new PagePolicies();
  first.setHeaders(1, ["script-src 'self'"]);
  first.setHeaders(2, []);
  await first.setMetas(2, ["default-src 'self'"]);
  first.setHeaders(3, ["sandbox"]);
  await vi.waitFor(() => expect(stored["policies"]).toHaveLength(3));

  const second = new PagePolicies();
  second.setHeaders(1, []); // a new page, before anything is loaded
  await second.load();
  expect([1, 2, 3, 4].map((tab) => second.of(tab))).toEqual(["none", "script_exec", "page_blocked", undefined]);
  await second.forget(3);

  const third = new PagePolicies();
  await third.load();
  expect([1, 2, 3].map((tab) => third.of(tab))).toEqual(["none", "script_exec", undefined]);
});

test("a new page has none of the policies of the last one's meta elements", async () => {
  const policies = new PagePolicies();
  policies.setHeaders(1, []);
  await policies.setMetas(1, ["script-src 'self'"]);
  policies.setHeaders(1, []);
  expect(policies.of(1)).toBe("none");
  await policies.forget(1);
});

test("of a document whose answer was not seen, what its meta elements forbid is known and nothing else", async () => {
  const policies = new PagePolicies();
  await policies.shows(1, "a");
  expect(policies.of(1)).toBeUndefined();
  await policies.setMetas(1, ["script-src 'self'"]);
  await policies.shows(1, "a"); // the worker came back
  expect(policies.of(1)).toBe("script_exec");
  await policies.shows(1, "b");
  expect(policies.of(1)).toBeUndefined();
});
