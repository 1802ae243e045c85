// Gasoline. Chosen: the overview of page_inventory as the look, its find for what is not known yet, refs wherever there is
// one, and one batch for a text with the Enter after it and for a key
// that is pressed several times. The pilot and the capture of
// bodies are on, as the user would have switched them on.
import { Browser, Place, PROGRAM, until } from "../../harness.ts";
import type { Step, Target } from "../task.ts";
import { Tools } from "./client.ts";
import { type Act, Driver, type Investigation, submits, WAIT_MS } from "./driver.ts";
import { came, yaml } from "./known.ts";

export class Gasoline extends Driver {
  readonly #place: Place;
  readonly #browser: Browser;

  /** Where the record of what was done ended when the page had been loaded. */
  #cursor = "";

  private constructor(tools: Tools, place: Place, browser: Browser, dir: string) {
    super(tools, browser.context.pages()[0]!, dir);
    this.#place = place;
    this.#browser = browser;
  }

  static async start(dir: string): Promise<Gasoline> {
    const place = await Place.make();
    const tools = await Tools.start(PROGRAM, place.args, dir);
    const browser = await Browser.launch(place);
    await until(
      "the extension's connection",
      () => place.run("status"),
      (r) => /^browser: (?!none)/m.test(r.stdout),
    );
    await browser.worker.evaluate(() => chrome.storage.local.set({ pilot: true, bodies: true }));
    return new Gasoline(tools, place, browser, dir);
  }

  override async begin(): Promise<void> {
    await super.begin();
    // The user looks at the page; the daemon is told of that a moment after it was loaded.
    await this.page.bringToFront();
    const url = this.page.url();
    const tabs = () => this.tools.ask("observe", { what: "tabs", as: "json" });
    const inFront = (text: string) =>
      (JSON.parse(text) as { tabs: { url: string; active: boolean }[] }).tabs.some((t) => t.active && t.url === url);
    await until(`a tab with ${url} in front`, tabs, inFront, 20_000);
    this.#cursor = (await this.#actions({})).metadata.cursor;
  }

  override async ofUser(): Promise<string[]> {
    const { entries } = await this.#actions({ cursor: this.#cursor, limit: 500 });
    return entries.filter(({ by }) => by === "user").map(({ type, name, key }) => [type, name, key].join(" ").trim());
  }

  async #actions(
    args: object,
  ): Promise<{ metadata: { cursor: string }; entries: Record<"by" | "type" | "name" | "key", string>[] }> {
    return JSON.parse(await this.tools.ask("observe", { what: "actions", as: "json", ...args }));
  }

  async look(): Promise<void> {
    this.#take(await this.tools.ask("observe", { what: "page_inventory" }));
  }

  #take(text: string): void {
    this.told = text;
    this.nodes = yaml(text);
  }

  protected async search(target: Target): Promise<void> {
    const words = "text" in target ? target.text : target.name;
    if (!words) return this.look();
    const found = await this.tools.ask("observe", { what: "page_inventory", find: words });
    this.told += found;
    this.nodes.push(...yaml(found));
  }

  protected locator(by: { text: string } | { role: string; name: string }): string {
    return "text" in by ? `text=${by.text}` : `role=${by.role}[name=${JSON.stringify(by.name)}]`;
  }

  protected async wait(text: string): Promise<void> {
    await this.tools.ask("interact", { action: "wait_for", text, timeout_ms: WAIT_MS });
  }

  async #do(action: string, args: Record<string, unknown>): Promise<void> {
    this.told = await this.tools.ask("interact", { action, ...args });
    this.nodes.push(...came(this.told));
  }

  /** How an act names its element: by its ref, or by the text that it shows. */
  async #at(target: Target | undefined): Promise<Record<string, unknown>> {
    if (!target) return {};
    const name = await this.named(target);
    return name.includes("=") ? { selector: name } : { ref: name };
  }

  /** A dialog is answered by the act that opens it. */
  #answer(next: Step | undefined): Record<string, unknown> {
    if (next?.do !== "dialog") return {};
    this.both = true;
    return { dialog: next.accept ? "accept" : "dismiss", ...(next.text ? { dialog_text: next.text } : {}) };
  }

  protected async act(step: Act, next?: Step): Promise<void> {
    switch (step.do) {
      case "click": {
        const button = step.button ? { button: step.button } : {};
        return this.#do("click", { ...(await this.#at(step.target)), ...button, ...this.#answer(next) });
      }
      case "double":
        return this.#do("click", { ...(await this.#at(step.target)), count: 2 });
      case "hover":
        return this.#do("hover", await this.#at(step.target));
      case "point": {
        let [x, y] = [0, 0];
        if (step.target) {
          const { text } = await this.tools.call("interact", {
            action: "scroll_to",
            ...(await this.#at(step.target)),
            as: "json",
          });
          const { result } = JSON.parse(text) as { result: { matched: { bbox: { x: number; y: number } } } };
          ({ x, y } = result.matched.bbox);
        }
        return this.#do("hardware_click", { x: x + step.x, y: y + step.y });
      }
      case "type": {
        const clear = step.clear ? { clear: true } : {};
        const type = { ...(await this.#at(step.target)), text: step.text, ...clear };
        this.both = submits(step, next);
        if (!this.both) return this.#do("type", type);
        return this.#do("batch", {
          steps: [
            { action: "type", ...type },
            { action: "key_press", text: "Enter" },
          ],
        });
      }
      case "key": {
        const press = { ...(await this.#at(step.target)), text: step.key };
        const times = step.times ?? 1;
        if (times === 1) return this.#do("key_press", press);
        return this.#do("batch", { steps: Array.from({ length: times }, () => ({ action: "key_press", ...press })) });
      }
      case "select":
        return this.#do("select", { ...(await this.#at(step.target)), value: step.option });
      case "drag": {
        const from = await this.#at(step.from);
        return this.#do("drag", { ...from, ...("dx" in step.to ? step.to : { to: await this.named(step.to) }) });
      }
      case "paste": {
        const html = step.html ? { html: step.html } : {};
        return this.#do("paste", { ...(await this.#at(step.target)), text: step.text, ...html });
      }
      case "upload":
        return this.#do("upload", { ...(await this.#at(step.target)), file_path: step.file });
      case "scroll":
        return this.#do("scroll_to", { ...(await this.#at(step.target)), dx: step.dx ?? 0, dy: step.dy });
      case "dialog":
        throw new Error("a dialog is answered by the act that opens it");
    }
  }

  async investigate(): Promise<Investigation> {
    this.tools.reset();
    const text = await this.tools.ask("observe", { what: "error_bundles", limit: 2 });
    return { text, cost: { ...this.tools.cost } };
  }

  async close(): Promise<void> {
    await this.tools.close();
    await this.#browser.close();
    await this.#place.remove();
  }
}
