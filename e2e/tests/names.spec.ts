import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
  type Agent,
  connect,
  connected,
  brief,
  expect,
  front,
  type Page,
  Place,
  test,
  until,
} from "./support/fixtures.ts";

test.use({ pilot: true });

interface Entry {
  url: string;
  role: string;
  name: string;
  locators: string[];
  learned: string;
  by: string;
}
interface Stored {
  version: number;
  names: Record<string, Entry>;
}
interface Acted {
  named?: { name: string; selector: string; healed?: { from: string; to: string; saved: boolean } }[];
}

/** A checkout; what is done shows in the title. id and test id are the page's of today. */
const checkout = (id: string, testid = "", text = "Pay now"): string => `<!doctype html><title>Checkout</title>
  <h1>Checkout</h1><nav><a href="/help">Help</a></nav>
  <form onsubmit="document.title = 'paid ' + this.elements[0].value; return false">
  <label>Card name <input id="f-${id}"></label>
  <button id="${id}" class="c-${id}" ${testid}>${text}</button></form>`;

/** The project's folder, taken away when work is done. */
async function inProject(work: (root: string, read: () => Stored, file: string) => Promise<void>): Promise<void> {
  const root = mkdtempSync(join(tmpdir(), "project-"));
  const file = join(root, "gasoline_memory.json");
  try {
    await work(root, () => JSON.parse(readFileSync(file, "utf8")) as Stored, file);
  } finally {
    rmSync(root, { recursive: true, force: true });
  }
}

const learn = (agent: Agent, key: string, more: Record<string, unknown>): Promise<string> =>
  agent.ask("configure", { action: "store", operation: "save", namespace: "selectors", key, ...more });

/** Learns the button by its ref from a list, and the field by a selector. */
async function learnCheckout(agent: Agent, tab: Page): Promise<void> {
  await front(agent, tab);
  const list = await agent.ask("interact", { action: "list_interactive", role: "button" });
  const ref = /(e\d+) button "Pay now"/.exec(list)?.[1];
  expect(await learn(agent, "checkout_submit", { ref })).toContain("checkout_submit is learnt");
  expect(await learn(agent, "card_name", { selector: "label=Card name" })).toContain("card_name is learnt");
}

test("what one session learnt another uses, after a restart of the daemon too, and it heals", async ({
  place,
  site,
  tab,
}) => {
  await inProject(async (root, read) => {
    const first = await connect(place, "first", root);
    const second = await connect(place, "second", root);
    try {
      await tab.goto(site.page("/orders/4711/checkout", checkout("a1", "data-testid=pay")) + "?step=of-the-query");
      await tab.locator("input").fill("a value that is typed");
      await learnCheckout(first, tab);
      const { names, version } = read();
      expect(version).toBe(1);
      expect(names["checkout_submit"]).toMatchObject({
        url: site.url("/orders/*/checkout"),
        role: "button",
        name: "Pay now",
        by: expect.stringContaining("first"),
      });
      expect(names["checkout_submit"]?.locators[0]).toBe("testid=pay");
      expect(JSON.stringify(names)).not.toMatch(/of-the-query|a value that is typed|4711/);
      expect(await first.ask("interact", { action: "list_interactive" })).toContain("named checkout_submit");

      // Another client, another order, another build of the page: other ids and classes, no test id.
      await second.ask("configure", { action: "restart" });
      await connected(place);
      await tab.goto(site.page("/orders/5000/checkout", checkout("b2")));
      await front(second, tab);
      const filled = { action: "type", named: "card_name", text: "Ada", clear: true };
      expect(await second.ask("interact", filled)).not.toContain("healed");
      const click = { action: "click", named: "checkout_submit" };
      const clicked = await second.json<Acted>("interact", click);
      await expect(tab).toHaveTitle("paid Ada");
      expect(clicked.named?.[0]?.healed).toMatchObject({
        from: "testid=pay",
        to: 'role=button[name="Pay now"]',
        saved: true,
      });
      const healed = read().names["checkout_submit"]!;
      expect(healed.locators[0]).toBe('role=button[name="Pay now"]');
      expect(healed.locators.join()).not.toContain("testid");

      // The first one finds it at once by what the second one's act left, in a form as well.
      await tab.reload();
      await first.ask("interact", { action: "switch_tab", tab: await front(first, tab), take: true });
      expect((await first.json<Acted>("interact", click)).named?.[0]?.healed).toBeUndefined();
      await tab.reload();
      await first.ask("interact", { action: "fill_form", fields: [{ named: "card_name", value: "Bea" }] });
      await first.ask("interact", { action: "key_press", named: "card_name", text: "Enter" });
      await expect(tab).toHaveTitle("paid Bea");
      expect(await first.ask("interact", { action: "get_value", named: "card_name" })).toContain('"Bea"');
      await first.ask("interact", {
        action: "fill_form_and_submit",
        fields: [{ named: "card_name", value: "Cleo" }],
        submit_named: "checkout_submit",
      });
      await expect(tab).toHaveTitle("paid Cleo");
      await first.ask("interact", { action: "wait_for", named: "checkout_submit" });
      const gone = first.ask("interact", { action: "wait_for", named: "checkout_submit", absent: true });
      await tab.evaluate(() => setTimeout(() => document.querySelector("button")!.remove(), 300));
      expect(await gone).toContain("gone after");
      expect(await first.ask("interact", { action: "wait_for", named: "checkout_submit", absent: true })).toContain(
        "gone after",
      );
      await tab.reload();
      await front(first, tab);
      const shot = await first.call("interact", { action: "screenshot", named: "checkout_submit" });
      expect(shot.isError, shot.text).toBe(false);
    } finally {
      await first.close();
      await second.close();
    }
  });
});

test("what has become something else is not acted on, and the answer says what is there instead", async ({
  place,
  site,
  tab,
}) => {
  await inProject(async (root, read, file) => {
    const agent = await connect(place, "one", root);
    try {
      await tab.goto(site.page("/checkout", checkout("a1", "data-testid=pay")));
      await learnCheckout(agent, tab);
      const before = readFileSync(file, "utf8");
      // The same ids and test id, another text: perhaps another thing.
      await tab.goto(site.page("/checkout", checkout("a1", "data-testid=pay", "Pay later")));
      await front(agent, tab);
      const click = { action: "click", named: "checkout_submit", timeout_ms: brief(5000).timeoutMS };
      const refused = await agent.call("interact", click);
      expect(refused.text).toContain("error=element_not_found");
      expect(refused.text).toContain("its locators find something else now");
      expect(refused.text).toMatch(/testid=pay: 0, and 1 with another role or name/);
      expect(refused.text).toMatch(/near: (e\d+) button "Pay later"/);
      await expect(tab).toHaveTitle("Checkout");
      expect(readFileSync(file, "utf8")).toBe(before);
      // The way out works as it is told.
      const ref = /near: (e\d+) button/.exec(refused.text)?.[1];
      expect(await learn(agent, "checkout_submit", { ref })).toContain("learnt anew");
      await agent.ask("interact", click);
      await expect(tab).toHaveTitle("paid ");

      // Two that are the same.
      await tab.goto(site.page("/checkout", checkout("a1", "", "Pay later") + checkout("a2", "", "Pay later")));
      await front(agent, tab);
      await tab.evaluate(() => document.querySelectorAll("button").forEach((at) => at.removeAttribute("id")));
      const both = await agent.call("interact", click);
      expect(both.text).toContain("error=ambiguous_target");
      await expect(tab).toHaveTitle("Checkout");

      // A name that is gone, by hand and by the agent.
      const all = read();
      delete all.names["card_name"];
      writeFileSync(file, JSON.stringify(all));
      const gone = await agent.call("interact", { action: "type", named: "card_name", text: "x" });
      expect(gone.text).toContain("error=no_data");
      writeFileSync(file, "{ not json");
      const broken = await agent.call("interact", click);
      expect(broken.text).toContain(`error=invalid_memory`);
      expect(broken.text).toContain(`${file} line 1`);
      expect(
        (await agent.call("configure", { action: "store", operation: "delete", namespace: "selectors", key: "a" }))
          .text,
      ).toContain("error=invalid_memory");
      expect(readFileSync(file, "utf8")).toBe("{ not json");
    } finally {
      await agent.close();
    }
  });
});

test("a part of the page is named where others are looked for, and a snapshot tells names", async ({
  place,
  site,
  tab,
}) => {
  await inProject(async (root) => {
    const agent = await connect(place, "agent", root);
    try {
      const inner = site.page(
        "/inner",
        '<section aria-label="Inside"><button>One</button></section><button>Two</button>',
      );
      const nav =
        '<nav aria-label="Main"><a href="/a">A</a><a href="/b">B</a></nav><a href="/c">C</a><button>Buy</button>';
      await tab.goto(site.page("/shop", `<!doctype html><title>Shop</title>${nav}<iframe src="${inner}"></iframe>`));
      await front(agent, tab);
      expect(await learn(agent, "main_nav", { selector: "role=navigation" })).toContain("main_nav is learnt");
      expect(await learn(agent, "buy", { selector: "text=Buy" })).toContain("buy is learnt");
      expect(await learn(agent, "inside", { selector: "role=region" })).toContain("inside is learnt");
      const count = (within: string): Promise<string> =>
        agent.ask("interact", { action: "query", selector: "a,button", query_type: "count", within });
      expect(await count("named=main_nav")).toContain("2 fit");
      expect(await count("named=inside")).toContain("1 fit");
      expect(await agent.ask("interact", { action: "list_interactive", within: "named=inside" })).toContain(
        "1 of 1 element",
      );
      await agent.ask("interact", { action: "click", selector: "text=B", within: "named=main_nav" });
      await expect.poll(() => tab.url()).toContain("/b");
      await tab.goto(site.url("/shop"));
      const shown = await agent.ask("observe", { what: "page_inventory" });
      const ref = /button "Buy" \[ref=(e\d+)\]/.exec(shown)?.[1] ?? "none";
      expect(shown.split("</page-data")[1]).toContain(`named in gasoline_memory.json: ${ref} buy`);
    } finally {
      await agent.close();
    }
  });
});

test.describe("two sites", () => {
  test.use({ hosts: ["http://shop.test/*"] });

  test("a name is used on its own site only; servers of this machine are one", async ({ place, site, tab }) => {
    await inProject(async (root) => {
      const agent = await connect(place, "one", root);
      try {
        const url = site.page("/checkout", checkout("a1"));
        await tab.goto(url);
        await learnCheckout(agent, tab);
        await tab.goto(url.replace(/\/\/[^:/]+/, "//shop.test"));
        await front(agent, tab);
        const typed = await agent.call("interact", {
          action: "type",
          named: "card_name",
          text: "a secret of the first site",
        });
        expect(typed.text).toContain("error=other_origin");
        expect(await tab.locator("input").inputValue()).toBe("");
        await tab.goto(url.replace(/\/\/[^:/]+/, "//localhost").replace("checkout", "other"));
        site.page("/other", checkout("a1"));
        await tab.goto(url.replace(/\/\/[^:/]+/, "//localhost").replace("checkout", "other"));
        await front(agent, tab);
        const other = await agent.ask("interact", { action: "type", named: "card_name", text: "Ada" });
        expect(other).toContain("card_name was learnt on another page");
        expect(await tab.locator("input").inputValue()).toBe("Ada");
      } finally {
        await agent.close();
      }
    });
  });
});

test("two daemons that learn at once lose nothing of each other's", async ({ place, site, tab, profile }) => {
  await inProject(async (root, read) => {
    const other = await Place.make();
    const agent = await connect(place, "one", root);
    try {
      await other.serve();
      const theirs = await connect(other, "two", root);
      try {
        expect(profile.id).not.toBe("");
        await tab.goto(site.page("/checkout", checkout("a1")));
        await learnCheckout(agent, tab);
        const count = 12;
        const mine = Array.from({ length: count }, (_, i) =>
          learn(agent, `name.${i}`, { selector: "label=Card name" }),
        );
        const forgotten = theirs.ask("configure", {
          action: "store",
          operation: "delete",
          namespace: "selectors",
          key: "checkout_submit",
        });
        await Promise.all([...mine, forgotten]);
        const names = await until(
          "all names",
          async () => Object.keys(read().names),
          (all) => all.length >= count,
        );
        expect(names.toSorted()).toEqual(
          ["card_name", ...Array.from({ length: count }, (_, i) => `name.${i}`)].toSorted(),
        );
      } finally {
        await theirs.close();
      }
    } finally {
      await agent.close();
      await other.remove();
    }
  });
});
