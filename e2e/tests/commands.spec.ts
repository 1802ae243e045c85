import type { Dialog } from "@playwright/test";
import { type Agent, brief, expect, front, type Page, pilotOn, type Site, test, until } from "./support/fixtures.ts";
import { FORM, INNER } from "./support/form.ts";

test.use({ pilot: true });

/** Opens the form and gives a way to act in it and to see what came of it. */
async function open(site: Site, tab: Page, agent: Agent) {
  site.page("/inner", INNER);
  site.page("/next", "<title>Next</title><h1>Next page</h1>");
  await tab.goto(site.page("/form", FORM));
  await front(agent, tab);
  return {
    status: tab.locator("#status"),
    act: (action: string, args: Record<string, unknown> = {}) => agent.ask("interact", { action, ...args }),
    refused: async (action: string, args: Record<string, unknown> = {}) => {
      const { text, isError } = await agent.call("interact", { action, timeout_ms: brief().timeoutMS, ...args });
      // On a busy machine the page's own words can come after the call's deadline; the answer says where.
      const late = /still_running correlation_id=(\S+)/.exec(text)?.[1];
      if (late) {
        const end = await agent.json<{ error_code: string; message: string; hint?: string; page?: string[] }>(
          "observe",
          {
            what: "command_result",
            correlation_id: late,
          },
        );
        return { code: end.error_code, text: [end.message, end.hint, ...(end.page ?? [])].join("\n") };
      }
      expect(isError, text).toBe(true);
      return { code: /^error=(\S+) retry=\S+\n/.exec(text)?.[1], text };
    },
  };
}

test("everything a form has can be operated, and the page hears of it", async ({ site, tab, agent }) => {
  const { act, status } = await open(site, tab, agent);
  await act("type", { selector: "label=E-mail", text: "ada@example.test" });
  await act("type", { selector: "label=Controlled", text: "kept" });
  await expect(status).toHaveText("state kept");
  await expect(tab.locator("#controlled")).toHaveValue("kept");
  await act("type", { selector: "label=Controlled", text: "new", clear: true });
  await expect(status).toHaveText("state new");
  await act("type", { selector: "#editor", text: "first\nsecond" });
  await expect(tab.locator("#editor")).toHaveText(/first\s*second/);
  await act("select", { selector: "label=Size", value: "Medium" });
  await expect(status).toHaveText("size m");
  await act("check", { selector: "label=Gift" });
  await expect(status).toHaveText("gift true");
  await act("check", { selector: "label=Gift", checked: false });
  await expect(status).toHaveText("gift false");
  await act("hover", { selector: "#hoverable" });
  await expect(status).toHaveText("hovered");
  await act("focus", { selector: "#keys" });
  await act("key_press", { text: "x" });
  await expect(status).toHaveText("key x");
  expect(await act("get_value", { selector: "[name=mail]" })).toContain("ada@example.test");
  await act("type", { selector: "[name=pw]", text: "hunter22" });
  expect(await act("get_value", { selector: "[name=pw]" })).not.toContain("hunter22");
  expect(await act("get_text", { selector: "#status" })).toContain("key x");
  await act("scroll_to", { direction: "bottom" });
  expect(await tab.evaluate(() => scrollY)).toBeGreaterThan(500);
  await act("highlight", { selector: "testid=order" });
  await act("highlight", { duration_ms: 0 });
  await act("click", { selector: "testid=order" });
  await expect(status).toHaveText("submitted ada@example.test");
});

test("hidden, far, moving and framed elements are reached", async ({ site, tab, agent }) => {
  const { act, status } = await open(site, tab, agent);
  await tab.reload(); // the animation begins again
  await act("click", { selector: "text=Moving" });
  await expect(status).toHaveText("moving hit");
  await act("click", { selector: "text=Inside closed" });
  await expect(status).toHaveText("inside");
  await act("click", { selector: 'role=button[name="Far away"]' });
  await expect(status).toHaveText("far");
  await act("click", { selector: "text=In frame", frame: "#inner-frame" });
  await expect(tab.frameLocator("#inner-frame").getByRole("button")).toHaveText("Pressed");
  await act("scroll_to", { direction: "top" });
  const box = (await tab.locator("#keys").boundingBox())!;
  await act("click", { x: box.x + 5, y: box.y + 5 });
  await expect(tab.locator("#keys")).toBeFocused();
});

test("an agent lists and clicks what is in iframes without naming them", async ({ site, tab, agent }) => {
  const { act, refused } = await open(site, tab, agent);
  const press = (name: string) => `<title>${name}</title><button onclick="this.textContent='Done'">${name}</button>`;
  site.page("/near", press("Near"));
  site.page("/far", press("Far"));
  site.page(
    "/frames",
    `<title>Around</title><button>Outside</button><iframe src="/near"></iframe><iframe src="${site.url("/far", "localhost")}"></iframe>
     <iframe src="https://pay.invalid/"></iframe>`,
  );
  await tab.goto(site.url("/frames"));
  await expect(tab.frameLocator("iframe >> nth=1").getByRole("button")).toHaveText("Far");
  const list = await act("list_interactive");
  expect(list).toMatch(/Outside.*in frame 0 .*"Near":\ne\d+ button "Near".*\nin frame 1 .*"Far":\ne\d+ button "Far"/s);
  expect(list).toContain("iframes of https://pay.invalid are not granted");
  await act("click", { selector: "text=Near" });
  const [, far] = /(e\d+) button "Far"/.exec(list) ?? [];
  expect(await act("click", { ref: far })).toContain("in frame 1");
  for (const nth of [0, 1])
    await expect(tab.frameLocator(`iframe >> nth=${nth}`).getByRole("button")).toHaveText("Done");
  const twice = await refused("click", { selector: "text=Done" });
  expect(twice.code).toBe("ambiguous_target");
  expect(twice.text).toMatch(/e\d+ button "Done" in frame 0\ne\d+ button "Done" in frame 1/);
  expect(await act("get_text")).toMatch(/Outside\n--- frame 0 .*\nDone\n--- frame 1 .*\nDone/s);
});

test("what is refused is named, and the hint leads on", async ({ site, tab, agent }) => {
  const { act, refused, status } = await open(site, tab, agent);
  const same = await refused("click", { selector: "text=Same" });
  expect(same.code).toBe("ambiguous_target");
  const refs = [...same.text.matchAll(/\b(e\d+)\b/g)].map((m) => m[1]);
  expect(refs.length).toBeGreaterThanOrEqual(2);
  await act("click", { ref: refs[1] });
  await expect(status).toHaveText("second");
  await act("click", { selector: "text=Same", nth: 0 });
  await expect(status).toHaveText("first");

  // Hints that are calls work as they stand.
  const missing = await refused("click", { selector: "#nowhere" });
  expect(missing.code).toBe("element_not_found");
  const [, tool, args] = /(interact|observe|configure) (\{[^}]*\})/.exec(missing.text) ?? [];
  expect(await agent.ask(tool!, JSON.parse(args!))).toContain("Order now");

  expect((await refused("click", { selector: "#off" })).code).toBe("not_actionable");
  expect((await refused("type", { selector: "#status", text: "x" })).code).toBe("not_typeable");
  expect((await refused("select", { selector: "#status", value: "x" })).code).toBe("not_select");
  expect((await refused("select", { selector: "[name=size]", value: "Huge" })).text).toContain("Small");
  expect((await refused("check", { selector: "#status" })).code).toBe("not_checkable");
  expect((await refused("click", { selector: "div[[" })).code).toMatch(/invalid_/);
  expect((await refused("click", { ref: "e99999" })).code).toBe("stale_ref");
  expect((await refused("click")).code).toBe("missing_param");
  expect((await refused("clik")).text).toContain("click");
  expect((await refused("navigate", { url: "javascript:alert(1)" })).code).toMatch(/restricted_url|invalid_param/);
  expect((await refused("click", { tab: 99_999_999, selector: "#off" })).code).toBe("tab_gone");

  await tab.evaluate(() => {
    const wall = document.createElement("div");
    wall.id = "cookie-wall";
    wall.style.cssText = "position:fixed;inset:0;background:#0008";
    wall.innerHTML = "<button onclick='this.parentNode.remove()'>Accept cookies</button>";
    document.body.append(wall);
  });
  const covered = await refused("click", { selector: "testid=order" });
  expect(covered.code).toBe("blocked_by_overlay");
  expect(covered.text).toContain("cookie-wall");
  await act("click", { selector: "text=Accept cookies" });
  await act("click", { selector: "testid=order" });
  await expect(status).toHaveText("submitted");
});

test("nothing acts while the switch is off, and everything reads", async ({ site, tab, profile, agent }) => {
  const { act, refused, status } = await open(site, tab, agent);
  await profile.set("AI Web Pilot", false);
  await tab.bringToFront();
  const off = await refused("click", { selector: "testid=order" });
  expect(off.code).toBe("pilot_off");
  expect(off.text).toContain("AI Web Pilot");
  expect((await refused("navigate", { url: site.url("/next") })).code).toBe("pilot_off");
  expect((await refused("execute_js", { script: "1" })).code).toBe("pilot_off");
  expect((await refused("close_tab")).code).toBe("pilot_off");
  expect(await act("get_text", { selector: "#status" })).toContain("nothing yet");
  expect(await act("list_interactive", { text_contains: "order" })).toContain("Order now");
  expect(await status.textContent()).toBe("nothing yet");
  await profile.set("AI Web Pilot", true);
  await tab.bringToFront();
  await pilotOn(agent);
  await act("click", { selector: "testid=order" });
  await expect(status).toHaveText("submitted");
});

test("a command that takes longer than the call goes on, and its result can be fetched", async ({
  site,
  tab,
  agent,
}) => {
  const { act, status } = await open(site, tab, agent);
  const idOf = (text: string) => /correlation_id=(\S+)/.exec(text)?.[1];
  const slow = await agent.call("interact", {
    action: "execute_js",
    script: "new Promise(r => setTimeout(r, 2500, 'slept'))",
    timeout_ms: 1000,
  });
  // The page keeps its own, shorter deadline; either it says so, or the call goes on in the background.
  expect(slow.text).toMatch(/still_running|error=(execution_timeout|timeout)/);

  const detached = await act("click", { selector: "testid=order", background: true });
  expect(detached).toMatch(/queued|still_running/);
  const id = idOf(detached);
  const done = await until(
    "the click's result",
    () => agent.ask("observe", { what: "command_result", correlation_id: id }),
    (t) => /complete|done/.test(t),
  );
  expect(done).toContain("Order now");
  await expect(status).toHaveText("submitted");
});

test("the sixteenth command at once is refused, and the queue drains", async ({ site, tab, agent }) => {
  const { act } = await open(site, tab, agent);
  const waits = Array.from({ length: 16 }, (_, i) =>
    agent.call("interact", {
      action: "wait_for",
      text: `never ${i}`,
      timeout_ms: brief(3000).timeoutMS,
      background: true,
    }),
  );
  const answers = await Promise.all(waits);
  const refusals = answers.filter((a) => a.isError);
  expect(refusals).toHaveLength(1);
  expect(refusals[0]!.text).toMatch(/^error=queue_full retry=later/);
  const [, tool, args] = /(observe) (\{[^}]*\})/.exec(refusals[0]!.text) ?? [];
  expect(await agent.ask(tool!, JSON.parse(args!))).toContain("wait_for");
  await until(
    "room in the queue",
    () => agent.call("interact", { action: "get_text", selector: "#status" }),
    (a) => !a.isError,
  );
  expect(await act("get_text", { selector: "#status" })).toContain("nothing yet");
});

test("scripts run where the page forbids evaluation, and give JSON", async ({ site, tab, agent }) => {
  await tab.goto(
    site.page("/strict", {
      body: "<title>Strict</title>",
      headers: { "content-security-policy": "default-src 'none'; require-trusted-types-for 'script'" },
    }),
  );
  await front(agent, tab);
  const run = (script: string, more: Record<string, unknown> = {}) =>
    agent.call("interact", { action: "execute_js", script, ...more });
  expect((await run("({ title: document.title, n: [1, 2, 3].map(x => x * 2) })")).text).toMatch(
    /"n":\[2,4,6\],"title":"Strict"/,
  );
  expect((await run("await Promise.resolve(41) + 1")).text).toContain("42");
  expect((await run("undefined")).text).toContain("undefined");
  expect((await run("throw new TypeError('mine')")).text).toMatch(/^error=execution_error[\s\S]*mine/);
  expect((await run("Promise.reject(new Error('no'))")).text).toMatch(
    /^error=(promise_rejected|execution_error)[\s\S]*no/,
  );
  expect((await run("syntax error here")).isError).toBe(true);
});

test.describe("with another site granted", () => {
  test.use({ hosts: ["http://*.test/*"] });

  test("scripts stay on loopback; clicking and reading work on the granted site", async ({ site, tab, agent }) => {
    site.page("/", `<title>Shop</title><button onclick="document.title='Bought'">Buy</button>`);
    await tab.goto(site.url("/", "shop.test"));
    await front(agent, tab);
    const script = await agent.call("interact", { action: "execute_js", script: "document.cookie" });
    expect(script.text).toMatch(/^error=origin_not_allowed retry=after_user_action/);
    await agent.ask("interact", { action: "click", selector: "text=Buy" });
    await expect(tab).toHaveTitle("Bought");
  });
});

test("what follows an act is in its answer", async ({ site, tab, agent }) => {
  const { act } = await open(site, tab, agent);
  site.page(
    "/later",
    `<title>Later</title><h1>Cart</h1><p id=list>loading</p><script>setTimeout(() => (list.innerHTML = "<button>Check out</button>"), 400)</script>`,
  );
  const { text, images, isError } = await agent.call("interact", {
    action: "navigate",
    url: site.url("/later"),
    wait_for_stable: true,
    include_content: true,
    include_interactive: true,
    include_screenshot: true,
  });
  expect(isError, text).toBe(false);
  expect(text).toMatch(/stable after \d+ ms/);
  expect(text).toMatch(/e\d+ button "Check out"/);
  expect(text).toContain("Cart");
  expect(text).not.toContain("loading");
  expect(images).toHaveLength(1);
  await tab.evaluate(() =>
    document
      .querySelector("button")!
      .addEventListener("click", () => document.body.insertAdjacentHTML("beforeend", "<a href='/next'>Pay</a>")),
  );
  expect(await act("click", { selector: "text=Check out", include_interactive: true })).toMatch(/e\d+ link "Pay"/);
});

test("a page that cannot be loaded is a failure, with the way out", async ({ site, tab, agent }) => {
  const { refused } = await open(site, tab, agent);
  const dead = await refused("navigate", { url: "http://127.0.0.1:9/", timeout_ms: 60_000 });
  expect(dead.code).toBe("navigation_failed");
  expect(dead.text).toContain("is the address right?");
  expect(dead.text).not.toContain(site.url("/form"));
  expect((await refused("new_tab", { url: "http://127.0.0.1:9/", timeout_ms: 60_000 })).code).toBe("navigation_failed");
  const failed = await agent.ask("observe", { what: "failed_commands" });
  expect(failed).toContain("navigate");
  expect(failed).toContain("new_tab");
  const words = await refused("click", { selector: "button:has-text('Order now')" });
  expect(words.text).toContain(`selector:"role=button[name=\\"Order now\\"]"`);
});

test("tabs are opened, switched, walked through and closed", async ({ site, tab, profile, agent }) => {
  const { act } = await open(site, tab, agent);
  expect(await act("navigate", { url: site.url("/next") })).toContain("Next");
  expect(await act("back")).toContain("Form");
  expect(await act("forward")).toContain("Next");
  expect(await act("refresh")).toContain("Next");
  const opened = await agent.json<{ result: { tab: number } }>("interact", {
    action: "new_tab",
    url: site.url("/form"),
  });
  const id = opened.result.tab;
  await act("switch_tab", { tab: id });
  await act("wait_for", { selector: "testid=order" });
  const tabs = await agent.ask("observe", { what: "tabs" });
  expect(tabs).toContain(String(id));
  expect(tabs).toContain("Next");
  await act("click", { selector: "testid=order" });
  const before = profile.context.pages().length;
  expect(await act("close_tab")).toContain(`closed tab ${id}`);
  await expect.poll(() => profile.context.pages().length).toBe(before - 1);
  const gone = await agent.call("interact", { action: "click", tab: id, selector: "#off" });
  expect(gone.text).toMatch(/^error=tab_gone/);
});

test("a screenshot shows the page", async ({ site, tab, agent }) => {
  await tab.goto(
    site.page(
      "/red",
      `<title>Red</title><body style="margin:0;background:#f00"><input type="password" value="secret">`,
    ),
  );
  await front(agent, tab);
  const { images, text, isError } = await agent.call("observe", { what: "screenshot" });
  expect(isError, text).toBe(false);
  expect(images).toHaveLength(1);
  expect(images[0]!.mimeType).toBe("image/png");
  const png = Buffer.from(images[0]!.data, "base64");
  expect(png.subarray(1, 4).toString()).toBe("PNG");
  // The browser itself decodes it: what was red on the page is red in the picture.
  const pixel = await tab.evaluate(async (data) => {
    const image = await createImageBitmap(await (await fetch(`data:image/png;base64,${data}`)).blob());
    const context = new OffscreenCanvas(image.width, image.height).getContext("2d")!;
    context.drawImage(image, 0, 0);
    return {
      width: image.width,
      rgb: [...context.getImageData(image.width - 5, image.height - 5, 1, 1).data].slice(0, 3),
    };
  }, images[0]!.data);
  expect(pixel.rgb).toEqual([255, 0, 0]);
  expect(pixel.width).toBeGreaterThan(600);
});

test("a dialog does not hang commands for ever", async ({ site, tab, profile, agent }) => {
  const { act } = await open(site, tab, agent);
  let dialog: Dialog | undefined;
  tab.on("dialog", (d) => (dialog = d));
  const click = await agent.call("interact", {
    action: "click",
    selector: "text=Alert",
    timeout_ms: brief(6000).timeoutMS,
  });
  expect(click.text).toMatch(/click: done[\s\S]*native alert dialog that says/);
  await until("the dialog", async () => dialog !== undefined, Boolean);
  const stuck = await agent.call("interact", { action: "get_text", selector: "#status", timeout_ms: 1500 });
  expect(stuck.text).toContain("error=dialog_open");
  expect(await agent.ask("observe", { what: "timeline", include: "lifecycle", scope: "all" })).toContain(
    "dialog_opened alert “stop here”",
  );
  // Another tab is not held up.
  const other = await profile.page(site.url("/next"));
  const free = await front(agent, other);
  expect(await agent.ask("interact", { action: "get_text", tab: free })).toContain("Next page");
  await dialog!.accept();
  await tab.bringToFront();
  await until(
    "the first tab answers again",
    () => agent.call("interact", { action: "get_text", selector: "#status" }),
    (a) => a.text.includes("after alert"),
  );

  await tab.evaluate(() => addEventListener("beforeunload", (e) => e.preventDefault()));
  await tab.locator("#keys").press("x"); // a page may only ask after the user did something
  const leaving = agent.call("interact", { action: "navigate", url: site.url("/next"), timeout_ms: brief().timeoutMS });
  const answered = await leaving;
  expect(answered.text).toMatch(/navigate: (done|still_running)|error=timeout/);
  if (dialog && !tab.url().endsWith("/next")) await dialog.accept().catch(() => undefined);
  expect(await act("get_text", { tab: free })).toContain("Next page");
});
