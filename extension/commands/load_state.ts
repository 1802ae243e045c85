import type { LoadedState, LoadStateParams } from "@gasoline/schema/commands";
import { pipeline } from "./act.ts";
import type { Context } from "./context.ts";
import { setCookies } from "./cookies.ts";
import type { Handler } from "./handler.ts";
import { pageResult } from "./navigate.ts";
import { unpacked } from "./packed.ts";
import { CommandProblem } from "./problem.ts";
import type { TabSection } from "./save_state.ts";
import { chunksOf } from "./state_put.ts";

/** What an answer names that is not as saved. */
const MAX_DIFFERS = 50;

/**
 * Brings a checkpoint back. The page gives its place to an empty document of its own address, so that no script of the
 * site writes meanwhile and no connection of the page holds a database. There everything is written and read
 * again; then the page is loaded, and what was typed into it is typed again.
 */
export const loadState: Handler<"load_state"> = async (params, context) => {
  const { tab, pages } = context;
  const { url: shown } = await pages.describe(tab);
  const origin = URL.canParse(shown) ? new URL(shown).origin : "";
  if (origin !== params.origin)
    throw new CommandProblem(
      "other_origin",
      `The checkpoint is of ${params.origin}, the tab shows ${origin || shown}.`,
    );
  if (pages.dialog(tab)) throw new CommandProblem("dialog_open", "The page shows a native dialog.");
  const section = (await unpacked(params.tab_section)) as TabSection;
  const chunks = [...chunksOf(params.token, params.chunks), params.page_section];
  const told: Told = { restored: [], differs: [], notCovered: [] };
  const goal = params.url || shown;
  return pipeline<LoadedState>(
    context,
    async (begin) => {
      await begin();
      try {
        await context.debug.blank(tab, context.deadline);
        await bringBack(context, params, section, chunks, told);
      } catch (error) {
        // The user gets the page back, whatever became of its state.
        await pages.go(tab, { type: "reload" }, context.deadline).catch(() => undefined);
        throw error;
      }
      if (goal !== shown) await pages.go(tab, { type: "url", url: goal }, context.deadline);
      // An address that differs by its fragment alone loads nothing.
      if (goal.split("#")[0] === shown.split("#")[0]) await pages.go(tab, { type: "reload" }, context.deadline);
      if (params.parts.includes("forms")) await typeAgain(context, section, told);
      return {};
    },
    async () => ({
      ...(await pageResult(context, tab, goal, "loaded")),
      restored: told.restored,
      ...(told.differs.length > 0 ? { differs: told.differs.slice(0, MAX_DIFFERS) } : {}),
      ...(told.notCovered.length > 0 ? { not_covered: told.notCovered } : {}),
    }),
  );
};

interface Told {
  restored: string[];
  differs: string[];
  notCovered: string[];
}

/** Writes what was stored, in the empty document. */
async function bringBack(
  { frames, debug, tab, deadline }: Context,
  { token, parts, origin }: LoadStateParams,
  { cookies }: TabSection,
  chunks: string[],
  told: Told,
): Promise<void> {
  for (const page_section of chunks)
    await frames.call(tab, "add_state", { token, page_section, frame: "main" }, deadline);
  const { restored, differs, not_covered } = await frames.call(
    tab,
    "restore_state",
    { token, parts, frame: "main" },
    deadline,
  );
  told.notCovered.push(...not_covered);
  told.restored.push(...restored);
  told.differs.push(...differs);
  if (!parts.includes("cookies") || !cookies) return;
  const wrong = await debug.run(tab, deadline, (send) => setCookies(send, origin, cookies));
  if (wrong.length === 0) told.restored.push(`cookies ${cookies.length}`);
  told.differs.push(...wrong);
}

/** Types again what was typed, in each frame of the page that was loaded. */
async function typeAgain({ frames, tab, deadline }: Context, { forms = [] }: TabSection, told: Told): Promise<void> {
  let fields = 0;
  for (const { frame, ...rest } of forms) {
    const name = frame === "" ? "main" : frame;
    try {
      const { differs } = await frames.call(tab, "restore_forms", { ...rest, frame: name }, deadline);
      fields += rest.fields.length - differs.filter((one) => one.includes(": field ")).length;
      told.differs.push(...differs.map((one) => (frame === "" ? one : `${one} of frame ${frame}`)));
    } catch (error) {
      const why = error instanceof CommandProblem ? error.message : "it does not answer";
      told.differs.push(`${why}: fields of ${frame === "" ? "the page" : `frame ${frame}`}`);
    }
  }
  if (fields > 0) told.restored.push(`fields ${fields}`);
}
