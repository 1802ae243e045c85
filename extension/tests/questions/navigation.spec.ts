import { open } from "../acting.ts";
import { expect, test } from "../extension.ts";

test.use({ host: "node" });

const PAGE = `<header><a href="/">Home</a></header>
  <nav aria-label=Main><a href="/shop" aria-current=page>Shop</a><a href="https://other.example/a?b=1" target=_blank>Other</a>
    <a href="/menu" hidden>Menu</a></nav>
  <main><p><a href="#top">Top</a> <a href="mailto:a@b.test">Mail</a> <a>No link</a> <my-card></my-card></p></main>
  <div><a href="/loose">Loose</a></div><iframe srcdoc="<nav><a href='/inner'>Inner</a></nav>"></iframe>
  <script>document.querySelector("my-card").attachShadow({mode: "closed"}).innerHTML = "<nav aria-label=Card><a href=/deep>Deep</a></nav>"</script>`;

test("links are told by the landmark that they are in, through shadow roots and frames, with refs that acts take", async ({
  daemon,
  site,
  browserWithExtension,
}) => {
  const { page, run } = await open(browserWithExtension, site, daemon, PAGE);
  const { result } = await run("navigation", {});
  const [main, inner] = result.documents;
  expect(main!.frame).toBeUndefined();
  const regions = main!.answer.regions.map(({ role, label, links }) => [
    [role, label].filter(Boolean).join(" "),
    ...links.map(({ text, href }) => `${text} ${href}`),
  ]);
  expect(regions).toEqual([
    ["banner", "Home /"],
    ["navigation Main", "Shop /shop", "Other https://other.example/a?b=1", "Menu /menu"],
    ["main", "Top /a#top", "Mail mailto:a@b.test"],
    ["navigation Card", "Deep /deep"],
    ["", "Loose /loose"],
  ]);
  expect(main!.answer).toMatchObject({ internal_links: 6, external_links: 1, other_links: 1, regioned: 5 });
  const links = main!.answer.regions[1]!.links;
  expect(links).toMatchObject([{ current: "page" }, { external: true, target: "_blank" }, { hidden: true }]);
  expect(inner).toMatchObject({ frame: { name: "0" }, answer: { regions: [{ role: "navigation" }] } });
  const one = await run("navigation", { selector: "main", limit: 1 });
  expect(one.result.documents).toMatchObject([
    { answer: { regions: [{ role: "main", count: 2, links: [{ text: "Top" }] }, { label: "Card" }] } },
  ]);
  const again = await run("navigation", { ref: main!.answer.regions[1]!.ref! });
  expect(again.result.documents).toMatchObject([{ answer: { internal_links: 2, external_links: 1 } }]);
  const none = await run("navigation", { selector: "aside" });
  expect(none.error).toMatchObject({ code: "element_not_found" });
  const { ref } = inner!.answer.regions[0]!.links[0]!;
  const framed = await run("navigation", { ref });
  expect(framed.result.documents).toMatchObject([{ frame: { name: "0" }, answer: { internal_links: 1 } }]);
  const { ref: home } = main!.answer.regions[0]!.links[0]!;
  expect((await run("click", { ref: home })).result.navigated).toBe(true);
  expect(new URL(page.url()).pathname).toBe("/");
});

test("an address is told whole, whatever stands in it", async ({ daemon, site, browserWithExtension }) => {
  const links = `<a href="javascript:void(null)">js</a><a href="mailto:a@b.test?body=null">m</a>`;
  const { page, run } = await open(
    browserWithExtension,
    site,
    daemon,
    `<base href="/deep/"><a href=x>rel</a><a href="#">hash</a><svg width=50 height=50><a href="/svg"><text y=20>S</text></a><a xlink:href="/old"><text y=40>X</text></a></svg>
     <a id=to>to</a><iframe sandbox srcdoc='${links}'></iframe><script>document.querySelector("#to").href = "javascript:go('" + origin + "/a')"</script>`,
  );
  const [main, inner] = (await run("navigation", {})).result.documents;
  const hrefs = ({ answer }: NonNullable<typeof main>): string[] =>
    answer.regions.flatMap(({ links }) => links.map(({ href }) => href));
  const { origin } = new URL(page.url());
  expect(hrefs(main!)).toEqual(["/deep/x", "/deep/#", "/svg", "/old", `javascript:go('${origin}/a')`]);
  expect(hrefs(inner!)).toEqual(["javascript:void(null)", "mailto:a@b.test?body=null"]);
});
