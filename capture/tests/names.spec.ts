import type { CDPSession, Page } from "@playwright/test";
import { bundle, expect, test } from "./support/fixture.ts";
import type { Locators } from "./support/locators-entry.ts";

declare const locators: Locators;

/** Elements with the attribute x, whose names Chrome's accessibility tree tells. */
const CASES: readonly string[] = [
  // What names a field, alone and against each other.
  ...[
    "<input x",
    "<textarea x",
    "<input x type=search",
    "<input x type=email",
    "<input x type=tel",
    "<input x type=url",
  ]
    .concat(["<input x type=password", "<input x type=number", "<input x type=text role=combobox", "<input x list=l"])
    .flatMap((tag) =>
      ["placeholder=hint", "title=tip", "title=tip placeholder=hint", "aria-placeholder=ap"]
        .concat(["placeholder=hint aria-placeholder=ap", "aria-label=label placeholder=hint", "placeholder=' '"])
        .concat(["title='' placeholder=hint", "title=' ' placeholder=hint", "value=typed", "value=typed title=tip"])
        .map((more) => `${tag} ${more}>${tag.startsWith("<textarea") ? "</textarea>" : ""}`),
    ),
  "<label for=f>mail</label><input x id=f title=tip placeholder=hint>",
  "<label for=f></label><input x id=f title=tip placeholder=hint>",
  "<label for=f> </label><input x id=f placeholder=hint>",
  "<label>mail <input x placeholder=hint></label>",
  "<i id=n></i><input x aria-labelledby=n placeholder=hint>",
  "<i id=n>named</i><input x aria-labelledby=n placeholder=hint>",
  // Types that show no placeholder.
  ..."checkbox radio range color date time file button submit reset image hidden"
    .split(" ")
    .flatMap((type) => [
      `<input x type=${type} placeholder=hint>`,
      `<input x type=${type} placeholder=hint title=tip>`,
    ]),
  // Elements that have no placeholder of their own.
  "<select x placeholder=hint><option>a</select>",
  "<div x contenteditable placeholder=hint>a</div>",
  "<div x role=textbox contenteditable aria-placeholder=ap>a</div>",
  "<div x role=textbox contenteditable aria-placeholder=ap title=tip>a</div>",
  "<div x role=searchbox tabindex=0 aria-placeholder=ap></div>",
  "<div x role=combobox tabindex=0 aria-placeholder=ap></div>",
  "<div x role=spinbutton tabindex=0 aria-placeholder=ap></div>",
  "<div x tabindex=0 aria-placeholder=ap></div>",
  "<button x aria-placeholder=ap></button>",
  // A field as a part of another name.
  "<button x><input placeholder=hint> go</button>",
  "<label for=c>every <input placeholder=hint> days</label><input x type=checkbox id=c>",
  "<label for=c>every <input placeholder=hint value=5> days</label><input x type=checkbox id=c>",
  "<input id=n placeholder=hint><button x aria-labelledby=n></button>",
  "<input id=n placeholder=hint value=typed><button x aria-labelledby=n></button>",
  "<label for=c>every <input title=tip placeholder=hint> days</label><input x type=checkbox id=c>",
  "<label for=c>every <input aria-label=label placeholder=hint> days</label><input x type=checkbox id=c>",
  "<label for=c>every <textarea placeholder=hint></textarea> days</label><input x type=checkbox id=c>",
  "<label for=c>every <select title=tip></select> days</label><input x type=checkbox id=c>",
  "<label for=c>every <select title=tip><option>a</select> days</label><input x type=checkbox id=c>",
  "<label for=c>every <i role=textbox aria-placeholder=ap></i> days</label><input x type=checkbox id=c>",
  "<button x><input aria-label=label placeholder=hint> go</button>",
  "<i id=n></i><button x aria-labelledby=n>text</button>",
  "<i id=n></i><button x aria-labelledby=n aria-label=label>text</button>",
  "<i id=n></i><p x tabindex=0 aria-labelledby=n title=tip>text</p>",
  "<input id=n title=tip placeholder=hint><button x aria-labelledby=n></button>",
];

/** Where Chrome does not do what https://w3c.github.io/html-aam/ says, and we do: our names. */
const BY_STANDARD: Readonly<Record<string, string>> = {
  // A label without text names nothing; Chrome looks no further.
  "<label for=f></label><input x id=f title=tip placeholder=hint>": "tip",
  "<label for=f> </label><input x id=f placeholder=hint>": "hint",
  // The words of Chrome's own button in the field.
  "<input x type=file placeholder=hint>": "",
  "<input x type=file placeholder=hint title=tip>": "tip",
  // The word for it that the standard gives.
  "<input x type=image placeholder=hint>": "Submit Query",
};

/** The name of the element x in Chrome's accessibility tree; undefined where the tree leaves it out. */
async function oracle(session: CDPSession): Promise<string | undefined> {
  const { root } = await session.send("DOM.getDocument", { depth: 0 });
  const { nodeId } = await session.send("DOM.querySelector", { nodeId: root.nodeId, selector: "[x]" });
  const { nodes } = await session.send("Accessibility.getPartialAXTree", { nodeId, fetchRelatives: false });
  const [node] = nodes;
  if (!node || node.ignored) return undefined;
  return String(node.name?.value ?? "")
    .replace(/\s+/g, " ")
    .trim();
}

async function ours(page: Page): Promise<string> {
  return page.evaluate(() => new locators.Names().of(document.querySelector("[x]") as Element));
}

test("names of fields are those of Chrome's accessibility tree", async ({ page, server }) => {
  await page.addInitScript({ content: await bundle("./locators-entry.ts") });
  await page.goto(server.page("<!doctype html><body></body>"));
  const session = await page.context().newCDPSession(page);
  await session.send("Accessibility.enable");
  const different: string[] = [];
  let told = 0;
  for (const html of CASES) {
    await page.evaluate((given) => void (document.body.innerHTML = given), html);
    const [name, chrome] = [await ours(page), await oracle(session)];
    if (chrome !== undefined) told++;
    const wanted = BY_STANDARD[html] ?? chrome;
    if (wanted !== undefined && name !== wanted) different.push(`${html}: "${name}", Chrome says "${chrome}"`);
  }
  expect(different).toEqual([]);
  expect(told).toBeGreaterThan(CASES.length - 5);
});
