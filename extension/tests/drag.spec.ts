import { open } from "./acting.ts";
import { NO_BAR } from "./chromium.ts";
import { brief, expect, test } from "./extension.ts";

test.use({ host: "node", without: [NO_BAR] }); // in the extension the bar comes while something is held

/** Things that are moved by pointer events, and what was heard of that. */
const POINTER = `<style>.box { position: absolute; width: 80px; height: 40px } body { margin: 0 }</style>
<div id=a class=box style="left:20px;top:20px;background:gold">A</div><div id=b class=box style="left:300px;top:200px;background:silver">B</div>
<div id=far class=box style="left:20px;top:2000px;background:tan">Far</div>
<script>
  window.heard = [];
  let held;
  for (const type of ["pointerdown", "pointermove", "pointerup", "click", "keydown"]) addEventListener(type, (event) => {
    const at = event.target.id + " " + Math.round(event.clientX) + "," + Math.round(event.clientY + scrollY);
    heard.push({ type, at, buttons: event.buttons, real: event.isTrusted });
  }, true);
  const ends = () => [heard.find(({ type }) => type === "pointerdown")?.at, heard.findLast(({ type }) => type === "pointerup")?.at];
</script>`;

test("the mouse is pressed, moved and let go, onto an element, to a point or by pixels", async ({
  daemon,
  site,
  browserWithExtension,
}) => {
  const { page, run } = await open(browserWithExtension, site, daemon, POINTER);
  const ends = async (params: object) => {
    await page.evaluate("heard.length = 0");
    const { error, result } = await run("drag", { selector: "#a", ...params });
    expect(error).toBeUndefined();
    expect(result).toMatchObject({ trusted: true, matched: { label: "A" } });
    return page.evaluate("ends()");
  };
  expect(await ends({ to: "#b" })).toEqual(["a 60,40", "b 340,220"]);
  const moves: { buttons: number; real: boolean }[] = await page.evaluate(
    "heard.slice(heard.findIndex(({ type }) => type === 'pointerdown')).filter(({ type }) => type === 'pointermove')",
  );
  expect(moves.length).toBeGreaterThan(5);
  expect(moves.every(({ buttons, real }) => buttons === 1 && real)).toBe(true);
  expect(await ends({ to: "text=B", dx: -30, dy: 10 })).toEqual(["a 60,40", "b 310,230"]);
  expect(await ends({ dx: 100, dy: 0 })).toEqual(["a 60,40", " 160,40"]);
  expect(await ends({ to_x: 320, to_y: 210 })).toEqual(["a 60,40", "b 320,210"]);
  // What is not in view is scrolled to while the button is pressed.
  expect(await ends({ to: "#far" })).toEqual(["a 60,40", "far 60,2020"]);
});

test("a drag that cannot begin or end leaves the page as it is", async ({ daemon, site, browserWithExtension }) => {
  const { page, run } = await open(browserWithExtension, site, daemon, POINTER);
  const missing = await run("drag", { selector: "#a", to: "#none" }, brief());
  expect(missing.error?.code).toBe("element_not_found");
  const covered = await run("drag", { selector: "#a", to: "text=/./" }, brief());
  expect(covered.error).toBeDefined();
  await page.evaluate(() => {
    document.body.insertAdjacentHTML(
      "beforeend",
      "<div id=over class=box style='left:0;top:0;width:200px;height:200px'>Over</div>",
    );
  });
  const over = await run("drag", { selector: "#a", dx: 10 }, brief());
  expect(over.error?.code).toBe("blocked_by_overlay");
  expect((await run("drag", { dx: 10 } as never)).error?.code).toBe("missing_target");
  expect(await page.evaluate("heard")).toEqual([]);
});

test("what the browser itself carries is dropped in the page, in another frame, too", async ({
  daemon,
  site,
  browserWithExtension,
}) => {
  const { page, run } = await open(
    browserWithExtension,
    site,
    daemon,
    `<div id=card draggable=true style="width:100px">Card</div><a id=link href="/x" draggable=true>Link</a>
     <div id=bin style="margin-top:60px;width:200px;height:60px;background:#ddd">Bin</div>
     <iframe id=box style="margin-top:40px" srcdoc="<div id=inner style='height:80px' ondragover='event.preventDefault()'
       ondrop='event.preventDefault(); parent.heard.push(&quot;in frame &quot; + event.dataTransfer.getData(&quot;text/plain&quot;))'>Inner</div>"></iframe>
     <script>
       window.heard = [];
       for (const type of ["dragstart", "dragenter", "dragover", "drop", "dragend", "mouseup"])
         addEventListener(type, (event) => { if (heard.at(-1) !== type) heard.push(type); });
       card.addEventListener("dragstart", (event) => event.dataTransfer.setData("text/plain", "queen"));
       for (const type of ["dragenter", "dragover", "drop"]) bin.addEventListener(type, (event) => event.preventDefault());
       bin.addEventListener("drop", (event) => heard.push(event.dataTransfer.getData("text/plain") + event.isTrusted));
     </script>`,
  );
  const heard = async (params: { selector: string; to: string }): Promise<string[]> => {
    await page.evaluate("heard.length = 0");
    expect((await run("drag", params)).error).toBeUndefined();
    return page.evaluate("heard");
  };
  const carried = await heard({ selector: "#card", to: "#bin" });
  expect(carried.filter((type) => !/^drag(enter|over)$/.test(type))).toEqual([
    "dragstart",
    "queentrue",
    "drop",
    "dragend",
  ]);
  expect(carried).toContain("dragover");
  expect(await heard({ selector: "#card", to: "text=Inner" })).toContain("in frame queen");
  // Links are let go of by their browser only after many pixels.
  expect(await heard({ selector: "#link", to: "#bin" })).toContain("drop");
  // A page that keeps the browser from carrying hears of the mouse.
  await page.evaluate("card.addEventListener('dragstart', (event) => event.preventDefault())");
  expect((await heard({ selector: "#card", to: "#bin" })).at(-1)).toBe("mouseup");
  // Nothing is left held.
  expect((await run("click", { selector: "#bin", trusted: "always" })).error).toBeUndefined();
});

test("a list scrolls by pixels, unless the page takes the wheel for itself", async ({
  daemon,
  site,
  browserWithExtension,
}) => {
  const rows = Array.from({ length: 100 }, (_, i) => `<li>Row ${i}</li>`).join("");
  const { page, run } = await open(
    browserWithExtension,
    site,
    daemon,
    `<div id=grid><div id=body style="height:100px;overflow:auto"><ul style="margin:0">${rows}</ul></div></div>
     <div id=map style="height:100px;background:#cde">Map</div><div style="height:3000px"></div>
     <script>map.addEventListener("wheel", (event) => { event.preventDefault(); window.zoomed = event.deltaY; }, { passive: false });</script>`,
  );
  const top = (): Promise<number> => page.evaluate("document.querySelector('#body').scrollTop");
  await run("scroll_to", { selector: "#grid", dy: 300 });
  expect(await top()).toBe(300);
  await run("scroll_to", { selector: "text=Row 20", dy: -100 });
  expect(await top()).toBe(200);
  await run("scroll_to", { selector: "#map", dy: 120 });
  expect(await page.evaluate("[zoomed, scrollY]")).toEqual([120, 0]);
  expect((await run("scroll_to", { dy: 500 })).result.viewport?.scroll_y).toBe(500);
});
