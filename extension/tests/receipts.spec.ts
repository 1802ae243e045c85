import { open } from "./acting.ts";
import { expect, test } from "./extension.ts";

test("an act that the page goes on with past the deadline is done, and still busy", async ({
  daemon,
  site,
  browserWithExtension,
}) => {
  const { page, run } = await open(
    browserWithExtension,
    site,
    daemon,
    `<output>0</output><button onclick="const end = Date.now() + 6000; while (Date.now() < end); document.querySelector('output').value++">Buy</button>
     <input oninput="const end = Date.now() + 5000; while (Date.now() < end);">`,
  );
  const bought = await run("click", { selector: "button" }, { timeoutMS: 2500 });
  expect(bought.error).toBeUndefined();
  expect(bought.result.matched?.label).toBe("Buy");
  expect(bought.result.receipt?.busy?.join()).toContain("does not answer");
  await expect(page.locator("output")).toHaveText("1");
  // What waits for the page to come back, and does so too long, is not done.
  const typed = await run("type", { selector: "input", text: "x" }, { timeoutMS: 2500 });
  expect(typed.error).toBeUndefined();
  expect(typed.result.receipt?.busy?.join()).toContain("does not answer");
  const late = await run("click", { selector: "button" }, { timeoutMS: 1000 });
  expect(late.error?.code).toBe("timeout");
  await expect(page.locator("input")).toHaveValue("x");
  await expect(page.locator("output")).toHaveText("1");
});

test("a receipt tells addresses of the page, not of the iframe that was acted in", async ({
  daemon,
  site,
  browserWithExtension,
}) => {
  const inner = site.page(
    "/inner",
    "<button onclick=\"parent.document.querySelector('p').textContent = 'Paid by the frame'\">Pay</button><a href=/second>Next</a><button onclick=\"top.location = '/elsewhere'\">Leave</button>",
  );
  site.page("/second", "<h1>Second</h1>");
  site.page("/elsewhere", "<!doctype html><title>Elsewhere</title>");
  const { page, run } = await open(
    browserWithExtension,
    site,
    daemon,
    `<p role=status>waiting</p><iframe src="${inner}"></iframe>`,
  );
  await page.frameLocator("iframe").getByText("Pay").waitFor();
  const paid = await run("click", { selector: "text=Pay" });
  expect(paid.result).not.toHaveProperty("navigated");
  expect(paid.result.receipt).not.toHaveProperty("from");
  // What the frame did to the page around it is told, too.
  expect(paid.result.receipt?.changes?.join()).toContain("Paid by the frame");
  const next = await run("click", { selector: "text=Next" });
  await expect(page.frameLocator("iframe").getByText("Second")).toBeVisible();
  expect(next.result).not.toHaveProperty("navigated");
  expect(next.result.receipt).not.toHaveProperty("from");
  expect(next.result.receipt?.changes?.join()).toContain("the frame went on to another page");
  await page.goto(site.url("/a"));
  await page.frameLocator("iframe").getByText("Leave").waitFor();
  const left = await run("click", { selector: "text=Leave" });
  expect(left.result).toMatchObject({ navigated: true, title: "Elsewhere" });
  expect(left.result.receipt).toMatchObject({ from: site.url("/a"), to: site.url("/elsewhere") });
});

test("what the page says stays in the receipt when its address changes and the page does not", async ({
  daemon,
  site,
  browserWithExtension,
}) => {
  const said = "setTimeout(() => document.querySelector('p').textContent = 'Card declined', 50)";
  site.page("/file", {
    body: "data",
    type: "application/octet-stream",
    headers: { "Content-Disposition": "attachment" },
  });
  const { page, run } = await open(
    browserWithExtension,
    site,
    daemon,
    `<p role=alert>ready</p>
     <button onclick="history.pushState(0, '', '/pushed'); ${said}">Push</button>
     <a href="#part" onclick="${said}">Hash</a>
     <a href="/taken" onclick="navigation.addEventListener('navigate', (e) => e.canIntercept && e.intercept({ handler: async () => { ${said} } }), { once: true })">Intercept</a>
     <a href="/held" onclick="navigation.addEventListener('navigate', (e) => e.preventDefault(), { once: true }); ${said}">Held</a>
     <a href="/file" download onclick="${said}">Download</a>
     <a href="/file" onclick="${said}">Attachment</a>`,
  );
  for (const [text, to] of [
    ["Push", "/pushed"],
    ["Hash", "/pushed#part"],
    ["Intercept", "/taken"],
    ["Held", ""],
    ["Download", ""],
    ["Attachment", ""],
  ] as const) {
    await page.evaluate(() => (document.querySelector("p")!.textContent = "ready"));
    const { result, error } = await run("click", { selector: `text=${text}` });
    expect(error, text).toBeUndefined();
    expect(result, text).not.toHaveProperty("navigated");
    expect(`${text}: ${result.receipt?.changes?.join()}`).toContain("Card declined");
    if (to) expect(result.receipt?.to, text).toBe(site.url(to));
    else expect(result.receipt, text).not.toHaveProperty("to");
  }
});

test("an act that fails in a page with iframes leaves nothing behind that watches", async ({
  daemon,
  site,
  browserWithExtension,
}) => {
  const { page, run } = await open(
    browserWithExtension,
    site,
    daemon,
    `<iframe srcdoc="<p>x"></iframe><button>Go</button>`,
  );
  await page.frameLocator("iframe").getByText("x").waitFor();
  for (let i = 0; i < 3; i++) {
    const missing = await run("click", { selector: "#none" }, { timeoutMS: 700 });
    expect(missing.error?.code).toBe("element_not_found");
  }
  const { result } = await run("click", { selector: "text=Go" });
  expect(result.receipt?.busy).toBeUndefined();
});

test("a page that is written over by an act, or while it is typed into, is the same document, and the act says what came of it", async ({
  daemon,
  site,
  browserWithExtension,
}) => {
  const { page, run } = await open(
    browserWithExtension,
    site,
    daemon,
    `<button id=a onclick="document.open(); document.write('<title>Over</title><button onclick=&quot;this.textContent=1; console.log(2)&quot;>Written</button>'); document.close(); console.log(1)">Write</button>
     <input oninput="document.open(); document.write('<p>gone'); document.close()">`,
  );
  for (const trusted of ["never", "always"] as const) {
    const before = daemon.events("logs").length;
    const wait = run("wait_for", { text: "Written" });
    const over = await run("click", { selector: "#a", trusted });
    expect(over.result, trusted).toMatchObject({ title: "Over" });
    expect(over.result, trusted).not.toHaveProperty("navigated");
    expect(over.result.receipt?.changes?.join(), trusted).toContain("in the page");
    expect((await wait).error, trusted).toBeUndefined();
    expect((await run("click", { selector: "text=Written", trusted })).error, trusted).toBeUndefined();
    await daemon.until("its lines", () => daemon.events("logs").length === before + 2);
    await page.reload();
    const typed = await run("type", { selector: "input", text: "abc", trusted });
    expect(typed.error, trusted).toMatchObject({ code: "status_mismatch", message: expect.stringContaining("away") });
    await page.reload();
  }
  const clicked = daemon.groups.filter(({ actions = [] }) => actions.some(({ type }) => type === "click"));
  expect(clicked.map(({ actions = [], logs = [] }) => [actions.length, logs.length])).toEqual([
    [2, 2],
    [2, 2],
  ]);
});
