import { originOf } from "./origins.ts";
import type { Settings } from "./settings.ts";

/** Where the user lets agents act. */
export type Allowed = Pick<Settings, "pilot" | "pilotSites">;

/** Sites that can be chosen. The one that was chosen first goes when there are more. */
export const MAX_SITES = 100;

/** Says whether agents may act anywhere. */
export const isOn = ({ pilot, pilotSites }: Allowed): boolean => pilot || pilotSites.length > 0;

/** Says whether agents may act in a page of this URL, the one that its tab shows. */
export function mayActOn({ pilot, pilotSites }: Allowed, url: string): boolean {
  return pilot || pilotSites.includes(originOf(url));
}

/** What is written for a choice: nowhere, everywhere, or on the chosen sites. */
export const choose = (choice: "off" | "all" | readonly string[]): Allowed => ({
  pilot: choice === "all",
  pilotSites: typeof choice === "string" ? [] : [...new Set(choice)].slice(-MAX_SITES),
});

/** The chosen sites of what storage held. */
export function parseSites(raw: unknown): string[] {
  if (!Array.isArray(raw)) return [];
  return raw.filter((site) => typeof site === "string" && originOf(site) === site && site !== "").slice(-MAX_SITES);
}
