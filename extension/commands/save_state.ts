import type { SavedState } from "@gasoline/schema/commands";
import type { LeftOut, StoredField } from "../messages/stored.ts";
import type { Context } from "./context.ts";
import { type Cookie, cookiesOf } from "./cookies.ts";
import type { Handler } from "./handler.ts";
import { packed } from "./packed.ts";

/** What is typed into one frame, by what the parameter frame takes for it. */
export interface FrameForms {
  frame: string;
  fields: StoredField[];
  scroll: [number, number];
}

/** The section of a checkpoint that is of the tab. Parts that were not taken are missing. */
export interface TabSection {
  cookies?: Cookie[];
  forms?: FrameForms[];
  left_out_of_tab: LeftOut[];
}

const MAX_NOT_COVERED = 20;

/** Takes what the site of the tab's page has stored, and what is typed into it. Nothing of the page changes. */
export const saveState: Handler<"save_state"> = async ({ parts }, context) => {
  const { frames, tab, deadline } = context;
  const {
    chunks,
    not_covered: besides,
    ...page
  } = await frames.call(tab, "take_state", { parts, frame: "main" }, deadline);
  const section: TabSection = { left_out_of_tab: [] };
  const notCovered = await takeForms(context, page.origin, parts.includes("forms"), section);
  // Last: the debugger's bar moves the page.
  if (parts.includes("cookies"))
    section.cookies = await context.debug.run(tab, deadline, (send) => cookiesOf(send, page.url));
  const result: SavedState = { ...page, chunks, tab_section: await packed(section) };
  const uncovered = [...besides, ...notCovered];
  if (uncovered.length > 0) result.not_covered = uncovered.slice(0, MAX_NOT_COVERED);
  return result;
};

/** Takes the forms of all frames of the origin. Gives those that are not covered: what they store is theirs. */
async function takeForms(
  { frames, tab, deadline }: Context,
  origin: string,
  wanted: boolean,
  section: TabSection,
): Promise<string[]> {
  const { answers, coverage } = await frames.each(tab, "take_forms", {}, undefined, deadline);
  const others = new Set<string>();
  const forms: FrameForms[] = [];
  for (const { frame, value } of answers) {
    if (!value) others.add(`frame ${frame.name}, which did not answer`);
    else if (value.origin !== origin) others.add(`frames of ${value.origin === "null" ? "no origin" : value.origin}`);
    else {
      if (value.fields.length > 0 || value.scroll.some((at) => at !== 0))
        forms.push({ frame: frame.name, fields: value.fields, scroll: value.scroll });
      if (wanted) section.left_out_of_tab.push(...value.left_out);
    }
  }
  if (wanted) section.forms = forms;
  for (const ungranted of coverage.ungranted ?? []) others.add(`frames of ${ungranted}`);
  if (coverage.more) others.add(`${coverage.more} more frames`);
  return [...others];
}
