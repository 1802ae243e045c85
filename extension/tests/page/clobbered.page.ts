import { describe, expect, test } from "vitest";
import { NAMES } from "../../../scripts/member-names.mjs";
import "../../snapshot/main.ts";
import { run } from "@gasoline/capture/locators/deep";
import { locate, sketchOf } from "@gasoline/capture/locators/ranked";
import { click } from "../../dom-agent/act/click.ts";
import { fill, submit } from "../../dom-agent/act/form.ts";
import { select } from "../../dom-agent/act/select.ts";
import { geometry } from "../../dom-agent/read/geometry.ts";
import { getText } from "../../dom-agent/read/get_text.ts";
import { listInteractive } from "../../dom-agent/read/list_interactive.ts";
import { outline } from "../../dom-agent/read/outline.ts";
import { ROOTS } from "../../dom-agent/shadow.ts";
import { book, within } from "./world.ts";

/** What has a name in a form, without being seen. */
const FIELDS: readonly ((name: string) => string)[] = [
  (name) => `<input type=hidden name=${name}>`,
  (name) => `<button type=button hidden id=${name}></button>`,
  (name) => `<img hidden name=${name}>`,
  (name) => `<input type=hidden name=${name}><output id=${name}></output>`,
  (name) => `<object hidden name=${name}></object>`,
];
/** What forms do not have, and controls do. */
const OF_CONTROLS = ["value", "type", "disabled", "checked", "labels", "form", "options"];

const listen = EventTarget.prototype.addEventListener;
const marks = { last: 0 };
const plain = new Map<string, string[]>();
let body: HTMLElement;
const at = (id: string): HTMLElement => body.querySelector<HTMLElement>(`main #${id}`)!;

/** A page whose form has a field. The page's own tools look at its document, too: this one does not. */
function show(field: string): void {
  body = Reflect.get(Document.prototype, "body", document) as HTMLElement;
  body.innerHTML = `<main>${field}<form id=order aria-label=Order onsubmit="event.preventDefault()"><p>Some words</p>${field}
    <label>Mail <input id=mail></label><label>Size <select id=size><option>S<option>M</select></label>
    <button id=go>Go</button></form></main>`;
}

/** What is told of it. */
async function told(field: string): Promise<unknown[]> {
  show(field);
  const { root } = await outline({ mark: `m${marks.last++}`, bytes: 5000, folded: true, limit: 10 }, within(9000));
  return [
    root,
    await listInteractive({}, within(9000)),
    await getText({}, within(0)),
    await getText({ selector: "#order" }, within(0)),
    await getText({ selector: "#order", structured: true } as never, within(0)),
    ["order", "mail", "size", "go"].map((id) => run(locate(sketchOf(at(id)), ROOTS))),
    geometry(),
  ];
}

/** What acts in it come to. */
async function done(field: string): Promise<unknown[]> {
  show(field);
  const heard: string[] = [];
  for (const kind of ["click", "submit", "change"]) listen.call(at("order"), kind, () => heard.push(kind));
  const refs = book();
  return [
    await select({ selector: "#size", value: "M" }, within(9000, refs)),
    await fill({ selector: "#mail", value: "a@b" }, within(9000, refs)),
    await submit({ ref: refs.refOf(at("mail")) }, within(9000, refs)),
    await click({ selector: "#go", trusted: "never" }, within(9000, refs)),
    heard,
  ];
}

/** The lines that differ from those of a page whose field is named otherwise. */
async function others(of: typeof told, name: string, field: (name: string) => string): Promise<string[]> {
  const lines = async (html: string): Promise<string[]> =>
    JSON.stringify(await of(html), (key, value: unknown) => (key === "generation" ? 0 : value), 1).split("\n");
  const key = of.name + field("plain");
  const without = plain.get(key) ?? (await lines(field("plain")));
  plain.set(key, without);
  const own = await lines(field(name));
  body.replaceChildren();
  return own.filter((line, i) => line !== without[i]);
}

describe("a form with a field that is named like a member", () => {
  const names = [...NAMES, ...OF_CONTROLS];
  // These are members of the page's own document, too, which the agent's world does not know.
  const ofDocument = (name: string): boolean => name in Document.prototype;
  for (const [i, field] of FIELDS.entries())
    test.each(/img|object/.test(field("")) ? names.filter((name) => !ofDocument(name)) : names)(
      `is told of as without it, ${i}: %s`,
      async (name) => {
        expect(await others(told, name as string, field)).toEqual([]);
      },
    );
  test.each(names)("is filled, sent and pressed as without it: %s", async (name) => {
    expect(await others(done, name as string, FIELDS[0]!)).toEqual([]);
  });
});
