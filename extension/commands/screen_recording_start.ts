import type { Handler } from "./handler.ts";

/** Begins to film the tab. */
export const screenRecordingStart: Handler<"screen_recording_start"> = async (
  { name, fps, sound = false },
  context,
) => {
  const film = await context.films.start(context.tab, { name, fps, sound }, context.deadline);
  return { ...film, visible: film.width > 0 };
};
