/** What a key is used for; the daemon has the same words in internal/proof. */
export type Purpose = "daemon" | "bearer" | "answer" | "pair" | "seal" | "sealed";

/** Bytes of a nonce and of a key. */
const SIZE = 32;

/** Fresh random text: 64 hexadecimal digits. */
export function makeNonce(): string {
  return toHex(crypto.getRandomValues(new Uint8Array(SIZE)));
}

/** Says whether a text has the form of a key, a nonce or a proof. */
export function isHex(text: unknown): text is string {
  return typeof text === "string" && /^[0-9a-f]{64}$/.test(text);
}

/** A key from 64 hexadecimal digits. It signs and cannot be read again. */
export function keyOfHex(hex: string): Promise<CryptoKey> {
  return keyOf(fromHex(hex));
}

/** A key from a code's secret part. */
export function keyOfText(text: string): Promise<CryptoKey> {
  return keyOf(new TextEncoder().encode(text));
}

/** The HMAC-SHA-256 of a purpose and its fields, in hexadecimal. Fields hold no line break. */
export async function macOf(key: CryptoKey, purpose: Purpose, ...fields: string[]): Promise<string> {
  const text = new TextEncoder().encode(`gasoline 1 ${purpose}\n${fields.join("\n")}`);
  return toHex(new Uint8Array(await crypto.subtle.sign("HMAC", key, text)));
}

/** Says whether a MAC is the one of a purpose and its fields. Takes equally long for every wrong one. */
export async function isMac(key: CryptoKey, mac: unknown, purpose: Purpose, ...fields: string[]): Promise<boolean> {
  if (!isHex(mac)) return false;
  const text = new TextEncoder().encode(`gasoline 1 ${purpose}\n${fields.join("\n")}`);
  return crypto.subtle.verify("HMAC", key, fromHex(mac), text);
}

/** The browser's key that the daemon sealed by a code. */
export async function unseal(code: CryptoKey, sealed: string, browser: string, daemon: string): Promise<string> {
  const pad = fromHex(await macOf(code, "seal", browser, daemon));
  return toHex(fromHex(sealed).map((byte, i) => byte ^ (pad[i] ?? 0)));
}

function keyOf(bytes: Uint8Array<ArrayBuffer>): Promise<CryptoKey> {
  return crypto.subtle.importKey("raw", bytes, { name: "HMAC", hash: "SHA-256" }, false, ["sign", "verify"]);
}

function fromHex(hex: string): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(hex.length / 2);
  for (let i = 0; i < bytes.length; i++) bytes[i] = Number.parseInt(hex.slice(2 * i, 2 * i + 2), 16);
  return bytes;
}

function toHex(bytes: Uint8Array): string {
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
}
