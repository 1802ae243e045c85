import type { Readable } from "../../reader/main.ts";
import { loaded } from "../browser.ts";
import { frameElements } from "../frames.ts";
import { isOwn } from "../own.ts";
import { Flat, drawnText } from "../rendered.ts";
import { sortOf, sourceOf } from "../sort.ts";
import { Unseen } from "../unseen.ts";
import { isVisible } from "../visible.ts";

/** Characters of one answer; the rest is cut, and the true size told. */
const MAX = 200_000;

/** What a page has to read, in one of two forms. The script that finds it is loaded at first use. */
export async function article(
  as: "text" | "markdown",
): Promise<Omit<Readable, "text" | "markdown"> & { body: string; frames?: number }> {
  const sort = sortOf();
  const root = document.documentElement;
  const source = sourceOf();
  if (source !== undefined || !(root instanceof HTMLElement)) {
    const text = source ?? (root ? drawnText(root, as === "markdown" ? inMarkdown : undefined) : "");
    const body = source !== undefined && as === "markdown" ? fenced(text) : text;
    return { title: document.title, byline: "", excerpt: "", article: false, body: [sort, body].join("\n").trim() };
  }
  const reader = await loaded("reader", () => globalThis.gasolineReader);
  const unseen = new Unseen();
  const flat = new Flat(document.documentElement);
  const { body: main } = document;
  const beside = [...document.documentElement.children].filter(
    (at) => at !== main && at.localName !== "head" && !isOwn(at),
  );
  const { text, markdown, ...rest } = reader.read(
    as,
    (element) => unseen.has(element),
    (element) => (element === main ? [...flat.shown(element), ...beside] : flat.shown(element)),
  );
  const frames = frameElements().filter((frame) => frame && isVisible(frame)).length;
  const body = [sort, as === "text" ? text : markdown].join("\n").trim();
  return { ...rest, body, ...(frames > 0 ? { frames } : {}) };
}

/** A text as it is, between more marks than it has itself. */
function fenced(text: string): string {
  const longest = Math.max(2, ...(text.match(/`+/g) ?? []).map(({ length }) => length));
  const fence = "`".repeat(longest + 1);
  return `${fence}\n${text}\n${fence}`;
}

/** A part of a drawing. */
function inMarkdown(part: Element, text: string): string {
  if (text.trim() === "") return text;
  if (part.localName === "title" && part.parentElement === document.documentElement) return `# ${text.trim()}`;
  const to = part instanceof SVGAElement ? part.href.baseVal : "";
  return to === "" ? text : `[${text.trim().replaceAll("\n", " ")}](${to})`;
}

/** A body within its bound, with what is told of it. */
export function bounded(body: string): { body: string; word_count: number; true_size?: number } {
  const told = { body: body.slice(0, MAX), word_count: body.match(/[\p{L}\p{N}]+/gu)?.length ?? 0 };
  return body.length > MAX ? { ...told, true_size: body.length } : told;
}
