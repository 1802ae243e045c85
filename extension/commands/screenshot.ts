import type { ScreenshotParams, ScreenshotResult } from "@gasoline/schema/commands";
import type { Rect } from "../messages/agent.ts";
import type { Context, FrameInfo, Send } from "./context.ts";
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
    { selector },
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
  const moved = secrets.map((rect) => ({ ...rect, x: rect.x + pageX - area.x, y: rect.y + pageY - area.y }));
  return { data, route: "debugger", ratio, secrets: moved };
}

/** What must not be seen, in the tab's viewport, over all frames. */
async function geometry(
  context: Context,
): Promise<{ secrets: Rect[]; viewport: { width: number; height: number; ratio: number } }> {
  const frames = await context.frames.callEach(context.tab, "geometry", {}, "all", context.deadline);
  const key = (path: readonly number[]) => path.join(".");
  const byPath = new Map(frames.map(({ frame, value }) => [key(frame.path), value]));
  const main = byPath.get("");
  if (!main)
    throw new CommandProblem(
      "origin_not_allowed",
      "The page cannot be reached, so it cannot be said what must not be seen.",
    );
  const secrets = frames.flatMap(({ frame, value }) => {
    const at = offsetOf(frame, (path) => byPath.get(key(path))?.children);
    return at ? value.secrets.map((rect) => ({ ...rect, x: rect.x + at.x, y: rect.y + at.y })) : [];
  });
  return { secrets, viewport: main.viewport };
}

function offsetOf(
  frame: FrameInfo,
  childrenOf: (path: number[]) => (Rect | null)[] | undefined,
): { x: number; y: number } | undefined {
  const at = { x: 0, y: 0 };
  for (let depth = 0; depth < frame.path.length; depth++) {
    const box = childrenOf(frame.path.slice(0, depth))?.[frame.path[depth] ?? -1];
    if (!box) return undefined;
    at.x += box.x;
    at.y += box.y;
  }
  return at;
}
