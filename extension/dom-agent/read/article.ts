import type { Readable } from "../../reader/main.ts";
import { loaded } from "../browser.ts";
import { Unseen } from "../unseen.ts";

/** Characters of one answer; the rest is cut, and the true size told. */
const MAX = 200_000;

/** What a page has to read, in one of two forms. The script that finds it is loaded at first use. */
export async function article(
  as: "text" | "markdown",
): Promise<Omit<Readable, "text" | "markdown"> & { body: string }> {
  const reader = await loaded("reader", () => globalThis.gasolineReader);
  const unseen = new Unseen();
  const { text, markdown, ...rest } = reader.read(as, (element) => unseen.has(element));
  return { ...rest, body: as === "text" ? text : markdown };
}

/** A body within its bound, with what is told of it. */
export function bounded(body: string): { body: string; word_count: number; true_size?: number } {
  const told = { body: body.slice(0, MAX), word_count: body.match(/[\p{L}\p{N}]+/gu)?.length ?? 0 };
  return body.length > MAX ? { ...told, true_size: body.length } : told;
}
