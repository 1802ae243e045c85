import { type Agent, brief, connect, expect, front, type Page, Site, test, until } from "./support/fixtures.ts";

test.use({ pilot: true });

interface Step {
  type: string;
  by: string;
  selector?: string;
  value?: string;
  masked?: boolean;
  key?: string;
  in_frame?: boolean;
  led_to?: string;
}
interface Recorded {
  recording_id: string;
  state: string;
  actions: Step[];
  notes?: string[];
}
interface Played {
  status: string;
  recording_id: string;
  playback_id: string;
  actions_executed: number;
  actions_failed: number;
  actions_total: number;
  results: {
    status: string;
    action_type: string;
    selector_used?: string;
    selector_best?: string;
    healed_because?: string;
    error?: string;
  }[];
  drift: { healed: number[]; text: number[]; navigation: number[] };
}

const LOGIN = `<!doctype html><title>Sign in</title><h1>Sign in</h1>
  <form action="/shop" method=post><label>User <input id=user name=user></label><label>Password <input id=pw type=password name=pw></label>
  <button id=enter>Sign in</button></form>`;

const ADDRESS = `<!doctype html><title>Address</title>
  <label>Street <input id=street></label><label>Remarks <textarea id=remarks rows=3></textarea></label>
  <script>for (const at of [street, remarks]) at.oninput = () => parent.postMessage([at.id, at.value], "*");</script>`;

/** The page keeps what was done in `state`; variant gives other ids and classes to what is on it. */
const shop = (id: (name: string) => string, gone = "") => `<!doctype html><title>Shop</title><h1>Shop</h1>
  <main style="min-height:3000px">
  <iframe title=Address src="/address" width=500 height=120></iframe>
  <p><label>Size <select id="${id("size")}"><option>Small</option><option>Medium</option><option>Large</option></select></label></p>
  <p><label><input type=checkbox id="${id("gift")}"> Wrap as a gift</label></p>
  <p><label>Search <input id="${id("search")}" placeholder="Search the shop"></label></p>
  ${gone === "add" ? "" : `<button id="${id("add")}" class="${id("primary")}">Add to cart</button>`}
  <button id="${id("pay")}" class="${id("primary")}">Pay now</button>
  <p id=count>0</p><p id=found></p><p id=paid></p></main>
  <script>
    const at = (name) => document.getElementById(name);
    window.state = {};
    onmessage = ({ data: [name, value] }) => (state[name] = value);
    const [size, gift, search, add, pay] = ${JSON.stringify(["size", "gift", "search", "add", "pay"].map(id))}.map(at);
    size.onchange = () => (state.size = size.value);
    gift.onchange = () => (state.gift = gift.checked);
    search.onkeydown = (e) => { if (e.key === "Enter") at("found").textContent = "found " + search.value; };
    if (add) add.onclick = () => (at("count").textContent = Number(at("count").textContent) + 1);
    pay.onclick = async () => {
      const answer = await fetch("/pay");
      if (!answer.ok) console.error("payment failed with " + answer.status + " after " + performance.now() + " ms");
      at("paid").textContent = answer.ok ? "paid" : "not paid";
    };
  </script>`;

function serve(site: Site, id: (name: string) => string = (name) => name, gone = ""): string {
  site.page("/address", ADDRESS);
  site.page("/pay", "ok");
  site.page("/shop", shop(id, gone));
  return site.page("/login", LOGIN);
}

/** A user at a keyboard and a mouse, who pauses nowhere. */
async function shopping(page: Page): Promise<void> {
  await page.getByLabel("User").pressSequentially("ada");
  await page.getByLabel("Password").pressSequentially("opensesame");
  await page.getByRole("button", { name: "Sign in" }).click();
  await expect(page).toHaveTitle("Shop");
  const frame = page.frameLocator("iframe");
  await frame.getByLabel("Street").pressSequentially("Main  Street 12");
  await frame.getByLabel("Remarks").pressSequentially("ring twice\nthen wait");
  await page.getByLabel("Size").focus();
  await page.keyboard.press("ArrowDown");
  await page.getByText("Wrap as a gift").click();
  await page.getByLabel("Search").pressSequentially("soapx");
  await page.keyboard.press("Backspace");
  await page.keyboard.press("Enter");
  await page.getByRole("button", { name: "Add to cart" }).dblclick();
  await page.getByRole("button", { name: "Pay now" }).click();
  await expect(page.locator("#paid")).not.toHaveText("");
  await page.mouse.wheel(0, 700);
  await until(
    "the page has scrolled",
    () => page.evaluate(() => scrollY),
    (y) => y === 700,
  );
}

/** What the page is in the end. */
const end = (page: Page) =>
  page.evaluate(() => ({
    ...(window as unknown as { state: object }).state,
    url: location.pathname,
    count: document.getElementById("count")?.textContent,
    found: document.getElementById("found")?.textContent,
    paid: document.getElementById("paid")?.textContent,
    scrollY,
  }));

async function record(agent: Agent, page: Page, name: string): Promise<Recorded> {
  await front(agent, page);
  const { recording_id } = await agent.json<{ recording_id: string }>("configure", {
    action: "event_recording_start",
    name,
  });
  await shopping(page);
  await agent.json("configure", { action: "event_recording_stop", recording_id });
  return agent.json<Recorded>("observe", { what: "recording_actions", recording_id });
}

test("what a user does is recorded once, step by step, and a playback brings the page to the same state", async ({
  site,
  tab,
  agent,
}) => {
  await tab.goto(serve(site));
  const { actions, recording_id, notes } = await record(agent, tab, "shopping");
  const state = await end(tab);
  expect(
    actions.map(({ type, key, value, masked }) => [type, key ?? (masked ? "masked" : value)].join(" ").trim()),
  ).toEqual([
    "input ada",
    "input masked",
    "click",
    "input Main  Street 12",
    "input ring twice\nthen wait",
    "select Medium",
    "check checked",
    "input soap",
    "keypress Enter",
    "click",
    "click",
    "scroll",
  ]);
  expect(new Set(actions.map(({ by }) => by))).toEqual(new Set(["user"]));
  expect(actions[2]?.led_to).toContain("/shop");
  expect(actions.filter(({ in_frame }) => in_frame)).toHaveLength(2);
  expect(notes ?? []).toEqual([]);

  const refused = await agent.call("configure", { action: "playback", recording_id });
  expect(refused.isError).toBe(true);
  expect(refused.text).toContain("step 2 is masked");
  expect(await end(tab)).toEqual(state);

  await tab.goto("about:blank");
  await tab.goto(site.page("/other", "<!doctype html><title>Other</title>"));
  await front(agent, tab);
  const played = await agent.json<Played>("configure", {
    action: "playback",
    recording_id: "shopping",
    values: { Password: "opensesame" },
  });
  expect(played.results.filter(({ status }) => status !== "ok")).toEqual([]);
  expect(played).toMatchObject({ status: "complete", actions_executed: 12, actions_failed: 0, actions_total: 12 });
  expect(played.drift).toEqual({ healed: [], text: [], navigation: [] });
  expect(await end(tab)).toEqual(state);
  const again = await agent.json<Played>("observe", { what: "playback_results", recording_id });
  expect(again.playback_id).toBe(played.playback_id);
  expect(await agent.ask("configure", { action: "log_diff", original_id: recording_id })).toContain("log_diff: match");
});

test("a changed page is played by other locators, which are told; what is gone fails its own step only", async ({
  site,
  tab,
  agent,
}) => {
  await tab.goto(serve(site));
  const { recording_id } = await record(agent, tab, "shopping");
  const state = await end(tab);
  const values = { Password: "opensesame" };
  const play = (more: object = {}) =>
    agent.json<Played>("configure", {
      action: "playback",
      recording_id,
      values,
      step_timeout_ms: brief(5000).timeoutMS,
      ...more,
    });

  // Other ids and classes are no matter: names stay.
  serve(site, (name) => `v2-${name}`);
  expect(await play()).toMatchObject({ status: "complete", actions_failed: 0 });
  expect(await end(tab)).toEqual(state);

  // Another name of the button: found by its id.
  serve(site);
  const renamed = shop((name) => name).replace(">Pay now<", ">Buy now<");
  site.page("/shop", renamed);
  const healed = await play();
  expect(healed).toMatchObject({ status: "complete", actions_failed: 0 });
  const steps = healed.results.filter(({ status }) => status === "healed");
  expect(steps).toHaveLength(1);
  expect(steps[0]?.selector_best).toContain("Pay now");
  expect(steps[0]?.healed_because).toBe("no element fits it any more");
  expect(steps[0]?.selector_used).toContain("pay");
  expect(healed.drift).toMatchObject({ healed: [10], text: [10] });
  expect(await end(tab)).toEqual(state);

  serve(site, undefined, "add");
  const failed = await play();
  expect(failed).toMatchObject({ status: "failed", actions_executed: 12, actions_failed: 1 });
  expect(failed.results[9]).toMatchObject({ status: "failed", error: "element_not_found" });
  expect(await end(tab)).toEqual({ ...state, count: "0" });
  const stopped = await play({ continue_on_error: false });
  expect(stopped).toMatchObject({ status: "failed", actions_executed: 10, actions_failed: 1, actions_total: 12 });
  expect(await end(tab)).toMatchObject({ paid: "" });
});

test("a page that leads elsewhere chooses no site and no frame where a playback types", async ({
  site,
  tab,
  agent,
}) => {
  await tab.goto(serve(site));
  const { recording_id } = await record(agent, tab, "shopping");
  const values = { Password: "opensesame" };
  const play = () =>
    agent.json<Played>("configure", {
      action: "playback",
      recording_id,
      values,
      step_timeout_ms: brief(5000).timeoutMS,
    });
  const elsewhere = await Site.start();
  try {
    const typed = "addEventListener('input', (e) => fetch('/typed', { method: 'POST', body: e.target.value }))";
    const script = { body: typed, type: "text/javascript" };
    elsewhere.page("/typed.js", script);
    elsewhere.page("/typed", "");
    const spy = "<script src=/typed.js></script>";
    const address = elsewhere.page("/address", ADDRESS + spy);
    const got = (): string[] => elsewhere.hits.filter(({ url }) => url === "/typed").map(({ body }) => body);

    site.page("/shop", shop((name) => name).replace("/address", address));
    const framed = await play();
    expect(framed.results[3]).toMatchObject({ status: "failed", error: "other_origin" });
    expect(got()).toEqual([]);

    site.page("/login", { status: 302, headers: { location: elsewhere.page("/login", LOGIN + spy) } });
    const led = await play();
    expect(led.results[1]).toMatchObject({ status: "failed", error: "other_origin" });
    expect(got()).toEqual([]);
  } finally {
    await elsewhere.stop();
  }
});

test("the logs of a recording and of a playback are compared by what they say, not by the times in them", async ({
  site,
  tab,
  agent,
}) => {
  await tab.goto(serve(site));
  const { recording_id } = await record(agent, tab, "shopping");
  site.page("/pay", { body: "no", status: 503 });
  const values = { Password: "opensesame" };
  const first = await agent.json<Played>("configure", { action: "playback", recording_id, values });
  const diff = await agent.ask("configure", { action: "log_diff", original_id: recording_id });
  expect(diff).toContain("log_diff: regression");
  expect(diff).toContain("payment failed with 503");
  expect(diff).toMatch(/changed request GET http:\/\/[^ ]*\/pay: 200, now 503/);
  const second = await agent.json<Played>("configure", { action: "playback", recording_id, values });
  const ids = { original_id: first.playback_id, replay_id: second.playback_id };
  expect(await agent.ask("configure", { action: "log_diff", ...ids })).toContain("log_diff: match");
  const report = await agent.ask("observe", { what: "log_diff_report", original_id: recording_id });
  expect(report).toContain("| failed requests | 0 | 1 |");
});

test("what an agent does is recorded as well, its navigations too, and a name is enough to play it", async ({
  site,
  tab,
  agent,
}) => {
  await tab.goto(serve(site));
  await front(agent, tab);
  await agent.ask("configure", { action: "event_recording_start", name: "by agent", url: site.url("/login") });
  const act = (args: object) => agent.ask("interact", args as Record<string, unknown>);
  await act({ action: "fill_form", fields: [{ selector: "label=User", value: "ada" }] });
  await act({ action: "click", selector: "#enter", wait_for_stable: true });
  await act({ action: "select", selector: "label=Size", value: "Large" });
  await act({ action: "type", selector: "label=Street", text: "Main Street" });
  await act({ action: "click", selector: "text=Add to cart" });
  const other = site.page("/terms", "<!doctype html><title>Terms</title><a href='/shop'>Back to the shop</a>");
  await act({ action: "navigate", url: other });
  await act({ action: "click", selector: "text=Back to the shop" });
  await act({ action: "check", selector: "label=Wrap as a gift" });
  await agent.ask("configure", { action: "event_recording_stop", recording_id: "by agent" });
  const { actions } = await agent.json<Recorded>("observe", { what: "recording_actions", recording_id: "by agent" });
  const told = actions
    .filter(({ type }) => type !== "scroll")
    .map(({ type, value }) => `${type} ${value ?? ""}`.trim());
  expect(told).toEqual([
    "input ada",
    "click",
    "select Large",
    "input Main Street",
    "click",
    "navigate",
    "click",
    "check checked",
  ]);
  expect(new Set(actions.map(({ by }) => by))).toEqual(new Set(["agent"]));
  const played = await agent.json<Played>("configure", { action: "playback", recording_id: "by agent" });
  expect(played).toMatchObject({
    status: "complete",
    actions_failed: 0,
    drift: { healed: [], text: [], navigation: [] },
  });
  expect(await end(tab)).toMatchObject({ url: "/shop", gift: true });
  expect(site.hits.filter(({ url }) => url === "/terms")).toHaveLength(2);
});

test("a recording outlives the death of its daemon", async ({ place, site, tab, agent }) => {
  await tab.goto(serve(site));
  await front(agent, tab);
  const { recording_id } = await agent.json<{ recording_id: string }>("configure", { action: "event_recording_start" });
  await tab.getByLabel("User").pressSequentially("ada");
  await tab.getByLabel("Password").click();
  const seen = () => agent.json<Recorded>("observe", { what: "recording_actions", recording_id });
  await until("the typing is recorded", seen, (r) => r.actions.some(({ value }) => value === "ada"));
  const pid = place.pid;
  if (pid === undefined) throw new Error("no daemon");
  process.kill(pid, "SIGKILL");
  const other = await connect(place); // the first who asks starts another daemon
  const left = await other.json<Recorded>("observe", { what: "recording_actions", recording_id });
  expect(left.state).toBe("interrupted");
  expect(left.actions.map(({ type, value }) => [type, value])).toContainEqual(["input", "ada"]);
  const stopped = await other.ask("configure", { action: "event_recording_stop", recording_id });
  expect(stopped).toContain("the daemon ended during the recording");
  await other.close();
});

test("a saved sequence is carried out in the browser, with other steps where they are given", async ({
  site,
  tab,
  agent,
}) => {
  await tab.goto(serve(site).replace("/login", "/shop"));
  await front(agent, tab);
  await agent.ask("configure", {
    action: "save_sequence",
    name: "order",
    steps: [
      { action: "select", selector: "label=Size", value: "Large" },
      { action: "click", selector: "text=Add to cart" },
      { action: "click", selector: "text=Pay now" },
    ],
  });
  const replay = { action: "replay_sequence", name: "order" };
  expect(await agent.json("configure", { ...replay, stop_after_step: 2 })).toMatchObject({
    status: "ok",
    steps_executed: 2,
    steps_queued: 1,
  });
  expect(await end(tab)).toMatchObject({ size: "Large", count: "1", paid: "" });
  const override_steps = [
    { action: "select", selector: "label=Size", value: "Small" },
    { action: "click", selector: "#none" },
  ];
  const partial = await agent.json("configure", { ...replay, override_steps, step_timeout_ms: brief(5000).timeoutMS });
  expect(partial).toMatchObject({ status: "partial", steps_executed: 3, steps_failed: 1 });
  expect(await end(tab)).toMatchObject({ size: "Small", count: "1", paid: "paid" });
});
