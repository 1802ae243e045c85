import { expect, test } from "vitest";
import { TabImages } from "../../background/screenshots/images.ts";

/** A png of rows of one pixel in these colours. */
async function png(...colours: string[]): Promise<string> {
  const canvas = Object.assign(document.createElement("canvas"), { width: 3, height: colours.length });
  const paper = canvas.getContext("2d")!;
  colours.forEach((colour, y) => {
    paper.fillStyle = colour;
    paper.fillRect(0, y, 3, 1);
  });
  return canvas.toDataURL().slice("data:image/png;base64,".length);
}

test("a picture that begins again is told from one that only looks alike at its beginning", async () => {
  const images = new TabImages();
  const begins = async (row: number, ...colours: string[]): Promise<boolean> =>
    images.repeats(await png(...colours), row);
  expect(await begins(2, "#246", "#fff", "#246", "#fff", "#246")).toBe(true);
  expect(await begins(2, "#246", "#fff", "#246")).toBe(true);
  expect(await begins(2, "#246", "#fff", "#246", "#ffe")).toBe(false);
  expect(await begins(2, "#246", "#fff", "#247", "#fff")).toBe(false);
  // It is not higher than the viewport.
  expect(await begins(2, "#246", "#246")).toBe(false);
  expect(await begins(3, "#246", "#246")).toBe(false);
});
