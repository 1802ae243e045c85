import { describe, expect, test } from "vitest";
import "../../snapshot/main.ts";
import { write } from "../../commands/outline.ts";
import { outline } from "../../dom-agent/read/outline.ts";
import { AgentProblem } from "../../dom-agent/problem.ts";
import type { OutlineParams, Outlined } from "../../messages/outline.ts";
import { worker } from "./setup.ts";
import { book, pause, pausesOf, problem, put, shadow, within } from "./world.ts";

let marks = 0;
const take = (params: Partial<OutlineParams> = {}, ms = 5000, refs = book()): Promise<Outlined> =>
  outline({ mark: `m${marks++}`, bytes: 5000, folded: true, limit: 10, ...params }, within(ms, refs, "4"));

/** The lines of the main part of a page, without refs. */
async function lines(params: Partial<OutlineParams> = {}): Promise<string[]> {
  const { root } = await take(params);
  return root
    ? write(root, 20_000)
        .text.replaceAll(/ \[ref=e\d+\]/g, "")
        .split("\n")
    : [];
}

describe("what a page shows", () => {
  test.each([
    ["<p>a <b>b</b><i>c</i></p>", ["- text: a bc"]],
    ["<p>a</p><p>b</p>", ["- text: a", "- text: b"]],
    ["a<br>b", ["- text: a", "- text: b"]],
    ["<b>a</b> <span>b</span>", ["- text: a b"]],
    ["<p> </p>", [""]],
    ["<button>a <i>b</i></button>", ['- button "a b"']],
    ["<a href=#>a <img alt=b></a>", ['- link "a b"', '- img "b"']],
    ["<label>a <input value=b></label>", ['- textbox "a": b']],
    ["<input type=password value=secret>", ["- textbox: ••••••"]],
    ["<input type=date>", ["- textbox"]],
    ["<input type=hidden>", [""]],
    ["<select><option>a<option selected>b</select>", ["- combobox: b"]],
    ["<input type=checkbox checked disabled>", ["- checkbox [checked] [disabled]"]],
    ["<div contenteditable>words</div>", ["- textbox: words"]],
    ["<div tabindex=0>go</div>", ['- clickable "go"']],
    ["<div style='cursor:pointer'>go</div>", ['- clickable "go"']],
    ["<h3 aria-level=5>a</h3>", ['- heading "a" [level=5]']],
    ["<div hidden>a</div><div style='display:none'>b</div><div aria-hidden=true>c</div>", [""]],
    ["<div style='visibility:hidden'>a<p style='visibility:visible'>b</p></div>", ["- text: b"]],
    ["<div style='display:contents'>a</div>", ["- text: a"]],
    ["<script>1</script><style>a{}</style><noscript>b</noscript><template>c</template>", [""]],
    ["<svg><title>t</title><path/></svg><svg><text>d</text></svg>", ['- img "t"']],
    [
      "<p>seen</p><p style=opacity:0>x</p><p style=font-size:0>y</p>",
      ["- text: seen", "- text: (not seen) x", "- text: (not seen) y"],
    ],
    [
      "<p>a <span style=opacity:0>b</span> c</p><p><span style=opacity:0>d</span> e</p>",
      ["- text: a", "- text: (not seen) b", "- text: c", "- text: (not seen) d", "- text: e"],
    ],
    ["<div id=gasoline-toast>the page's</div>", ["- text: the page's"]],
    ["<nav><ul><li><a href=#>a</a></ul></nav>", ["- navigation:", '  - link "a"']],
    ["<article><header>a</header></article>", ["- text: a"]],
    ["<details open><summary>s</summary>in</details>", ['- button "s"', "- text: in"]],
    ["<p role=alert></p><p role=status>a</p>", ["- status: a"]],
    ["<button aria-expanded=true aria-pressed=mixed>a</button>", ['- button "a" [expanded] [pressed=mixed]']],
  ] as const)("%s", async (html, wanted) => {
    put(html);
    expect(await lines()).toEqual(wanted);
  });

  test("in shadow roots, closed ones too, and what their slots show", async () => {
    const host = put("<div x><b>slotted</b><i slot=none>not slotted</i></div>");
    shadow(host, "<button>inside</button><slot></slot><slot name=other>fallback</slot><div id=deep></div>", "closed");
    expect(await lines()).toEqual(['- button "inside"', "- text: slotted", "- text: fallback"]);
  });

  test("in shadow roots in others, in slices", async () => {
    put(`<main><div x></div>${"<p></p>".repeat(600)}</main>`);
    const inner = shadow(document.querySelector("[x]")!, "<div></div><button>outside</button>").querySelector("div")!;
    const last = shadow(inner, "<button>inside</button><div></div>", "closed").querySelector("div")!;
    shadow(last, "<button>deep</button>");
    const shown = ["- main:", '  - button "inside"', '  - button "deep"', '  - button "outside"'];
    expect(await lines()).toEqual(shown);
    let told: string[] = [];
    await pausesOf(20, async () => (told = await lines()));
    expect(told).toEqual(shown);
    const page = (): void => void put(`<main>${"<p></p>".repeat(600)}</main>`);
    page();
    expect(await pausesOf(0, () => take())).toBe(0);
    page();
    expect(await pausesOf(20, () => take())).toBe(19);
  });

  test("frames have their place, and what lies over the page is told", async () => {
    put("<iframe title=one></iframe><p></p><iframe title=two></iframe>");
    const { root } = await take();
    expect(root?.children?.map(({ role, place }) => [role, place])).toEqual([
      ["iframe", 0],
      ["iframe", 1],
    ]);
    put(
      "<p>below</p><div style='position:fixed;inset:0;z-index:10;background:white'><button>over</button><p>all</p></div>",
    );
    expect(await lines()).toContainEqual(expect.stringMatching(/^- overlay/));
  });

  test("a part is named by its ref", async () => {
    put("<section aria-label=Orders><p>a</p></section><section aria-label=Offers><p>b</p></section>");
    const refs = book();
    const ref = refs.refOf(document.querySelectorAll("section")[1]!);
    const { root } = await take({ ref }, 5000, refs);
    expect(root).toMatchObject({ role: "region", name: "Offers" });
    expect((await take({ ref: "e999" }, 5000, refs)).root).toBeUndefined();
  });

  test("a long list is a line, a short one only its items", async () => {
    const items = (count: number): string =>
      Array.from({ length: count }, (_, i) => `<li><a href=#>Item ${i}</a>`).join("");
    put(`<ul>${items(7)}</ul>`);
    expect(await lines()).toHaveLength(7);
    put(`<ul aria-label=Things>${items(8)}</ul>`);
    expect((await lines())[0]).toMatch(/^- list "Things": 8 items, first "Item 0", section:"e\d+"$/);
    expect(await lines({ folded: false })).toHaveLength(9);
  });

  test("what has no role and takes clicks is found by its text", async () => {
    put("<div tabindex=0>Open <b>the</b> box</div>");
    const { hits } = await take({ find: "the box" });
    expect(hits?.map(({ node }) => `${node.role} ${node.name}`)).toEqual(["clickable Open the box"]);
  });

  test("secrets are in no name and no text", async () => {
    put("<input type=password value=hunter22><p>It is hunter22</p><button>hunter22!</button><a href=#>hunter22</a>");
    for (const params of [{}, { find: "it" }, { section: "none" }])
      expect(JSON.stringify(await take(params))).not.toContain("hunter22");
  });
});

describe("a snapshot works in slices", () => {
  test("and pauses where one is over", async () => {
    put("<p>a <b>b</b></p>".repeat(500));
    expect(await pausesOf(0, () => take())).toBe(0);
    expect(await pausesOf(20, () => take())).toBeGreaterThan(10);
  });

  test("what changes meanwhile is read anew", async () => {
    put("<p>a <b>b</b></p>".repeat(3000) + "<button>last</button>");
    let changes = 0;
    const observer = setInterval(() => {
      if (++changes > 3) return;
      document.body.querySelectorAll("p")[10]?.remove();
    }, 1);
    const { hits, partial } = await take({ find: "last" });
    clearInterval(observer);
    expect(hits).toHaveLength(1);
    expect(partial).toBeUndefined();
  });

  test("of a page that is not read in time a part is told", async () => {
    put("<p>a <b>b</b></p>".repeat(1000));
    const { partial, root } = await take({}, -1);
    expect(partial).toBe(true);
    expect(root).toBeDefined();
  });

  test("a call for which nobody waits ends", async () => {
    put("<p>a <b>b</b></p>".repeat(1000));
    const environment = within(5000);
    const control = new AbortController();
    const running = outline(
      { mark: "x", bytes: 1, folded: true, limit: 1 },
      { ...environment, deadline: { ...environment.deadline, signal: control.signal } },
    );
    control.abort(new AgentProblem("cancelled", "over"));
    expect(await problem(() => running)).toMatchObject({ code: "cancelled" });
  });
});

describe("snapshots are compared", () => {
  test("with the one that is named, as long as it is one of the last four", async () => {
    put("<button>a</button>");
    await take({ mark: "first" });
    put("<button>a</button><button>b</button>");
    expect((await take({ since: "first" })).changes).toMatchObject({ added: 1, removed: 0, changed: 0 });
    for (let i = 0; i < 3; i++) await take();
    const { changes, root } = await take({ since: "first" });
    expect(changes).toBeUndefined();
    expect(root).toBeDefined();
    await pause(0);
  });
  test("not with one of which only a part was read, nor with one of other things", async () => {
    put("<p>a <b>b</b></p>".repeat(1000));
    await take({ mark: "part" }, -1);
    expect((await take({ since: "part" })).changes).toBeUndefined();
    put("<button>a</button>");
    await take({ mark: "all" });
    expect((await take({ since: "all", visible_only: true })).changes).toBeUndefined();
  });
  test("and give refs of what came", async () => {
    put("<main></main>");
    const refs = book();
    await take({ mark: "before" }, 5000, refs);
    document.querySelector("main")!.innerHTML = "<button>new</button>";
    const { changes } = await take({ since: "before" }, 5000, refs);
    const ref = changes?.list[0]?.node.ref ?? "";
    expect(refs.elementOf(ref).textContent).toBe("new");
  });
});

test("a snapshot tells its frame, and names parts that could be meant", async () => {
  put("<section aria-label=Orders><p>a</p></section><section aria-label=Offers><p>b</p></section>");
  expect((await take()).frame).toBe("4");
  const several = await problem(() => take({ section: "O" }));
  expect(several).toMatchObject({
    code: "ambiguous_target",
    message: '2 parts of the page are called "O".',
    candidates: [{ name: "Orders" }, { name: "Offers" }],
  });
});

test("the script of snapshots is loaded once", async () => {
  put("<p>a</p>");
  const script = globalThis.gasolineSnapshot;
  worker.asked.length = 0;
  globalThis.gasolineSnapshot = undefined;
  expect((await problem(() => take()).finally(() => (globalThis.gasolineSnapshot = script))).code).toBe("unsupported");
  await take();
  expect(worker.asked).toEqual([{ type: "gasoline-script", script: "snapshot" }]);
});
