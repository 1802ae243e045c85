import { describe, expect, test } from "vitest";
import { own } from "../../dom-agent/own.ts";
import { asked, book, pausesEach, pausesOf, put, shadow, within } from "./world.ts";

// The document's links: navigation and link_health.

const PAGE = `<a href=/skip>Skip</a><nav aria-label=Main><a href=/ aria-current=page>Home</a><a href=/p target=_blank>Pay</a><a href=/q target=_self aria-current=false>Q</a>
  <a href=https://other.test/x>Other</a><a href=mailto:a@b.test>Mail</a><a href=http://>Broken</a></nav>
  <main><a href=#there>Place</a><a href=#gone>Gone</a><a href=#gone>Again</a><a>None</a><a href=/p#x hidden>Hidden</a><section title=""><a href=/s>S</a></section>
  <h2 id=there>There</h2></main><svg width=9 height=9><a xlink:href=/drawn><text>Drawn</text></a></svg><map name=m><area href=/area alt=Area></map>`;

/** Addresses as they are below the tests' own. */
const short = <T>(answer: T): T => {
  const { href, origin, pathname, search } = location;
  const text = JSON.stringify(answer).replaceAll(`"${href}#`, '"#').replaceAll(`"${pathname}${search}#`, '"#');
  return JSON.parse(text.replaceAll(origin, "")) as T;
};

describe("links by landmark", () => {
  const regions = async (params = {}) => (await asked("navigation", params)).regions;
  test("are told with where they lead, those of none last", async () => {
    put(PAGE);
    expect(short(await asked("navigation"))).toEqual({
      regions: [
        {
          role: "navigation",
          label: "Main",
          ref: "e1",
          links: [
            { ref: "e2", text: "Home", href: "/", current: "page" },
            { ref: "e3", text: "Pay", href: "/p", target: "_blank" },
            { ref: "e4", text: "Q", href: "/q" },
            { ref: "e5", text: "Other", href: "https://other.test/x", external: true },
            { ref: "e6", text: "Mail", href: "mailto:a@b.test" },
            { ref: "e7", text: "Broken", href: "http://" },
          ],
          count: 6,
        },
        {
          role: "main",
          ref: "e8",
          links: [
            { ref: "e9", text: "Place", href: "#there" },
            { ref: "e10", text: "Gone", href: "#gone" },
            { ref: "e11", text: "Again", href: "#gone" },
            { ref: "e12", text: "Hidden", href: "/p#x", hidden: true },
            { ref: "e13", text: "S", href: "/s" },
          ],
          count: 5,
        },
        {
          links: [
            { ref: "e14", text: "Skip", href: "/skip" },
            { ref: "e15", text: "Drawn", href: "/drawn" },
            { ref: "e16", text: "Area", href: "/area", hidden: true },
          ],
          count: 3,
        },
      ],
      regioned: 3,
      internal_links: 11,
      external_links: 1,
      other_links: 2,
    });
  });
  test("are those in what is asked about, and it itself", async () => {
    put(PAGE);
    const links = async (selector: string) =>
      (await regions({ selector })).map(({ role, links: all }) => [role, all.map(({ text }) => text)]);
    expect(await links("nav > a:first-child")).toEqual([["navigation", ["Home"]]]);
    expect(await links("section, map")).toEqual([
      ["main", ["S"]],
      [undefined, ["Area"]],
    ]);
  });
  test("are those in the roots of what is asked about", async () => {
    put("<x-a><a href=/light>light</a></x-a><a href=/other>other</a>");
    shadow(document.querySelector("x-a")!, "<a href=/in>in</a><slot></slot>");
    const [{ links }] = (await regions({ selector: "x-a" })) as [Awaited<ReturnType<typeof regions>>[0]];
    expect(links.map(({ text }) => text)).toEqual(["in", "light"]);
    put("<x-a><a href=/light>light</a></x-a>");
    shadow(document.querySelector("x-a")!, "<a href=/in>in</a><div><slot></slot></div>");
    expect((await regions({ selector: "x-a >>> div" }))[0]!.links.map(({ text }) => text)).toEqual(["light"]);
    put("<x-a><a href=/1>1</a><a href=/2>2</a></x-a>");
    shadow(document.querySelector("x-a")!, "<div><slot></slot></div>");
    expect((await regions({ selector: "x-a >>> div" }))[0]!.links.map(({ text }) => text)).toEqual(["1", "2"]);
  });
  test("are cut where there are many", async () => {
    put(`<nav aria-label="${"n".repeat(81)}">${"<a href=/x>x</a>".repeat(16)}</nav>`);
    expect((await regions())[0]).toMatchObject({ links: { length: 15 }, count: 16, label: "n".repeat(80) });
    expect((await regions({ limit: 1 }))[0]).toMatchObject({ links: { length: 1 }, count: 16 });
    put("<nav><a href=/x>x</a></nav>".repeat(21));
    expect(await asked("navigation")).toMatchObject({ regions: { length: 20 }, regioned: 21, internal_links: 21 });
    expect(await asked("navigation")).not.toHaveProperty("other_links");
    put("<a href=mailto:a@b.test>Mail</a>");
    expect(await asked("navigation")).toMatchObject({ internal_links: 0, other_links: 1 });
    put(`<a href="/${"x".repeat(300)}" aria-label="${"y".repeat(121)}"></a>`);
    const [link] = (await regions())[0]!.links;
    expect([link!.href.length, link!.text.length]).toEqual([300, 120]);
  });
  test("are called by their words where a component gives them another role", async () => {
    const link = async (html: string) => {
      put("<a href=/1 role=group><x-b></x-b></a>");
      shadow(document.querySelector("x-b")!, html);
      return (await regions())[0]!.links[0]!.text;
    };
    expect(await link("a<b>b <i hidden>c</i></b><script>d</script><style>e</style>f")).toBe("ab f");
    expect(await link("<style style=display:block>a</style><script style=display:block>b</script><x-c>c</x-c>")).toBe(
      "c",
    );
    expect(await link("<b>0123456789</b>".repeat(13))).toBe(
      "01234567890123456789012345678901234567890123456789012345678901234567890123456789012345678901234567890123456789012345678…",
    );
    expect(await link(`<b style=white-space:pre>${" ".repeat(600)}</b><b>soon</b>`)).toBe("soon");
    expect(await link(`<b style=white-space:pre>${" ".repeat(601)}</b><b>late</b>`)).toBe("");
  });
  test("have no secret that is typed", async () => {
    put(
      `<input type=password value=hunter2xyz><a href=/x?hunter2xyz role=none>hunter2xyz</a><a href=/y role=group><x-b></x-b></a>`,
    );
    shadow(document.querySelector("x-b")!, "hunter2xyz");
    expect((await regions())[0]!.links).toEqual([
      { ref: "e1", text: "••••••", href: "/x?••••••" },
      { ref: "e2", text: "••••••", href: "/y" },
    ]);
  });
});

describe("where links lead", () => {
  const health = async (params = {}) => asked("link_health", params);
  test("is told once for each address and each place that is not there", async () => {
    put(PAGE);
    history.replaceState(null, "", "/");
    expect(short(await health())).toEqual({
      links: [
        { url: "/skip", ref: "e1", text: "Skip", count: 1 },
        { url: "/", ref: "e2", text: "Home", count: 1 },
        { url: "/p", ref: "e3", text: "Pay", count: 1 },
        { url: "/q", ref: "e4", text: "Q", count: 1 },
        { url: "https://other.test/x", ref: "e5", text: "Other", count: 1, external: true },
        { url: "/p#x", ref: "e7", text: "Hidden", count: 1 },
        { url: "/s", ref: "e8", text: "S", count: 1 },
        { url: "/drawn", ref: "e9", text: "Drawn", count: 1 },
        { url: "/area", ref: "e10", text: "Area", count: 1 },
      ],
      places: [{ url: "#gone", ref: "e6", text: "Gone", count: 2 }],
      places_there: 1,
      other: 2,
      count: 14,
      urls: 9,
    });
    expect(short(await health({ url: "/p#" }))).toEqual({
      links: [{ url: "/p#x", ref: "e1", text: "Hidden", count: 1 }],
      places: [],
      places_there: 0,
      other: 0,
      count: 1,
      urls: 1,
    });
    expect(await health({ selector: "main, nav > a" })).toMatchObject({ count: 11, urls: 6 });
  });
  test.each([
    ["", true],
    ["top", true],
    ["TOP", true],
    ["id", true],
    ["name", true],
    ["box", false],
    ["gone", false],
    ["%C3%A9", true],
    ["é", true],
    ["%zz", false],
    ["/route", true],
    ["!route", true],
    ["a=b", true],
    ["id:~:text=a", true],
    ["gone:~:text=a", false],
    [":~:text=a", true],
  ])("a place is there as browsers look for it: %s", async (fragment, there) => {
    put(`<i id=id></i><a name=name></a><input name=box><i id=é></i><a href="#${fragment as string}">x</a>`);
    const { places, places_there } = await health({ selector: "a[href]" });
    expect([places!.length, places_there]).toEqual(there ? [0, 1] : [1, 0]);
  });
  test("a link to the document itself leads to its address", async () => {
    put(`<a href="">a</a>`);
    expect(await health()).toMatchObject({ urls: 1, places_there: 0 });
  });
  test("is cut where there is much", async () => {
    put(`${Array.from({ length: 101 }, (_, i) => `<a href=#p${i}>p</a>`).join("")}${Array.from({ length: 1001 }, (_, i) => `<a href=/u${i}>u</a>`).join("")}
      <a href=/u1000>u</a><a href=/u0 aria-label="${"t".repeat(81)}">t</a><a href=/u0>u</a><a href=#p100>p</a><a href=#p0>p</a>`);
    const { links, places, count, urls } = await health();
    expect([links.length, places!.length, count, urls, links[0]!.count, places![0]!.count]).toEqual([
      1000, 100, 1107, 1001, 3, 2,
    ]);
    put(`<a href=/u aria-label="${"t".repeat(81)}">t</a>`);
    expect((await health()).links[0]!.text.length).toBe(80);
  });
  test("has no secret that is typed", async () => {
    put(`<input type=password value=hunter2xyz><a href=https://x.test/?hunter2xyz>a</a>`);
    expect(short((await health()).links)).toEqual([
      { url: "https://x.test/?••••••", ref: "e1", text: "a", count: 1, external: true },
    ]);
  });
});

test.each(["navigation", "link_health"] as const)(
  "what Gasoline put there is no link of the page: %s",
  async (kind) => {
    own(put("<a href=/a>a</a><a href=/b x>b</a>"));
    expect(JSON.stringify(await asked(kind))).not.toContain("/b");
  },
);

test.each([["navigation"], ["link_health"]] as const)(
  "the page works in between, and may take links away: %s",
  async (kind) => {
    const refs = book();
    const PART = "<nav><a href=/1>1</a><a href=/2>2</a></nav>";
    put(PART);
    expect(await pausesOf(0, () => asked(kind as "navigation", {}, within(5000, refs)))).toBe(0);
    const pauses = await pausesOf(20, () => asked(kind as "navigation", {}, within(5000, refs)));
    expect(pauses).toBeGreaterThanOrEqual(6);
    for (let at = 1; at <= pauses; at++) {
      put(PART);
      let told = "";
      await pausesOf(
        20,
        async () => (told = JSON.stringify(await asked(kind as "navigation"))),
        (nth) => nth === at && document.querySelectorAll("a")[1]!.remove(),
      );
      if (at < 6) expect(told).not.toContain("/2");
    }
  },
);

test("each link is looked at in a slice of its own", async () => {
  const links = (n: number) => Array.from({ length: n }, (_, i) => `<a href=/${i}>a</a>`).join("");
  expect(await pausesEach(links, () => asked("navigation"))).toBeGreaterThanOrEqual(5);
  expect(await pausesEach(links, () => asked("link_health"))).toBeGreaterThanOrEqual(4);
});
