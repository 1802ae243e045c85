import { expect, test } from "vitest";
import { fold, textHead } from "../../locators/text.ts";

test("the beginning of a text is as long as it is asked for", () => {
  document.body.innerHTML = "<p>one<b>two</b><!-- no --><i>three</i></p>";
  const p = document.querySelector("p")!;
  expect([0, 2, 3, 5, 11, 12].map((max) => textHead(p, max))).toEqual([
    "",
    "on",
    "one",
    "onetw",
    "onetwothree",
    "onetwothree",
  ]);
  expect(textHead(p.firstChild!, 2)).toBe("on");
  expect(textHead(p.firstChild!, 5)).toBe("one");
});

test("the beginning of a text is put together of as many nodes as it may have characters", () => {
  const p = document.createElement("p");
  for (const text of ["", "", "", "a", "b"]) p.append(document.createTextNode(text));
  expect(textHead(p, 4)).toBe("a");
  expect(textHead(p, 5)).toBe("ab");
  expect(textHead(p, 3)).toBe("");
});

test("a folded text has one line and an end", () => {
  expect(fold(" a \n\t b  ", 10)).toBe("a b");
  expect(fold("abcdef", 6)).toBe("abcdef");
  expect(fold("abcdefg", 6)).toBe("abcde…");
});
