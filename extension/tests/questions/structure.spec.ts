import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import { open } from "../acting.ts";
import { expect, test } from "../extension.ts";

// Frameworks are known to the page's own world alone, which the extension asks.

const APPS: Record<string, { found: object[]; component?: { framework: string; props?: RegExp; state?: RegExp } }> = {
  react: {
    found: [{ name: "React", evidence: expect.stringContaining("__react") }],
    component: { framework: "React", state: /"name":""/ },
  },
  vue: { found: [{ name: "Vue", version: expect.stringMatching(/^3\./) }] },
  preact: { found: [{ name: "Preact" }] },
  lit: { found: [{ name: "Lit", version: expect.stringMatching(/^\d+\.\d+/) }, { name: "lit-html" }] },
  whole: { found: [] },
};

for (const [app, { found, component }] of Object.entries(APPS))
  test(`${app} is named with what shows it`, async ({ daemon, site, browserWithExtension }) => {
    const { outputFiles } = await build({
      entryPoints: [fileURLToPath(new URL(`../apps/${app}.mjs`, import.meta.url))],
      bundle: true,
      write: false,
      format: "iife",
      define: {
        "process.env.NODE_ENV": '"production"',
        __VUE_OPTIONS_API__: "true",
        __VUE_PROD_DEVTOOLS__: "false",
        __VUE_PROD_HYDRATION_MISMATCH_DETAILS__: "false",
      },
    });
    site.page("/app.js", { body: outputFiles[0]?.text ?? "", type: "text/javascript" });
    const { page, run } = await open(
      browserWithExtension,
      site,
      daemon,
      "<div id=app></div><script src=/app.js></script>",
    );
    await expect(page.locator("output")).toBeVisible();
    const { answer } = (await run("page_structure", {})).result.documents[0]!;
    expect(answer.world_unread).toBeUndefined();
    expect(answer.frameworks).toMatchObject(found);
    const { result, error } = await run("page_structure", { selector: "role=status" });
    expect(error).toBeUndefined();
    const one = result.documents[0]!.answer;
    if (!component) expect(one).toMatchObject({ no_component: 1 });
    else {
      const [told] = one.components!;
      expect(told).toMatchObject({ framework: component.framework, names: [expect.any(String)] });
      if (component.state) expect(told!.state).toMatch(component.state);
    }
  });

test("what scrolls, what lies over the page and which roots there are is told; hints are told as hints", async ({
  daemon,
  site,
  browserWithExtension,
}) => {
  const { page, run } = await open(
    browserWithExtension,
    site,
    daemon,
    `<meta name=viewport content="width=device-width"><meta property=og:title content=Shop><meta name=generator content="WordPress 6.4">
     <div data-reactroot style="height:3000px"></div><div id=React></div>
     <div aria-label=Log style="height:50px;overflow:auto"><p style="height:500px">x</p></div><div style="height:20px;overflow:hidden"><p style="height:90px">y</p></div>
     <dialog open aria-label=News>n</dialog><my-open></my-open><my-lost></my-lost>
     <script>window.React = { get version() { window.asked = true; return "9"; } };
       customElements.define("my-open", class extends HTMLElement { constructor() { super(); this.attachShadow({ mode: "closed" }); } })</script>`,
  );
  const { answer } = (await run("page_structure", {})).result.documents[0]!;
  expect(answer).toMatchObject({
    frameworks: [
      { name: "React", hint: true },
      { name: "WordPress", version: "6.4", hint: true },
    ],
    routing: { type: "document" },
    scroll_containers: [
      { label: "the page", scroll_top: 0 },
      { label: "Log", height: 50 },
    ],
    modals: [{ role: "dialog", text: "News" }],
    shadow_roots: { open: 0, closed: 1, hosts: ["my-open"], undefined: ["my-lost"] },
    meta: { viewport: "width=device-width", "og:title": "Shop", charset: "UTF-8" },
  });
  expect(answer.scroll_containers).toHaveLength(2);
  expect(await page.evaluate("window.asked")).toBeUndefined();
});

test("the page scrolls as the viewport does, by the style of the root or of the body", async ({
  daemon,
  site,
  browserWithExtension,
}) => {
  const style = "<style>html,body{height:100%;margin:0}div{height:4000px}</style>";
  for (const [i, [attribute, found]] of (
    [
      ["style='overflow:auto'", ["the page"]],
      ["style='overflow:hidden'", []],
      ["", ["the page"]],
    ] as const
  ).entries()) {
    const { run } = await open(browserWithExtension, site, daemon, `${style}<body ${attribute}><div></div>`, `/${i}`);
    const { answer } = (await run("page_structure", {})).result.documents[0]!;
    expect(answer.scroll_containers.map(({ label }) => label)).toEqual(found);
  }
});

test("a password is in no props, whatever characters it has", async ({ daemon, site, browserWithExtension }) => {
  const { run } = await open(
    browserWithExtension,
    site,
    daemon,
    `<div id=app><input type=password><output></output></div><script>
      const secret = 'hunter"2'; document.querySelector("input").value = secret;
      document.querySelector("output")["__reactFiber$abc"] = { type: function Pay() {}, memoizedProps: { typed: secret, list: ["is " + secret] }, return: null };
    </script>`,
  );
  const { result } = await run("page_structure", { selector: "output" });
  const [pay] = result.documents[0]!.answer.components!;
  expect(pay).toMatchObject({ names: ["Pay"], props: '{"typed":"••••••","list":["is ••••••"]}' });
});
