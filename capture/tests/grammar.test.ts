import { describe, expect, test } from "vitest";
import { type Locator, LocatorError, asText, parse, print } from "../locators/grammar.ts";
import { fold } from "../locators/text.ts";

/** A generator of numbers that gives the same each time. */
function seeded(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}

const PIECES = [
  ...Array.from("abcZ09 \t\n\"'\\[]()=<>#.,:;*|~+-_/$^{}!?…"),
  '\\"',
  '"]',
  ">>>",
  " >>> ",
  "text=",
  "role=",
  "[name=",
  "data-x=",
  "שלום",
  "😀",
  "é",
  "\u200f",
  "\u00a0",
  "[checked]",
  '[name="',
];

function nasty(next: (below: number) => number, most: number): string {
  let text = "";
  for (let i = next(most); i > 0; i--) text += PIECES[next(PIECES.length)];
  return text;
}

const read = (text: string): Locator | "refused" => {
  try {
    return parse(text);
  } catch (error) {
    expect(error).toBeInstanceOf(LocatorError);
    return "refused";
  }
};

describe("what is printed is read back", () => {
  test("for texts, names, states and test ids of any signs", () => {
    const next = seeded(7);
    for (let i = 0; i < 20_000; i++) {
      const text = fold(nasty(next, 12), Infinity);
      const id = nasty(next, 12);
      for (const locator of [
        { kind: "text", ...asText(text) },
        { kind: "label", text, exact: true },
        { kind: "role", role: "button", name: { text, exact: true }, states: { checked: id } },
        { kind: "testid", id },
        { kind: "testid", id, attribute: "data-cy" },
      ] satisfies Locator[]) {
        expect(parse(print(locator)), print(locator)).toEqual(locator);
      }
    }
  });
  test("for whatever can be read", () => {
    const next = seeded(11);
    const kinds = [
      "",
      "text=",
      "label=",
      "placeholder=",
      "testid=",
      "role=",
      "role=button",
      "role=button[name=",
      "ref=",
    ];
    let understood = 0;
    for (let i = 0; i < 60_000; i++) {
      const text = kinds[next(kinds.length)] + nasty(next, 14);
      const locator = read(text);
      if (locator === "refused") continue;
      understood++;
      expect(parse(print(locator)), text).toEqual(locator);
    }
    expect(understood).toBeGreaterThan(20_000);
  });
});

describe("what people write is understood", () => {
  const cases: [string, Locator][] = [
    ["text=Save", { kind: "text", text: "Save", exact: false }],
    ['text="Save"', { kind: "text", text: "Save", exact: true }],
    [" text= Save  all ", { kind: "text", text: "Save all", exact: false }],
    ['text="He said "hi""', { kind: "text", text: 'He said "hi"', exact: true }],
    ['text="C:\\temp"', { kind: "text", text: "C:\\temp", exact: true }],
    ['text=5" disk', { kind: "text", text: '5" disk', exact: false }],
    ["text=it's", { kind: "text", text: "it's", exact: false }],
    ["role=button", { kind: "role", role: "button", states: {} }],
    ["role=Button[name=Save]", { kind: "role", role: "button", name: { text: "Save", exact: false }, states: {} }],
    [
      'role=button [ name = "a [b] \\"c\\" \\\\" ] [checked][pressed=mixed]',
      {
        kind: "role",
        role: "button",
        name: { text: 'a [b] "c" \\', exact: true },
        states: { checked: "true", pressed: "mixed" },
      },
    ],
    ["testid=save", { kind: "testid", id: "save" }],
    ["testid=data-cy=save", { kind: "testid", id: "save", attribute: "data-cy" }],
    ["ref=e17", { kind: "ref", ref: "e17" }],
    ["x-a >>> button", { kind: "css", steps: ["x-a", "button"] }],
    [">>> button", { kind: "css", steps: ["", "button"] }],
    ['[title="a >>> b"] >>> i', { kind: "css", steps: ['[title="a >>> b"]', "i"] }],
  ];
  test.each(cases)("%s", (text, locator) => expect(parse(text)).toEqual(locator));
});

test.each([
  ["role=", "Write role=button"],
  ["role=button[name=Save", "Write role=button"],
  ['role=button[name="Save]', "Write role=button"],
  ["role=button.primary", "Write role=button"],
  ["role=button[colour=red]", "not colour"],
  ["role=button[name=a][name=b]", "one name"],
  ["ref=17", "Write ref=e17"],
  ["x".repeat(20_001), "at most 20000"],
])("%s is refused with how to write it", (text, sentence) => {
  expect(() => parse(text)).toThrow(LocatorError);
  expect(() => parse(text)).toThrow(sentence);
});

test("no text takes long to read", () => {
  const long = (piece: string): string => piece.repeat(Math.floor(19_000 / piece.length));
  for (const piece of ["\\", '"', "'", '" ', "[", "]", '"]', "[name=", ">>>", " ", '\\"', '[name="', "data-", "="])
    for (const kind of ["", "text=", 'text="', "testid=", "role=button", 'role=button[name="', "label='"]) {
      const start = process.cpuUsage();
      read(kind + long(piece));
      expect(process.cpuUsage(start).user, `µs for ${kind}${piece}…`).toBeLessThan(100_000);
    }
});
