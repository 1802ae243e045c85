// Draws the icons that the manifest names: node extension/build/icons.mjs. Small ones are a drawing of their own, with
// no margin and a larger flame, so that their edges fall on whole pixels and they can be told at 16.
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { chromium } from "@playwright/test";
import { findChromium } from "../../scripts/chromium.mjs";

const folder = join(import.meta.dirname, "../icons");
const drawings = { 16: "icon-small.svg", 32: "icon-small.svg", 48: "icon-small.svg", 128: "icon.svg" };

const browser = await chromium.launch({ executablePath: findChromium(), args: ["--no-sandbox"] });
const page = await browser.newPage();
for (const [size, drawing] of Object.entries(drawings)) {
  const side = Number(size);
  await page.setViewportSize({ width: side, height: side });
  const svg = await readFile(join(folder, drawing), "utf8");
  await page.setContent(
    `<style>body { margin: 0 } svg { display: block; width: ${side}px; height: ${side}px }</style>${svg}`,
  );
  await writeFile(join(folder, `${side}.png`), await page.screenshot({ omitBackground: true }));
}
await browser.close();
