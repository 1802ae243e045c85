import { type CommandKind, MUTATING, POWER, type Power } from "@gasoline/schema/commands";
import type { Debug, Images, Send } from "../../commands/context.ts";
import { CommandProblem, notGranted } from "../../commands/problem.ts";
import { type Allowed, isOn, mayActOn } from "../../state/pilot.ts";
import { originOf } from "../../state/origins.ts";

/** The page that a tab shows. */
export interface Shown {
  /** "" where nobody says. */
  url: string;
  /** The user granted its site. */
  granted: boolean;
  /** Why there is no document in it, though it has an address. */
  without?: "crashed" | "discarded";
}

/**
 * Throws where something that needs a power may not be done in a tab now, or when it showed the address at; what acts is for a
 * site where one is named.
 */
export type May = (tab: number, power: Power, site?: string, at?: string) => Promise<void>;

/**
 * What agents may reach: the one check of all that they ask for. What decides is the page that the tab shows at that moment,
 * its iframes included: whether the user granted its site, and where agents act, whether AI Web Pilot is on for it.
 */
export class Powers {
  readonly #allowed: () => Promise<Allowed>;
  readonly #shown: (tab: number, at?: string) => Promise<Shown>;

  constructor(allowed: () => Promise<Allowed>, shown: (tab: number, at?: string) => Promise<Shown>) {
    this.#allowed = allowed;
    this.#shown = shown;
  }

  /** Throws pilot_off where agents may act nowhere. */
  async on(): Promise<void> {
    if (!isOn(await this.#allowed())) throw pilotOff();
  }

  /** Throws pilot_off, pilot_elsewhere, origin_not_allowed or other_origin where a command may not begin in a tab. */
  async begins(kind: CommandKind, params: unknown, tab: number, site?: string): Promise<void> {
    const opens = kind === "navigate" && (params as { new_tab?: boolean }).new_tab === true;
    if (tab !== 0 && !opens) return this.may(tab, POWER[kind], site);
    if (MUTATING.has(kind)) await this.on();
  }

  /** Throws where something that needs a power may not be done in a tab now. */
  readonly may: May = async (tab, power, site, at) => {
    if (power === "nothing") return;
    if (power === "beside") return this.on();
    const allowed = await this.#allowed();
    if (power !== "looks" && !isOn(allowed)) throw pilotOff();
    if (power === "leaves" && allowed.pilot) return;
    const shown = await this.#shown(tab, at);
    const { granted, without } = shown;
    if (power !== "looks") chosen(allowed, shown, power === "leaves");
    if (power === "leaves") return;
    if (!granted) throw notGranted();
    if (without) throw new CommandProblem(`page_${without}`, WITHOUT[without]);
    if (power === "acts" && site !== undefined && originOf(shown.url) !== site)
      throw elsewhere(site, originOf(shown.url));
  };

  /** The site of the page that a tab shows, by its origin. */
  site = async (tab: number): Promise<string> => originOf((await this.#shown(tab)).url);

  /** The debugger and pictures for a command and its site: each step is asked for, and what ends something may always be done. */
  guarded(kind: CommandKind, debug: Debug, images: Images, site?: string): { debug: Debug; images: Images } {
    const may = (tab: number): Promise<void> => this.may(tab, POWER[kind], site);
    // What takes a page away has left it by then.
    if (POWER[kind] === "leaves") return { debug, images };
    const asking =
      (tab: number, send: Send): Send =>
      async (method, params) => {
        if (!/\.(disable|stopScreencast)$/.test(method)) await may(tab);
        return send(method, params);
      };
    return {
      debug: {
        run: async (tab, deadline, work) => {
          await may(tab);
          return debug.run(tab, deadline, (send) => work(asking(tab, send)));
        },
        draw: (tab, send) => debug.draw(tab, send),
        on: (tab, method, heard) => debug.on(tab, method, heard),
        blank: async (tab, deadline) => {
          await may(tab);
          return debug.blank(tab, deadline);
        },
        failure: async (tab, deadline) => {
          await may(tab);
          return debug.failure(tab, deadline);
        },
      },
      images: {
        visible: async (tab, format, quality) => {
          const data = await images.visible(tab, format, quality);
          await may(tab); // the tab may show another page than when it was asked for
          return data;
        },
        edit: (tiles, edit) => images.edit(tiles, edit),
        repeats: (png, row) => images.repeats(png, row),
      },
    };
  }
}

const WITHOUT = {
  crashed: "The tab's page crashed. refresh loads it anew; what was in it is lost.",
  discarded: "The browser put the tab to sleep to save memory. refresh loads its page anew.",
} as const;

/**
 * Throws where AI Web Pilot is not on for a page. One of no site may be left: nobody chose it, and nothing of a site is in it.
 * Which site that is, is told of one that the user granted.
 */
function chosen(allowed: Allowed, { url, granted }: Shown, leaving: boolean): void {
  const origin = originOf(url);
  const site = /^https?:/.test(origin) ? origin : "";
  if (mayActOn(allowed, url) || (leaving && url !== "" && site === "")) return;
  const where = site === "" ? "a page of no site" : granted ? site : "a site that is not granted";
  throw new CommandProblem(
    "pilot_elsewhere",
    `The tab shows ${where}. The user lets agents act on ${inWords(allowed.pilotSites)}.`,
  );
}

/** The first sites, and how many more there are. */
function inWords(sites: readonly string[]): string {
  const more = sites.length - 3;
  return more > 0 ? `${sites.slice(0, 3).join(", ")} and ${more} more` : sites.join(", ");
}

/** What is given to one site is not given to another one that a page led to. */
export const elsewhere = (site: string, origin: string): CommandProblem =>
  new CommandProblem(
    "other_origin",
    `The tab shows ${origin || "a page of no site"} by now, and this is for ${site || "a page of no site"}.`,
  );

export const pilotOff = (): CommandProblem =>
  new CommandProblem(
    "pilot_off",
    'Browser control is off. The user can switch on "AI Web Pilot" in the Gasoline popup.',
  );
