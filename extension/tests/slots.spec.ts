// Components whose labels stand in their slots: the words are the page's, the button around them is the component's.
import { open } from "./acting.ts";
import { expect, test } from "./extension.ts";

test.use({ host: "node" });

const component = (mode: "open" | "closed") =>
  `<style>x-b { display: inline-block; margin: 20px }</style>
   <x-o>Outer</x-o> <x-b>Save</x-b> <x-b><b>Bold</b></x-b> <x-c>Terms</x-c><p id=out style='height:40px'></p>
   <script>
     const say = (at) => document.getElementById("out").append(at + ".");
     const define = (tag, html, work) => customElements.define(tag, class extends HTMLElement {
       connectedCallback() {
         const root = this.attachShadow({ mode: "${mode}" });
         root.innerHTML = html;
         work?.(root, this);
       }
     });
     define("x-b", "<button style='padding:8px'><slot></slot></button>", (root, host) => {
       const button = root.querySelector("button");
       const name = () => host.textContent || "inner";
       button.onclick = (e) => say(name() + (e.isTrusted ? " really" : " made up"));
       button.onmouseenter = () => say("over " + name());
     });
     define("x-o", "<x-b><slot></slot></x-b>");
     define("x-c", "<label><input type=checkbox style='opacity:0;width:0;height:0'> <slot></slot></label>", (root) => {
       root.querySelector("input").onchange = (e) => say("checked " + e.target.checked);
     });
   </script>`;

for (const mode of ["open", "closed"] as const) {
  test(
    `slotted labels are pressed as a user presses them, in roots that are ${mode}`,
    { tag: mode === "closed" ? "@extension" : [] },
    async ({ daemon, site, browserWithExtension: browser }) => {
      const { page, run } = await open(browser, site, daemon, component(mode));
      const said = async () => {
        const text = await page.evaluate(() => document.getElementById("out")!.textContent);
        await page.evaluate(() => void (document.getElementById("out")!.textContent = ""));
        return text;
      };
      for (const name of ["Save", "Bold", "Outer"]) {
        const selector = `role=button[name="${name}"]`;
        const inside = name === "Outer" ? "inner" : name;
        const made = await run("click", { selector, trusted: "never" });
        expect(made.error).toBeUndefined();
        expect(await said()).toContain(`${inside} made up.`);
        const real = await run("click", { selector, trusted: "always" });
        expect(real.error).toBeUndefined();
        expect(real.result.trusted).toBe(true);
        expect(await said()).toMatch(new RegExp(`^(over ${inside}\\.)?${inside} really\\.$`));
        expect((await run("hover", { selector: "#out" })).error).toBeUndefined();
        expect((await run("hover", { selector })).error).toBeUndefined();
        expect(await said()).toBe(`over ${inside}.`);
      }
      const checked = await run("check", { selector: "role=checkbox", trusted: "always" });
      expect(checked.error).toBeUndefined();
      expect(checked.result.value).toBe("true");
      expect(await said()).toContain("checked true.");
    },
  );
}

test("what is in the slot of a dialog is within it", async ({ daemon, site, browserWithExtension: browser }) => {
  const { page, run } = await open(
    browser,
    site,
    daemon,
    `<x-d><p>Sure?</p><button onclick="document.title = 'deleted'">Yes</button></x-d><button>Yes</button>
     <script>customElements.define("x-d", class extends HTMLElement {
       connectedCallback() { this.attachShadow({ mode: "open" }).innerHTML = "<div role=dialog aria-label=Delete><slot></slot></div>"; }
     })</script>`,
  );
  const listed = await run("list_interactive", { within: "role=dialog" });
  expect(listed.result.elements.map(({ label }) => label)).toEqual(["Yes"]);
  expect((await run("click", { selector: "text=Yes", within: "role=dialog" })).error).toBeUndefined();
  expect(await page.title()).toBe("deleted");
});

test("what has no box of its own is pressed where it is seen, and a field in a component is typed into", async ({
  daemon,
  site,
  browserWithExtension: browser,
}) => {
  const src = "data:image/svg+xml,<svg xmlns='http://www.w3.org/2000/svg' width='300' height='200'/>";
  const { page, run } = await open(
    browser,
    site,
    daemon,
    `<p style="height:3000px"></p><a id=box style="display:contents"><div>Buy</div></a><a id=text style="display:contents">Sell</a>
     <img usemap="#m" width=300 height=200 src="${src}">
     <map name=m><area id=round shape=circle coords="150,60,9" alt=Sun href="#"></map>
     <x-field role=textbox aria-label=City></x-field>
     <script>
       window.heard = [];
       addEventListener("click", (e) => heard.push(e.target.closest("[id]")?.id + " " + e.isTrusted));
       const field = document.querySelector("x-field").attachShadow({ mode: "open", delegatesFocus: true });
       field.innerHTML = "<input>";
     </script>`,
  );
  for (const id of ["box", "text", "round"]) {
    for (const trusted of ["never", "always"])
      expect((await run("click", { selector: `#${id}`, trusted })).error).toBeUndefined();
    expect(await page.evaluate(() => (window as unknown as { heard: string[] }).heard.splice(0))).toEqual([
      `${id} false`,
      `${id} true`,
    ]);
  }
  for (const trusted of ["never", "always"]) {
    const typed = await run("type", { selector: "x-field", text: "Bern", clear: true, trusted });
    expect(typed.error).toBeUndefined();
    expect(typed.result).toMatchObject({ value: "Bern" });
  }
});
