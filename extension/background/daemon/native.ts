import type { NativeAnswer, NativeRequest, ProblemBody } from "@gasoline/schema/wire";
import { isHex } from "./proof.ts";

/** The name under which browsers find the program; internal/setup writes the file. */
const HOST = "com.brennhill.gasoline";

/** The program answers within this, or it is not asked. */
const WITHIN_MS = 6000;

/** A key for a daemon of this user, or why there is none. */
export type NativePairing = { id: string; key: string } | { problem: ProblemBody };

/**
 * Has the browser start the native program of this user, which asks the daemon for a key. The browser
 * starts it for this extension only. Undefined when it is not set up here.
 */
export async function askNativeHost(ask: NativeRequest): Promise<NativePairing | undefined> {
  let answer: Partial<NativeAnswer> | undefined;
  try {
    const late = new Promise<undefined>((resolve) => setTimeout(resolve, WITHIN_MS));
    answer = await Promise.race([chrome.runtime.sendNativeMessage(HOST, ask) as Promise<NativeAnswer>, late]);
  } catch {
    return undefined; // not set up, moved away, or not allowed by the browser
  }
  const { key, key_id: id, problem } = answer ?? {};
  if (problem) return { problem };
  return id && isHex(key) ? { id, key } : undefined;
}
