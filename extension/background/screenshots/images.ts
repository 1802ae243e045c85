import type { Edit, Images } from "../../commands/context.ts";
import { CommandProblem } from "../../commands/problem.ts";
import { TokenBucket } from "./bucket.ts";

/** Pictures by Chrome's capture of the visible tab, and their editing off screen. */
export class TabImages implements Images {
  readonly #bucket = new TokenBucket(2);
  readonly #waiting = new Map<string, Promise<string | undefined>>(); // captures not begun yet, which others may share

  async visible(tab: number, format: "png" | "jpeg", quality: number): Promise<string | undefined> {
    let changed = false; // another tab was shown, though perhaps not for long
    const heard = (): void => void (changed = true);
    chrome.tabs.onActivated.addListener(heard);
    try {
      const data = await this.#shown(tab, format, quality);
      return changed ? undefined : data;
    } finally {
      chrome.tabs.onActivated.removeListener(heard);
    }
  }

  async #shown(tab: number, format: "png" | "jpeg", quality: number): Promise<string | undefined> {
    const { active, windowId } = await chrome.tabs.get(tab);
    if (!active) return undefined;
    const key = `${windowId} ${format} ${quality}`;
    let shared = this.#waiting.get(key);
    if (!shared) {
      shared = (async () => {
        await this.#bucket.take();
        this.#waiting.delete(key);
        return capture(windowId, format, quality);
      })();
      this.#waiting.set(key, shared);
    }
    const data = await shared;
    // The user may have gone to another tab while the picture had to wait.
    return (await chrome.tabs.get(tab)).active ? data : undefined;
  }

  async edit(
    tiles: readonly string[],
    edit: Edit,
  ): Promise<{ data: string; width: number; height: number; scale?: number }> {
    const bitmaps = await Promise.all(tiles.map(decoded));
    const whole = { width: bitmaps[0]?.width ?? 0, height: bitmaps.reduce((sum, { height }) => sum + height, 0) };
    const crop = cropIn(whole, edit);
    const shrink = edit.maxWidth && crop.width > edit.maxWidth ? edit.maxWidth / crop.width : 1;
    const width = Math.max(1, Math.round(crop.width * shrink));
    const height = Math.max(1, Math.round(crop.height * shrink));
    const canvas = new OffscreenCanvas(width, height);
    const paper = canvas.getContext("2d");
    if (!paper) throw new Error("no 2d context");
    paper.imageSmoothingQuality = "high";
    if (edit.grayscale) paper.filter = "grayscale(1)";
    let top = 0;
    for (const bitmap of bitmaps) {
      if (bitmaps.length > 1 && isBlank(bitmap))
        throw new CommandProblem("unsupported", "The browser gave an empty picture for a part of the page.");
      const { height: tall } = bitmap;
      const [x, y] = [-crop.x * shrink, (top - crop.y) * shrink];
      paper.drawImage(bitmap, x, y, bitmap.width * shrink, tall * shrink);
      top += tall;
      bitmap.close();
    }
    paper.filter = "none";
    paper.fillStyle = "#000";
    for (const box of edit.hidden) {
      paper.fillRect(
        (box.x * edit.ratio - crop.x) * shrink,
        (box.y * edit.ratio - crop.y) * shrink,
        box.width * edit.ratio * shrink,
        box.height * edit.ratio * shrink,
      );
    }
    const blob = await canvas.convertToBlob({ type: `image/${edit.format}`, quality: edit.quality / 100 });
    return { data: await base64(blob), width, height, ...(shrink < 1 ? { scale: Math.round(shrink * 100) } : {}) };
  }

  async repeats(png: string, row: number): Promise<boolean> {
    const bitmap = await decoded(png);
    try {
      const height = Math.min(row, bitmap.height - row);
      const paper = height > 0 ? new OffscreenCanvas(bitmap.width, height).getContext("2d") : null;
      if (!paper) return false;
      paper.drawImage(bitmap, 0, 0);
      paper.globalCompositeOperation = "difference";
      paper.drawImage(bitmap, 0, -row);
      const { data } = paper.getImageData(0, 0, bitmap.width, height);
      return data.every((value, i) => i % 4 === 3 || value === 0);
    } finally {
      bitmap.close(); // also where the picture is no higher
    }
  }
}

const decoded = async (data: string): Promise<ImageBitmap> =>
  createImageBitmap(await (await fetch(`data:image/png;base64,${data}`)).blob());

/** A surface that is too large for the machine is transparent; a page never is. */
function isBlank(bitmap: ImageBitmap): boolean {
  const paper = new OffscreenCanvas(8, 8).getContext("2d");
  paper?.drawImage(bitmap, 0, 0, 8, 8);
  return paper?.getImageData(0, 0, 8, 8).data.some((value, i) => i % 4 === 3 && value === 0) ?? false;
}

function cropIn(
  bitmap: { width: number; height: number },
  { crop, ratio }: Edit,
): { x: number; y: number; width: number; height: number } {
  if (!crop) return { x: 0, y: 0, width: bitmap.width, height: bitmap.height };
  const x = Math.max(0, Math.floor(crop.x * ratio));
  const y = Math.max(0, Math.floor(crop.y * ratio));
  return {
    x,
    y,
    width: Math.max(1, Math.min(bitmap.width - x, Math.ceil(crop.width * ratio))),
    height: Math.max(1, Math.min(bitmap.height - y, Math.ceil(crop.height * ratio))),
  };
}

/** undefined where Chrome does not allow it: neither all sites granted nor the popup opened on this tab. */
async function capture(windowId: number, format: "png" | "jpeg", quality: number): Promise<string | undefined> {
  try {
    const url = await chrome.tabs.captureVisibleTab(windowId, { format, ...(format === "jpeg" ? { quality } : {}) });
    return url.slice(url.indexOf(",") + 1);
  } catch {
    return undefined;
  }
}

async function base64(blob: Blob): Promise<string> {
  const bytes = new Uint8Array(await blob.arrayBuffer());
  let binary = "";
  // In pieces: a spread of a whole picture would be more arguments than a call can take.
  for (let i = 0; i < bytes.length; i += 0x8000) binary += String.fromCharCode(...bytes.subarray(i, i + 0x8000));
  return btoa(binary);
}
