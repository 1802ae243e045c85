import { beforeEach, describe, expect, test } from "vitest";
import { deepQuery } from "../locators/index.ts";

describe("deepQuery", () => {
  beforeEach(() => {
    document.body.innerHTML = "<div class=card><x-a></x-a></div><x-a></x-a><button>light</button>";
    for (const host of document.querySelectorAll("x-a")) {
      const root = host.attachShadow({ mode: "open" });
      root.innerHTML = "<x-b></x-b><button>one</button>";
      root.querySelector("x-b")!.attachShadow({ mode: "open" }).innerHTML = "<button>two</button>";
    }
  });
  const texts = (selector: string, scope?: Element) =>
    deepQuery(selector, scope ?? document).map((element) => element.textContent);

  test("without >>> it is querySelectorAll", () => expect(texts("button")).toEqual(["light"]));
  test(">>> steps into the roots of what was found", () => {
    expect(texts(".card x-a >>> button")).toEqual(["one"]);
    expect(texts("x-a >>> x-b >>> button")).toEqual(["two", "two"]);
    expect(texts("button >>> button")).toEqual([]);
  });
  test("a leading >>> searches every root below", () =>
    expect(texts(">>> button").toSorted()).toEqual(["light", "one", "one", "two", "two"]));
  test("a scope limits it", () =>
    expect(texts(">>> button", document.querySelector(".card")!)).toEqual(["one", "two"]));
  test("an invalid selector throws", () => expect(() => texts("x-a >>> [")).toThrow());
  test("roots that only the caller can open are opened by the caller", () => {
    const host = document.body.appendChild(document.createElement("x-closed"));
    const closed = host.attachShadow({ mode: "closed" });
    closed.innerHTML = "<button>hidden</button>";
    expect(
      deepQuery("x-closed >>> button", document, (at) => (at === host ? closed : at.shadowRoot)).map(
        (element) => element.textContent,
      ),
    ).toEqual(["hidden"]);
  });
});
