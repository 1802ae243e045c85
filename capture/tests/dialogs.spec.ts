import { expect, sameWithAndWithout, test } from "./support/fixture.ts";

test("a dialog is told before it holds the page, and after it is closed", async ({ page, capture, server }) => {
  const records = await capture({});
  await page.goto(server.page("<!doctype html><title>t</title>"));
  page.on("dialog", (dialog) => void dialog.accept("Ada"));
  expect(await page.evaluate(() => [prompt("Your name?"), confirm("Sure?"), alert(7)])).toEqual([
    "Ada",
    true,
    undefined,
  ]);
  await records.one("lifecycle", ({ state, title }) => state === "dialog_closed" && title === "7");
  expect(records.all("lifecycle").map(({ state, trigger, title }) => [state, trigger, title])).toEqual([
    ["dialog_opened", "prompt", "Your name?"],
    ["dialog_closed", "prompt", "Your name?"],
    ["dialog_opened", "confirm", "Sure?"],
    ["dialog_closed", "confirm", "Sure?"],
    ["dialog_opened", "alert", "7"],
    ["dialog_closed", "alert", "7"],
  ]);
});

test("the page's dialogs stay what they were", async ({ context, server }) => {
  context.on("dialog", (dialog) => void dialog.dismiss());
  const seen = await sameWithAndWithout(context, server.page("<!doctype html><title>t</title>"), () => {
    const calls: string[] = [];
    const text = { toString: () => (calls.push("toString"), "once") };
    const thrown = (run: () => unknown): string => {
      try {
        return String(run());
      } catch (error) {
        return String(error);
      }
    };
    return [
      thrown(() => alert(text as never)),
      thrown(() => alert(Symbol("x") as never)),
      thrown(() =>
        alert({
          toString: () => {
            throw new RangeError("mine");
          },
        } as never),
      ),
      thrown(() => alert.call({} as never)),
      thrown(() => new (alert as unknown as new () => unknown)()),
      thrown(() => confirm()),
      thrown(() => prompt("a", "b")),
      [alert, confirm, prompt].map((f) => [
        f.name,
        f.length,
        Function.prototype.toString.call(f),
        Object.getOwnPropertyNames(f).join(),
      ]),
      JSON.stringify(Object.getOwnPropertyDescriptor(window, "alert")),
      calls,
    ];
  });
  expect(seen.at(-1)).toEqual(["toString"]);
});
