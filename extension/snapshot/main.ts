import type { OutlineParams, Outlined } from "../messages/outline.ts";
import { changes } from "./changes.ts";
import type { Engine } from "./engine.ts";
import { find } from "./find.ts";
import { type Model, read } from "./model.ts";
import { overview, section, sectionAt } from "./outline.ts";
import type { Part } from "./tree.ts";

/** Snapshots of a document that later ones can be compared with, and the characters of their texts. */
const MAX_KEPT = 4;
const MAX_KEPT_SIZE = 4_000_000;
/** Characters that a part takes beside its texts. */
const PART_SIZE = 60;

interface Kept {
  parts: Part[];
  size: number;
  visibleOnly: boolean;
}

const kept = new Map<string, Kept>(); // by mark, oldest first

/** Says what the document shows. */
async function outline(params: OutlineParams, engine: Engine): Promise<Omit<Outlined, "frame">> {
  const visibleOnly = params.visible_only ?? false;
  const model = await read(engine, visibleOnly, engine.layer());
  try {
    return await told(params, model, engine);
  } finally {
    // A page of which only a part was read cannot be compared.
    if (!model.partial) keep(params.mark, model.items, visibleOnly);
  }
}

async function told(params: OutlineParams, page: Model, engine: Engine): Promise<Omit<Outlined, "frame">> {
  const visibleOnly = params.visible_only ?? false;
  const { items, partial } = page;
  const out: Omit<Outlined, "frame"> = {
    url: location.href,
    title: document.title,
    favicon: document.querySelector<HTMLLinkElement>('link[rel~="icon" i]')?.href ?? "",
    viewport: engine.viewport(),
    size: Math.max(0, items.length - 1),
    ...(partial ? { partial } : {}),
  };
  // A document without elements.
  if (items.length === 0) {
    const said = { role: "text", name: "", text: engine.sort, rank: 0, inside: 0, children: [] };
    return { ...out, root: { role: "", name: "", rank: 0, inside: 0, children: [said] } };
  }
  const before = params.since === undefined ? undefined : kept.get(params.since);
  const { ref, section: words, find: wanted } = params;
  if (wanted !== undefined) {
    const { hits, count } = await find(page, wanted, params.limit, engine);
    return { ...out, hits, hit_count: count };
  }
  if (ref !== undefined || words !== undefined) {
    const at = sectionAt(page, ref, words ?? "", engine);
    if (at === undefined) return out;
    return { ...out, root: await section(page, at, engine, params.bytes, params.depth ?? 0) };
  }
  if (before && !partial && before.visibleOnly === visibleOnly)
    return { ...out, changes: await changes(before.parts, page, engine) };
  return { ...out, root: await overview(page, engine, params.bytes, params.folded) };
}

function keep(mark: string, parts: Part[], visibleOnly: boolean): void {
  let size = 0;
  for (const { text, label, state } of parts) size += PART_SIZE + text.length + label.length + state.length;
  kept.delete(mark);
  kept.set(mark, { parts, size, visibleOnly });
  let all = 0;
  for (const one of kept.values()) all += one.size;
  for (const [oldest, one] of kept) {
    if (kept.size <= MAX_KEPT && all <= MAX_KEPT_SIZE) break;
    kept.delete(oldest);
    all -= one.size;
  }
}

globalThis.gasolineSnapshot ??= { outline };
