import { expect, test } from "vitest";
import { badgeOf } from "./badge.ts";
import { mergeDaemonSettings } from "./daemon/daemon-settings.ts";
import { browserName } from "./daemon/identity.ts";
import { fromRequest } from "./network/exchange.ts";
import { redactWith } from "./network/redaction.ts";
import { TokenBucket } from "./screenshots/bucket.ts";

test("the badge warns of scripts before it tells of the pilot", () => {
  expect(badgeOf({ phase: "connected" }, true, true).text).toBe("JS");
  expect(badgeOf({ phase: "connected" }, true, false).text).toBe("on");
  expect(badgeOf({ phase: "connected" }, false, false).text).toBe("");
  expect(badgeOf({ phase: "pairing" }, true, true).text).toBe("pair");
});

test("a browser is named by its brand and system", () => {
  expect(browserName("Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/156.0.0.0 Safari/537.36")).toBe(
    "Chrome 156 on Linux",
  );
  expect(
    browserName("Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/537.36 Chrome/150.0.0.0 Safari/537.36 Edg/150.0.0.0"),
  ).toBe("Edge 150 on macOS");
  expect(browserName("curl")).toBe("Chrome on this machine");
});

test("what the daemon asks is taken only where it makes sense", () => {
  const old = { salt: "s", body_limit: 100, tracked: [1] };
  expect(mergeDaemonSettings(old, undefined)).toEqual(old);
  expect(mergeDaemonSettings(old, { salt: "", body_limit: -1, tracked: ["x"] as never })).toEqual({ ...old, tracked: [] });
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
