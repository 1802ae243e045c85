import { describe, expect, test } from "vitest";
import type { QueryParams } from "@gasoline/schema/commands";
import { setAttribute } from "../../dom-agent/act/set_attribute.ts";
import { bounded } from "../../dom-agent/read/article.ts";
import { getAttribute } from "../../dom-agent/read/get_attribute.ts";
import { query } from "../../dom-agent/read/query.ts";
import { MASK } from "../../dom-agent/secret.ts";
import { book, problem, put, within } from "./world.ts";

const ask = (params: Partial<QueryParams>) => query({ selector: "i", ...params } as QueryParams, within());

describe("a query", () => {
  test("says how many fit, and that none does", () => {
    put("<main><i>a</i><i>b</i></main><i>c</i>");
    expect(ask({})).toEqual({ exists: true, count: 3, url: location.href });
    expect(ask({ within: "main" })).toEqual({ exists: true, count: 2, url: location.href });
    expect(ask({ selector: "b", query_type: "text" })).toEqual({ exists: false, count: 0, url: location.href });
    expect(ask({ within: "nav" })).toEqual({ exists: false, count: 0, url: location.href });
  });
  test("says what a ref means, and what a document is that is no page", () => {
    const refs = book();
    const ref = refs.refOf(put("<i x>a</i><object type=application/pdf></object>"));
    const told = query({ selector: `ref=${ref}`, query_type: "text" } as QueryParams, within(0, refs));
    expect(told).toMatchObject({ count: 1, text: "a", document: expect.stringContaining("PDF") });
  });
  test("reads the first text, or all", () => {
    put(`<i> a <b hidden>x</b></i><i>b</i><svg><i></i></svg>`);
    expect(ask({ query_type: "text" })).toMatchObject({ text: "a" });
    expect(ask({ query_type: "text" })).not.toHaveProperty("texts");
    expect(ask({ query_type: "text_all" })).toMatchObject({ texts: ["a", "b", ""] });
    expect(ask({ query_type: "text_all" })).not.toHaveProperty("text");
    put(`<svg><text> drawn </text></svg>`);
    expect(ask({ selector: "text", query_type: "text" })).toMatchObject({ text: "drawn" });
  });
  test("reads 1,000 signs of 100 texts", () => {
    put(`<i>${"a".repeat(1001)}</i>` + "<i>b</i>".repeat(100));
    expect(ask({ query_type: "text" }).text).toBe("a".repeat(1000));
    expect(ask({ query_type: "text_all" }).texts).toHaveLength(100);
    expect(ask({}).count).toBe(101);
  });
  test("reads attributes: all, or those that are named", () => {
    put("<i id=a class=b title=c></i>");
    expect(ask({ query_type: "attributes" }).attributes).toEqual({ id: "a", class: "b", title: "c" });
    expect(ask({ query_type: "attributes", attribute_names: ["class", "lang"] }).attributes).toEqual({ class: "b" });
    expect(ask({})).not.toHaveProperty("attributes");
    const many = put("<i x></i>");
    for (let n = 0; n < 60; n++) many.setAttribute(`data-${n}`, "a".repeat(1001));
    const { attributes } = ask({ query_type: "attributes" });
    expect(Object.keys(attributes!)).toHaveLength(50);
    expect(attributes!["data-0"]).toBe("a".repeat(1000));
  });
  test("reads no secrets", () => {
    put(
      "<input type=password value=1234><textarea autocomplete=one-time-code>1234</textarea><textarea autocomplete=one-time-code></textarea>",
    );
    expect(ask({ selector: "input", query_type: "attributes" }).attributes).toEqual({ type: "password", value: MASK });
    expect(ask({ selector: "textarea", query_type: "text_all" }).texts).toEqual([MASK, ""]);
  });
  test("tells of a selector that is none", async () => {
    put("");
    expect((await problem(() => ask({ selector: "i[" }))).code).toBe("invalid_selector");
  });
});

describe("get_attribute", () => {
  const read = (name: string, selector = "[x]", refs = book()) =>
    getAttribute({ selector, name }, within(0, refs, "3"));
  test("reads it, and tells whose it is", async () => {
    put("<a x href=/b title=''>a</a>");
    expect(await read("href")).toEqual({
      value: "/b",
      matched: expect.objectContaining({ tag: "a", frame: "3", ref: "e1" }),
      url: location.href,
    });
    expect(await read("title")).not.toHaveProperty("absent");
    expect(await read("lang")).toMatchObject({ value: "", absent: true });
    expect((await problem(() => read("href", "#no"))).code).toBe("element_not_found");
  });
  test("reads 100,000 signs and no secret", async () => {
    put("<a x></a>").title = "a".repeat(100_001);
    expect((await read("title")).value).toBe("a".repeat(100_000));
    put("<input x type=password value=1234>");
    expect((await read("value")).value).toBe(MASK);
    expect((await read("VALUE")).value).toBe(MASK);
  });
  test("reads what a ref means", async () => {
    const refs = book();
    const ref = refs.refOf(put("<p x title=t>a</p>"));
    expect((await getAttribute({ ref, name: "title" }, within(0, refs))).value).toBe("t");
  });
});

describe("set_attribute", () => {
  const set = (params: { name: string; value?: string; remove?: boolean }) =>
    setAttribute({ selector: "[x]", ...params }, within(0, book(), "3"));
  test("writes it or takes it away, and tells what is there then", async () => {
    const element = put("<a x class=b>a</a>");
    expect((await set({ name: "title", value: "t" })).result).toMatchObject({
      value: "t",
      match_count: 1,
      match_strategy: "css",
      matched: { tag: "a", frame: "3" },
    });
    expect((await set({ name: "hidden" })).result.value).toBe("");
    expect(element.outerHTML).toBe('<a x="" class="b" title="t" hidden="">a</a>');
    expect((await set({ name: "hidden", remove: true })).result).not.toHaveProperty("value");
    expect(element.hidden).toBe(false);
    expect((await set({ name: "title", value: "a".repeat(1001) })).result.value).toBe("a".repeat(1000));
  });
  test.each([
    { name: "onclick", value: "a()" },
    { name: "ONCLICK", value: "" },
    { name: "srcdoc", value: "<p>" },
    { name: "href", value: "javascript:a()" },
    { name: "href", value: " java\nscript:a()" },
    { name: "href", value: "\u0001JavaScript:a()" },
    { name: "src", value: "data:text/html,a" },
    { name: "href", value: "vbscript:a" },
  ])("%j would run a script", async (params) => {
    const element = put("<a x>a</a>");
    expect(await problem(() => set(params))).toEqual({
      code: "invalid_param",
      message: `${params.name} would run a script in the page: execute_js does that.`,
    });
    expect(element.outerHTML).toBe('<a x="">a</a>');
  });
  test("takes a ref, and waits for its element", async () => {
    const refs = book();
    const element = put("<a x>a</a>");
    expect(
      (await setAttribute({ ref: refs.refOf(element), name: "title", value: "t" }, within(0, refs))).result,
    ).toMatchObject({ value: "t", match_strategy: "ref" });
    put("");
    setTimeout(() => put("<a x>a</a>"), 30);
    expect((await setAttribute({ selector: "[x]", name: "title", value: "t" }, within(3000))).result.value).toBe("t");
  });
  test("takes what only looks like one, and no name that is none", async () => {
    put("<a x>a</a>");
    expect((await set({ name: "href", value: "/data:x" })).result.value).toBe("/data:x");
    expect((await set({ name: "data-src", value: "metadata:" })).result.value).toBe("metadata:");
    expect(await problem(() => set({ name: ` ${"a".repeat(200)}` }))).toEqual({
      code: "invalid_param",
      message: `" ${"a".repeat(99)}" cannot be the name of an attribute.`,
    });
  });
});

test("what a page has to read is cut at 200,000 signs, and its words are counted", () => {
  expect(bounded("one, two – drei4 五")).toEqual({ body: "one, two – drei4 五", word_count: 4 });
  expect(bounded("")).toEqual({ body: "", word_count: 0 });
  expect(bounded("a".repeat(200_000))).toEqual({ body: "a".repeat(200_000), word_count: 1 });
  expect(bounded("a".repeat(200_001))).toEqual({ body: "a".repeat(200_000), word_count: 1, true_size: 200_001 });
});
