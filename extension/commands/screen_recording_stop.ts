import type { Handler } from "./handler.ts";
import { CommandProblem } from "./problem.ts";

/** Ends the film of the tab. */
export const screenRecordingStop: Handler<"screen_recording_stop"> = async (_params, context) => {
  const film = await context.films.stop(context.tab);
  if (!film) throw new CommandProblem("no_data", "The tab is not filmed.");
  return { ...film, visible: film.width > 0 };
};
