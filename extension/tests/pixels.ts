import type { Page } from "@playwright/test";

/** How many pixels of a picture are of a colour. */
export const pixels = (
  page: Page,
  { format, data }: { format: string; data: string },
  colour: "red" | "blue",
): Promise<number> =>
  page.evaluate(
    async ([url, is]) => {
      const bitmap = await createImageBitmap(await (await fetch(url)).blob());
      const paper = new OffscreenCanvas(bitmap.width, bitmap.height).getContext("2d")!;
      paper.drawImage(bitmap, 0, 0);
      const { data } = paper.getImageData(0, 0, bitmap.width, bitmap.height);
      const [most, least] = is === "red" ? [0, 2] : [2, 0];
      let found = 0;
      for (let i = 0; i < data.length; i += 4)
        if (data[i + most]! > 150 && data[i + 1]! < 100 && data[i + least]! < 100) found++;
      return found;
    },
    [`data:image/${format};base64,${data}`, colour] as const,
  );
