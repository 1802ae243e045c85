import type { ScreenshotParams, ScreenshotResult } from "@gasoline/schema/commands";
import type { FrameBox, Rect } from "../messages/agent.ts";
import type { Context, Edit, Send } from "./context.ts";
import type { Handler } from "./handler.ts";
import { CommandProblem, pageLeft } from "./problem.ts";

/** A page with more device pixels than this is cut. */
const MAX_PIXELS = 40_000_000;

/** So is one that is higher than a canvas can be, in device pixels. */
const MAX_HEIGHT = 65_535;

/** Chrome's own limit for one surface, in device pixels: what is higher is taken in tiles. */
const MAX_TILE = 16_384;

/** How long the page has at the end to show what was masked. */
const SHOW_MS = 2000;

/** How long a picture of a page that was left may take to come all the same. */
const LATE_MS = 1000;

/** An element is waited for as long as one that is clicked. */
const FIND_MS = 5000;

/**
 * Makes a picture of the tab: of what it shows, of the whole page, or of one element. Fields of secrets are black on the
 * page itself while it is taken, so that one that moves or comes meanwhile is not seen either; so is what masks fit hidden.
 */
export const screenshot: Handler<"screenshot"> = async (params, context) => {
  const format = (params.format ?? "png") as Edit["format"];
  const quality = params.quality || 80;
  if (params.wait_for_stable)
    await context.frames.call(
      context.tab,
      "quiet",
      { stability_ms: 250 },
      Math.min(context.deadline, Date.now() + 5000),
    );
  const { masks = [] } = params;
  const { shot, fit, url, title } = await context.covered(
    context.tab,
    context.deadline,
    async (documents) => ({
      ...(await masked(context, masks, () => take(context, params, format, quality, documents))),
      // Of the page that is in the picture: where the tab is led afterwards does not count.
      ...(await context.pages.describe(context.tab)),
    }),
    masks.length > 0,
  );
  const edited = await context.images.edit(shot.tiles, {
    format,
    quality,
    ratio: shot.ratio,
    hidden: shot.hidden,
    ...(shot.crop ? { crop: shot.crop } : {}),
    ...(params.max_width ? { maxWidth: params.max_width } : {}),
    ...(params.grayscale ? { grayscale: true } : {}),
  });
  const result: ScreenshotResult = { format, ...edited, url, title, route: shot.route };
  const redacted = shot.secrets + shot.hidden.length;
  if (redacted > 0) result.redacted = redacted;
  if (shot.cut) result.cut = shot.cut;
  if (fit) result.masked = fit;
  result.view = { ...shot.viewport, x: shot.at.x, y: shot.at.y };
  return result;
};

/** Takes a picture while what fits masks is hidden; fit says how many elements fit each. */
async function masked(
  context: Context,
  masks: string[],
  take: () => Promise<Shot>,
): Promise<{ shot: Shot; fit?: number[] }> {
  if (masks.length === 0) return { shot: await take() };
  const mask = (some: string[], deadline: number) =>
    context.frames.each(context.tab, "cover", { on: true, masks: some }, undefined, deadline);
  try {
    const { answers } = await mask(masks, context.deadline);
    const fit = masks.map((_, i) => answers.reduce((sum, { value }) => sum + (value?.fit?.[i] ?? 0), 0));
    return { shot: await take(), fit };
  } finally {
    // A page that is gone by now hides nothing any more, and one that does not answer shows it by itself.
    await mask([], Date.now() + SHOW_MS).catch(() => undefined);
  }
}

interface Shot {
  tiles: string[];
  route: "visible" | "debugger";
  ratio: number;
  /** Fields that are black. */
  secrets: number;
  /** Frames of which it is not known what they show. */
  hidden: Rect[];
  crop?: Rect;
  viewport: Viewport;
  /** Where the picture begins, in CSS pixels of the viewport. */
  at: { x: number; y: number };
  /** What was asked for goes on beyond the picture: below, or beyond its frame. */
  cut?: "height" | "frame";
}

async function take(
  context: Context,
  params: ScreenshotParams,
  format: Edit["format"],
  quality: number,
  covered: ReadonlySet<string>,
): Promise<Shot> {
  if (!params.full_page) {
    const scene = await look(context, params, covered);
    // What Chrome captures is jpeg or png; webp is made of the latter.
    const captured = format === "jpeg" ? format : "png";
    const data = scene.fits ? await context.images.visible(context.tab, captured, quality) : undefined;
    if (data)
      return {
        tiles: [data],
        route: "visible",
        ratio: scene.viewport.ratio,
        viewport: scene.viewport,
        at: placed(scene.crop),
        secrets: scene.secrets,
        hidden: scene.hidden,
        ...(scene.crop ? { crop: scene.crop } : {}),
        ...(scene.cut ? { cut: scene.cut } : {}),
      };
  }
  return context.debug.run(context.tab, context.deadline, async (send) => {
    const stop = await context.debug.draw(context.tab, send);
    try {
      // Looked at again: the debugger's bar takes some of the page's height.
      const picture = (how: object): Promise<string> => capture(context, send, how);
      const whole = (how: object, row: number): Promise<string> => drawnWhole(context, () => picture(how), row);
      const scene = await look(context, params, covered);
      return await byDebugger(send, params.full_page ? whole : picture, params.full_page === true, scene);
    } finally {
      await stop();
    }
  });
}

/** What a picture of the tab would show, in CSS pixels of its viewport. */
interface Scene {
  crop: Rect | undefined;
  /** The crop is within the viewport, or there is none. */
  fits: boolean;
  secrets: number;
  hidden: Rect[];
  viewport: Viewport;
  cut?: "frame";
}

const placed = (crop: Rect | undefined): { x: number; y: number } => ({ x: crop?.x ?? 0, y: crop?.y ?? 0 });

async function look(context: Context, params: ScreenshotParams, covered: ReadonlySet<string>): Promise<Scene> {
  const named = params.selector !== undefined || params.ref !== undefined || params.frame !== undefined;
  const at = named ? await rectOf(context, params) : undefined;
  const { secrets, hidden, viewport, boxOf } = await geometry(context, covered);
  const box = at && boxOf(at.frame);
  if (at && !box) throw new CommandProblem("not_actionable", "The element's frame has no box on the page.");
  const whole = at && box && moved(at.rect, box);
  // Of what is in an iframe only that part can be seen which the iframe shows.
  const crop = whole && at.frame !== "" ? common(whole, box.shown) : whole;
  if (crop && (crop.width < 1 || crop.height < 1))
    throw new CommandProblem("not_actionable", "The element has no area that could be pictured.");
  const isCut = whole && crop && (crop.width < whole.width - 1 || crop.height < whole.height - 1);
  const fits =
    !crop ||
    (crop.y >= 0 && crop.x >= 0 && crop.y + crop.height <= viewport.height && crop.x + crop.width <= viewport.width);
  return { crop, fits, secrets, hidden, viewport, ...(isCut ? { cut: "frame" } : {}) };
}

/** Where an element is in its frame. A frame that is named without an element stands for all of it that is shown. */
async function rectOf(
  context: Context,
  { ref, selector, nth, frame }: ScreenshotParams,
): Promise<{ rect: Rect; frame: string }> {
  const target = {
    ...(ref === undefined ? { selector: selector ?? ":root" } : { ref }),
    ...(nth === undefined ? {} : { nth }),
    ...(frame === undefined ? {} : { frame }),
  };
  return context.frames.call(context.tab, "rect", target, Math.min(context.deadline, Date.now() + FIND_MS));
}

/** What two rectangles share; without area where they share nothing. */
function common(a: Rect, b: Rect): Rect {
  const x = Math.max(a.x, b.x);
  const y = Math.max(a.y, b.y);
  return {
    x,
    y,
    width: Math.min(a.x + a.width, b.x + b.width) - x,
    height: Math.min(a.y + a.height, b.y + b.height) - y,
  };
}

interface Layout {
  cssLayoutViewport: { pageX: number; pageY: number };
  /** zoom is that of the browser: 1.25 of what clips are measured in per CSS pixel. */
  cssVisualViewport: { zoom?: number };
  cssContentSize: { width: number; height: number };
}

/** Captures. Throws page_left where the page goes away meanwhile: Chrome then never answers. */
async function capture({ pages, tab, deadline }: Context, send: Send, how: object): Promise<string> {
  const before = pages.document(tab);
  let taken = false;
  const left = async (): Promise<never> => {
    while (!taken && pages.document(tab) === before && Date.now() < deadline)
      await pages.nextDocument(tab, Date.now() + LATE_MS);
    await new Promise((resolve) => void setTimeout(resolve, LATE_MS));
    throw pageLeft();
  };
  const made = send("Page.captureScreenshot", { format: "png", ...how }) as Promise<{ data: string }>;
  try {
    return (await Promise.race([made, left()])).data;
  } finally {
    taken = true;
  }
}

/** A picture that begins again with the viewport's height is taken anew so often: a page may be made of equal parts. */
const MOST_ANEW = 3;

/**
 * Takes a picture of all of a page. On a busy machine Chrome may take one before the page is drawn as high as it is: it then
 * shows the viewport, of so many rows, again and again.
 */
async function drawnWhole({ images }: Context, take: () => Promise<string>, row: number): Promise<string> {
  let taken = await take();
  for (let anew = 0; anew < MOST_ANEW && (await images.repeats(taken, row)); anew++) taken = await take();
  return taken;
}

async function byDebugger(
  send: Send,
  picture: (how: object, row: number) => Promise<string>,
  full: boolean,
  { crop, fits, secrets, hidden, viewport, cut }: Scene,
): Promise<Shot> {
  const inFrame = cut ? { cut } : {};
  const { ratio } = viewport;
  const shot = { route: "debugger", ratio, secrets, viewport } as const;
  if (!full && fits) {
    return { ...shot, tiles: [await picture({}, 0)], hidden, at: placed(crop), ...(crop ? { crop } : {}), ...inFrame };
  }
  const layout = (await send("Page.getLayoutMetrics")) as Layout;
  const { pageX, pageY } = layout.cssLayoutViewport;
  const { zoom = 1 } = layout.cssVisualViewport;
  const scale = ratio / zoom; // of the screen
  const whole: Rect = crop
    ? moved(crop, { x: pageX * zoom, y: pageY * zoom, scale: zoom })
    : { x: 0, y: 0, width: layout.cssContentSize.width * zoom, height: layout.cssContentSize.height * zoom };
  const most = Math.floor(Math.min(MAX_PIXELS / (whole.width * scale), MAX_HEIGHT) / scale);
  const tall = whole.height > most;
  const area: Rect = { ...whole, height: Math.min(whole.height, most) };
  const tiles: string[] = [];
  const tile = Math.floor(MAX_TILE / scale);
  for (let y = 0; y < area.height; y += tile) {
    const clip = { ...area, y: area.y + y, height: Math.min(tile, area.height - y), scale: 1 };
    tiles.push(await picture({ captureBeyondViewport: true, clip }, Math.round(viewport.height * ratio)));
  }
  // Rectangles are of the viewport; the picture begins elsewhere.
  const at = { x: pageX - area.x / zoom, y: pageY - area.y / zoom };
  return {
    ...shot,
    tiles,
    hidden: hidden.map((rect) => moved(rect, { ...at, scale: 1 })),
    at: { x: -at.x, y: -at.y },
    ...(tall ? { cut: "height" } : inFrame),
  };
}

interface Viewport {
  width: number;
  height: number;
  /** Device pixels per CSS pixel. */
  ratio: number;
}

/** Where a frame's viewport is in the tab's, and what of it is shown there. */
type Box = Place & { shown: Rect };

interface Geometry {
  /** Fields of secrets that have a value, in all frames. */
  secrets: number;
  /** What must not be seen, in the tab's viewport. */
  hidden: Rect[];
  viewport: Viewport;
  /** The box of the frame with this name; undefined where it is not known. */
  boxOf: (name: string) => Box | undefined;
}

async function geometry(context: Context, covered: ReadonlySet<string>): Promise<Geometry> {
  const { answers, empty } = await context.frames.each(context.tab, "geometry", {}, undefined, context.deadline);
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
  const hidden: Rect[] = [];
  // A frame whose secrets may not be covered is hidden, as those that nobody may ask; its place is black.
  const said = frames.filter(({ frame }) => covered.has(frame.documentId)).map(({ frame }) => frame);
  const known = new Set([...said, ...empty].map(({ path }) => key(path)));
  for (const { frame, value } of frames) {
    const at = placeOf(frame.path, childrenOf);
    for (const [i, box] of value.children.entries()) {
      if (known.has(key([...frame.path, i]))) continue;
      hidden.push(at && box ? moved(box, at) : { x: 0, y: 0, width: 0, height: 0 });
    }
  }
  const boxOf = (name: string): Box | undefined => {
    const path = frames.find(({ frame }) => frame.name === name)?.frame.path;
    const at = path && placeOf(path, childrenOf);
    if (!at) return undefined;
    let shown: Rect = { x: 0, y: 0, ...main.viewport };
    for (let depth = 1; depth <= path.length; depth++) {
      const around = placeOf(path.slice(0, depth - 1), childrenOf);
      const box = childrenOf(path.slice(0, depth - 1))?.[path[depth - 1] ?? -1];
      if (around && box) shown = depth === 1 ? moved(box, around) : common(shown, moved(box, around));
    }
    return { ...at, shown };
  };
  const secrets = frames.reduce((sum, { value }) => sum + value.secrets, 0);
  return { secrets, hidden, viewport: main.viewport, boxOf };
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
