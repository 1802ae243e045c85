import { writeFile } from "node:fs/promises";
import { expect, front, test } from "./support/fixtures.ts";

test.use({ pilot: true });

test("the user draws what the agent asked for, and the agent finds it in its inbox with a picture", async ({
  site,
  tab,
  agent,
}) => {
  await tab.goto(
    site.page(
      "/",
      `<!doctype html><title>Cart</title><main style="padding:220px 40px"><button data-testid=pay>Pay</button> <button>Cancel order</button></main>`,
    ),
  );
  await front(agent, tab);
  expect(await agent.ask("observe", { what: "inbox" })).toContain("inbox: 0");
  const started = await agent.ask("interact", {
    action: "draw_mode_start",
    annot_session: "checkout",
    text: "Which one?",
  });
  expect(started).toContain("the user can draw on the page now for checkout");
  expect(started).toContain('observe {"what":"inbox","since":"last"}');
  const box = await tab.getByTestId("pay").boundingBox();
  if (!box) throw new Error("the button has no box");
  await tab.mouse.move(box.x - 3, box.y - 3);
  await tab.mouse.down();
  await tab.mouse.move(box.x + box.width + 3, box.y + box.height + 3, { steps: 4 });
  await tab.mouse.up();
  await tab.keyboard.type("Too small");
  await tab.keyboard.press("Control+Enter");
  await expect(tab.locator("#gasoline-draw")).toHaveCount(0);
  let line = "";
  await expect
    .poll(async () => (line = await agent.ask("observe", { what: "inbox", since: "last" })))
    .toMatch(/m\d+ \S+ annotation "Too small" on button "Pay" \[e\d+\] at \d+,\d+ \d+×\d+ \(checkout\)/);
  expect(await agent.ask("analyze", { what: "annotations", wait: true, since: "1h", name: "checkout" })).toContain(
    `"Too small" on button "Pay"`,
  );
  const [, id, ref] = /(m\d+) \S+ annotation .*\[(e\d+)\]/.exec(line) ?? [];
  const { text, images } = await agent.call("observe", { what: "inbox", id });
  expect(text).toContain("locator: testid=pay, matches 1");
  expect(images).toHaveLength(1);
  const detail = await agent.call("analyze", { what: "annotation_detail", id });
  expect(detail.text).toContain("locator: testid=pay, matches 1");
  expect(detail.images).toHaveLength(1);
  expect(images[0]!.mimeType).toBe("image/jpeg");
  if (process.env["SHOTS"]) await writeFile(`${process.env["SHOTS"]}/drawn.jpg`, images[0]!.data, "base64");
  // Orange lines of the drawing are in the picture.
  const orange = await tab.evaluate(async (data) => {
    const image = await createImageBitmap(await (await fetch(`data:image/jpeg;base64,${data}`)).blob());
    const context = new OffscreenCanvas(image.width, image.height).getContext("2d")!;
    context.drawImage(image, 0, 0);
    const { data: pixels } = context.getImageData(0, 0, image.width, image.height);
    let found = 0;
    for (let i = 0; i < pixels.length; i += 4)
      if (pixels[i]! > 150 && pixels[i + 1]! < 120 && pixels[i + 2]! < 80) found++;
    return found;
  }, images[0]!.data);
  expect(orange).toBeGreaterThan(100);
  // The ref is one to act with.
  expect(await agent.ask("interact", { action: "click", ref })).toContain(`on ${ref} button "Pay"`);
  // And what the user does not want comes as well, also to an agent that waits for it.
  await agent.ask("interact", { action: "draw_mode_start" });
  const waited = agent.ask("analyze", { what: "annotations", wait: true, timeout_ms: 20_000 });
  await tab.keyboard.press("Escape");
  expect(await waited).toContain("the user cancelled the drawing");
  expect(await agent.ask("analyze", { what: "draw_history" })).toMatch(/m\d+ \S+ 1 annotation \(checkout\)/);
  await expect
    .poll(() => agent.ask("observe", { what: "inbox", since: "last" }))
    .toContain("the user cancelled the drawing");
});
