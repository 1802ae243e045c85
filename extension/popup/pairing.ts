import type { AskPairing, PairingTold } from "../state/pairing.ts";
import { element } from "../state/dom.ts";
import { askWorker } from "../state/browser.ts";

/** Gives the pasted code to the worker, and says what went wrong. */
export async function pair(): Promise<void> {
  const input = element("pair-code", HTMLInputElement);
  const { problem } = await send(input.value);
  element("pair-problem", HTMLParagraphElement).textContent = problem ?? "";
  if (problem === undefined) input.value = "";
  else input.select();
}

async function send(code: string): Promise<PairingTold> {
  try {
    return ((await askWorker({ type: "gasoline-pair", code } satisfies AskPairing)) as PairingTold | undefined) ?? {};
  } catch {
    return { problem: "The extension is being reloaded. Open this window again." };
  }
}
