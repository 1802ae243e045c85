import { describe, expect, test } from "vitest";
import { type Locator, LocatorError, asText, parse, print, textOf } from "../../locators/grammar.ts";

describe("what is written is read", () => {
  const role = (states: object, name?: object): object => ({
    kind: "role",
    role: "button",
    states,
    ...(name ? { name } : {}),
  });
  test.each([
    ["ref=e1", { kind: "ref", ref: "e1" }],
    ["ref=e123456789012", { kind: "ref", ref: "e123456789012" }],
    ["  text=a  ", { kind: "text", text: "a", exact: false }],
    ["text=' a  b '", { kind: "text", text: "a b", exact: true }],
    ["text='a\"", { kind: "text", text: "'a\"", exact: false }],
    ['text="a\\"', { kind: "text", text: '"a\\"', exact: false }],
    ['text="a\\\\"', { kind: "text", text: "a\\", exact: true }],
    ['text="\\"', { kind: "text", text: '"\\"', exact: false }],
    ['text=""', { kind: "text", text: "", exact: true }],
    ['text="', { kind: "text", text: '"', exact: false }],
    ['text="a\\\'b\\"c\\\\d\\e"', { kind: "text", text: "a'b\"c\\d\\e", exact: true }],
    ['text="a\nb"', { kind: "text", text: "a b", exact: true }],
    ['label="a"', { kind: "label", text: "a", exact: true }],
    ["placeholder=a", { kind: "placeholder", text: "a", exact: false }],
    ["testid= a ", { kind: "testid", id: "a" }],
    ['testid=" a "', { kind: "testid", id: " a " }],
    ["testid= data-x-y= a ", { kind: "testid", id: "a", attribute: "data-x-y" }],
    ['testid=data-x=" a"', { kind: "testid", id: " a", attribute: "data-x" }],
    ["testid=data-x", { kind: "testid", id: "data-x" }],
    ["testid=adata-x=b", { kind: "testid", id: "adata-x=b" }],
    ["role= button ", role({})],
    ["role=BUTTON[checked]", role({ checked: "true" })],
    [
      "role=button[ disabled ][expanded=false] [selected = 'a ]' ]",
      role({ disabled: "true", expanded: "false", selected: "a ]" }),
    ],
    ["role=button[name=]", role({}, { text: "", exact: false })],
    ["role=button[name='a \"] b'][pressed]", role({ pressed: "true" }, { text: 'a "] b', exact: true })],
    ['role=button[name="a\\"] b"]', role({}, { text: 'a"] b', exact: true })],
    ['role=button[name="a" ]', role({}, { text: "a", exact: true })],
    ['role=button[name="a" b" ]', role({}, { text: 'a" b', exact: true })],
    ['role=button[name="a"  "]', role({}, { text: 'a"', exact: true })],
    ["role=button[name=a'b]", role({}, { text: "a'b", exact: false })],
    ['role= button[name="a"" ]', role({}, { text: 'a"', exact: true })],
    ['role=button[name="a""  ]', role({}, { text: 'a"', exact: true })],
    ["role=menu-item_1", { kind: "role", role: "menu-item_1", states: {} }],
    ["a>>>b", { kind: "css", steps: ["a", "b"] }],
    ["a >> > b", { kind: "css", steps: ["a >> > b"] }],
    ["a>>>>b", { kind: "css", steps: ["a", ">b"] }],
    ["a >>> >>> b", { kind: "css", steps: ["a", "", "b"] }],
    ["[x='>>>'] >>> b", { kind: "css", steps: ["[x='>>>']", "b"] }],
    ['[x="\'>>>"] >>> b', { kind: "css", steps: ['[x="\'>>>"]', "b"] }],
    ['[x="\\" >>> "] >>> b', { kind: "css", steps: ['[x="\\" >>> "]', "b"] }],
    ["a\\>>>>b", { kind: "css", steps: ["a\\>", "b"] }],
    ['\\">>>b', { kind: "css", steps: ['\\"', "b"] }],
    ["", { kind: "css", steps: [""] }],
    ["xref=e1", { kind: "css", steps: ["xref=e1"] }],
    ["href=e1", { kind: "css", steps: ["href=e1"] }],
  ])("%s", (text, locator) => expect(parse(text as string)).toEqual(locator));
  test("as long as 20,000 characters", () =>
    expect(parse(`text=${"x".repeat(19_995)}`)).toMatchObject({ text: "x".repeat(19_995) }));
});

test.each([
  ["ref=e1234567890123", "Write ref=e17, not ref=e1234567890123"],
  ["ref=xe1", "Write ref=e17, not ref=xe1"],
  [`ref=${"x".repeat(150)}`, `Write ref=e17, not ref=${"x".repeat(100)}`],
  ["role=", 'Write role=button[name="Save"], not role='],
  [`role=button(${"x".repeat(150)}`, `Write role=button[name="Save"], not role=button(${"x".repeat(93)}`],
  ["role=button[checked", 'Write role=button[name="Save"], not role=button[checked'],
  ["role=button[checked x]", 'Write role=button[name="Save"], not role=button[checked x]'],
  ["role=button[name='a]", 'Write role=button[name="Save"], not role=button[name=\'a]'],
  ["role=button[name='a\\']", "Write role=button[name=\"Save\"], not role=button[name='a\\']"],
  ["role=button]", 'Write role=button[name="Save"], not role=button]'],
  ["role=button[name=a][name=a]", "role= takes one name."],
  ["role=button[colour=red]", "role= knows name, checked, disabled, expanded, selected and pressed, not colour"],
  [
    `role=button[${"x".repeat(150)}]`,
    `role= knows name, checked, disabled, expanded, selected and pressed, not ${"x".repeat(100)}`,
  ],
  ["x".repeat(20_001), "A locator has at most 20000 characters."],
])("%s is refused", (text, sentence) => {
  let problem: unknown;
  try {
    parse(text as string);
  } catch (error) {
    problem = error;
  }
  expect(problem).toBeInstanceOf(LocatorError);
  expect((problem as Error).message).toMatch(
    new RegExp(`^${(sentence as string).replace(/[.*+?^${}()|[\]\\/]/g, "\\$&")}\\.?$`),
  );
});

test("what is known is printed", () => {
  const printed: [Locator, string][] = [
    [{ kind: "ref", ref: "e1" }, "ref=e1"],
    [{ kind: "css", steps: ["a", "b > c"] }, "a >>> b > c"],
    [{ kind: "css", steps: ["", "b"] }, ">>> b"],
    [{ kind: "testid", id: "a" }, "testid=a"],
    [{ kind: "testid", id: "a", attribute: "data-cy" }, "testid=data-cy=a"],
    [{ kind: "testid", id: "" }, 'testid=""'],
    [{ kind: "testid", id: " a" }, 'testid=" a"'],
    [{ kind: "testid", id: '"a"' }, 'testid="\\"a\\""'],
    [{ kind: "testid", id: "data-a=b" }, 'testid="data-a=b"'],
    [{ kind: "text", text: "a", exact: false }, "text=a"],
    [{ kind: "label", text: 'a"\\', exact: true }, 'label="a\\"\\\\"'],
    [{ kind: "role", role: "tab", states: {} }, "role=tab"],
    [
      { kind: "role", role: "tab", name: { text: "a", exact: false }, states: { selected: 'x"', checked: "true" } },
      'role=tab[name=a][selected="x\\""][checked="true"]',
    ],
    [{ kind: "role", role: "tab", name: { text: "a", exact: true }, states: {} }, 'role=tab[name="a"]'],
  ];
  for (const [locator, text] of printed) {
    expect(print(locator)).toBe(text);
    expect(parse(text)).toEqual(locator);
  }
});

test("a text is bare where that reads the same", () => {
  expect(asText("a")).toEqual({ text: "a", exact: false });
  expect(asText("'a'")).toEqual({ text: "'a'", exact: true });
  expect(textOf(" 'a' ")).toEqual({ text: "a", exact: true });
  expect(textOf(" a ")).toEqual({ text: "a", exact: false });
});
