import { beforeEach, describe, expect, test } from "vitest";
import type { Acted } from "../../messages/agent.ts";
import { clearStorage } from "../../dom-agent/act/clear_storage.ts";
import { deleteCookie } from "../../dom-agent/act/delete_cookie.ts";
import { deleteStorage } from "../../dom-agent/act/delete_storage.ts";
import { setCookie } from "../../dom-agent/act/set_cookie.ts";
import { setStorage } from "../../dom-agent/act/set_storage.ts";
import { cookiesNamed } from "../../dom-agent/cookies.ts";
import type { Environment } from "../../dom-agent/environment.ts";
import { storageOf } from "../../dom-agent/storage.ts";
import { Writes } from "../../dom-agent/writes.ts";
import { problem, within } from "./world.ts";

const forget = (name: string): void => void (document.cookie = `${name}=; max-age=0; path=/`);

beforeEach(() => {
  localStorage.clear();
  sessionStorage.clear();
  for (const part of document.cookie.split("; ")) forget(part.split("=")[0] ?? "");
});

/** An environment that counts what was done as the agent's. */
function counted(): { environment: Environment; count: () => number } {
  const environment = within();
  let count = 0;
  const { act } = environment;
  const perform = act.perform.bind(act);
  act.perform = <T>(work: () => T): T => {
    count++;
    return perform(work);
  };
  return { environment, count: () => count };
}

const told = (value?: string): Acted => ({
  result: { match_count: 0, match_strategy: "", ...(value === undefined ? {} : { value }) },
});

describe("entries of a storage", () => {
  test.each(["localStorage", "sessionStorage"] as const)("of %s are written, removed and cleared", (storage_type) => {
    const storage = window[storage_type];
    const other = storage_type === "localStorage" ? sessionStorage : localStorage;
    const { environment, count } = counted();
    expect(setStorage({ storage_type, key: "a", value: "1" }, environment)).toEqual(told());
    expect(setStorage({ storage_type, key: "b" }, environment)).toEqual(told());
    expect([storage.getItem("a"), storage.getItem("b"), other.length]).toEqual(["1", "", 0]);
    expect(deleteStorage({ storage_type, key: "a" }, environment)).toEqual(told("1"));
    expect(deleteStorage({ storage_type, key: "a" }, environment)).toEqual(told("0"));
    expect(storage.length).toBe(1);
    storage.setItem("c", "d");
    other.setItem("kept", "x");
    expect(clearStorage({ storage_type }, environment)).toEqual(told("2"));
    expect([storage.length, other.length]).toEqual([0, 1]);
    expect(count()).toBe(5);
  });
  test("are those of localStorage where none is named", () => {
    expect(storageOf({})).toBe(localStorage);
    expect(storageOf({ storage_type: "sessionStorage" })).toBe(sessionStorage);
  });
  test("that do not fit are told by their size", async () => {
    const value = "a".repeat(6_000_000);
    expect(await problem(() => setStorage({ key: "a", value }, within()))).toEqual({
      code: "quota_exceeded",
      message: "There is no room for 6000000 characters more.",
    });
  });
  test("are nobody's where the document may have none", async () => {
    const own = Object.getOwnPropertyDescriptor(window, "localStorage")!;
    Object.defineProperty(window, "localStorage", {
      configurable: true,
      get: () => {
        throw new DOMException("no", "SecurityError");
      },
    });
    try {
      expect(await problem(() => storageOf({}))).toEqual({
        code: "not_available",
        message: "This document may not use localStorage.",
      });
    } finally {
      Object.defineProperty(window, "localStorage", own);
    }
  });
});

describe("cookies", () => {
  test("are found by their whole name, all of a name", () => {
    document.cookie = "ab=1; path=/";
    document.cookie = "a=2; path=/";
    document.cookie = "a=b=c; path=/";
    expect(cookiesNamed("a")).toEqual(["b=c"]);
    expect(cookiesNamed("ab")).toEqual(["1"]);
    expect(cookiesNamed("b")).toEqual([]);
    document.cookie = "bare";
    expect(cookiesNamed("bare")).toEqual([""]);
    document.cookie = "bare; max-age=0";
  });
  test("are set for the whole site, and removed", () => {
    const { environment, count } = counted();
    expect(setCookie({ name: "a", value: " 1 " }, environment)).toEqual(told());
    expect(cookiesNamed("a")).toEqual(["1"]);
    expect(setCookie({ name: "empty" }, environment)).toEqual(told());
    expect(cookiesNamed("empty")).toEqual([""]);
    expect(deleteCookie({ name: "a" }, environment)).toEqual(told("1"));
    expect(deleteCookie({ name: "a" }, environment)).toEqual(told("0"));
    expect(cookiesNamed("a")).toEqual([]);
    expect(count()).toBe(4);
  });
  test("of another path cannot be read back, of this one have to be", () => {
    expect(setCookie({ name: "p", value: "1", path: "/elsewhere" }, within())).toEqual(told());
    expect(cookiesNamed("p")).toEqual([]);
    expect(deleteCookie({ name: "p", path: "/elsewhere" }, within())).toEqual(told("0"));
    expect(setCookie({ name: "p", value: "1", path: location.pathname }, within())).toEqual(told());
    expect(deleteCookie({ name: "p", path: location.pathname }, within())).toEqual(told("1"));
  });
  test("that the browser does not take are told", async () => {
    expect(await problem(() => setCookie({ name: "a", value: "1", domain: "example.org" }, within()))).toEqual({
      code: "status_mismatch",
      message: `The browser did not take the cookie: an HttpOnly one has this name, or the domain is not ${location.hostname}'s.`,
    });
  });
  test("that stay are told", async () => {
    document.cookie = "a=1; path=/";
    expect(await problem(() => deleteCookie({ name: "a", path: "/elsewhere" }, within()))).toEqual({
      code: "status_mismatch",
      message: "The cookie is still there: it was set with another path or domain. Give those.",
    });
  });
  test.each([
    [{ name: "a;b" }, '"a;b" cannot be part of a cookie.'],
    [{ name: "a", value: "1;2" }, '"1;2" cannot be part of a cookie.'],
    [{ name: "a", domain: "x\n" }, '"x\n" cannot be part of a cookie.'],
    [{ name: "a", path: "/;" }, '"/;" cannot be part of a cookie.'],
    [{ name: "a", value: `${"a".repeat(120)};` }, `"${"a".repeat(100)}" cannot be part of a cookie.`],
    [{ name: "a=b" }, "A cookie's name has no = in it."],
  ])("%j are refused", async (params, message) => {
    expect(await problem(() => setCookie(params, within()))).toEqual({ code: "invalid_param", message });
    expect(document.cookie).toBe("");
  });
  test("are nobody's where the document may have none", async () => {
    Object.defineProperty(document, "cookie", {
      configurable: true,
      get: () => "",
      set: () => {
        throw new DOMException("no", "SecurityError");
      },
    });
    try {
      expect(await problem(() => setCookie({ name: "a", value: "1" }, within()))).toEqual({
        code: "not_available",
        message: "This document may not use cookies.",
      });
    } finally {
      delete (document as { cookie?: string }).cookie;
    }
  });
});

describe("what is stored meanwhile", () => {
  test("is told by name, never by value", () => {
    localStorage.setItem("kept", "1");
    localStorage.setItem("other", "1");
    sessionStorage.setItem("goes", "1");
    document.cookie = "c=1; path=/";
    const writes = new Writes();
    expect(writes.inWords()).toEqual([]);
    localStorage.setItem("other", "secret");
    localStorage.setItem("new", "secret");
    localStorage.setItem("", "secret");
    sessionStorage.removeItem("goes");
    document.cookie = "c=secret; path=/";
    const words = writes.inWords();
    expect(words.toSorted()).toEqual(
      [
        "localStorage: other changed",
        "localStorage: new added",
        'localStorage: "" added',
        "sessionStorage: goes removed",
        "cookie: c changed",
      ].toSorted(),
    );
  });
  test("is at most six lines of names of 60 signs", () => {
    const writes = new Writes();
    for (let i = 0; i < 7; i++) localStorage.setItem(`${i}${"a".repeat(60)}`, "1");
    const words = writes.inWords();
    expect(words).toHaveLength(6);
    for (const line of words) expect(line).toMatch(/^localStorage: \da{58}… added$/);
  });
  test("is told by number where there are more than 500 entries", () => {
    for (let i = 0; i < 500; i++) localStorage.setItem(`k${i}`, "1");
    const at500 = new Writes();
    localStorage.setItem("k0", "2");
    expect(at500.inWords()).toEqual(["localStorage: k0 changed"]);
    localStorage.setItem("more", "1");
    expect(at500.inWords()).toEqual(["localStorage: 1 entries more"]);
    const at501 = new Writes();
    localStorage.setItem("k0", "3");
    expect(at501.inWords()).toEqual([]);
    localStorage.removeItem("k0");
    localStorage.removeItem("k1");
    expect(at501.inWords()).toEqual(["localStorage: 2 entries fewer"]);
  });
  test("is told by number where the entries have more than 200,000 signs", () => {
    localStorage.setItem("k", "a".repeat(199_999));
    const just = new Writes();
    localStorage.setItem("k", "b".repeat(199_999));
    expect(just.inWords()).toEqual(["localStorage: k changed"]);
    localStorage.setItem("k", "b".repeat(200_000));
    const over = new Writes();
    localStorage.setItem("k", "c".repeat(200_000));
    expect(over.inWords()).toEqual([]);
    localStorage.setItem("l", "c");
    expect(over.inWords()).toEqual(["localStorage: 1 entries more"]);
  });
  test("is told of a cookie without a name", () => {
    const writes = new Writes();
    document.cookie = "flag;path=/";
    expect(writes.inWords()).toEqual(['cookie: "" added']);
    document.cookie = "flag;path=/;max-age=0";
    expect(writes.inWords()).toEqual([]);
  });
  test("is nothing where the document may not look", () => {
    const own = Object.getOwnPropertyDescriptor(window, "sessionStorage")!;
    Object.defineProperty(window, "sessionStorage", {
      configurable: true,
      get: () => {
        throw new DOMException("no", "SecurityError");
      },
    });
    try {
      const writes = new Writes();
      localStorage.setItem("a", "1");
      expect(writes.inWords()).toEqual(["localStorage: a added"]);
    } finally {
      Object.defineProperty(window, "sessionStorage", own);
    }
  });
});
