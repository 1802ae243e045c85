import { open } from "./acting.ts";
import { expect, test } from "./extension.ts";

test.use({ host: "node" });

/** A list that notes presses and clicks; onpress is what it does when the button comes down. */
const list = (onpress: string): string => `<main></main><output></output><script>
  window.pressed = 0;
  window.clicked = [];
  window.rows = ["Alice", "Bob"];
  const main = document.querySelector("main");
  window.draw = () => {
    main.innerHTML = "<ul>" + rows.map((name) => "<li>" + name + " <button><b>Save</b></button></li>").join("") + "</ul>";
  };
  draw();
  main.addEventListener("mousedown", (event) => { pressed++; ${onpress} });
  main.addEventListener("click", ({ target }) => {
    if (target.closest("button")) clicked.push(target.closest("li").firstChild.data.trim());
  });
</script>`;

for (const trusted of ["never", "always"]) {
  test(`what a page renders anew when it is pressed is pressed again, trusted ${trusted}`, async ({
    daemon,
    site,
    browserWithExtension,
  }) => {
    for (const [name, onpress] of [
      ["all", "if (pressed === 1) draw()"],
      ["inside", "if (pressed === 1) event.target.closest('button').innerHTML = '<b>Save</b>'"],
      ["twice", "if (pressed <= 2) draw()"],
    ] as const) {
      const { page, run } = await open(browserWithExtension, site, daemon, list(onpress));
      const params = { selector: "li:nth-child(2) button", trusted };
      const { error } = await run("click", params);
      expect(error, name).toBeUndefined();
      expect(await page.evaluate("clicked"), name).toEqual(["Bob"]);
    }
  });

  test(`a click that cannot come is not told as done, trusted ${trusted}`, async ({
    daemon,
    site,
    browserWithExtension,
  }) => {
    const { page, run } = await open(browserWithExtension, site, daemon, list("draw()"));
    const params = { selector: "li:nth-child(2) button", trusted };
    const { error } = await run("click", params);
    expect(error).toMatchObject({ code: "not_actionable", message: expect.stringContaining("no click follows") });
    expect(await page.evaluate("[clicked, pressed]")).toEqual([[], 3]);
  });

  test(`a press that did something is not repeated, trusted ${trusted}`, async ({
    daemon,
    site,
    browserWithExtension,
  }) => {
    const changes = list("document.querySelector('output').textContent = pressed; draw()");
    const one = await open(browserWithExtension, site, daemon, changes);
    const params = { selector: "li:nth-child(2) button", trusted };
    expect((await one.run("click", params)).result).toMatchObject({ unclicked: true });
    expect(await one.page.evaluate("[clicked, pressed]")).toEqual([[], 1]);
    // What is chosen by the press alone, and goes with it, is done.
    const two = await open(browserWithExtension, site, daemon, list("rows.pop(); draw()"));
    const { result } = await two.run("click", params);
    expect(result).toMatchObject({ unclicked: true, matched: { label: "Save" } });
    expect(await two.page.evaluate("[rows, pressed]")).toEqual([["Alice"], 1]);
  });
}
