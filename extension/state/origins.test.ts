import { expect, test } from "vitest";
import { isCapturable, isLoopback, matchesAny, originOf, sitePattern } from "./origins.ts";

test.each([
  ["http://localhost:3000/x", true],
  ["https://127.0.0.1/", true],
  ["http://app.localhost/", true],
  ["http://[::1]:80/", true],
  ["http://localhost.evil.test/", false],
  ["http://notlocalhost/", false],
  ["http://127.0.0.1.nip.io/", false],
  ["file:///etc/passwd", false],
  ["about:blank", false],
  ["", false],
])("%s is loopback: %s", (url, is) => expect(isLoopback(url)).toBe(is));

test("patterns match as Chrome's do", () => {
  expect(matchesAny(["http://*.localhost/*"], "http://a.b.localhost:1/")).toBe(true);
  expect(matchesAny(["https://app.test/*"], "https://app.test:8443/x")).toBe(true);
  expect(matchesAny(["https://app.test/*"], "http://app.test/")).toBe(false);
  expect(matchesAny(["*://*/*"], "https://any.test/")).toBe(true);
  expect(matchesAny(["<all_urls>"], "https://any.test/")).toBe(true);
  expect(matchesAny(["<all_urls>"], "chrome://settings")).toBe(false);
  expect(matchesAny(["https://*.app.test/*"], "https://evilapp.test/")).toBe(false);
});

test("sites and origins", () => {
  expect(sitePattern("https://app.test:8443/x?y")).toBe("https://app.test/*");
  expect(sitePattern("chrome://settings")).toBeUndefined();
  expect(originOf("https://app.test:8443/x")).toBe("https://app.test:8443");
  expect(originOf("about:blank")).toBe("");
  expect(isCapturable("chrome-extension://x/")).toBe(false);
});
