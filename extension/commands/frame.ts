import type { Coverage, Frame } from "@gasoline/schema/commands";
import type { FrameInfo } from "./context.ts";

/** Says whether frame= names the main frame. */
export const isMain = (frame: string | undefined): boolean => frame === "main" || frame === "top";

/** Says whether frame= names every frame. */
export const isEvery = (frame: string | undefined): boolean => frame === undefined || frame === "all";

/** Characters of a frame's address that an answer tells. */
export const MAX_URL = 300;

/** A frame as answers name it. */
export const frameOf = ({ name, url, title, shown }: FrameInfo): Frame => ({
  name,
  url: url.slice(0, MAX_URL),
  ...(title ? { title: title.slice(0, 80) } : {}),
  ...(shown ? {} : { hidden: true }),
});

/** What an answer says of frames that it does not cover: nothing when it covers all. */
export const covered = (coverage: Coverage): { coverage?: Coverage } =>
  Object.keys(coverage).length > 0 ? { coverage } : {};

/** The same in a sentence for a problem; "" when all is covered. */
export function inWords({ ungranted = [], unanswered = [], more = 0 }: Coverage): string {
  const parts = [
    ...unanswered.map(({ name, url }) => `frame ${name === "" ? url.slice(0, 100) : `${name} (${url.slice(0, 100)})`}`),
    ...(ungranted.length > 0 ? [`iframes of ${ungranted.join(", ")}, which are not granted`] : []),
    ...(more > 0 ? [`${more} more frames`] : []),
  ];
  return parts.length > 0 ? `Not looked at: ${parts.join("; ")}.` : "";
}
