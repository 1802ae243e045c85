// The main job, end to end: a shop with a failing checkout, a real Chromium with the extension, the
// daemon, and a real MCP client that asks what went wrong, as a coding agent would.
import { writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { agent, Browser, Place, PROGRAM, until } from "../e2e/harness.ts";
import { buyGiftCard } from "./shop/customer.ts";
import { startShop } from "./shop/shop.mjs";

const { values } = parseArgs({ options: { keep: { type: "boolean", default: Boolean(process.env.KEEP) } } });
const say = (text: string) => console.log(`\x1b[1m›\x1b[0m ${text}`);
const show = (text: string) => console.log(text.replace(/^/gm, "    "));

// A signal does not end this process: everything that it started is to end first.
let over = false;
let kept = false; // all is done and stays open until a signal
let ending = false; // it was kept open, and the signal came
const signal = new Promise<void>((done) => {
  for (const name of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.once(name, () => done());
}).then(() => {
  over = true;
});

const place = await Place.make();
const started: { close(): Promise<void> }[] = [];
let code = 0;
const playing = play();
try {
  const interrupted = signal.then(() => {
    if (!kept) throw new Error("interrupted");
  });
  await Promise.race([playing, interrupted]);
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  code = over ? 130 : 1;
} finally {
  over = true;
  for (const s of started.reverse()) await s.close().catch(() => undefined); // the signal may have ended it
  await playing.catch(() => undefined); // what it was just starting has ended with it
  await place.remove();
  if (ending) say("all of it has ended: shop, browser and daemon; its state is removed");
}
process.exit(code);

/** Notes what has to be closed; what starts too late is closed at once. */
async function own<T extends { close(): Promise<void> }>(starting: Promise<T>): Promise<T> {
  const thing = await starting;
  if (over) {
    await thing.close();
    throw new Error("interrupted");
  }
  started.push(thing);
  return thing;
}

async function play(): Promise<void> {
  say(`starting an MCP client on stdio; it starts the daemon on port ${place.port}`);
  const client = await own(agent(place, "demo", fileURLToPath(new URL("shop", import.meta.url))));

  say("starting the shop: a Node service, behind it one in Go and one in Python with SQLite, each by “gasoline run”");
  const shop = await own(
    startShop(
      (line: string, service: string) => show(`${service}: ${line}`),
      (service: string) => [PROGRAM, ...place.args, "run", "--name", service, "--"],
    ),
  );

  if (!shop.payments) show("Python 3.9 was not found: the service in Go does the work of the one in Python");

  const headless = !values.keep || !hasDisplay();
  say("starting Chromium with the extension");
  // Whoever keeps the browser open may go on to sites of other machines: no rule for names, as in tests.
  const args = ["--host-resolver-rules="];
  const browser = await own(Browser.launch(place, { headless, signals: false, args }));
  await until(
    "the extension's connection",
    () => place.run("status").then((r) => r.stdout),
    (s) => over || /^browser: (?!none)/m.test(s),
  );

  say("switching on “AI Web Pilot” and “Capture bodies” in the extension's popup, as the user would");
  await browser.set("AI Web Pilot", true);
  await browser.set("Capture bodies", true);

  say(`a customer buys a gift card on ${shop.url}`);
  const page = await browser.page(shop.url);
  await buyGiftCard(page);
  say(`the page says: “${await page.locator("#result").innerText()}”, and will for ever`);

  const cause = "NOT NULL constraint failed: payments.currency";
  const answer = await until(
    "the cause in the database",
    () => client.ask("observe", { what: "error_bundles" }),
    (t) =>
      /^ {2}cause .* in (payments|orders): /m.test(t) &&
      t.includes(cause) &&
      (!shop.payments || t.includes("main.py:")),
  );
  say('the agent asks: observe {"what":"error_bundles"}');
  show(answer);

  const trace = /"trace":"(\w+)"/.exec(answer)?.[1] ?? "";
  say(`the agent asks for all of it: observe {"what":"timeline","trace":"${trace}"}`);
  const flow = await client.ask("observe", { what: "timeline", trace });
  show(flow);
  const behind = shop.payments ? ["payments server POST /payments"] : [];
  for (const part of ["Pay now", "web server POST /api/checkout", "orders server POST /orders", ...behind, "INSERT"])
    if (!flow.includes(part)) throw new Error(`the flow does not contain ${part}`);

  say('the agent looks: observe {"what":"screenshot"}');
  const shot = await client.call("observe", { what: "screenshot" });
  const image = shot.images[0];
  if (shot.isError || !image) throw new Error(`no screenshot: ${shot.text}`);
  const file = join(process.cwd(), "demo-screenshot.png");
  writeFileSync(file, image.data, "base64");
  show(shot.text);
  say(`screenshot: ${file}`);

  say('the agent audits the page: analyze {"what":"audit","categories":["accessibility","best_practices","seo"]}');
  const audit = await client.ask("analyze", {
    what: "audit",
    categories: ["accessibility", "best_practices", "seo"],
  });
  show(audit);
  if (!audit.includes("errors-in-console")) throw new Error("the audit does not tell the error of the page");

  // What the customer did, the agent does itself, and each act answers with what it led to.
  const acts: Record<string, unknown>[] = [
    { action: "refresh" },
    { action: "click", selector: 'role=button[name="Add Gift card"]' },
    {
      action: "fill_form",
      fields: [
        { selector: "label=E-mail", value: "agent@example.com" },
        { selector: "label=Card number", value: "4111 1111 1111 1111" },
      ],
    },
    { action: "click", selector: "testid=pay", include_screenshot: true, reason: "to see the failure once more" },
  ];
  for (const act of acts) {
    say(`the agent acts: interact ${JSON.stringify(act)}`);
    const done = await client.call("interact", act);
    show(done.text);
    const [picture] = done.images;
    if (picture) {
      const own = join(process.cwd(), "demo-receipt.png");
      writeFileSync(own, picture.data, "base64");
      say(`picture after the act: ${own}`);
    }
  }

  say(
    `in ${answer.length} characters the agent has the exception, the click that led to it, the failing request, and the query that failed behind ${shop.payments ? "three" : "two"} services`,
  );
  if (values.keep) {
    const program = [resolve(PROGRAM), ...place.args].map(word).join(" "); // works in each folder
    say(`left open: shop ${shop.url}, daemon ${place.url}, state ${place.stateDir}. Ctrl-C ends all of it.`);
    if (headless) say("there is no display, so the browser has no window; look through Gasoline:");
    else say("click around in the shop, then look:");
    for (const command of [
      "observe errors",
      "observe timeline",
      `observe screenshot --output ${word(join(place.dir, "screenshot.png"))}`,
      "interact list_interactive",
      "interact click --selector 'text=Pay now'",
    ])
      show(`${program} ${command}`);
    kept = true;
    await signal;
    ending = true;
  }
}

/** A word of a command line as a person pastes it. */
function word(text: string): string {
  const windows = process.platform === "win32";
  if ((windows ? /^[\w./:=@+\\-]+$/ : /^[\w./:=@%+-]+$/).test(text)) return text;
  return windows ? `"${text}"` : `'${text.replaceAll("'", String.raw`'\''`)}'`;
}

function hasDisplay(): boolean {
  return process.platform !== "linux" || Boolean(process.env.DISPLAY || process.env.WAYLAND_DISPLAY);
}
