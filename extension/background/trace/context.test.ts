import { expect, test } from "vitest";
import { carriedBy, carries, hostOf, isTraced, newContext, rulesFor } from "./context.ts";

test("a context is new each time and of the right form", () => {
  const contexts = Array.from({ length: 50 }, newContext);
  expect(new Set(contexts.map(({ trace }) => trace)).size).toBe(50);
  for (const { trace, span } of contexts) {
    expect(trace).toMatch(/^[0-9a-f]{32}$/);
    expect(span).toMatch(/^[0-9a-f]{16}$/);
  }
});

test("pages of this machine are traced, others where the user listed them", () => {
  for (const url of ["http://localhost:3000/", "https://127.0.0.1/", "http://shop.localhost/x"])
    expect(isTraced(url, [])).toBe(true);
  for (const url of ["https://app.example/", "http://localhost.example/", "file:///x", ""])
    expect(isTraced(url, [])).toBe(false);
  expect(isTraced("https://app.example:8443/x", ["app.example"])).toBe(true);
  expect(isTraced("https://other.example/", ["app.example"])).toBe(false);
});

test("requests to the page's own site, to this machine and to listed sites carry the context", () => {
  const page = "https://shop.app.example/cart";
  expect(carries("https://api.app.example/x", page, [])).toBe(true);
  expect(carries("wss://shop.app.example/live", page, [])).toBe(true);
  expect(carries("http://localhost:4000/", page, [])).toBe(true);
  expect(carries("https://cdn.other.example/", page, ["cdn.other.example"])).toBe(true);
  expect(carries("https://elsewhere.test/", page, [])).toBe(false);
  expect(carries("http://10.0.0.2/", "http://10.0.0.1/", [])).toBe(false);
  expect(carries("data:text/plain,x", page, [])).toBe(false);
});

test("rules are read back as what they set", () => {
  const context = newContext();
  const rules = rulesFor(7, context, ["app.example"], 11);
  expect(rules.map(({ id }) => id)).toEqual([11, 12]);
  expect(carriedBy(rules)).toEqual(new Map([[7, context]]));
  expect(rules[0]?.condition.requestDomains).toEqual(["localhost", "127.0.0.1", "app.example"]);
  expect(rules[1]?.condition.domainType).toBe("firstParty");
  expect(rules[0]?.action.requestHeaders?.[0]?.value).toBe(`00-${context.trace}-${context.span}-01`);
});

test("a host is a web address's, without its port", () => {
  expect(["http://a.b:1/", "ws://c/", "about:blank", "nonsense", "ftp://d/"].map(hostOf)).toEqual([
    "a.b",
    "c",
    "",
    "",
    "",
  ]);
});
