import { CommandProblem } from "./problem.ts";

const STEP = 0x8000; // arguments of one call

/** JSON, compressed by gzip, in base64. */
export async function packed(value: unknown): Promise<string> {
  const stream = new Blob([JSON.stringify(value)]).stream().pipeThrough(new CompressionStream("gzip"));
  const bytes = new Uint8Array(await new Response(stream).arrayBuffer());
  let text = "";
  for (let i = 0; i < bytes.length; i += STEP) text += String.fromCharCode(...bytes.subarray(i, i + STEP));
  return btoa(text);
}

/** The value again. Throws invalid_state for anything that packed did not make. */
export async function unpacked(base64: string): Promise<unknown> {
  try {
    const bytes = Uint8Array.from(atob(base64), (char) => char.charCodeAt(0));
    return await new Response(new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"))).json();
  } catch {
    throw new CommandProblem("invalid_state", "A section of the checkpoint cannot be read.");
  }
}
