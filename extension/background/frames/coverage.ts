import type { Coverage, Frame } from "@gasoline/schema/commands";
import type { FrameInfo } from "../../commands/context.ts";
import { MAX_URL, frameOf } from "../../commands/frame.ts";
import { SILENCE_MS } from "./ask.ts";
import type { Page } from "./page.ts";
import { type Tree, samePath } from "./tree.ts";

/** Frames and origins that an answer names. */
export const MAX_NAMED = 10;
/** Child frames of one document whose origins are looked at. */
const MAX_CHILDREN = 50;

/** Which frames of a page an answer does not cover. more: frames that were not asked. */
export async function coverageOf(
  page: Page,
  tree: Tree,
  silent: readonly FrameInfo[],
  more: number,
  deadline: number,
): Promise<Coverage> {
  const unanswered: Frame[] = [
    ...silent.map(frameOf),
    ...tree.silent.map(({ page_url }) => ({ name: "", url: page_url.slice(0, MAX_URL) })),
  ];
  const ungranted = await ungrantedIn(page, tree, deadline);
  const uncounted = more + tree.more + Math.max(0, unanswered.length - MAX_NAMED);
  return {
    ...(ungranted.length > 0 ? { ungranted } : {}),
    ...(unanswered.length > 0 ? { unanswered: unanswered.slice(0, MAX_NAMED) } : {}),
    ...(uncounted > 0 ? { more: uncounted } : {}),
  };
}

/** Origins of frames that are there and that the user did not grant, at most MAX_NAMED. */
async function ungrantedIn(page: Page, tree: Tree, deadline: number): Promise<string[]> {
  const ungranted = new Set<string>();
  // Where not all frames were asked, one that is not known may be any.
  if (tree.more > 0 || tree.silent.length > 0) return [];
  for (const parent of tree.frames) {
    const reached = new Set(
      tree.frames.flatMap(({ path }) =>
        path.length === parent.path.length + 1 && samePath(path.slice(0, -1), parent.path) ? [path.at(-1)] : [],
      ),
    );
    const indexes = Array.from({ length: Math.min(parent.children, MAX_CHILDREN) }, (_, i) => i).filter(
      (i) => !reached.has(i),
    );
    if (indexes.length === 0) continue;
    const { origins } = await page.calls
      .run(page.tab, parent, "origins", { indexes }, Math.min(deadline, Date.now() + SILENCE_MS))
      .catch(() => ({ origins: [] }));
    for (const origin of origins) if (origin !== "" && !page.documents.granted(`${origin}/`)) ungranted.add(origin);
    if (ungranted.size >= MAX_NAMED) break;
  }
  return [...ungranted].slice(0, MAX_NAMED);
}
