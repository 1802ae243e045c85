import { alone } from "../build-size.mjs";
import type { Actors } from "../index.ts";
import { expect, test } from "./support/fixture.ts";

const both = { page: false, document: true };

test("actions: what a user does, with ranked locators, and masked secrets", async ({ page, capture, server }) => {
  const records = await capture({ ...both, config: { salt: "s" } });
  await page.goto(
    server.page(`<form onsubmit="event.preventDefault()">
<label for=name>Your name</label><input id=name placeholder="Ada">
<input type=password name=p aria-label="Password"><input autocomplete="one-time-code" aria-label=Code><input autocomplete="cc-number" aria-label=Card>
<label><input type=checkbox> I agree</label>
<select aria-label=Size><option>Small<option>Large</select>
<input type=file aria-label=Photo>
<button data-testid=save class="css-1x2y3z">Save</button>
</form><button>Twice</button><button>Twice</button><div style="height:3000px"></div>`),
  );
  await page.fill("#name", "Grace");
  await page.getByLabel("Password").fill("hunter2");
  await page.getByLabel("Code").fill("123456");
  await page.getByLabel("Card").fill("4111111111111111");
  await page.getByLabel("I agree").check();
  await page.getByLabel("Size").selectOption("Large");
  await page.getByLabel("Photo").setInputFiles({ name: "me.png", mimeType: "image/png", buffer: Buffer.from("png") });
  await page.getByTestId("save").click();
  await page.getByText("Twice").nth(1).dblclick();
  await page.keyboard.press("Escape");
  await page.mouse.wheel(0, 500);
  const scroll = await records.one("actions", (x) => x.type === "scroll");
  expect(scroll.y).toBeGreaterThan(0);
  const told = records.all("actions");
  const find = (type: string, name?: string) =>
    told.find((x) => x.type === type && (name === undefined || x.name === name))!;
  expect(find("input", "Your name")).toMatchObject({ value: "Grace", role: "textbox", by: "user" });
  expect(find("input", "Your name").locators!.map((x) => [x.kind, x.value, x.matches])).toEqual([
    ["role", 'textbox[name="Your name"]', 1],
    ["label", "Your name", 1],
    ["placeholder", "Ada", 1],
    ["id", "name", 1],
    ["css", "#name", 1],
  ]);
  expect(find("input", "Password").value).toMatch(/^<password:[0-9a-f]{8}>$/);
  expect(find("input", "Code").value).toMatch(/^<otp:[0-9a-f]{8}>$/);
  expect(find("input", "Card").value).toMatch(/^<card_number:[0-9a-f]{8}>$/);
  expect(find("check")).toMatchObject({ value: "checked", name: "I agree" });
  expect(find("select")).toMatchObject({ value: "Large", name: "Size" });
  expect(find("upload")).toMatchObject({ value: "me.png (3 bytes)" });
  expect(find("submit")).toBeTruthy();
  const save = find("click", "Save");
  expect(save).toMatchObject({ role: "button", text: "Save" });
  expect(save.locators!.map((x) => x.kind)).toEqual(["testid", "role", "text", "css"]);
  expect(save.locators!.at(-1)!.value).not.toContain("css-");
  const twice = find("dblclick");
  expect(twice.locators!.find((x) => x.kind === "role")).toMatchObject({ matches: 2, score: 210 });
  expect(twice.locators![0]!.kind).toBe("css");
  expect(find("keypress")).toMatchObject({ key: "Escape" });
  const all = JSON.stringify(records.batches);
  for (const secret of ["hunter2", "123456", "4111111111111111"]) expect(all).not.toContain(secret);
});

test("actions: what is typed comes before the key after it and stays as it is", async ({ page, capture, server }) => {
  const records = await capture(both);
  await page.goto(
    server.page(`<input aria-label=City><textarea aria-label=Note></textarea><div style="height:3000px"></div>`),
  );
  const city = page.getByLabel("City");
  await city.pressSequentially("Ber  x");
  await city.press("Backspace");
  await city.press("ArrowDown");
  await city.press("Tab");
  await page.getByLabel("Note").pressSequentially("one\ntwo");
  const told = () => records.all("actions").map(({ type, key, value }) => [type, key ?? value]);
  await expect.poll(told).toEqual([
    ["keypress", "Backspace"],
    ["input", "Ber  "],
    ["keypress", "ArrowDown"],
    ["keypress", "Tab"],
    ["input", "one"],
    ["keypress", "Enter"],
    ["input", "one\ntwo"],
  ]);
  await page.getByLabel("Note").fill("x".repeat(501));
  await page.getByLabel("City").focus();
  // The field may scroll to what was filled in, which is told, too.
  await expect.poll(() => records.all("actions").findLast((x) => x.type === "input")?.value?.length).toBe(500);
});

test("actions: an element is read before the page's handlers, and searched for after them", async ({
  page,
  capture,
  server,
}) => {
  const records = await capture(both);
  await page.goto(
    server.page(
      "<button onclick='window.searched = searches; this.textContent = `Paying`; this.remove()'>Pay</button>" +
        "<button>Pay</button>".repeat(500) +
        `<script>
          var searches = [];
          for (const owner of [Document, Element]) {
            const native = owner.prototype.querySelectorAll;
            owner.prototype.querySelectorAll = function (selector) {
              searches = [...searches, selector];
              return native.call(this, selector);
            };
          }
        </script>`,
    ),
  );
  await page.evaluate("searches = []");
  await page.locator("button").first().click();
  const click = await records.one("actions", (x) => x.type === "click");
  // One look at the fields of each tag, whose secrets a name may spell out.
  expect(await page.evaluate("searched")).toEqual(["input", "textarea"]);
  expect(await page.evaluate("searches.length")).toBeGreaterThan(1);
  expect(click).toMatchObject({ role: "button", name: "Pay", text: "Pay" });
  // It is gone, so that no path leads to it; it is counted beside the 500 that are left.
  expect(click.locators!.map((x) => [x.kind, x.value])).toEqual([
    ["role", 'button[name="Pay"]'],
    ["text", "Pay"],
  ]);
  expect(click.locators!.map((x) => x.matches)).toEqual([501, 501]);
});

test("actions: what a name spells out stays secret when the page removes it at once", async ({
  page,
  capture,
  server,
}) => {
  const records = await capture({ ...both, config: { salt: "s" } });
  await page.goto(
    server.page(`<form><label id=row onclick="document.querySelector('form').remove()">
      <input type=checkbox id=box> Remember <input name=token type=text autocomplete=one-time-code value=987654></label></form>`),
  );
  await page.locator("#box").click();
  const click = await records.one("actions", (x) => x.type === "click");
  expect(click.name).toContain("Remember");
  expect(JSON.stringify(records.batches)).not.toContain("987654");
});

test("actions: events that scripts dispatch are not the user's; in shadow roots the inner element is told", async ({
  page,
  capture,
  server,
}) => {
  const records = await capture({ ...both, handle: true });
  await page.goto(
    server.page(`<button id=a>A</button><x-box></x-box><script>
customElements.define("x-box", class extends HTMLElement { constructor() { super(); this.attachShadow({ mode: "open" }).innerHTML = "<button class=inner>Inside</button>" } });
</script>`),
  );
  await page.evaluate(() => {
    const { captures } = (window as never as { capture: { captures: { actors: Actors }[] } }).capture;
    const { actors } = captures[0]!;
    const button = document.getElementById("a")!;
    button.click();
    actors.begin("c1", "claude");
    button.click(); // a script's, beside the agent's
    actors.click(button);
    actors.end("c1");
    button.click();
  });
  await page.click("x-box >> button");
  const inside = await records.one("actions", (x) => x.name === "Inside");
  expect(inside.locators!.find((x) => x.kind === "css")!.value).toBe("x-box >>> .inner");
  expect(records.all("actions").map((x) => [x.by, x.client, x.name])).toEqual([
    ["agent", "claude", "A"],
    ["user", undefined, "Inside"],
  ]);
});

test("routes are seen through the Navigation API; history stays native", async ({ page, capture, server }) => {
  const records = await capture(both);
  const url = server.page("<title>Shop</title>");
  await page.goto(url);
  const native = await page.evaluate(() => {
    history.pushState(1, "", "?cart&token=abc");
    history.replaceState(2, "", "?checkout");
    history.replaceState(3, "", "?checkout"); // the same URL: state only
    location.hash = "pay";
    history.back();
    return [String(history.pushState), Object.keys(history), String(window.onpopstate)];
  });
  expect(native).toEqual(["function pushState() { [native code] }", [], "null"]);
  await records.one("lifecycle", (x) => x.trigger === "traverse");
  const moves = records
    .all("lifecycle")
    .filter((x) => x.state === "navigate")
    .map((x) => [x.trigger, x.to_url!.slice(url.length)]);
  expect(moves).toEqual([
    ["push", expect.stringMatching(/^\?cart&token=<token:[0-9a-f]{8}>$/)],
    ["replace", "?checkout"],
    ["hash", "?checkout#pay"],
    ["traverse", "?checkout"],
  ]);
  expect(records.all("actions").filter((x) => x.type === "navigate")).toHaveLength(4);
});

test("lifecycle: from document_start to complete, and hidden", async ({ page, capture, server }) => {
  const records = await capture(both);
  await page.goto(server.page("<title>Life</title>"));
  await records.one("lifecycle", (x) => x.state === "complete");
  expect(records.all("lifecycle").map((x) => x.state)).toEqual(["document_start", "interactive", "complete"]);
});

test("a prerendered page says so, and when it is shown", async ({ page, capture, server }) => {
  const records = await capture(both);
  await page.addInitScript(() => {
    // Prerendering cannot be had headless; the flag and the event are all that differ.
    Object.defineProperty(Document.prototype, "prerendering", {
      configurable: true,
      get: () => true,
    });
  });
  await page.goto(server.page("x"));
  await records.one("lifecycle", (x) => x.state === "complete");
  await page.evaluate(() => document.dispatchEvent(new Event("prerenderingchange")));
  await records.one("lifecycle", (x) => x.trigger === "prerender" && x.state === "visible");
});

test("dom: mutations are summed up, with examples, and a flood stays one event", async ({ page, capture, server }) => {
  const records = await capture(both);
  await page.goto(server.page("<ul id=list></ul>"));
  await records.one("lifecycle", (x) => x.state === "complete");
  await page.evaluate(() => {
    const list = document.getElementById("list")!;
    for (let i = 0; i < 5000; i++)
      list.append(Object.assign(document.createElement("li"), { textContent: "item " + i }));
    list.className = "full";
    list.firstElementChild!.remove();
  });
  const summary = await records.one("dom", (x) => x.type === "summary");
  expect(summary.added).toBeGreaterThanOrEqual(5000);
  expect(summary).toMatchObject({ removed: 1, changed: 1 });
  expect(summary.changes!.length).toBeLessThanOrEqual(10);
  expect(summary.changes).toContain('+ <li> "item 1"');
});

test("dom: a text that is set, changed or emptied is told of its element, the last one last", async ({
  page,
  capture,
  server,
}) => {
  const records = await capture(both);
  await page.goto(server.page("<p id=a></p><p id=b>before</p><p id=c>old</p><p id=d>x</p><style id=s></style>"));
  await records.one("lifecycle", (x) => x.state === "complete");
  await page.evaluate(() => {
    const [a, b, c, d, s] = ["a", "b", "c", "d", "s"].map((id) => document.getElementById(id)!);
    a!.textContent = "set";
    b!.textContent = "";
    c!.firstChild!.nodeValue = "one";
    d!.remove();
    s!.textContent = "p { color: red }";
  });
  await records.one("dom", (x) => x.type === "summary" && (x.changes ?? []).includes('~ <p#a> "set"'));
  const told = records.all("dom").flatMap((x) => x.changes ?? []);
  expect(told).toEqual(expect.arrayContaining(['~ <p#a> "set"', "~ <p#b>", '~ <p#c> "one"', '- <p#d> "x"']));
  expect(told.join()).not.toContain("color");
  // Each delivery of changes is one turn: the text of the last stands last.
  await page.evaluate(async () => {
    const a = document.getElementById("a")!;
    for (const text of ["one", "two", "one"]) {
      a.textContent = text;
      await new Promise((done) => setTimeout(done));
    }
  });
  await expect.poll(() => records.all("dom").at(-1)?.changes).toEqual(['~ <p#a> "two"', '~ <p#a> "one"']);
});

test("dom: toasts and live regions are told with their text, also when they are gone", async ({
  page,
  capture,
  server,
}) => {
  const records = await capture(both);
  await page.goto(
    server.page("<div id=live aria-live=polite></div><div id=hidden class=snackbar style='display:none'>Undo?</div>"),
  );
  await records.one("lifecycle", (x) => x.state === "complete");
  await page.evaluate(async () => {
    const toast = Object.assign(document.createElement("div"), {
      className: "Toastify__toast",
      textContent: "Saved",
    });
    document.body.append(toast);
    document.getElementById("live")!.textContent = "3 results";
    document.getElementById("hidden")!.style.display = "block";
    // Shown: drawn, and then for a while.
    for (let i = 0; i < 4; i++) await new Promise(requestAnimationFrame);
    await new Promise((wait) => setTimeout(wait, 200));
    toast.remove();
    document.getElementById("hidden")!.style.display = "none";
    document.getElementById("live")!.textContent = "";
  });
  const toast = await records.one("dom", (x) => x.text === "Saved");
  expect(toast).toMatchObject({ type: "transient", classification: "toast" });
  expect(toast.shown_ms).toBeGreaterThan(100);
  expect(await records.one("dom", (x) => x.text === "Undo?")).toMatchObject({
    classification: "snackbar",
  });
  expect(await records.one("dom", (x) => x.text === "3 results")).toMatchObject({
    classification: "notification",
  });
});

test("dom: toasts in shadow roots, of those that come, that are there and that are upgraded late", async ({
  page,
  capture,
  server,
}) => {
  const records = await capture(both);
  await page.goto(
    server.page(`<x-there></x-there><x-late></x-late><div id=plain></div><script>
      customElements.define("x-there", class extends HTMLElement {
        constructor() { super(); this.attachShadow({ mode: "open" }).innerHTML = "<main></main>"; }
      });
    </script>`),
  );
  await records.one("lifecycle", (x) => x.state === "complete");
  await page.evaluate(async () => {
    const toast = (root: ShadowRoot, text: string): void =>
      void root.append(Object.assign(document.createElement("div"), { className: "toast", textContent: text }));
    toast(document.querySelector("x-there")!.shadowRoot!, "there");
    const host = document.createElement("x-new");
    toast(host.attachShadow({ mode: "open" }), "new");
    const outer = document.createElement("section");
    outer.append(host);
    document.body.append(outer);
    toast(document.getElementById("plain")!.attachShadow({ mode: "open" }), "plain");
    document.body.append(Object.assign(document.createElement("p"), { textContent: "." }));
    customElements.define(
      "x-late",
      class extends HTMLElement {
        constructor() {
          super();
          this.attachShadow({ mode: "open" }).innerHTML = "<div role=status>late</div>";
        }
      },
    );
    for (let i = 0; i < 4; i++) await new Promise(requestAnimationFrame);
  });
  for (const text of ["there", "new", "late"])
    expect(await records.one("dom", (x) => x.text === text), text).toMatchObject({ type: "transient" });
  await page.evaluate(() => {
    const row = Object.assign(document.createElement("li"), { textContent: "row" });
    document.querySelector("x-there")!.shadowRoot!.firstElementChild!.append(row);
  });
  await records.one("dom", (x) => x.type === "summary" && (x.changes ?? []).includes('+ <li> "row"'));
});

test("dom: looking for toasts makes the browser compute no styles", async ({ page, capture, server }) => {
  await capture(both);
  await page.goto(server.page("<p id=still>x</p>" + "<div class=toast>x</div>".repeat(20)));
  const session = await page.context().newCDPSession(page);
  await session.send("Performance.enable");
  const count = async (): Promise<number> =>
    (await session.send("Performance.getMetrics")).metrics.find(({ name }) => name === "RecalcStyleCount")!.value;
  const before = await count();
  // Twenty callbacks a frame, each of which moves an element: the browser computes styles once a frame.
  const frames = await page.evaluate(async () => {
    const all = [...document.querySelectorAll<HTMLElement>(".toast")];
    let frames = 0;
    for (; frames < 60; frames++) {
      await new Promise<void>((done) => {
        let left = all.length;
        for (const element of all)
          requestAnimationFrame(() => {
            element.style.transform = `translate(${frames}px)`;
            document.getElementById("still")!.style.opacity = String(1 - frames / 100);
            if (--left === 0) done();
          });
      });
    }
    return frames;
  });
  expect((await count()) - before).toBeLessThan(frames * 1.5);
});

test("waterfall: resource timing with phases, sizes and secrets masked", async ({ page, capture, server }) => {
  const records = await capture(both);
  await page.goto(server.page("<script src='/text?size=5000&token=abc'></script>"));
  const entry = await records.one("waterfall", (x) => x.url.includes("size=5000"));
  expect(entry.url).toMatch(/token=<token:[0-9a-f]{8}>$/);
  expect(entry).toMatchObject({
    initiator_type: "script",
    decoded_size: 5000,
    status: 200,
    render_blocking: true,
  });
  expect(entry.wait).toBeGreaterThanOrEqual(0);
});

test("vitals so far, then final when the page is hidden", async ({ page, capture, server }) => {
  const records = await capture({ ...both, handle: true });
  await page.goto(
    server.page(
      "<h1>Large text that paints</h1><script>const end = performance.now() + 120; while (performance.now() < end);</script>",
    ),
  );
  const early = await records.one("performance", (x) => x.lcp !== undefined);
  expect(early.lcp!.final).toBe(false);
  expect(early.fcp!.final).toBe(true);
  expect(early.ttfb!.value).toBeGreaterThan(0);
  expect(JSON.stringify(early.lcp!.attribution).length).toBeLessThanOrEqual(1100);
  await page.mouse.click(5, 5);
  await records.one("performance", (x) => x.lcp?.final === true);
  const tasks = await records.one("performance", (x) => (x.long_tasks?.length ?? 0) > 0);
  expect(tasks.long_tasks![0]!.duration).toBeGreaterThanOrEqual(50);
});

test("built alone, vitals name their element without the library's attribution", async ({ page, capture, server }) => {
  const records = await capture({ ...both, handle: true, build: alone });
  await page.goto(
    server.page(
      `<h1 id=title class="a b">Large text that paints</h1><button onclick="this.textContent='x'">Go</button>`,
    ),
  );
  const early = await records.one("performance", (x) => x.lcp !== undefined);
  expect(early.lcp!.attribution).toEqual({ target: "<h1#title.a.b>", url: "" });
  expect(early.ttfb!.value).toBeGreaterThan(0);
  await page.locator("button").click();
  const later = await records.one("performance", (x) => x.inp !== undefined);
  expect(later.inp!.attribution).toMatchObject({ target: "<button>" });
});

test("csp: violations of the policy are exceptions with mechanism csp, five of a kind", async ({
  page,
  capture,
  server,
}) => {
  const records = await capture(both);
  await page.goto(
    server.page(
      `<img src="http://elsewhere.test/a.png"><script nonce=x>for (let i = 0; i < 20; i++) document.body.insertAdjacentHTML("beforeend", "<p style='color:red'>x")</script>`,
      { "content-security-policy": "img-src 'self'; style-src 'self'; script-src 'nonce-x'" },
    ),
  );
  const image = await records.one("exceptions", (x) => x.message.startsWith("img-src"));
  expect(image).toMatchObject({
    mechanism: "csp",
    type: "SecurityPolicyViolation",
    message: "img-src blocked http://elsewhere.test/a.png",
  });
  await records.one("lifecycle", (x) => x.state === "complete");
  await page.evaluate(() => new Promise((wait) => setTimeout(wait, 200)));
  expect(records.all("exceptions").filter((x) => x.message.startsWith("style-src"))).toHaveLength(5);
});

test("a violation by what a patch passed on is not told as one of our own script", async ({
  page,
  capture,
  server,
}) => {
  const records = await capture({ page: true, document: true });
  const url = server.page(`<script nonce=x>fetch("http://127.0.0.1:1/a").catch(() => {})</script>`, {
    "content-security-policy": "connect-src 'none'; script-src 'nonce-x'",
  });
  await page.goto(url);
  const told = await records.one("exceptions", (x) => x.mechanism === "csp" && x.message.startsWith("connect-src"));
  expect(told.url).toBe(url);
  expect(told.line).toBeUndefined();
});

test("actions: a click makes the browser compute no styles, and searches in slices behind the page's handlers", async ({
  page,
  capture,
  server,
}) => {
  const html = `${"<div class=row><span>label</span> <em>value</em></div>".repeat(5000)}<button>Pay</button>
    <script>
      document.querySelector("button").addEventListener("click", () => document.body.classList.toggle("on"));
    </script>`;
  const records = await capture({ ...both, handle: true });
  await page.goto(server.page(html));
  const session = await page.context().newCDPSession(page);
  await session.send("Performance.enable");
  const count = async (): Promise<number> =>
    (await session.send("Performance.getMetrics")).metrics.find(({ name }) => name === "RecalcStyleCount")!.value;
  const before = await count();
  // Styles are out of date when the click comes: who asks for one now makes the browser compute them twice.
  await page.evaluate(() => {
    const { captures } = (window as never as { capture: { captures: { actors: Actors }[] } }).capture;
    const { actors } = captures[0]!;
    actors.begin("c1", "agent");
    const button = document.querySelector("button")!;
    for (let i = 0; i < 50; i++) {
      document.body.classList.toggle("off");
      actors.dispatch(button, new MouseEvent("click", { bubbles: true, composed: true }));
    }
  });
  const after = await count();
  expect(after - before).toBeLessThan(5);
  await records.one("actions", (x) => x.name === "Pay" && (x.locators?.length ?? 0) > 0);
});

test("what the browser keeps a page from without an exception is an exception of ours", async ({
  page,
  capture,
  server,
}) => {
  const records = await capture(both);
  const url = server.page(
    `<script>
navigator.vibrate(10);
navigator.geolocation.getCurrentPosition(() => {});
</script>`,
    { "permissions-policy": "geolocation=()" },
  );
  await page.goto(url);
  const intervention = await records.one("exceptions", (x) => x.type === "Intervention");
  expect(intervention).toMatchObject({ mechanism: "report", url, line: 2 });
  expect(intervention.message).toContain("navigator.vibrate");
  const policy = await records.one("exceptions", (x) => x.type === "PermissionsPolicyViolation");
  expect(policy).toMatchObject({ mechanism: "report", url, line: 3 });
  expect(policy.message).toContain("Geolocation");
});

test("a font that does not load is told by its name, its file and why", async ({ page, capture, server }) => {
  const records = await capture(both);
  const nonsense = "/typed?type=font%2Fwoff2&text=nonsense";
  await page.goto(
    server.page(
      `<style>@font-face { font-family: "Gone One"; src: local("nowhere"), url("/missing.woff2?a") format("woff2") }
@font-face { font-family: Odd; src: url(${nonsense}) }
@font-face { font-family: Unused; src: url(/missing.woff2?unused) }</style>
<p style="font-family: 'Gone One'">x</p><p style="font-family: Odd">x</p>`,
    ),
  );
  const gone = await records.one("exceptions", (x) => x.message.startsWith("font Gone One"));
  expect(gone).toMatchObject({
    type: "ResourceError",
    mechanism: "resource",
    message: `font Gone One did not load ${server.origin}/missing.woff2?a: it was answered 404`,
    url: `${server.origin}/missing.woff2?a`,
  });
  const odd = await records.one("exceptions", (x) => x.message.startsWith("font Odd"));
  expect(odd.message).toBe(
    `font Odd did not load ${server.origin}${nonsense}: it was answered 200, and is no font that the browser knows`,
  );
  expect(records.all("exceptions").filter((x) => x.mechanism === "resource")).toHaveLength(2);
});
