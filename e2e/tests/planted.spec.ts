import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { type Agent, expect, front, type Page, type Site, test, until } from "./support/fixtures.ts";

// Failures as they are in applications, each led to by one act. An agent that knows nothing of the page asks once.

test.use({ pilot: true, bodies: true });

interface Failure {
  /** What the button does. done says that the failure has happened. */
  act: string;
  /** What the answer has to name. */
  names: RegExp[];
  /** Headers of the page. */
  headers?: Record<string, string>;
  /** What else is in the page. */
  body?: string;
  /** Only the receipt of an agent's act tells of it. */
  by?: "agent";
}

/** A caught failure: the page only shows that something is wrong. */
const caught = (url: string, init = "{}"): string =>
  `const answer = await fetch(${JSON.stringify(url)}, ${init}); await answer.text(); say("That did not work."); done();`;

/** Failures by what they are called. dead is a port that nobody listens on, far another origin of the same site. */
const failures = (dead: string, far: string): Record<string, Failure> => ({
  "an exception in a handler": { act: `soon(done); cart.total();`, names: [/cart is not defined/] },
  "an exception later": {
    act: `setTimeout(() => { soon(done); null.price; }, 20);`,
    names: [/null \(reading 'price'\)/],
  },
  "a rejection": { act: `soon(done); Promise.reject(new Error("no stock of 8812"));`, names: [/no stock of 8812/] },
  "HTML where JSON was expected": {
    act: `soon(done, 300); await (await fetch("/login.html")).json();`,
    names: [/login\.html/, /HTML page/, /SyntaxError: Unexpected token/],
  },
  "a 401 that is caught": { act: caught("/api/401"), names: [/401/, /\/api\/401/, /token expired/] },
  "a 403 that is caught": { act: caught("/api/403"), names: [/403/, /\/api\/403/, /admins only/] },
  "a chunk that is gone": { act: `soon(done, 300); await import("/chunk-8f2.js");`, names: [/chunk-8f2\.js/, /404/] },
  "a 422 with messages": { act: caught("/api/422", `{method:"POST"}`), names: [/422/, /is taken/] },
  "a 500": { act: caught("/api/500", `{method:"POST"}`), names: [/500/, /deadlock/] },
  "a success that is none": {
    act: caught("/api/no", `{method:"POST"}`),
    names: [/\/api\/no/, /success/, /card declined/],
  },
  "errors of GraphQL": { act: caught("/graphql", `{method:"POST"}`), names: [/graphql/, /Cannot query field/] },
  "an origin that is refused": {
    act: `fetch("${far}/api/far").catch(() => { say("Offline?"); done(); });`,
    names: [/api\/far/, /CORS/],
  },
  "a port that is dead": {
    act: `fetch("${dead}/api/dead").catch(() => { say("Offline?"); done(); });`,
    names: [/api\/dead/, /ERR_CONNECTION_REFUSED|failed|refused/i],
  },
  "an answer that is slow": { act: caught("/api/slow"), names: [/\/api\/slow/, /slow/] },
  "a request that the page gave up": {
    act: `fetch("/api/never", { signal: AbortSignal.timeout(200) }).catch(() => { say("Try again."); done(); });`,
    names: [/\/api\/never/, /gave it up/],
  },
  "a socket closed by the server's failure": {
    act: `new WebSocket("ws://" + location.host + "/ws1011").onclose = () => { say("Lost."); done(); };`,
    names: [/\/ws1011/, /1011/, /out of memory/],
  },
  "a socket closed by an application's code": {
    act: `new WebSocket("ws://" + location.host + "/ws4001").onclose = () => { say("Lost."); done(); };`,
    names: [/\/ws4001/, /4001/, /session expired/],
  },
  "an event stream answered with HTML": {
    act: `const stream = new EventSource("/login.html"); stream.onerror = () => { stream.close(); say("Lost."); done(); };`,
    names: [/login\.html/, /no event stream/],
  },
  "a policy's refusal": {
    act: `const script = document.createElement("script"); script.src = "${far}/lib.js"; script.onerror = () => { say("No."); done(); }; document.body.append(script);`,
    headers: { "content-security-policy": "script-src 'self' 'unsafe-inline'" },
    names: [/lib\.js/, /script-src|Content Security Policy|csp/i],
  },
  "an exception in a worker": {
    act: `new Worker("/worker.js").onerror = () => soon(done);`,
    names: [/worker could not add/, /worker\.js/],
  },
  "an exception in a frame of another origin": {
    act: `frames[0].postMessage("pay", "*"); onmessage = done;`,
    body: `<iframe src="${far}/inner"></iframe>`,
    names: [/card field is gone/],
  },
  "a line of console.error": { act: `console.error("sync failed: 3 of 7"); done();`, names: [/sync failed: 3 of 7/] },
  "a store that is full": {
    act: `soon(done); localStorage.setItem("all", "x".repeat(6e6));`,
    names: [/QuotaExceededError|exceeded the quota/],
  },
  "a module that throws": {
    act: `soon(done, 300); await import("/broken.js");`,
    names: [/not yours to import/, /broken\.js/],
  },
  "an image that is gone": {
    act: `const image = new Image(); image.onerror = done; image.src = "/photo-9.png"; document.body.append(image);`,
    names: [/photo-9\.png/, /404/],
  },
  "a form that is refused": {
    act: `document.forms[0].requestSubmit(); done();`,
    body: `<form><label>Mail <input type=email required></label></form>`,
    names: [/invalid field "Mail"/],
    by: "agent",
  },
  "a stream that ends with an error": {
    act: `const { body } = await fetch("/api/stream"); for await (const _ of body); say("Hm."); done();`,
    names: [/\/api\/stream/, /overloaded/],
  },
});

/** Makes a page for each failure, and what they ask for. */
async function plant(site: Site): Promise<Record<string, Failure & { path: string }>> {
  const server = createServer();
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
  const dead = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  await new Promise((done) => server.close(done));
  const far = site.url("", "localhost");
  site.json("/api/401", { error: "token expired" }, { status: 401 });
  site.json("/api/403", { error: "admins only" }, { status: 403 });
  site.json("/api/422", { errors: { email: ["is taken"] } }, { status: 422 });
  site.json("/api/500", { error: "deadlock found" }, { status: 500 });
  site.json("/api/no", { success: false, message: "card declined" });
  site.json("/graphql", { data: null, errors: [{ message: 'Cannot query field "totl"', path: ["order"] }] });
  site.json("/api/far", { far: true });
  site.json("/api/slow", { fine: true }, { delay: 3300 });
  site.page("/api/never", () => {});
  site.page("/login.html", "<!doctype html><title>Sign in</title>");
  site.page("/worker.js", { body: `throw new Error("worker could not add")`, type: "text/javascript" });
  site.page("/broken.js", { body: `throw new Error("not yours to import")`, type: "text/javascript" });
  site.page("/lib.js", { body: "", type: "text/javascript" });
  site.page(
    "/inner",
    `<script>onmessage = () => { setTimeout(() => parent.postMessage("done", "*"), 50); throw new Error("card field is gone"); }</script>`,
  );
  site.page("/api/stream", {
    body: `data: {"token":"Hel"}\n\nevent: error\ndata: {"type":"error","error":{"message":"overloaded"}}\n\n`,
    type: "text/event-stream",
  });
  site.sockets("/ws1011", (socket) => socket.close(1011, "out of memory"));
  site.sockets("/ws4001", (socket) => socket.close(4001, "session expired"));
  const all = Object.entries(failures(dead, far)).map(([name, failure], i) => {
    const path = `/shop-${i}`;
    site.page(path, {
      body: `<!doctype html><title>Shop</title><button>Go</button><p role=status></p>${failure.body ?? ""}<script>
        const done = () => (document.title = "Done");
        const soon = (work, ms = 50) => setTimeout(work, ms);
        const say = (text) => (document.querySelector("p").textContent = text);
        if (location.hash) { setTimeout(() => { throw new Error("an older one of this page"); }); document.write('<img src=/older.png>'); }
        document.querySelector("button").onclick = async () => { ${failure.act} };
      </script>`,
      ...(failure.headers && { headers: failure.headers }),
    });
    return [name, { ...failure, path }] as const;
  });
  site.page("/before", `<title>Before</title><script>throw new Error("of another page")</script>`);
  return Object.fromEntries(all);
}

/** Asks once; again only where the machine was too busy for the page to be heard. */
const bundles = (agent: Agent): Promise<string> =>
  until(
    "an answer for which the page was asked",
    () => agent.ask("observe", { what: "error_bundles" }),
    (text) => !/did not answer within/.test(text),
  );

async function failed(tab: Page, agent: Agent, by: "user" | "agent"): Promise<string> {
  const receipt =
    by === "agent"
      ? await agent.ask("interact", { action: "click", selector: "text=Go" })
      : (await tab.click("button"), "");
  await expect(tab).toHaveTitle("Done");
  return receipt;
}

for (const [when, by] of [
  ["alone", "user"],
  ["after three older errors", "agent"],
] as const) {
  test(`the first answer names what failed, ${when}, by an act of the ${by}`, async ({ site, tab, agent }) => {
    const sizes: number[] = [];
    const missed: string[] = [];
    for (const [name, { path, names, by: only }] of Object.entries(await plant(site))) {
      if (only && only !== by) continue;
      await tab.goto("about:blank");
      await agent.ask("configure", { action: "clear" });
      if (when !== "alone") await tab.goto(site.url("/before", "localhost"));
      await tab.goto(site.url(path) + (when === "alone" ? "" : "#older"));
      if (when !== "alone")
        await until(
          "the older ones",
          () => agent.ask("observe", { what: "errors" }),
          (text) => /an older one of this page/.test(text) && /older\.png/.test(text),
        );
      await front(agent, tab);
      const receipt = await failed(tab, agent, by);
      const text = await bundles(agent);
      const size = Buffer.byteLength(text);
      sizes.push(size);
      const lacks = (answer: string): RegExp[] => names.filter((name) => !name.test(answer));
      const told = text.slice(0, text.search(/an older one of this page|of another page|older\.png|$/));
      if ((lacks(told).length > 0 || size > 1200) && (by === "user" || lacks(receipt).length > 0))
        missed.push(`${name}: ${size} B, lacks ${lacks(told).join()}\n${text}\n${receipt}`);
    }
    sizes.sort((a, b) => a - b);
    console.log(
      `${sizes.length} failures ${when} by the ${by}: median ${sizes[sizes.length >> 1]} B, most ${sizes.at(-1)} B`,
    );
    expect(missed.join("\n\n")).toBe("");
  });
}

test("the receipt of a failing checkout says why", async ({ site, tab, agent }) => {
  site.json("/api/checkout", { error: "currency is missing", order: 8812 }, { status: 500 });
  await tab.goto(
    site.page(
      "/",
      `<!doctype html><title>Shop</title><button>Pay now</button><p role=status></p><script>
        document.querySelector("button").onclick = async function placeOrder() {
          const answer = await fetch("/api/checkout", { method: "POST", body: JSON.stringify({ cart: [1, 2] }) });
          const { total } = await answer.json();
          document.querySelector("p").textContent = "Paid " + total.amount;
        };
      </script>`,
    ),
  );
  await front(agent, tab);
  const receipt = await agent.ask("interact", { action: "click", selector: "text=Pay now" });
  expect(receipt).toMatch(/POST .*\/api\/checkout.* 500.*currency is missing/);
  expect(receipt).toMatch(/TypeError: .*'amount'.* at \/:5/);
  expect(Buffer.byteLength(receipt)).toBeLessThanOrEqual(700);
});
