// @playwright/mcp. Chosen: --snapshot-mode none, as the snapshots of its acts are files that a further call would have to
// read, while browser_find tells a ref in a few lines; --codegen none, as nobody needs the code; --caps vision for points.
// What its drag tools do is looked at, as they answer nothing, and done by the mouse in steps where nothing came of it.
// browser_type fills at once, as its description advises, and its submit presses the Enter that follows. All else is its default.
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { launch, type PlainBrowser } from "../browser.ts";
import type { Step, Target } from "../task.ts";
import { Tools } from "./client.ts";
import { type Act, Driver, type Investigation, PASTE, SCROLL, submits } from "./driver.ts";
import { find, yaml } from "./known.ts";

const PROGRAM = fileURLToPath(new URL("../node_modules/@playwright/mcp/cli.js", import.meta.url));

interface Box {
  x: number;
  y: number;
  width: number;
  height: number;
}

const NOWHERE: Box = { x: 0, y: 0, width: 0, height: 0 };

const middle = ({ x, y, width, height }: Box = NOWHERE): { x: number; y: number } => ({
  x: x + width / 2,
  y: y + height / 2,
});

export class Playwright extends Driver {
  readonly #browser: PlainBrowser;
  /** Where keys and texts go. */
  #focused: string | undefined;
  /** The last snapshot of the whole page. */
  #seen = "";

  private constructor(tools: Tools, browser: PlainBrowser, dir: string) {
    super(tools, browser.page, dir);
    this.#browser = browser;
  }

  static async start(dir: string): Promise<Playwright> {
    const browser = await launch();
    return new Playwright(await Playwright.#attach(browser, dir), browser, dir);
  }

  static #attach(browser: PlainBrowser, dir: string): Promise<Tools> {
    const options = ["--snapshot-mode", "none", "--codegen", "none", "--caps", "vision"];
    return Tools.start(process.execPath, [PROGRAM, "--cdp-endpoint", browser.endpoint, ...options], dir);
  }

  override async begin(): Promise<void> {
    await super.begin();
    this.#focused = undefined;
  }

  async look(): Promise<void> {
    this.told = this.#seen = await this.tools.ask("browser_snapshot", {});
    this.nodes = yaml(this.told);
  }

  protected async search(target: Target): Promise<void> {
    const text = "text" in target ? target.text : target.name;
    if (!text) return this.look();
    const found = await this.tools.ask("browser_find", { text });
    this.told += found;
    this.nodes.push(...yaml(found));
  }

  protected locator(by: { text: string } | { role: string; name: string }): string {
    if ("text" in by) return `text=${JSON.stringify(by.text)} >> visible=true`;
    return `role=${by.role}[name=${JSON.stringify(by.name)}]`;
  }

  protected async wait(text: string): Promise<void> {
    await this.tools.ask("browser_wait_for", { text });
  }

  async #do(tool: string, args: Record<string, unknown>): Promise<void> {
    this.told = await this.tools.ask(tool, args);
  }

  async #focus(target: Target | undefined): Promise<string> {
    if (!target) return this.#focused ?? "*:focus";
    const ref = await this.named(target);
    if (ref !== this.#focused)
      await this.#do("browser_evaluate", { target: ref, function: "(element) => element.focus()" });
    this.#focused = ref;
    return ref;
  }

  /** The boxes of elements, in CSS pixels of the viewport: a snapshot of one of them would forget the refs of the others. */
  async #boxes(...refs: string[]): Promise<Box[]> {
    const text = await this.tools.ask("browser_snapshot", { boxes: true });
    return refs.map((ref) => {
      const box = new RegExp(`\\[ref=${ref}\\][^\\n]*\\[box=([^\\]]*)\\]`).exec(text)?.[1] ?? "";
      const [x = 0, y = 0, width = 0, height = 0] = box.split(",").map(Number);
      return { x, y, width, height };
    });
  }

  /** By the tool made for it; where a look shows that nothing came of that, by the mouse, in steps. */
  async #drag({ from, to }: Extract<Act, { do: "drag" }>): Promise<void> {
    const ref = await this.named(from);
    // What is announced says that there was a dragging, not that anything came of it.
    const bare = (): string =>
      this.#seen
        .split("\n")
        .filter((line) => !/^ *- (status|alert|log|text)\b/.test(line))
        .join("\n")
        .replace(/ \[(ref|active)[^\]]*\]/g, "");
    const before = bare();
    let [start, end] = [
      { x: 0, y: 0 },
      { x: 0, y: 0 },
    ];
    if ("dx" in to) {
      start = middle((await this.#boxes(ref))[0]);
      end = { x: start.x + to.dx, y: start.y + to.dy };
      const points = { startX: start.x, startY: start.y, endX: end.x, endY: end.y };
      await this.#do("browser_mouse_drag_xy", points);
    } else await this.#do("browser_drag", { startTarget: ref, endTarget: await this.named(to) });
    await this.look();
    if (bare() !== before) return;
    if (!("dx" in to)) {
      const boxes = await this.#boxes(await this.named(from), await this.named(to));
      [start, end] = [middle(boxes[0]), middle(boxes[1])];
    }
    await this.#do("browser_mouse_move_xy", { ...start });
    await this.#do("browser_mouse_down", {});
    await this.#do("browser_mouse_move_xy", { x: (start.x + end.x) / 2, y: (start.y + end.y) / 2 });
    await this.#do("browser_mouse_move_xy", { ...end });
    await this.#do("browser_mouse_up", {});
  }

  protected async act(step: Act, next?: Step): Promise<void> {
    switch (step.do) {
      case "click":
      case "double": {
        const ref = await this.named(step.target);
        const how = step.do === "double" ? { doubleClick: true } : step.button ? { button: step.button } : {};
        await this.#do("browser_click", { target: ref, ...how });
        this.#focused = ref;
        return;
      }
      case "hover":
        return this.#do("browser_hover", { target: await this.named(step.target) });
      case "point": {
        const [{ x, y } = NOWHERE] = step.target ? await this.#boxes(await this.named(step.target)) : [];
        return this.#do("browser_mouse_click_xy", { x: x + step.x, y: y + step.y });
      }
      case "type": {
        const target = step.target ? await this.named(step.target) : (this.#focused ?? "*:focus");
        this.both = submits(step, next);
        const how = { ...(!step.target && { slowly: true }), ...(this.both && { submit: true }) };
        await this.#do("browser_type", { target, text: step.text, ...how });
        this.#focused = target;
        return;
      }
      case "key":
        await this.#focus(step.target);
        for (let n = 0; n < (step.times ?? 1); n++) await this.#do("browser_press_key", { key: step.key });
        return;
      case "select": {
        const ref = await this.named(step.target);
        return this.#do("browser_select_option", { target: ref, values: [step.option] });
      }
      case "drag":
        return this.#drag(step);
      case "paste": {
        const target = await this.#focus(step.target);
        const values = `${JSON.stringify(step.text)}, ${JSON.stringify(step.html ?? "")}`;
        return this.#do("browser_evaluate", { target, function: `(element) => (${PASTE})(element, ${values})` });
      }
      case "upload": {
        const target = await this.named(step.target);
        const paths = [join(this.dir, step.file)];
        await this.#do("browser_click", { target });
        const asked = await this.tools.call("browser_file_upload", { paths });
        // Nothing asked for a file: files are dropped there.
        if (asked.failed) return this.#do("browser_drop", { target, paths });
        this.told = asked.text;
        return;
      }
      case "scroll": {
        const ref = await this.named(step.target);
        const by = `${step.dx ?? 0}, ${step.dy}`;
        return this.#do("browser_evaluate", { target: ref, function: `(element) => (${SCROLL})(element, ${by})` });
      }
      case "dialog":
        return this.#do("browser_handle_dialog", { accept: step.accept, ...(step.text && { promptText: step.text }) });
    }
  }

  /** It sees no request from before it came: the failure is brought about once more, by the form as it stands there. */
  async investigate(): Promise<Investigation> {
    const tools = await Playwright.#attach(this.#browser, this.dir);
    try {
      let text = await tools.ask("browser_console_messages", { level: "error" });
      const list = (): Promise<string> => tools.ask("browser_network_requests", { filter: "/api/" });
      let requests = await list();
      if (!requests.includes("checkout")) {
        const page = await tools.ask("browser_snapshot", {});
        const ref = find(yaml(page), { role: "button", name: "Pay now" })?.ref;
        await tools.ask("browser_click", { target: ref });
        requests = await list();
      }
      const index = Number(/(\d+)\..*checkout/.exec(requests)?.[1]);
      text += await tools.ask("browser_network_request", { index, part: "response-body" });
      return { text, cost: { ...tools.cost } };
    } finally {
      await tools.close();
    }
  }

  async close(): Promise<void> {
    await this.tools.close();
    await this.#browser.close();
  }
}
