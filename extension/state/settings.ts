import { local } from "./browser.ts";
import { parseSites } from "./pilot.ts";

/**
 * What the user decided. Only the popup and the options page write it; nothing that comes from the
 * daemon or from a page can switch a capability on. Unknown means off.
 */
export interface Settings {
  /** AI Web Pilot: agents may act in all pages. */
  pilot: boolean;
  /** Origins where agents may act while they may not act everywhere, at most MAX_SITES. */
  pilotSites: string[];
  /** Request and response bodies are captured. */
  bodies: boolean;
  /** Origins outside loopback where execute_js was granted, such as "https://app.example". */
  scriptHosts: string[];
  /** Requests of pages of this machine, and of traceSites, carry a W3C trace context. On unless the user switched it off. */
  trace: boolean;
  /** Hosts beyond this machine whose pages' requests are traced, such as "app.example", at most MAX_TRACE_SITES. */
  traceSites: string[];
  /** Port of the daemon when it is not the packed one. */
  port?: number;
  /** Name of this browser profile in the daemon's lists. */
  name?: string;
}

const DEFAULTS: Settings = {
  pilot: false,
  pilotSites: [],
  bodies: false,
  scriptHosts: [],
  trace: true,
  traceSites: [],
};

const KEYS = ["pilot", "pilotSites", "bodies", "scriptHosts", "trace", "traceSites", "port", "name"] as const;

/** Reads the settings; values of a wrong type count as absent. */
export async function readSettings(): Promise<Settings> {
  return parseSettings(await local.readAll([...KEYS]));
}

/** Writes the given settings and leaves the others. undefined removes one. */
export async function writeSettings(patch: { [K in keyof Settings]?: Settings[K] | undefined }): Promise<void> {
  const gone = Object.entries(patch).filter(([, value]) => value === undefined);
  if (gone.length > 0) await local.remove(gone.map(([key]) => key));
  await local.write(Object.fromEntries(Object.entries(patch).filter(([, value]) => value !== undefined)));
}

/** Calls back after each change of a setting. */
export function onSettings(changed: () => void): void {
  local.onChange(KEYS, changed);
}

/** Makes settings of what storage held. */
export function parseSettings(raw: Record<string, unknown>): Settings {
  const settings: Settings = { ...DEFAULTS };
  settings.pilot = raw["pilot"] === true;
  settings.pilotSites = parseSites(raw["pilotSites"]);
  settings.bodies = raw["bodies"] === true;
  const hosts = raw["scriptHosts"];
  if (Array.isArray(hosts)) settings.scriptHosts = hosts.filter((host) => typeof host === "string");
  settings.trace = raw["trace"] !== false;
  settings.traceSites = parseHosts(raw["traceSites"]);
  if (isPort(raw["port"])) settings.port = raw["port"];
  if (typeof raw["name"] === "string" && raw["name"] !== "") settings.name = raw["name"].slice(0, 64);
  return settings;
}

/** More hosts are not traced. */
export const MAX_TRACE_SITES = 50;

/** The host names in a list; what is none is left out, and an address is reduced to its host. */
export function parseHosts(raw: unknown): string[] {
  if (!Array.isArray(raw)) return [];
  const hosts = raw.flatMap((value) => {
    if (typeof value !== "string") return [];
    try {
      const { hostname } = new URL(value.includes("://") ? value : `http://${value}`);
      return hostname === "" || hostname.startsWith("[") ? [] : [hostname];
    } catch {
      return [];
    }
  });
  return [...new Set(hosts)].slice(0, MAX_TRACE_SITES);
}

/** Says whether a value can be the daemon's port. */
export function isPort(value: unknown): value is number {
  return typeof value === "number" && Number.isInteger(value) && value > 0 && value < 65536;
}
