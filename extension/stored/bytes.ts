import { StoredProblem } from "./problem.ts";

const STEP = 0x8000; // arguments of one call

export function base64Of(bytes: Uint8Array): string {
  let text = "";
  for (let i = 0; i < bytes.length; i += STEP) text += String.fromCharCode(...bytes.subarray(i, i + STEP));
  return btoa(text);
}

export function bytesOf(base64: string): Uint8Array<ArrayBuffer> {
  const text = atob(base64);
  const bytes = new Uint8Array(text.length);
  for (let i = 0; i < text.length; i++) bytes[i] = text.charCodeAt(i);
  return bytes;
}

export async function packed(text: string): Promise<Uint8Array<ArrayBuffer>> {
  const stream = new Blob([text]).stream().pipeThrough(new CompressionStream("gzip"));
  return new Uint8Array(await new Response(stream).arrayBuffer());
}

/** The text again. Throws invalid_state for anything that packed did not make. */
export async function unpacked(chunks: BlobPart[]): Promise<string> {
  try {
    return await new Response(new Blob(chunks).stream().pipeThrough(new DecompressionStream("gzip"))).text();
  } catch {
    throw new StoredProblem("invalid_state", "The checkpoint cannot be unpacked.");
  }
}
