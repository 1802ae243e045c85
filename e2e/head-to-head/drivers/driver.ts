// What an agent does with a step, whatever its tools are: it looks at the page once, finds what is meant in what it was
// told, acts, and looks again only for what it was not told yet. An act that a tool refuses is tried once more after a
// new look, as an agent would. What a tool's own agent knows beyond that is in its driver.
import type { Page } from "@playwright/test";
import type { Step, Target } from "../task.ts";
import { type Cost, ToolError, type Tools } from "./client.ts";
import { find, inWords, type Node } from "./known.ts";

/** Text is waited for so long, ms: as long as the tools wait for an element by themselves. */
export const WAIT_MS = 5_000;

/** A step that does something to the page. */
export type Act = Exclude<Step, { do: "read" }>;

/** Whether the next step presses Enter where this one types. */
export const submits = (step: Act, next: Step | undefined): boolean =>
  step.do === "type" &&
  next?.do === "key" &&
  next.key === "Enter" &&
  (next.times ?? 1) === 1 &&
  (!next.target || JSON.stringify(next.target) === JSON.stringify(step.target));

/** What an agent read that looked for a cause, and what it paid for it. */
export interface Investigation {
  text: string;
  cost: Cost;
}

export abstract class Driver {
  /** What the agent knows of the page, in its order. */
  protected nodes: Node[] = [];
  /** What it was told since its last act. */
  protected told = "";
  /** The act did the next step as well. */
  protected both = false;
  #looked = false;

  constructor(
    readonly tools: Tools,
    /** The page that the tool works in: the harness loads it, and asks it for the verdict. */
    readonly page: Page,
    /** The agent's project, with the files to upload. */
    protected readonly dir: string,
  ) {
    // Who listens says that a dialog is to stay open for the tool.
    page.on("dialog", () => undefined);
  }

  /** A new document: what was known of the last one is forgotten. */
  async begin(): Promise<void> {
    this.nodes = [];
    this.told = "";
    this.#looked = false;
  }

  /**
   * Carries a step out. next is what comes after it: an agent has a plan. Returns how many of the two were done. Throws when
   * the tool cannot.
   */
  async step(step: Step, next?: Step): Promise<1 | 2> {
    if (!this.#looked) {
      this.#looked = true;
      await this.look();
    }
    this.both = false;
    if (step.do === "read") await this.#read(step.text);
    else await this.#try(step, next);
    return this.both ? 2 : 1;
  }

  async #try(step: Act, next?: Step): Promise<void> {
    try {
      await this.act(step, next);
    } catch (error) {
      if (!(error instanceof ToolError)) throw error;
      await this.look();
      await this.act(step, next);
    }
  }

  async #read(text: string): Promise<void> {
    const shown = (): boolean => this.told.includes(text);
    if (!shown()) await this.search({ text });
    if (!shown()) await this.#await({ text });
    if (!shown()) throw new ToolError(`nothing shows ${JSON.stringify(text)}`);
  }

  /** Waits for what may be on its way, by the tool's own means, and looks for it again. */
  async #await(target: Target): Promise<void> {
    const text = "text" in target ? target.text : target.name;
    if (text) await this.wait(text).catch(() => undefined); // names need not be shown
    await this.search(target);
  }

  /** The element that is meant, looked for where it is not known yet, and waited for where it is not there yet. */
  protected async known(target: Target): Promise<Node> {
    let node = find(this.nodes, target);
    if (!node) await this.search(target);
    node ??= find(this.nodes, target);
    if (!node) await this.#await(target);
    node ??= find(this.nodes, target);
    if (!node) throw new ToolError(`nothing shows ${inWords(target)}`);
    return node;
  }

  /** How acts name what is meant: by its ref, or by the tool's locator of a text that has none. */
  protected async named(target: Target): Promise<string> {
    const { ref, role, name } = await this.known(target);
    return ref ?? this.locator("text" in target ? { text: target.text } : { role, name });
  }

  /** The tool's locator of an element by what it shows, or by role and name. */
  protected abstract locator(by: { text: string } | { role: string; name: string }): string;

  /** Whether the next step is about something that is not known yet. */
  protected unknown(next: Step | undefined): boolean {
    if (!next) return false;
    if (next.do === "read") return true;
    const targets = next.do === "drag" ? [next.from, next.to] : "target" in next ? [next.target] : [];
    return targets.some((target) => target && !("dx" in target) && !find(this.nodes, target));
  }

  /** Looks at the whole page. */
  abstract look(): Promise<void>;
  /** Looks for what is meant, by the cheapest look that shows it. */
  protected abstract search(target: Target): Promise<void>;
  /** Waits until the page shows a text; throws when it does not. */
  protected abstract wait(text: string): Promise<void>;
  protected abstract act(step: Act, next?: Step): Promise<void>;
  /** Looks for why the shop's checkout failed, as an agent that came after it did. */
  abstract investigate(): Promise<Investigation>;
  /** What the tool says that the user did since the page was loaded; nobody but the tool did anything. */
  async ofUser(): Promise<string[]> {
    return [];
  }
  abstract close(): Promise<void>;
}

/** Runs in the page: pastes where the element is. */
export const PASTE = `(element, text, html) => {
  const data = new DataTransfer();
  data.setData("text/plain", text);
  if (html) data.setData("text/html", html);
  element.dispatchEvent(new ClipboardEvent("paste", { clipboardData: data, bubbles: true, cancelable: true }));
}`;

/** Runs in the page: scrolls the nearest part that can be scrolled. */
export const SCROLL = `(element, dx, dy) => {
  for (let at = element; at; at = at.parentElement) {
    const [left, top] = [at.scrollLeft, at.scrollTop];
    at.scrollBy(dx, dy);
    if (at.scrollLeft !== left || at.scrollTop !== top) return;
  }
}`;
