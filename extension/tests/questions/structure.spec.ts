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
  lit: {
    found: [{ name: "Lit", version: expect.stringMatching(/^\d+\.\d+/) }, { name: "lit-html" }],
    component: { framework: "Lit", state: /^\{"state":\{"name":"".*"tick":\d+/ },
  },
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

test("a custom element is told as the component of what is in it, with its properties and no getter run", async ({
  daemon,
  site,
  browserWithExtension,
}) => {
  const { outputFiles } = await build({
    stdin: {
      contents: `import { LitElement, html } from "lit";
        customElements.define("a-bill", class Bill extends LitElement {
          static properties = { total: {}, note: {}, open: { state: true }, own: {} };
          get own() { window.asked = true; return 1; }
          set own(value) {}
          constructor() { super(); this.total = 9; this.note = "is hunter22"; this.open = { rows: Array(50).fill("row".repeat(99)) }; }
          render() { return html\`<p id=in>in</p><slot></slot>\`; }
        });
        customElements.define("a-card", class extends HTMLElement {
          kept = 3;
          get asked() { window.asked = true; return 1; }
          constructor() { super(); this.attachShadow({ mode: "closed" }).innerHTML = "<p id=closed>c</p><input type=password value=sesame77>"; this.typed = "sesame77"; }
        });
        customElements.define("a-plain", class Plain extends HTMLElement {});`,
      resolveDir: fileURLToPath(new URL("..", import.meta.url)),
    },
    bundle: true,
    write: false,
    format: "iife",
    minifyIdentifiers: true,
    keepNames: true,
  });
  site.page("/elements.js", { body: outputFiles[0]?.text ?? "", type: "text/javascript" });
  const { page, run } = await open(
    browserWithExtension,
    site,
    daemon,
    `<p id=out>out</p><input type=password value=hunter22><a-plain><a-bill><i id=slotted>s</i></a-bill></a-plain><a-card></a-card><a-lost></a-lost>
     <script src=/elements.js></script>`,
  );
  await expect(page.locator("#in")).toBeVisible();
  await page.evaluate("window.asked = undefined"); // Lit has asked
  const told = async (selector: string) => {
    const { result, error } = await run("page_structure", { selector });
    expect(error, selector).toBeUndefined();
    return result.documents[0]!.answer;
  };
  const bill = {
    framework: "Lit",
    names: ["Bill <a-bill>", "Plain <a-plain>"],
    props: '{"total":9,"note":"is ••••••","own":"not read"}',
    state: expect.stringMatching(/^\{"open":\{"rows":\["row.{300,2000}$/),
  };
  for (const selector of ["a-bill >>> #in", "a-bill", "#slotted"]) {
    const { components } = await told(selector);
    expect(components, selector).toMatchObject([bill]);
    expect(components![0]!.state!.length).toBeLessThanOrEqual(2000);
  }
  for (const selector of ["a-card", "a-card >>> #closed"])
    expect((await told(selector)).components, selector).toMatchObject([
      { framework: "custom element", names: ["<a-card>"], state: '{"kept":3,"typed":"••••••"}' },
    ]);
  expect((await told("a-plain")).components).toMatchObject([{ names: ["Plain <a-plain>"] }]);
  for (const selector of ["#out", "a-lost"]) expect(await told(selector)).toMatchObject({ no_component: 1 });
  expect(await page.evaluate("window.asked")).toBeUndefined();
});
