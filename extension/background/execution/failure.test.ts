import { expect, test } from "vitest";
import { notLoaded } from "./failure.ts";

test("what went wrong is said in plain words, with Chrome's name for it", () => {
  const message = (error?: string) => notLoaded("http://a/", "http://a/", error).message;
  expect(message("net::ERR_NAME_NOT_RESOLVED")).toBe(
    "http://a/ could not be loaded: there is no host of that name (net::ERR_NAME_NOT_RESOLVED).",
  );
  expect(message("net::ERR_CONNECTION_TIMED_OUT")).toContain("did not answer");
  expect(message("net::ERR_CERT_AUTHORITY_INVALID")).toContain("certificate");
  expect(message("net::ERR_SSL_PROTOCOL_ERROR")).toContain("no https");
  expect(message("net::ERR_SOMETHING_NEW")).toContain("error page (net::ERR_SOMETHING_NEW)");
  expect(message()).toBe("http://a/ could not be loaded: no page came.");
});

test("an address that only the history knew, or that led elsewhere, is named as far as it is known", () => {
  expect(notLoaded("", "http://b/", "net::ERR_FAILED").message).toMatch(/^http:\/\/b\/ could/);
  expect(notLoaded("http://a/", "http://b/", "net::ERR_FAILED").message).toMatch(
    /^http:\/\/b\/ \(where http:\/\/a\/ leads\) could/,
  );
});
