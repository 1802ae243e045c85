import { type CommandKind, MUTATING } from "@gasoline/schema/commands";
import { CommandProblem } from "../../commands/problem.ts";
import { type Allowed, isOn, mayActOn } from "../../state/pilot.ts";
import { originOf } from "../../state/origins.ts";

/** Kinds that act on the browser's tabs and on no page. */
const BESIDE_PAGES: ReadonlySet<CommandKind> = new Set(["new_tab", "switch_tab", "activate_tab"]);

/** Kinds that take the tab's page away. A page of no site may be left: nobody chose it, and nothing of a site is in it. */
const LEAVING: ReadonlySet<CommandKind> = new Set(["navigate", "refresh", "back", "forward", "close_tab"]);

/**
 * AI Web Pilot: the one check of all that acts. What decides is the page that the tab shows at that moment, its iframes
 * included.
 */
export class Pilot {
  readonly #allowed: () => Promise<Allowed>;
  readonly #address: (tab: number) => Promise<string>;

  /** address gives the URL that a tab shows, "" where it is not known. */
  constructor(allowed: () => Promise<Allowed>, address: (tab: number) => Promise<string>) {
    this.#allowed = allowed;
    this.#address = address;
  }

  /** Throws pilot_off where agents may act nowhere. */
  async on(): Promise<void> {
    if (!isOn(await this.#allowed())) throw pilotOff();
  }

  /** Throws pilot_off, or pilot_elsewhere, where a command may not begin in a tab. */
  async begins(kind: CommandKind, params: unknown, tab: number): Promise<void> {
    if (!MUTATING.has(kind)) return;
    const opens = kind === "navigate" && (params as { new_tab?: boolean }).new_tab === true;
    if (tab === 0 || opens || BESIDE_PAGES.has(kind)) return this.on();
    return this.#check(tab, LEAVING.has(kind));
  }

  /** Throws where nothing may be done to the page that the tab shows now. */
  async acts(tab: number): Promise<void> {
    return this.#check(tab, false);
  }

  async #check(tab: number, leaving: boolean): Promise<void> {
    const allowed = await this.#allowed();
    if (!isOn(allowed)) throw pilotOff();
    if (allowed.pilot) return;
    const url = await this.#address(tab);
    const origin = originOf(url);
    const site = /^https?:/.test(origin) ? origin : "";
    if (mayActOn(allowed, url) || (leaving && url !== "" && site === "")) return;
    throw new CommandProblem(
      "pilot_elsewhere",
      `The tab shows ${site || "a page of no site"}. The user lets agents act on ${inWords(allowed.pilotSites)}.`,
    );
  }
}

/** The first sites, and how many more there are. */
function inWords(sites: readonly string[]): string {
  const more = sites.length - 3;
  return more > 0 ? `${sites.slice(0, 3).join(", ")} and ${more} more` : sites.join(", ");
}

export const pilotOff = (): CommandProblem =>
  new CommandProblem(
    "pilot_off",
    'Browser control is off. The user can switch on "AI Web Pilot" in the Gasoline popup.',
  );
