import { describe, expect, test } from "vitest";
import { className, functionName } from "../class-name.ts";
import { format, textOf } from "../format.ts";
import { type Budget, budgetOf, serialize } from "../serialize.ts";

const budget = (more: object = {}): Budget =>
  budgetOf({ depth: 6, width: 100, nodes: 1000, chars: 1_000_000, ...more }, "s");
const said = (...args: unknown[]): [string, string | undefined] => {
  const { message, args: data } = format(args, budget());
  return [message, data?.text];
};

describe("a console call", () => {
  test.each([
    [["a", 1, "b"], "a 1 b"],
    [[], ""],
    [[""], ""],
    [[1], "1"],
    [[null, undefined, true], "null undefined true"],
    [[-0, 0, 5n], "-0 0 5n"],
    [["100%"], "100%"],
    [["%s"], "%s"],
    [["%s and %s", "a"], "a and %s"],
    [["%s", "a", "b", 2], "a b 2"],
    [["%%s%", "a"], "%s% a"],
    [["50%% of %s", "a"], "50% of a"],
    [["%x%s", "a"], "%xa"],
    [["a%cb%cc", "color: red", ""], "abc"],
    [["%c", "color: red", "left"], " left"],
    [["a %s", "100%s", "b"], "a 100%s b"],
    [["plain", "%s"], "plain %s"],
    [[7, "%s", "a"], "7 %s a"],
  ])("of %s is printed as the console does", (args, message) => {
    expect(said(...(args as unknown[]))).toEqual([message, undefined]);
  });
  test.each([
    ["d", 4.7, "4"],
    ["i", 4.7, "4"],
    ["f", 4.7, "4.7"],
    ["d", -4.7, "-4"],
    ["i", "7.9px", "7"],
    ["f", "1.50px", "1.5"],
    ["d", "", "NaN"],
    ["d", "x", "NaN"],
    ["d", Infinity, "Infinity"],
    ["i", -Infinity, "-Infinity"],
    ["d", 5n, "5n"],
    ["d", true, "NaN"],
  ])("takes %s for numbers", (directive, value, text) => {
    expect(said(`<%${directive as string}>`, value)).toEqual([`<${text as string}>`, undefined]);
  });
  test("says of an error what it names as its causes, three of them", () => {
    const chain = (...messages: string[]): Error | undefined =>
      messages.reduceRight<Error | undefined>(
        (cause, text) => (cause ? new Error(text, { cause }) : new Error(text)),
        undefined,
      );
    expect(said(chain("a"))[0]).toBe("Error: a");
    expect(said(chain("a", "b"))[0]).toBe("Error: a [cause: Error: b]");
    expect(said(chain("a", "b", ""))[0]).toBe("Error: a [cause: Error: b, Error]");
    expect(said("lost:", chain("a", "b", "c", "d", "e"))[0]).toBe(
      "lost: Error: a [cause: Error: b, Error: c, Error: d]",
    );
  });
  test("is nothing where nothing is said", () => {
    expect(said()).toEqual(["", undefined]);
    expect(said("%s")).toEqual(["%s", undefined]);
    expect(said("%d %i %d %d", "", "\0", "-1.5", -0.5)[0]).toBe("NaN NaN -1 0");
  });
  test("names symbols, which are no numbers", () => {
    expect(said(Symbol("a"), "b")).toEqual(["Symbol(a) b", undefined]);
    expect(said("%i %s", Symbol("a"), Symbol("b"))).toEqual(["NaN Symbol(b)", undefined]);
  });
  test("tells objects in the text and as data", () => {
    expect(said({ a: 1 })).toEqual(['{"a":1}', '[{"a":1}]']);
    expect(said("of", [1], 2)).toEqual(["of [1] 2", '["of",[1],2]']);
    for (const directive of ["s", "o", "O"])
      expect(said(`<%${directive}>`, { a: 1 }, 2)).toEqual(['<{"a":1}> 2', `["<%${directive}>",{"a":1},2]`]);
    expect(said("%d %s", 1, { a: 1 })[1]).toBe('["%d %s",1,{"a":1}]');
    expect(said("%c%s", "color: red", { a: 1 })[1]).toBe('["%c%s","color: red",{"a":1}]');
    expect(said("%d %c", { a: 1 }, {})).toEqual(["NaN ", undefined]);
    const [text, data] = said(new TypeError("broken"));
    expect([text, JSON.parse(data!)]).toEqual(["TypeError: broken", [expect.anything()]]);
  });
  test("tells functions without quotes, unless something in them is escaped", () => {
    const go = (): void => {};
    expect(said(go)).toEqual([JSON.parse(serialize(go, budget())), `[${serialize(go, budget())}]`]);
    const odd = { ['a"b']: () => {} }['a"b']!;
    expect(said(odd)[0]).toBe(serialize(odd, budget()));
  });
  test("has bounds, and says where it was cut", () => {
    const long = budget();
    expect(format(["x".repeat(10_000)], long).message).toHaveLength(10_000);
    expect(long.cut).toBe(false);
    expect(format(["x".repeat(10_001)], long).message).toHaveLength(10_000);
    expect(long.cut).toBe(true);
    expect(said({ a: "x".repeat(600) })[0]).toHaveLength(500);
    expect(
      format(
        Array.from({ length: 9 }, (_, i) => i),
        budget({ width: 4 }),
      ).message,
    ).toBe("0 1 2 3");
    expect(format(["%s", 1, 2, 3, 4], budget({ width: 4 })).message).toBe("1 2 3");
  });
  test("says of a value what the console would", () => {
    expect([textOf("a"), textOf(1.5), textOf(undefined), textOf(0), textOf(-0)]).toEqual([
      "a",
      "1.5",
      "undefined",
      "0",
      "-0",
    ]);
  });
});

describe("the name of a class", () => {
  test("is its maker's, read without getters", () => {
    class Cart {}
    expect(className(Cart.prototype)).toBe("Cart");
    expect([className(null), className(Object.create(null) as object)]).toEqual(["", ""]);
    expect(className({ constructor: "Cart" })).toBe("");
    const asked: string[] = [];
    const getter = {
      get constructor() {
        asked.push("constructor");
        return Cart;
      },
    };
    expect(className(getter)).toBe("");
    class Odd {
      static get name() {
        asked.push("name");
        return "Odd";
      }
    }
    expect([className(Odd.prototype), asked]).toEqual(["", []]);
    const trap = () => {
      throw new Error("trap");
    };
    expect(className(new Proxy({}, { getOwnPropertyDescriptor: trap }))).toBe("");
  });
  test("is text of a hundred characters at most", () => {
    const named = (name: unknown) => functionName(Object.defineProperty(() => {}, "name", { value: name }));
    expect([named("a".repeat(101)), named(5)]).toEqual(["a".repeat(100), ""]);
  });
});
