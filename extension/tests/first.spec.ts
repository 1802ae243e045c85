import { expect, test } from "./extension.ts";

test("an error and a log line of a page reach the daemon", async ({ daemon, site, browserWithExtension: { page } }) => {
  await page.goto(site.page("/", `<script>console.error("it broke", 7); setTimeout(() => { throw new TypeError("uncaught one") });</script>`));
  const log = await daemon.until("the log", () => daemon.events("logs").find((l) => l.message.includes("it broke")));
  expect(log.level).toBe("error");
  const exception = await daemon.until("the exception", () => daemon.events("exceptions").find((e) => e.message.includes("uncaught one")));
  expect(exception.type).toBe("TypeError");
  const group = daemon.groups.find((g) => g.logs?.includes(log));
  expect(group).toMatchObject({ frame: 0, page_url: page.url(), since: "document_start" });
});
