import { expect, test } from "vitest";
import { MAX_SITES, choose, isOn, mayActOn, parseSites } from "./pilot.ts";

const shop = "https://shop.test";

test("agents act on the chosen origins, with their ports, and on no other", () => {
  const some = choose([shop, "http://localhost:3000", shop]);
  expect(some).toEqual({ pilot: false, pilotSites: [shop, "http://localhost:3000"] });
  expect(isOn(some)).toBe(true);
  for (const [url, may] of [
    ["https://shop.test/cart?x#y", true],
    ["http://localhost:3000/", true],
    ["http://localhost:3001/", false],
    ["http://shop.test/", false],
    ["https://shop.test:8443/", false],
    ["https://shop.test.evil.test/", false],
    ["https://a.shop.test/", false],
    ["about:blank", false],
    ["", false],
    ["data:text/html,https://shop.test", false],
  ] as const)
    expect(mayActOn(some, url), url).toBe(may);
});

test("off is nowhere, all is everywhere", () => {
  expect([isOn(choose("off")), mayActOn(choose("off"), shop)]).toEqual([false, false]);
  expect([isOn(choose("all")), mayActOn(choose("all"), shop), mayActOn(choose("all"), "")]).toEqual([true, true, true]);
  expect(choose([])).toEqual(choose("off"));
});

test("what storage held is no choice where it is no origin, and has a bound", () => {
  expect(parseSites([shop, "", 1, null, "https://shop.test/", "about:blank", "file:///x", "shop.test"])).toEqual([
    shop,
  ]);
  expect(parseSites("https://shop.test")).toEqual([]);
  const many = Array.from({ length: MAX_SITES + 1 }, (_, n) => `http://localhost:${n + 1000}`);
  expect(parseSites(many)).toEqual(many.slice(1));
  expect(choose(many).pilotSites).toEqual(many.slice(1));
});
