import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { connect, expect, front, PROGRAM, test } from "./support/fixtures.ts";

test.use({ pilot: true, bodies: true });

const shop = `<!doctype html><title>Shop</title><link rel="stylesheet" href="/gone.css"><img src="/gone.png">
  <button id="pay" onclick="pay()">Pay now</button><script>
  async function pay() {
    console.error("paying failed");
    console.warn("it costs");
    await fetch("/pay", { method: "POST", body: "{}" });
    document.title = "paid";
  }</script>`;

/** What a tool answered. */
interface Answered {
  isError?: boolean;
  content: { type: string; text?: string; data?: string }[];
}

test("a client with the eight tools sees what failed, acts, learns and keeps; one with all has the five beside them", async ({
  place,
  site,
  tab,
}) => {
  const root = mkdtempSync(join(tmpdir(), "project-"));
  const opened: Client[] = [];
  const open = async (toolset: string): Promise<Client> => {
    const client = new Client({ name: `probe-${toolset}`, version: "1" });
    await client.connect(
      new StdioClientTransport({
        command: PROGRAM,
        args: [...place.args, "--toolset", toolset],
        cwd: root,
        stderr: "ignore",
      }),
    );
    opened.push(client);
    return client;
  };
  const usual = await connect(place);
  try {
    const client = await open("v2");
    const { tools } = await client.listTools();
    expect(tools.map(({ name }) => name).toSorted()).toEqual([
      "execute_javascript",
      "generate_test_file",
      "get_browser_logs",
      "get_network_activity",
      "highlight_element",
      "learn_selector",
      "manage_state",
      "take_screenshot",
    ]);
    const both = await (await open("all")).listTools();
    expect(both.tools).toHaveLength(13);

    site.json("/pay", { error: "no such order" }, { status: 500 });
    for (const media of ["/gone.css", "/gone.png"]) site.page(media, { body: "no", status: 404 });
    await tab.goto(site.page("/shop", shop));
    await front(usual, tab);
    await tab.getByRole("button").click();
    await expect(tab).toHaveTitle("paid");

    const call = async (name: string, args: Record<string, unknown> = {}): Promise<Answered> =>
      (await client.callTool({ name, arguments: args })) as unknown as Answered;
    const ask = async (name: string, args: Record<string, unknown> = {}): Promise<string> => {
      const { isError, content } = await call(name, args);
      const text = content.map((part) => part.text ?? "").join("\n");
      expect(isError ?? false, `${name}: ${text}`).toBe(false);
      return text;
    };
    const errors = await ask("get_browser_logs");
    expect(errors).toContain("paying failed");
    expect(errors).not.toContain("it costs");
    expect(await ask("get_browser_logs", { level: "warn", limit: 5 })).toContain("it costs");
    expect(await ask("get_browser_logs", { level: "all" })).toContain("paying failed");
    const failed = await ask("get_network_activity");
    expect(failed).toContain("no such order");
    expect(failed).not.toMatch(/gone\.(css|png)/);
    const bare = await ask("get_network_activity", { status_filter: "all", include_bodies: false });
    expect(bare).toContain("/pay");
    expect(bare).not.toContain("no such order");

    const shot = await call("take_screenshot", { selector: "#pay" });
    expect(shot.content.some(({ type, data }) => type === "image" && data !== undefined)).toBe(true);
    await ask("highlight_element", { selector: "#pay", duration_ms: 500 });
    expect(await ask("execute_javascript", { script: "document.title" })).toContain("paid");
    await ask("learn_selector", { semantic_name: "pay_button", selector: "#pay" });
    expect(readFileSync(join(root, "gasoline_memory.json"), "utf8")).toContain('"pay_button"');
    await ask("manage_state", { action: "save", snapshot_name: "cart-full" });
    expect(await ask("manage_state", { action: "list" })).toContain("cart-full");
    await ask("manage_state", { action: "load", snapshot_name: "cart-full" });
    const written = await ask("generate_test_file", { test_name: "pays" });
    expect(written).toContain('getByRole("button", { name: "Pay now"');
    expect((await call("highlight_element")).isError).toBe(true);
  } finally {
    for (const client of opened) await client.close();
    await usual.close();
    rmSync(root, { recursive: true, force: true });
  }
});
