import type { Page } from "@playwright/test";
import { open } from "../acting.ts";
import { expect, test } from "../extension.ts";

/** Colours of a picture at points in device pixels, as hex. */
const colours = (page: Page, { data }: { data: string }, points: [number, number][]) =>
  page.evaluate(
    async ([url, at]) => {
      const bitmap = await createImageBitmap(await (await fetch(url)).blob());
      const paper = new OffscreenCanvas(bitmap.width, bitmap.height).getContext("2d")!;
      paper.drawImage(bitmap, 0, 0);
      return at.map(([x, y]) =>
        Array.from(paper.getImageData(x, y, 1, 1).data.slice(0, 3), (c) => c.toString(16).padStart(2, "0")).join(""),
      );
    },
    [`data:image/png;base64,${data}`, points] as const,
  );

test("boxes of a picture are told as the innermost elements that they are of", async ({
  daemon,
  site,
  browserWithExtension,
}) => {
  const { page, run } = await open(
    browserWithExtension,
    site,
    daemon,
    `<style>body { margin: 0 } div { height: 100px; overflow: hidden } p { margin: 20px; height: 40px }</style>
     <div id=a><p id=one>One</p></div>
     <div id=b><button id=pay style="width:100px;height:30px">Pay <b>now</b></button></div>
     <div id=host></div><div style="height:3000px"></div>
     <section aria-label=Far id=far style="height:60px"><i id=deep style="display:block;height:30px">Deep</i></section>
     <div id=over style="position:fixed;top:20px;left:300px;width:100px;height:50px;pointer-events:none">Over</div>
     <script>host.attachShadow({ mode: "open" }).innerHTML = "<em id=inner style='display:block;height:40px'>Inner</em>"</script>`,
  );
  const far = await page.evaluate(() => document.querySelector("#far")!.getBoundingClientRect().top);
  const { result } = await run("visual", {
    boxes: [
      [30, 25, 50, 20], // in the paragraph
      [5, 5, 500, 90], // in the first part, over the paragraph
      [10, 105, 40, 20], // in the button
      [0, 50, 600, 100], // in two parts
      [10, 210, 50, 20], // in a shadow root
      [10, far + 5, 50, 20], // below what is seen
      [10, far + 5, 50, 50],
      [-50, -50, 10, 10], // nowhere
    ].flat(),
  });
  const { answer } = result.documents[0]!;
  expect(answer.under).toMatchObject([
    { tag: "p", selector: "#one" },
    { tag: "div", selector: "#a" },
    { tag: "button", role: "button", name: "Pay now", selector: "#pay", ref: expect.stringMatching(/^e\d+$/) },
    { tag: "body" },
    { tag: "em", selector: "#host >>> #inner" },
    { tag: "i", selector: "#deep" },
    { role: "region", name: "Far" },
    { tag: "html" },
  ]);
  expect(answer).toMatchObject({ loading: 0, scheme: "light", scroll_x: 0, scroll_y: 0 });
  expect(answer.browser).toMatch(/Chrome\/\d/);
  expect(answer.document).toBe(await page.evaluate(() => performance.timeOrigin));
  await page.emulateMedia({ colorScheme: "dark" });
  await page.evaluate(() => scrollTo(0, 70));
  expect((await run("visual", {})).result.documents[0]!.answer).toMatchObject({ scheme: "dark", scroll_y: 70 });
});

test("pictures that still load are told, lazy ones that are far away apart", async ({
  daemon,
  site,
  browserWithExtension,
}) => {
  let release = (): void => undefined;
  const held = new Promise<void>((resolve) => (release = resolve));
  const { page, run } = await open(
    browserWithExtension,
    site,
    daemon,
    `<img id=slow alt=Slow src=/slow.png width=40 height=40><img src=/missing.png alt=Gone>
     <img src=/slow.png style="display:none"><div style="height:9000px"></div><img loading=lazy src=/far.png width=40 height=40>`,
  );
  await page.route("**/slow.png", async (route) => {
    await held;
    await route.fulfill({ body: "<svg xmlns='http://www.w3.org/2000/svg'/>", contentType: "image/svg+xml" });
  });
  await page.reload({ waitUntil: "domcontentloaded" });
  const look = async () => (await run("visual", {})).result.documents[0]!.answer;
  expect(await look()).toMatchObject({
    loading: 1,
    loading_elements: [{ name: "Slow", selector: "#slow" }],
    lazy: 1,
    page_loads: true,
  });
  release();
  await page.waitForLoadState("load");
  const { page_loads, ...rest } = await look();
  expect(rest).toMatchObject({ loading: 0, loading_elements: [], lazy: 1 });
  expect(page_loads).toBeUndefined();
});

test("what masks fit is not in the picture, nor what comes meanwhile, and is there again afterwards", async ({
  daemon,
  site,
  browserWithExtension,
}) => {
  const { page, run } = await open(
    browserWithExtension,
    site,
    daemon,
    `<style>body { margin: 0; background: #fff } .box { height: 50px; background: #f00; transition: opacity 5s }
       .box b { display: block; height: 20px; background: #00f; opacity: 1 !important; visibility: visible !important }
       x-bare { display: contents }</style>
     <div class=box></div><div class=box id=second><b></b></div><div id=blue style="height:50px;background:#0f0"></div>
     <x-bare><div style="height:50px;background:#f0f"></div></x-bare>
     <script>
       // A part that is made anew all the time.
       (function again() {
         const made = document.createElement("div");
         made.className = "box";
         made.innerHTML = "<b></b>";
         document.querySelector("#second").replaceWith(made);
         made.id = "second";
         requestAnimationFrame(again);
       })();
       window.seen = [];
       new MutationObserver(() => undefined).observe(document, { subtree: true, attributes: true });
     </script>`,
  );
  const plain = (await run("screenshot", {})).result;
  const at: [number, number][] = [
    [5, 5],
    [5, 60],
    [5, 90],
    [5, 110],
    [5, 160],
  ];
  expect(await colours(page, plain, at)).toEqual(["ff0000", "0000ff", "ff0000", "00ff00", "ff00ff"]);
  expect(plain.masked).toBeUndefined();
  expect(plain.view).toMatchObject({ x: 0, y: 0, ratio: 1, height: await page.evaluate(() => innerHeight) });
  const [masked, beside] = await Promise.all([
    run("screenshot", { masks: [".box", "x-bare", "#nothing"] }),
    run("screenshot", {}), // another one is not disturbed
  ]);
  expect(masked.result.masked).toEqual([2, 1, 0]);
  expect(await colours(page, masked.result, at)).toEqual(["ffffff", "ffffff", "ffffff", "00ff00", "ffffff"]);
  expect(await colours(page, beside.result, at)).toEqual(["ff0000", "0000ff", "ff0000", "00ff00", "ff00ff"]);
  await expect(page.locator("[data-gasoline-masked]")).toHaveCount(0);
  expect(await page.evaluate(() => getComputedStyle(document.querySelector(".box")!).opacity)).toBe("1");
  const wrong = await run("screenshot", { masks: ["#second", "::("] });
  expect(wrong.error?.code).toBe("invalid_selector");
  await expect(page.locator("[data-gasoline-masked]")).toHaveCount(0);
  const part = (await run("screenshot", { selector: "#blue", masks: [".box"] })).result;
  expect(part).toMatchObject({ height: 50, view: { x: 0, y: 100 } });
});

test("a full page is taken in tiles, keeps its viewport, and is cut at 40 megapixels only", async ({
  daemon,
  site,
  browserWithExtension,
}) => {
  const { page, run } = await open(
    browserWithExtension,
    site,
    daemon,
    `<style>body { margin: 0 } header { position: fixed; inset: 0 0 auto 0; height: 10px; background: #00f }</style>
     <header></header><div style="height:100vh;background:#f00"></div><div style="height:19000px;background:#0f0"></div>
     <div id=end style="height:40px;background:#f0f"></div>`,
  );
  const { result } = await run("screenshot", { full_page: true });
  const { height } = await page.evaluate(() => ({ height: innerHeight }));
  expect(result).toMatchObject({ height: height + 19_040, view: { x: 0, y: 0, height } });
  expect(result.cut).toBeUndefined();
  expect(
    await colours(page, result, [
      [5, 5],
      [5, height - 2],
      [5, height + 2],
      [5, 16_383],
      [5, 16_385],
      [5, result.height - 42],
      [5, result.height - 5],
    ]),
  ).toEqual(["0000ff", "ff0000", "00ff00", "00ff00", "00ff00", "00ff00", "ff00ff"]);
  await page.evaluate(() => scrollTo(0, 500));
  const scrolled = (await run("screenshot", { full_page: true })).result;
  expect(scrolled).toMatchObject({ height: height + 19_040, view: { y: -500 } });
  await page.evaluate(() => (document.querySelector<HTMLElement>("#end")!.style.height = "50000px"));
  const long = (await run("screenshot", { full_page: true })).result;
  expect(long.cut).toBe("height");
  expect(long.width * long.height).toBeLessThanOrEqual(40_000_000);
  expect(long.width * long.height).toBeGreaterThan(39_000_000);
});
