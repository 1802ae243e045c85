import { build } from "esbuild";
import { readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { parseAst } from "rolldown/parseAst";
import { API } from "typescript/unstable/sync";
import { NAMES } from "../../scripts/member-names.mjs";
import { rewrite } from "../../scripts/members.mjs";
import { expect, test } from "./support/fixture.ts";

const root = fileURLToPath(new URL("../..", import.meta.url));

/**
 * Names that forms or documents have as members, and that the sources read of other objects alone. Of `document` itself all
 * members are read by its prototype.
 */
const OF_OTHERS =
  "action all clear close config constructor documentURI domain head hidden lastModified length method name open part rel role " +
  "scope scripts target timeline write";

interface Read {
  name: string;
  file: string;
  at: number;
  /** the object is the identifier document */
  ofDocument: boolean;
}

type Tree = { [key: string]: unknown; type?: string; name?: string; start: number };

/** What a file reads by name. */
function readsIn(source: string, file: string): Read[] {
  const found: Read[] = [];
  const look = (node: Tree, inPattern: boolean, written: boolean): void => {
    const key = (node.type === "MemberExpression" && !node["computed"] && !written ? node["property"] : undefined) as
      | Tree
      | undefined;
    const taken = (node.type === "Property" && inPattern ? node["key"] : undefined) as Tree | undefined;
    const name = key ?? taken;
    let object = node["object"] as Tree | undefined;
    while (object?.["expression"]) object = object["expression"] as Tree; // a cast
    if (name?.name && !/^[A-Z]/.test(object?.name ?? ""))
      found.push({ name: name.name, file, at: name.start, ofDocument: object?.name === "document" });
    for (const [role, value] of Object.entries(node))
      for (const child of Array.isArray(value) ? value : [value])
        if (typeof (child as Tree | null)?.type === "string")
          look(child as Tree, node.type === "ObjectPattern", node.type === "AssignmentExpression" && role === "left");
  };
  look(parseAst(source, { lang: file.endsWith(".ts") ? "ts" : "js" }) as unknown as Tree, false, false);
  return found;
}

test("every member that is read of what may be a form is one of the names", async ({ page, server }) => {
  await page.goto(server.page("<!doctype html>"));
  const members = new Set(
    await page.evaluate(() =>
      [HTMLFormElement, HTMLElement, Element, Node, EventTarget, HTMLDocument, Document].flatMap(({ prototype }) =>
        Object.getOwnPropertyNames(prototype),
      ),
    ),
  );
  const scripts = ["content", "dom-agent", "snapshot", "stored", "reader", "page"];
  const more = ["upload", "audit", "draw", "cover"].map((name) => `dom-agent/${name}`);
  const { metafile } = await build({
    entryPoints: [...scripts, ...more].map((name) => `extension/${name}/main.ts`),
    absWorkingDir: root,
    outdir: "none",
    bundle: true,
    write: false,
    metafile: true,
    define: { __VERSION__: '""' },
  });
  const files = Object.keys(metafile.inputs).filter((file) => file.endsWith(".ts"));
  const reads = (
    await Promise.all(files.map(async (file) => readsIn(await readFile(root + file, "utf8"), root + file)))
  ).flat();
  const listed = new Set(NAMES);
  const others = new Set(OF_OTHERS.split(" "));
  const unlisted = reads.filter(({ name, ofDocument }) => members.has(name) && !ofDocument && !listed.has(name));
  // Who declares a member tells whether an element was read; what a pattern takes has no answer.
  const wrong: string[] = unlisted
    .filter(({ name }) => !others.has(name))
    .map(({ name, file }) => `${name} in ${file}`);
  const api = new API({ cwd: root });
  try {
    for (const dir of ["capture", ...scripts.map((name) => `extension/${name}`)]) {
      const config = `${root}${dir}/tsconfig.json`;
      const project = api.updateSnapshot({ openProject: config }).getProject(config);
      for (const file of new Set(
        unlisted.map((read) => read.file).filter((path) => path.startsWith(`${root}${dir}/`)),
      )) {
        const asked = unlisted.filter((read) => read.file === file);
        const symbols = project!.checker.getSymbolAtPosition(
          file,
          asked.map(({ at }) => at),
        );
        for (const [i, { name }] of asked.entries()) {
          const parent = symbols[i]?.getParent();
          const owner = parent?.name ?? "";
          // The wire has a type of that name.
          if (owner === "Element" && !parent!.getMembers().has("getAttribute" as never)) continue;
          if (
            /^(Node|Element|HTMLElement|HTMLFormElement|HTMLOrSVGElement|ParentNode|ChildNode|ARIAMixin|Document|EventTarget)$/.test(
              owner,
            )
          )
            wrong.push(`${owner}.${name} in ${file}`);
        }
      }
    }
  } finally {
    api.close();
  }
  expect(wrong).toEqual([]);
});

test("reads are put through the runtime, and nothing else", () => {
  const one = (source: string): string => rewrite(source, "a.ts");
  expect(one("a.parentElement")).toBe("$of(a).parentElement");
  expect(one("a.parentElement.parentElement")).toBe("$of($of(a).parentElement).parentElement");
  expect(one("a?.parentElement.id")).toBe("$of($of(a)?.parentElement)?.id");
  expect(one("a?.b().id.length")).toBe("$of(a?.b())?.id.length");
  expect(one("(a?.b).id")).toBe("($of(a?.b)).id");
  expect(one("(a, b).id")).toBe("($of((a, b))).id");
  expect(one("(a as Element)!.matches(b.id)")).toBe("$of((a as Element)!).matches($of(b).id)");
  expect(one('a["id"]; "id" in a; "other" in a')).toBe('$of(a)["id"]; "id" in $of(a); "other" in a');
  expect(one('a?.b["id"]')).toBe('$of(a?.b)?.["id"]');
  expect(one("const { id, other } = a; const { other: b } = a")).toBe(
    "const { id, other } = $of(a); const { other: b } = a",
  );
  expect(one("a.map(({ id }: Element) => id)")).toBe("a.map(($7) =>{const { id }=$of($7);return( id)})");
  expect(one("function f({ id = b.id }: A) { return id }")).toBe(
    "function f($11) {const { id = $of(b).id }=$of($11); return id }",
  );
  expect(one("for (const { id } of a) f(id);")).toBe("for (const $11 of a) {const { id }=$of($11);f(id);}");
  for (const same of [
    "a.id = 1",
    "a.id += 1",
    "delete a.id",
    "this.id",
    "super.id",
    "Math.id",
    "a.other",
    "[a.id] = b",
  ])
    expect(one(same)).toBe(same);
  expect(one("new a.b.id(c)")).toBe("new a.b.id(c)");
  expect(one("document.anything; doc.anything")).toBe("$of(document).anything; doc.anything");
  expect(rewrite("document.title; a.id", "a.ts", true)).toBe("$of(document).title; a.id");
  expect(rewrite("document.title; a.body", "a.ts", false, true)).toBe("document.title; $of(a).body");
});

const FORM = (names: readonly string[]): string =>
  `<form id=order aria-label=Order onsubmit="event.preventDefault()">${names.map((name) => `<input type=hidden name=${name}>`).join("")}<button>Go</button></form>`;
/** So many names at a time: who reads one of them tells something else, whatever the others are. */
const PART = 10;

test("a user's click in a form is recorded whatever its fields are named", async ({ page, server, capture }) => {
  const records = await capture({ document: true });
  await page.goto(server.page("<!doctype html><main></main>"));
  const main = page.locator("main");
  const recorded = async (...names: string[]): Promise<unknown> => {
    const before = records.all("actions");
    await main.evaluate((at, html) => (at.innerHTML = html), FORM(names));
    await page.mouse.move(1, 1);
    const box = (await main.locator("button").boundingBox())!;
    await page.mouse.click(box.x + 5, box.y + 5);
    await records.one("actions", (event) => event.type === "click" && !before.includes(event));
    const told = records.all("actions").find((event) => event.type === "click" && !before.includes(event));
    return { ...told, t: 0, mono: 0, seq: 0, action: "" };
  };
  const plain = await recorded("plain");
  for (let i = 0; i < NAMES.length; i += PART) {
    const names = NAMES.slice(i, i + PART);
    expect(await recorded(...names), names.join()).toEqual(plain);
  }
});

test("what the page's realm tells of the document is the document's", async ({ page, server, capture }) => {
  const records = await capture({ document: true });
  const clobbered = [
    "title",
    "URL",
    "hidden",
    "visibilityState",
    "body",
    "documentElement",
    "querySelectorAll",
    "readyState",
  ];
  await page.goto(
    server.page(
      `<!doctype html><title>Shop</title>${clobbered.map((name) => `<img name=${name}><form name=${name}></form>`).join("")}
       <button onclick="fetch('/data'); console.error('it failed')">Go</button>`,
    ),
  );
  await page.getByText("Go").click();
  expect(await records.one("actions", ({ type }) => type === "click")).toMatchObject({ name: "Go" });
  expect((await records.one("logs")).message).toBe("it failed");
  expect((await records.one("network", ({ url }) => url.endsWith("/data"))).url).toBe(
    new URL("/data", page.url()).href,
  );
});
