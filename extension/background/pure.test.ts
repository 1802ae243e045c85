import { expect, test } from "vitest";
import type { Connection } from "../state/connection.ts";
import { type Allowed, badgeOf } from "./badge.ts";
import { mergeDaemonSettings } from "./daemon/daemon-settings.ts";
import { browserName } from "./daemon/identity.ts";
import { fromRequest } from "./network/exchange.ts";
import { redactWith } from "./network/redaction.ts";
import { TokenBucket } from "./screenshots/bucket.ts";

test("every state has a badge of its own, in text and title, not by colour alone", () => {
  const at = (phase: Connection["phase"]) => ({ phase, port: 7999 });
  const none: Allowed = { pilot: 0, scripts: false, problem: false };
  const badges = [
    badgeOf(at("searching"), { ...none, pilot: "all", scripts: true, problem: true }),
    badgeOf(at("pairing"), { ...none, pilot: "all", scripts: true, problem: true }),
    badgeOf(at("refused"), none),
    badgeOf(at("connected"), none),
    badgeOf(at("connected"), { ...none, pilot: "all" }),
    badgeOf(at("connected"), { ...none, pilot: 1 }),
    badgeOf(at("connected"), { ...none, pilot: 2 }),
    badgeOf(at("connected"), { ...none, pilot: "all", scripts: true }),
  ];
  expect(badges.map(({ text }) => text)).toEqual(["off", "pair", "!", "✓", "AI", "AI", "AI", "JS"]);
  expect(new Set(badges.map(({ title }) => title)).size).toBe(badges.length);
  expect(badges[0]?.title).toContain("gasoline serve --port 7999");
  // What is wrong comes first, what the user allowed stays in the title.
  const wrong = badgeOf(at("connected"), { pilot: "all", scripts: true, problem: true });
  expect(wrong.text).toBe("!");
  expect(wrong.title).toContain("scripts");
});

test("a browser is named by its brand and system", () => {
  expect(
    browserName(
      "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/156.0.0.0 Safari/537.36",
    ),
  ).toBe("Chrome 156 on Linux");
  expect(
    browserName(
      "Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/537.36 Chrome/150.0.0.0 Safari/537.36 Edg/150.0.0.0",
    ),
  ).toBe("Edge 150 on macOS");
  expect(browserName("curl")).toBe("Chrome on this machine");
});

test("what the daemon asks is taken only where it makes sense", () => {
  const old = { salt: "s", body_limit: 100 };
  expect(mergeDaemonSettings(old, undefined)).toEqual(old);
  expect(mergeDaemonSettings(old, { salt: "", body_limit: -1 })).toEqual(old);
  expect(mergeDaemonSettings(old, { body_limit: 1e12 }).body_limit).toBe(1_048_576);
});

test("captures pass two a second, in order", async () => {
  let now = 0;
  const bucket = new TokenBucket(
    2,
    () => now,
    async (ms) => void (now += ms),
  );
  for (let i = 0; i < 5; i++) await bucket.take();
  expect(now).toBeGreaterThanOrEqual(2000);
});

test("secrets in headers and URLs do not leave the worker", () => {
  const exchange = fromRequest(
    {
      id: "1",
      tab: 1,
      frame: 0,
      document: "",
      type: "main_frame",
      asked: "GET",
      method: "GET",
      url: "https://u:pass1@a.test/?access_token=tok123#x",
      started: 0,
      ended: 5,
      status: 200,
      statusLine: "HTTP/1.1 200 OK",
      redirects: ["https://a.test/?sid=abc999"],
      fromCache: false,
      byWorker: false,
      preflight: false,
      requestHeaders: [
        { name: "Cookie", value: "a=cookie1" },
        { name: "Authorization", value: "Basic basic1" },
      ],
      responseHeaders: [
        { name: "Set-Cookie", value: "b=cookie2" },
        { name: "Content-Length", value: "12" },
      ],
    },
    redactWith(() => "salt"),
  );
  expect(JSON.stringify(exchange)).not.toMatch(/pass1|tok123|abc999|cookie1|cookie2|basic1/);
  expect(exchange).toMatchObject({ has_auth: true, response_size: 12, status_text: "OK", outcome: "ok" });
});
