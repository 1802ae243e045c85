import type { Handler } from "./handler.ts";

/** Documents that do not answer in this time, ms, have nothing to say, where nobody names another. */
const WITHIN_MS = 1500;

/** Has every document, or those of the tab, send what it captured so far, its resource timings included. */
export const flush: Handler<"flush"> = async ({ within_ms = WITHIN_MS }, context) => {
  const { frames, silent, late } = await context.flush(context.tab === 0 ? undefined : context.tab, within_ms);
  return { frames, ...(silent.length > 0 && { silent }), ...(late && { late }) };
};
