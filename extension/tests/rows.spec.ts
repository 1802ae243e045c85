import { open } from "./acting.ts";
import { expect, test } from "./extension.ts";

test.use({ host: "node" });

const ROWS = `<ul></ul><script>
  window.rows = ["Alice", "Bob"];
  window.deleted = [];
  const list = document.querySelector("ul");
  window.draw = () => {
    list.innerHTML = rows.map((name) => "<li>" + name + " <button>Delete</button></li>").join("");
    for (const [i, button] of list.querySelectorAll("button").entries())
      button.onclick = () => { deleted.push(...rows.splice(i, 1)); draw(); };
  };
  draw();
</script>`;

for (const trusted of ["never", "always"]) {
  test(`a ref of a row that is gone presses no other one, trusted ${trusted}`, async ({
    daemon,
    site,
    browserWithExtension,
  }) => {
    const { page, run } = await open(browserWithExtension, site, daemon, ROWS);
    const more = { timeoutMS: 20_000 };
    const click = (ref: string) => run("click", { ref, trusted }, more);
    const { result } = await run("list_interactive", {}, more);
    const ref = result.elements[0]!.ref;
    // The same row rendered anew is the same, and told as such.
    await page.evaluate("draw()");
    const first = await click(ref);
    expect(first.error).toBeUndefined();
    expect(first.result.healed).toBe(true);
    // What is repeated after an answer that was lost is not done to the next row.
    const again = await run("click", { ref, trusted }, { timeoutMS: 3000 });
    expect(again.error).toMatchObject({ code: "stale_ref", message: expect.stringContaining('by "Alice"') });
    expect(await page.evaluate("deleted")).toEqual(["Alice"]);
    const bob = await run("list_interactive", {}, more);
    expect((await click(bob.result.elements[0]!.ref)).result.healed).toBeUndefined();
    expect(await page.evaluate("deleted")).toEqual(["Alice", "Bob"]);
  });
}

test("a row that goes when the pointer comes to it leaves the press to nobody", async ({
  daemon,
  site,
  browserWithExtension,
}) => {
  const { page, run } = await open(browserWithExtension, site, daemon, ROWS);
  const { result } = await run("list_interactive", {}, { timeoutMS: 20_000 });
  await page.evaluate("addEventListener('mousemove', () => { rows.shift(); draw(); }, { once: true })");
  const pressed = await run("click", { ref: result.elements[0]!.ref, trusted: "always" }, { timeoutMS: 20_000 });
  expect(pressed.error?.code).toBe("stale_ref");
  expect(await page.evaluate("[deleted, rows]")).toEqual([[], ["Bob"]]);
});
