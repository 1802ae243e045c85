import { describe, expect, test } from "vitest";
import { MASK, Secrets, isSecret } from "../../dom-agent/secret.ts";
import { put, shadow } from "./world.ts";

test("what stands for a secret does not tell its length", () => expect(MASK).toBe("••••••"));

test("secret fields are known", () => {
  expect(isSecret(put("<input x type=password>"))).toBe(true);
  expect(isSecret(put("<textarea x autocomplete=one-time-code></textarea>"))).toBe(true);
  expect(isSecret(put("<input x>"))).toBe(false);
  expect(isSecret(put("<div x id=password></div>"))).toBe(false);
  const shown = put("<input x type=password>");
  isSecret(shown);
  shown.setAttribute("type", "text");
  expect(isSecret(shown)).toBe(true);
});

describe("texts are told without what secret fields hold", () => {
  const clean = (text: string, html: string): string => new Secrets().clean(text, put(html));
  test.each([
    ["a password", "Pass hunter2 now", "<p x></p><input type=password value=hunter2>", `Pass ${MASK} now`],
    ["a password twice", "hunter2 hunter2", "<p x></p><input type=password value=hunter2>", `${MASK} ${MASK}`],
    ["no other field's value", "hunter2", "<p x></p><input value=hunter2>", "hunter2"],
    ["a text area's", "one two", "<p x></p><textarea autocomplete=one-time-code>two</textarea>", `one ${MASK}`],
    ["a value of three signs", "abc", "<p x></p><input type=password value=abc>", MASK],
    ["no value of two signs", "ab", "<p x></p><input type=password value=ab>", "ab"],
    ["no value of three signs with spaces", "a  ", "<p x></p><input type=password value='a  '>", "a  "],
    ["a value that is a part", "abcd", "<p x></p><input type=password value=abc>", `${MASK}d`],
    ["no beginning of a value", "abc", "<p x></p><input type=password value=abcd>", "abc"],
    ["a value at the end", "xabc", "<p x></p><input type=password value=abc>", `x${MASK}`],
    [
      "two values that begin alike",
      "abcd abce",
      "<p x></p><input type=password value=abcd><input type=password value=abce>",
      `${MASK} ${MASK}`,
    ],
    [
      "one of two values that begin alike",
      "abcd abce",
      "<p x></p><input value=abcd><input type=password value=abce>",
      `abcd ${MASK}`,
    ],
    ["a value of several words", "a b c", "<p x></p><input type=password value='a   b'>", `${MASK} c`],
    ["a value with signs of replacements", "$& $1", "<p x></p><input type=password value='$& $1'>", MASK],
    ["without any field", "abc", "<p x></p>", "abc"],
  ])("%s", (_, text, html, told) => expect(clean(text as string, html as string)).toBe(told));
  test("of 500 signs, not of 501", () => {
    for (const [length, told] of [
      [500, MASK],
      [501, "x".repeat(501)],
    ] as const) {
      put("<p x></p><input type=password>");
      document.querySelector("input")!.value = "x".repeat(length);
      expect(new Secrets().clean("x".repeat(length), document.querySelector("p")!)).toBe(told);
    }
  });
  test("in the same root", () => {
    const root = shadow(
      put("<div x></div><input type=password value=outside>"),
      "<p></p><input type=password value=inside>",
    );
    const secrets = new Secrets();
    expect(secrets.clean("inside outside", root.querySelector("p")!)).toBe(`${MASK} outside`);
    expect(secrets.clean("inside outside", document.body)).toBe(`inside ${MASK}`);
    const top = document.createElement("div");
    top.innerHTML = "<input type=password value=nowhere>";
    expect(secrets.clean("nowhere", top)).toBe("nowhere");
  });
  test("that were read once", () => {
    const element = put("<p x></p><input type=password value=first>");
    const secrets = new Secrets();
    expect(secrets.clean("first second", element)).toBe(`${MASK} second`);
    document.querySelector("input")!.value = "second";
    expect(secrets.clean("first second", element)).toBe(`${MASK} second`);
    expect(new Secrets().clean("first second", element)).toBe(`first ${MASK}`);
  });
});
