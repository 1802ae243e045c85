// What configure examples and tutorial show works when it is sent back as it is.
import { type Agent, expect, front, test } from "./support/fixtures.ts";

interface Example {
  tool: string;
  goal: string;
  arguments: Record<string, unknown>;
}

const TOOLS = ["observe", "analyze", "generate", "interact", "configure"];

/** Sends every example of every tool back. The modes of whom one worked, and the calls that gave an error. */
async function sendAll(agent: Agent, fresh?: () => Promise<void>): Promise<{ done: string[]; failed: string[] }> {
  const done: string[] = [];
  const failed: string[] = [];
  for (const tool of TOOLS) {
    await fresh?.();
    const { examples } = await agent.json<{ examples: Example[] }>("configure", {
      action: "examples",
      tool,
      limit: 200,
      budget: 30_000,
    });
    for (const shown of examples) {
      const mode = String(shown.arguments["what"] ?? shown.arguments["action"] ?? shown.arguments["format"]);
      if (mode === "restart") continue; // the last
      let send = shown;
      if (tool === "interact" || tool === "configure") {
        // What earlier ones did to the page, or deleted, this one is not made for.
        if (tool === "interact") await fresh?.();
        const again = await agent.json<{ examples: Example[] }>("configure", { action: "examples", tool, mode });
        if (!again.examples[0]) {
          failed.push(`${tool} ${mode}: it was shown and is not any more`);
          continue;
        }
        send = again.examples[0];
      }
      const answer = await agent.call(send.tool, send.arguments);
      if (answer.isError) failed.push(`${JSON.stringify(send)}: ${answer.text}`);
      else done.push(`${tool} ${mode}`);
    }
  }
  return { done, failed };
}

test("without a browser each example works", async ({ agent }) => {
  const { done, failed } = await sendAll(agent);
  expect(failed).toEqual([]);
  expect(done.length).toBeGreaterThan(35);
});

test.describe("with a browser", () => {
  test.use({ pilot: true, bodies: true, ownBrowser: true });

  test("each example of each mode works", async ({ agent, profile, tab, site }) => {
    test.setTimeout(400_000);
    const url = site.page(
      "/shop",
      `<title>Shop</title><h1>Cart</h1><a href="#a">Home</a><button class="big">Pay</button><form><input name="mail" type="email" aria-label="E-mail"><input type="checkbox" aria-label="I agree"><select aria-label="Size"><option>Small<option>Large</select></form>
       <table><tr><th>Item<th>Price<tr><td>Cup<td>7</table>
       <script>console.error("no stock"); fetch("/api/none").catch(() => 0);
       indexedDB.open("shop", 1).onupgradeneeded = ({ target }) => target.result.createObjectStore("cart").put(1, "cups");</script>`,
    );
    const fresh = async (): Promise<void> => {
      // Some open tabs, one closes its own.
      const others = profile.context.pages();
      const page = await profile.context.newPage();
      for (const other of others) await other.close();
      await page.goto(`${url}?token=hushhush`);
      // The tab in use was closed: the daemon hears of the next one in a moment.
      const shown = async () => (await agent.call("observe", { what: "page" })).text;
      await expect.poll(shown, { intervals: [200] }).toContain("/shop");
    };
    await tab.goto(url);
    await front(agent, tab);
    await fresh();
    // What some modes need to be there.
    await agent.call("interact", { action: "save_state", name: "before" });
    await agent.call("analyze", { what: "visual_baseline", name: "before" });
    await agent.call("configure", {
      action: "save_sequence",
      name: "down",
      steps: [{ action: "scroll_to", direction: "bottom" }],
    });
    const { done, failed } = await sendAll(agent, fresh);
    expect(failed).toEqual([]);
    for (const mode of [
      "interact click",
      "interact type",
      "interact select",
      "interact load_state",
      "analyze data_table",
      "observe indexeddb",
      "analyze visual_diff",
      "observe network_bodies",
      "configure replay_sequence",
    ])
      expect(done).toContain(mode);
    expect(done.length).toBeGreaterThan(100);
    // Nothing of an address but what names the page.
    const all = await agent.call("configure", { action: "examples", tool: "interact", limit: 200, budget: 30_000 });
    expect(all.text).not.toContain("hushhush");
    // The tutorial's, too; and all of it fits.
    await fresh();
    const { snippets } = await agent.json<{ snippets: Example[] }>("configure", { action: "tutorial" });
    expect(snippets.map((s) => s.arguments["action"])).toEqual(expect.arrayContaining(["click", "type", "doctor"]));
    for (const { tool, arguments: args } of snippets)
      expect(await agent.call(tool, args)).toMatchObject({ isError: false });
    expect((await agent.ask("configure", { action: "tutorial" })).length).toBeLessThanOrEqual(6000);
    const { examples } = await agent.json<{ examples: Example[] }>("configure", {
      action: "examples",
      mode: "restart",
    });
    expect((await agent.call(examples[0]!.tool, examples[0]!.arguments)).isError).toBeFalsy();
  });
});
