import type { ScreenshotParams, ScreenshotResult } from "@gasoline/schema/commands";
import type { FrameBox, Rect } from "../messages/agent.ts";
import type { Context, Send } from "./context.ts";
import type { Handler } from "./handler.ts";
import { CommandProblem } from "./problem.ts";

/** A page taller than this is cut: Chrome's own limit for one surface. */
const MAX_HEIGHT = 16_384;

/** An element is waited for as long as one that is clicked. */
const FIND_MS = 5000;

/**
 * Makes a picture of the tab: of what it shows, of the whole page, or of one element. What password
 * inputs show is blacked out before the picture leaves the browser.
 */
export const screenshot: Handler<"screenshot"> = async (params, context) => {
  const format = params.format === "jpeg" ? "jpeg" : "png";
  const quality = params.quality || 80;
  if (params.wait_for_stable)
    await context.frames.call(
      context.tab,
      "quiet",
      { stability_ms: 250 },
      Math.min(context.deadline, Date.now() + 5000),
    );
  const shot = await take(context, params, format, quality);
  const edited = await context.images.edit(shot.data, {
    format,
    quality,
    ratio: shot.ratio,
    secrets: shot.secrets,
    ...(shot.crop ? { crop: shot.crop } : {}),
    ...(params.max_width ? { maxWidth: params.max_width } : {}),
    ...(params.grayscale ? { grayscale: true } : {}),
  });
  const { url, title } = await context.pages.describe(context.tab);
  const result: ScreenshotResult = { format, ...edited, url, title, route: shot.route };
  if (shot.secrets.length > 0) result.redacted = shot.secrets.length;
  return result;
};

interface Shot {
  data: string;
  route: "visible" | "debugger";
  ratio: number;
  secrets: Rect[];
  crop?: Rect;
}

async function take(
  context: Context,
  params: ScreenshotParams,
  format: "png" | "jpeg",
  quality: number,
): Promise<Shot> {
  if (!params.full_page) {
    const scene = await look(context, params.selector);
    const data = scene.fits ? await context.images.visible(context.tab, format, quality) : undefined;
    if (data)
      return {
        data,
        route: "visible",
        ratio: scene.ratio,
        secrets: scene.secrets,
        ...(scene.crop ? { crop: scene.crop } : {}),
      };
  }
  return context.debug.run(context.tab, context.deadline, async (send) =>
    // Looked at again: the debugger's bar takes some of the page's height.
    byDebugger(send, params.full_page === true, await look(context, params.selector)),
  );
}

/** What a picture of the tab would show, in CSS pixels of its viewport. */
interface Scene {
  crop: Rect | undefined;
  /** The crop is within the viewport, or there is none. */
  fits: boolean;
  secrets: Rect[];
  ratio: number;
}

async function look(context: Context, selector: string | undefined): Promise<Scene> {
  const crop = selector === undefined ? undefined : await cropOf(context, selector);
  const { secrets, viewport } = await geometry(context);
  const fits =
    !crop ||
    (crop.y >= 0 && crop.x >= 0 && crop.y + crop.height <= viewport.height && crop.x + crop.width <= viewport.width);
  return { crop, fits, secrets, ratio: viewport.ratio };
}

async function cropOf(context: Context, selector: string): Promise<Rect> {
  const { rect } = await context.frames.call(
    context.tab,
    "rect",
    { selector, frame: "main" },
    Math.min(context.deadline, Date.now() + FIND_MS),
  );
  if (rect.width < 1 || rect.height < 1)
    throw new CommandProblem("not_actionable", "The element has no area that could be pictured.");
  return rect;
}

interface Layout {
  cssLayoutViewport: { pageX: number; pageY: number };
  cssContentSize: { width: number; height: number };
}

async function byDebugger(send: Send, full: boolean, { crop, fits, secrets, ratio }: Scene): Promise<Shot> {
  if (!full && fits) {
    const { data } = (await send("Page.captureScreenshot", { format: "png" })) as { data: string };
    return { data, route: "debugger", ratio, secrets, ...(crop ? { crop } : {}) };
  }
  const layout = (await send("Page.getLayoutMetrics")) as Layout;
  const { pageX, pageY } = layout.cssLayoutViewport;
  const area: Rect = crop
    ? { ...crop, x: crop.x + pageX, y: crop.y + pageY, height: Math.min(crop.height, MAX_HEIGHT) }
    : { x: 0, y: 0, width: layout.cssContentSize.width, height: Math.min(layout.cssContentSize.height, MAX_HEIGHT) };
  const { data } = (await send("Page.captureScreenshot", {
    format: "png",
    captureBeyondViewport: true,
    clip: { ...area, scale: 1 },
  })) as { data: string };
  // Rectangles are of the viewport; the picture begins elsewhere.
  const at = { x: pageX - area.x, y: pageY - area.y, scale: 1 };
  return { data, route: "debugger", ratio, secrets: secrets.map((rect) => moved(rect, at)) };
}

/** What must not be seen, in the tab's viewport, over all frames. */
async function geometry(
  context: Context,
): Promise<{ secrets: Rect[]; viewport: { width: number; height: number; ratio: number } }> {
  const { answers, coverage } = await context.frames.each(context.tab, "geometry", {}, undefined, context.deadline);
  const frames = answers.flatMap(({ frame, value }) => (value ? [{ frame, value }] : []));
  const key = (path: readonly number[]) => path.join(".");
  const byPath = new Map(frames.map(({ frame, value }) => [key(frame.path), value]));
  const main = byPath.get("");
  if (!main)
    throw new CommandProblem(
      "origin_not_allowed",
      "The page cannot be reached, so it cannot be said what must not be seen.",
    );
  const childrenOf = (path: readonly number[]) => byPath.get(key(path))?.children;
  const secrets = frames.flatMap(({ frame, value }) => {
    const at = placeOf(frame.path, childrenOf);
    return at ? value.secrets.map((rect) => moved(rect, at)) : [];
  });
  // What a frame shows that did not say where its secrets are is not shown at all.
  const asked = new Set(frames.map(({ frame }) => key(frame.path)));
  const failed = new Set(answers.flatMap(({ frame, error }) => (error === undefined ? [] : [key(frame.path)])));
  for (const { frame, value } of frames) {
    const at = placeOf(frame.path, childrenOf);
    for (const [i, box] of value.children.entries()) {
      const child = key([...frame.path, i]);
      const unknown = failed.has(child) || (coverage.more !== undefined && !asked.has(child));
      if (at && box && unknown) secrets.push(moved(box, at));
    }
  }
  return { secrets, viewport: main.viewport };
}

/** Where a frame's viewport begins in the tab's, and by how much what is in it is scaled. */
interface Place {
  x: number;
  y: number;
  scale: number;
}

function placeOf(
  path: readonly number[],
  childrenOf: (path: readonly number[]) => (FrameBox | null)[] | undefined,
): Place | undefined {
  const at = { x: 0, y: 0, scale: 1 };
  for (let depth = 0; depth < path.length; depth++) {
    const box = childrenOf(path.slice(0, depth))?.[path[depth] ?? -1];
    if (!box) return undefined;
    at.x += box.x * at.scale;
    at.y += box.y * at.scale;
    at.scale *= box.scale;
  }
  return at;
}

const moved = ({ x, y, width, height }: Rect, { scale, ...at }: Place): Rect => ({
  x: at.x + x * scale,
  y: at.y + y * scale,
  width: width * scale,
  height: height * scale,
});
