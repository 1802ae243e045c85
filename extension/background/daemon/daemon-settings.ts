import type { DaemonSettings } from "@gasoline/schema/wire";
import { session } from "../../state/browser.ts";

const KEY = "daemonSettings";
const BODY_LIMIT = 16_384;
const MAX_BODY_LIMIT = 1_048_576;

/** What the daemon asked for last, kept over the worker's lives. A salt of our own until it has spoken. */
export async function loadDaemonSettings(): Promise<DaemonSettings> {
  const stored = await session.read<DaemonSettings>(KEY);
  if (stored) return stored;
  const made: DaemonSettings = { salt: crypto.randomUUID(), body_limit: BODY_LIMIT };
  await session.write({ [KEY]: made });
  return made;
}

/** Takes what the daemon says now. Values that make no sense leave the old ones. */
export function mergeDaemonSettings(old: DaemonSettings, given: Partial<DaemonSettings> | undefined): DaemonSettings {
  const merged = { ...old };
  if (typeof given?.salt === "string" && given.salt !== "") merged.salt = given.salt;
  if (typeof given?.body_limit === "number" && given.body_limit > 0)
    merged.body_limit = Math.min(given.body_limit, MAX_BODY_LIMIT);
  return merged;
}

/** Keeps the settings over the worker's lives. */
export async function keepDaemonSettings(settings: DaemonSettings): Promise<void> {
  await session.write({ [KEY]: settings });
}
