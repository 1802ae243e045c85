import type { Dialog } from "@playwright/test";
import type { CommandKind } from "@gasoline/schema/commands";
import { expect, test } from "./extension.ts";

test.use({ host: "node" });

const SECRET = "The secret is 42. Pay?";

test("dialogs of sites that an act is not for are neither told nor answered, be they where its page leads or in its frames", async ({
  daemon,
  site,
  browserWithExtension: { page, ...browser },
}) => {
  await browser.set({ pilot: true });
  // The user answers a dialog once the act is over.
  let over: Promise<unknown> = Promise.resolve();
  const user = (dialog: Dialog): void => void over.then(() => dialog.dismiss()).catch(() => undefined);
  page.on("dialog", user);
  const other = (url: string): string => url.replace("127.0.0.1", "localhost");
  const asks = (of: string, when: string): string =>
    `<!doctype html><title>B</title><iframe></iframe><script>${when}(() => (document.title = "told " + ${of}.prompt("${SECRET}", "no")))</script>`;
  const there = other(site.page("/there", asks("window", "((ask) => ask())")));
  const leads = site.page("/leads", `<!doctype html><title>A</title><script>location = "${there}"</script>`);
  const message = `((ask) => addEventListener("message", ask))`;
  const framed = other(site.page("/framed", asks("window", message)));
  await page.route("http://bank.test/**", (route) =>
    route.fulfill({
      contentType: "text/html",
      body: asks(route.request().url().endsWith("own") ? "window" : "frames[0]", message),
    }),
  );
  const refused = async (kind: CommandKind, params: object, frame: number, why: string, src: string): Promise<void> => {
    const go = src ? "frames[0].postMessage(1, '*')" : `location = '${there}'`;
    const more = src ? `<iframe src="${src}"></iframe>` : "";
    await page.goto(site.page("/here", `<!doctype html><title>A</title><button onclick="${go}">Go</button>${more}`));
    const tab = await browser.tab(page);
    const acting = daemon.command(kind, { ...params, dialog_text: "all" } as object, { tab });
    over = acting;
    const answer = await acting;
    expect(answer.error?.code, `${kind} ${src}`).toBe(why);
    expect(JSON.stringify(answer)).not.toContain("secret is");
    await expect.poll(() => page.frames()[frame]?.title(), `${kind} ${src}`).toBe("told null");
  };
  await refused("click", { selector: "button" }, 0, "other_origin", "");
  await refused("navigate", { url: leads }, 0, "other_origin", "");
  for (const src of [framed, "http://bank.test/own", "http://bank.test/within"])
    await refused("click", { selector: "button" }, 1, "other_origin", src);
  page.off("dialog", user);
});

test("dialogs of frames of the page's own site are answered", async ({
  daemon,
  site,
  browserWithExtension: { page, ...browser },
}) => {
  await browser.set({ pilot: true });
  page.on("dialog", () => {});
  site.page("/c", "<!doctype html><title>C</title>");
  await page.goto(
    site.page(
      "/here",
      `<!doctype html><title>A</title><button onclick="document.title = frames[0].prompt('Name?')">Go</button><iframe src="/c"></iframe>`,
    ),
  );
  const tab = await browser.tab(page);
  const { result } = await daemon.command("click", { selector: "button", dialog_text: "Ada" }, { tab });
  expect(result.dialog).toMatchObject({ type: "prompt", answer: "accept" });
  await expect(page).toHaveTitle("Ada");
});
