import { expect, test } from "vitest";
import { noPage, notLoaded } from "./failure.ts";

test("what went wrong is said in plain words, with Chrome's name for it", () => {
  const message = (error?: string) => notLoaded("http://a/", { url: "http://a/", ...(error ? { error } : {}) }).message;
  expect(message("net::ERR_NAME_NOT_RESOLVED")).toBe(
    "http://a/ could not be loaded: there is no host of that name (net::ERR_NAME_NOT_RESOLVED).",
  );
  expect(message("net::ERR_CONNECTION_TIMED_OUT")).toContain("did not answer");
  expect(message("net::ERR_CERT_AUTHORITY_INVALID")).toContain("certificate");
  expect(message("net::ERR_SSL_PROTOCOL_ERROR")).toContain("no https");
  expect(message("net::ERR_SOMETHING_NEW")).toContain("error page (net::ERR_SOMETHING_NEW)");
  expect(message()).toBe("http://a/ could not be loaded: no page came.");
});

test("the status of an answer without a page is told", () => {
  const message = (status: number) => notLoaded("http://a/", { url: "http://a/", status }).message;
  expect(message(404)).toBe("http://a/ could not be loaded: its server answered 404, without a page.");
  expect(message(401)).toContain("answered 401 and wants a name and a password");
});

test("an address that only the history knew, or that led elsewhere, is named as far as it is known", () => {
  expect(notLoaded("", { url: "http://b/", error: "net::ERR_FAILED" }).message).toMatch(/^http:\/\/b\/ could/);
  expect(notLoaded("http://a/", { url: "http://b/", error: "net::ERR_FAILED" }).message).toMatch(
    /^http:\/\/b\/ \(where http:\/\/a\/ leads\) could/,
  );
});

test.each([
  ["net::ERR_CONNECTION_REFUSED", "nothing listens there"],
  ["net::ERR_NAME_RESOLUTION_FAILED", "there is no host of that name"],
  ["net::ERR_TIMED_OUT", "its server did not answer"],
  ["net::ERR_ADDRESS_UNREACHABLE", "it cannot be reached over the network"],
  ["net::ERR_EMPTY_RESPONSE", "its server closed the connection without an answer"],
  ["net::ERR_CONNECTION_RESET", "its server closed the connection without an answer"],
  ["net::ERR_CERT_DATE_INVALID", "its certificate is not trusted, which only the user can accept"],
  ["net::ERR_QUIC_PROTOCOL_ERROR", "its server speaks no https there"],
  ["net::ERR_INVALID_HTTP_RESPONSE", "its server speaks no HTTP there"],
  ["net::ERR_TOO_MANY_REDIRECTS", "it redirects in a circle"],
  ["net::ERR_UNSAFE_PORT", "browsers open no pages on that port"],
  ["net::ERR_BLOCKED_BY_CLIENT", "the browser or an extension blocks it"],
])("%s is said in words", (error, words) => {
  const problem = notLoaded("http://a/", { url: "http://a/", error });
  expect([problem.code, problem.message]).toEqual([
    "navigation_failed",
    `http://a/ could not be loaded: ${words} (${error}).`,
  ]);
});

test("an answer that is no page is told, and addresses are cut", () => {
  expect(noPage("http://a/").toWire()).toEqual({
    code: "navigation_failed",
    message: "http://a/ gave no page: its answer is empty or a download. The tab stays where it was.",
  });
  const long = `http://a/${"x".repeat(192)}`;
  expect(noPage(long).message).toContain(`${long.slice(0, 200)}… gave`);
  expect(noPage(long.slice(0, 200)).message).not.toContain("…");
});
