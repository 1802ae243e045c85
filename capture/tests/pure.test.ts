import { describe, expect, test } from "vitest";
import fixture from "../../schema/fixtures/redaction.json" with { type: "json" };
import { stable } from "../locators/css.ts";
import { Guard } from "../guard.ts";
import { append, prefix } from "../natives.ts";
import { secretHeader, secretName } from "../names.ts";
import { addHeader, headerValue, mask, redactBody, redactForm, redactURL, withSalt } from "../redact.ts";
import { framesOf, isOurs, readStack, scriptURL, traceBelow } from "../stack.ts";
import { Json, rewrite, write } from "../write.ts";
import { secretField } from "../sources/fields.ts";
import { binaryType, essence, isText, streams } from "../sources/content.ts";

describe("Guard", () => {
  const fail = () => {
    throw new Error("ours");
  };

  test("failures in a row switch a source off, and never get out", () => {
    const guard = new Guard("a", { taken: false });
    for (let i = 0; i < 19; i++) expect(guard.run(fail)).toBeUndefined();
    expect(guard.run(() => "works")).toBe("works");
    for (let i = 0; i < 19; i++) guard.run(fail);
    expect(guard.health()).toEqual({ source: "a", failures: 38, disabled: false });
    guard.run(fail);
    expect(guard.run(() => "works")).toBeUndefined();
    expect(guard.health()).toEqual({ source: "a", failures: 39, disabled: true });
  });

  test("while one guard of a realm works the others are silent", () => {
    const turn = { taken: false };
    const [one, other] = [new Guard("a", turn), new Guard("b", turn)];
    expect(one.run(() => [other.idle, other.run(() => 1)])).toEqual([false, undefined]);
    expect(other.run(() => 1)).toBe(1);
  });
});

describe("framesOf", () => {
  const parse = (line: string) => framesOf("Error: x\n" + line)[0];
  test.each([
    ["    at run (http://a/b.js:1:2)", { function: "run", url: "http://a/b.js", line: 1, column: 2 }],
    ["    at http://a/b.js:1:2", { function: "", url: "http://a/b.js", line: 1, column: 2 }],
    [
      "    at async load (https://a:8080/b.js?x=1:10:20)",
      { function: "load", url: "https://a:8080/b.js?x=1", line: 10, column: 20 },
    ],
    [
      "    at new Cart (webpack-internal:///./src/(app)/cart.ts:3:4)",
      { function: "new Cart", url: "webpack-internal:///./src/(app)/cart.ts", line: 3, column: 4 },
    ],
    [
      "    at Object.get [as total] (http://a/b.js:5:6)",
      { function: "Object.get [as total]", url: "http://a/b.js", line: 5, column: 6 },
    ],
    [
      "    at eval (eval at go (http://a/b.js:7:8), <anonymous>:1:1)",
      { function: "eval", url: "http://a/b.js", line: 7, column: 8 },
    ],
    [
      "    at eval (eval at <anonymous> (eval at go (http://a/b.js:7:8)), <anonymous>:1:1)",
      { function: "eval", url: "http://a/b.js", line: 7, column: 8 },
    ],
    ["    at Array.map (<anonymous>)", { function: "Array.map", url: "<anonymous>", line: 0, column: 0 }],
    ["    at async Promise.all (index 0)", { function: "Promise.all", url: "index 0", line: 0, column: 0 }],
    ["    at <anonymous>:1:1", { function: "", url: "<anonymous>", line: 1, column: 1 }],
    ["    at f (native)", { function: "f", url: "native", line: 0, column: 0 }],
    ["    at <anonymous>", undefined],
    ["    at native", undefined],
    ["at f (http://a:1:2)", undefined],
    ["    f (http://a:1:2)", undefined],
    [
      "    at eval (eval at go (http://a/(b)/c.js:7:8), <anonymous>:1:1)",
      { function: "eval", url: "http://a/(b)/c.js", line: 7, column: 8 },
    ],
    ["    at eval (eval at go)", { function: "eval", url: "eval at go", line: 0, column: 0 }],
    ["    at f (:1:2)", { function: "f", url: "", line: 1, column: 2 }],
    ["    at f (a:0:0)", { function: "f", url: "a", line: 0, column: 0 }],
    ["    at f (a:10:9)", { function: "f", url: "a", line: 10, column: 9 }],
    ["    at f (a:2)", { function: "f", url: "a:2", line: 0, column: 0 }],
    ["    at f (1:2)", { function: "f", url: "1:2", line: 0, column: 0 }],
    ["    at f (:5)", { function: "f", url: ":5", line: 0, column: 0 }],
    ["    at f (a:1:)", { function: "f", url: "a:1:", line: 0, column: 0 }],
    ["    at f (a:x:1)", { function: "f", url: "a:x:1", line: 0, column: 0 }],
    ["    at f (a:1:2/)", { function: "f", url: "a:1:2/", line: 0, column: 0 }],
    ["    at http://a/b.js)", { function: "", url: "http://a/b.js)", line: 0, column: 0 }],
    ["    at (http://a:1:2)", { function: "", url: "(http://a:1:2)", line: 0, column: 0 }],
    ["    at f(http://a:1:2)", { function: "f", url: "http://a", line: 1, column: 2 }],
    ["Error: at no place", undefined],
    ["    at ", { function: "", url: "", line: 0, column: 0 }],
  ])("%s", (line, frame) => {
    if (line === "    at ") expect(parse(line)).toBeUndefined();
    else expect(parse(line)).toEqual(frame);
  });

  test("the text is given as well, ten thousand characters at most", () => {
    const text = "Error: x\n    at f (http://a:1:2)\n    at g (http://a:3:4)";
    expect(readStack(text)).toEqual({
      raw: text,
      frames: [
        { function: "f", url: "http://a", line: 1, column: 2 },
        { function: "g", url: "http://a", line: 3, column: 4 },
      ],
    });
    expect(readStack(`${text}\n`).raw).toBe(`${text}\n`);
    expect(readStack(undefined)).toEqual({ raw: "", frames: [] });
    expect(readStack("x".repeat(20_000)).raw).toHaveLength(10_000);
  });

  test("of evals in evals eight are opened", () => {
    const nested = (levels: number): string => {
      let place = "http://a:1:2";
      for (let i = 0; i < levels; i++) place = `eval at f (${place})`;
      return `E\n    at eval (${place}, <anonymous>:1:1)`;
    };
    expect(framesOf(nested(8))[0]).toEqual({ function: "eval", url: "http://a", line: 1, column: 2 });
    expect(framesOf(nested(9))[0]?.url).toMatch(/^eval at f/);
  });

  test("a trace begins below the function that takes it", () => {
    const taking = () => traceBelow(taking);
    const calling = () => taking();
    const { stack } = calling();
    expect(stack).toContain("calling");
    expect(stack).not.toContain("at taking");
  });

  test("what has no name, or another one, is not ours", () => {
    expect([isOurs(""), isOurs("http://a/b.js")]).toEqual([false, false]);
  });

  test.each([
    ["Error\n    at f (https://a.test/x.js:1:2)\n    at g (https://a.test/y.js:3:4)", "https://a.test/x.js"],
    ["Error\n    at https://a.test/x.js:1:2", "https://a.test/x.js"],
    ["Error", ""],
    ["    at f (https://a.test/x.js:1:2)", ""],
    ["Error\n    at Array.map (<anonymous>)\n    at f (https://a.test/x.js:1:2)", ""],
    ["Error\n    at eval (<anonymous>:1:1)", ""],
    ["Error\n    at f (native)", ""],
    ["Error\nno frame", ""],
    [7, ""],
  ])("a script has the name of its own place: %s", (stack, url) => expect(scriptURL(stack)).toBe(url));
  test("a script that stands in the document has none, wherever in it the user is", () => {
    if (typeof document !== "object") return;
    const { href } = location;
    const [bare] = href.split("#") as [string];
    history.replaceState(null, "", `${bare}#part`);
    expect(scriptURL(`Error\n    at f (${bare}:1:2)`)).toBe("");
    history.replaceState(null, "", bare);
    expect(scriptURL(`Error\n    at f (${bare}:1:2)`)).toBe("");
    expect(scriptURL(`Error\n    at f (${bare}x:1:2)`)).toBe(`${bare}x`);
    history.replaceState(null, "", href);
  });
  test("message lines are skipped, frames and text are bounded, other values give nothing", () => {
    expect(framesOf("TypeError: line one\n  at home\nsecond\n    at f (http://a:1:2)")).toHaveLength(2);
    expect(framesOf("E\n" + "    at f (http://a/b.js:1:2)\n".repeat(500))).toHaveLength(30);
    for (const odd of [undefined, null, {}, [], 5, { toString: () => "    at x (y:1:1)" }])
      expect(framesOf(odd)).toEqual([]);
  });

  test("any cut of a stack parses without harm", () => {
    const stack =
      "Error\n    at a (eval at b (http://c/(d).js:1:2), <anonymous>:3:4)\n    at async Promise.all (index 0)\n    at http://e:5:6";
    for (let i = 0; i <= stack.length; i++)
      for (const frame of framesOf(stack.slice(0, i))) expect(frame.line).toBeGreaterThanOrEqual(0);
  });
});

describe("redaction", () => {
  test("names: whole words only, camel case, digits, collapsed", () => {
    for (const name of [
      "password",
      "userPassword",
      "PASSWORD2",
      "access_token",
      "accessToken",
      "x-api-key",
      "apikey",
      "APIKey",
      "client-secret",
      "sessionId",
    ])
      expect(secretName(name), name).not.toBe("");
    for (const name of [
      "keyboard",
      "monkey",
      "session",
      "passwordHint",
      "tokens",
      "tokenCount",
      "pageToken",
      "next_token",
      "author",
      "",
      "key",
      "spinner",
    ])
      expect(secretName(name), name).toBe("");
    expect(secretHeader("cookie")).toBe("cookie");
    expect(secretHeader("x-csrf-token")).not.toBe("");
    expect(secretHeader("accept")).toBe("");
  });

  test("pseudonyms are stable, keyed and irreversible in shape", () => {
    expect(mask("token", "abc", "s")).toMatch(/^<token:[0-9a-f]{8}>$/);
    expect(mask("token", "abc", "s")).toBe(mask("token", "abc", "s"));
    expect(mask("token", "abc", "s")).not.toBe(mask("token", "abc", "t"));
    expect(mask("token", "abc", "s")).not.toBe(mask("token", "abd", "s"));
  });

  test("headers keep their scheme, URLs their shape, forms and JSON their other fields", () => {
    expect(headerValue("Authorization", "Bearer abc", "s")).toMatch(/^Bearer <authorization:\w{8}>$/);
    expect(headerValue("Accept", "x", "s")).toBe("x");
    expect(headerValue("Access-Control-Allow-Credentials", "true", "s")).toBe("true");
    expect(headerValue("Access-Control-Allow-Credentials", "truer", "s")).toMatch(/^<credentials:\w{8}>$/);
    expect(redactURL("https://u:pw@h/p?a=1&token=x#access_token=y&b=2", "s")).toMatch(
      /^https:\/\/u:<password:\w{8}>@h\/p\?a=1&token=<token:\w{8}>#access_token=<access_token:\w{8}>&b=2$/,
    );
    expect(redactURL("https://h/p?a", "s")).toBe("https://h/p?a");
    expect(redactForm("a=1&password=&pin=1234", "s")).toMatch(/^a=1&password=&pin=<pin:\w{8}>$/);
    expect(
      redactBody(
        '{"a":"token","password": "p\\"q", "n":{"pin":1234,"otp":null}, "token":["x"]}',
        "application/json",
        "s",
      ),
    ).toMatch(
      /^\{"a":"token","password": "<password:\w{8}>", "n":\{"pin":"<pin:\w{8}>","otp":null\}, "token":\["x"\]\}$/,
    );
    expect(redactBody('{"password":"cut off in the mid', "application/json", "s")).not.toContain("cut off");
    expect(redactBody("plain text", "text/plain", "s")).toBe("plain text");
  });

  test("headers are added by their lower-case name, cut", () => {
    const headers: { name: string; value: string }[] = [];
    addHeader(headers, "X-Long", "v".repeat(5000), "s");
    addHeader(headers, "COOKIE", "a=1", "s");
    expect(headers).toEqual([
      { name: "x-long", value: "v".repeat(4096) },
      { name: "cookie", value: mask("cookie", "a=1", "s") },
    ]);
  });

  test("what was masked without a salt can be keyed later, also in a URL", () => {
    const bare = mask("token", "abc", "");
    expect(withSalt(`a ${bare} b ${bare}`, "s")).toBe(`a ${mask("token", "abc", "s")} b ${mask("token", "abc", "s")}`);
    expect(withSalt(encodeURI(bare), "s")).toBe(encodeURI(mask("token", "abc", "s")));
    expect([withSalt(bare, ""), withSalt("no pseudonym", "s"), withSalt("<token:1>", "s")]).toEqual([
      bare,
      "no pseudonym",
      "<token:1>",
    ]);
  });

  const shape = (text: string): string => text.replaceAll(/<(\w+):[0-9a-f]{8}>/g, "<$1>");
  test.each([
    ["Bearer abc", "Bearer <authorization>"],
    ["elevenchars abc", "elevenchars <authorization>"],
    ["twelve-chars abc", "<authorization>"],
    [" abc", "<authorization>"],
    ["a bc", "a <authorization>"],
    ["abc", "<authorization>"],
  ])("of the header Authorization: %s a short scheme stays", (value, shown) =>
    expect(shape(headerValue("Authorization", value as string, "s"))).toBe(shown),
  );
  test("what is masked is the secret alone", () => {
    expect(headerValue("Authorization", "Bearer abc", "s")).toBe(`Bearer ${mask("authorization", "abc", "s")}`);
    expect(redactURL("http://u:pw@h/p", "s")).toBe(`http://u:${mask("password", "pw", "s")}@h/p`);
    expect(redactBody('{"pin":"12","a":1}', "", "s")).toBe(`{"pin":"${mask("pin", "12", "s")}","a":1}`);
    expect(redactForm("a=1&pin=12&b=2", "s")).toBe(`a=1&pin=${mask("pin", "12", "s")}&b=2`);
  });
  test.each([
    ["a://u:pw@h", "a://u:<password>@h"],
    ["file:///a:b@c", "file:///a:b@c"],
    ["http://:pw@h", "http://:<password>@h"],
    ["#token=x?a=1", "#token=<token>?a=1"],
    ["http://u:pw@h", "http://u:<password>@h"],
    ["http://u:pw@h/p", "http://u:<password>@h/p"],
    ["http://u@h:80/", "http://u@h:80/"],
    ["http://h/p:q@r", "http://h/p:q@r"],
    ["u:pw@h", "u:pw@h"],
    ["//u:pw@h", "//u:pw@h"],
    ["http://h:80/", "http://h:80/"],
    ["http://h/#a=1?token=x", "http://h/#a=1?token=<token>"],
    ["http://h/?a=1#token=x&b", "http://h/?a=1#token=<token>&b"],
    ["?token=x", "?token=<token>"],
    ["http://h/token=x", "http://h/token=x"],
  ])("of the URL %s secrets are masked", (url, shown) => expect(shape(redactURL(url as string, "s"))).toBe(shown));
  test.each([
    ["token", "token"],
    ["token=", "token="],
    ["=x", "=x"],
    ["token=x&", "token=<token>&"],
    ["a=1&&token=x=y", "a=1&&token=<token>"],
    ["token=<token:00000000>", "token=<token>"],
    ["token=<masked>", "token=<masked>"],
    ["token=<x", "token=<token>"],
    ["user[password][0]=x&user[name]=y", "user[password][0]=<password>&user[name]=y"],
    ["user[a][password]=x", "user[a][password]=<password>"],
    ["pass%77ord=x", "pass%77ord=<password>"],
    ["%C3%74oken=x", "%C3%74oken=x"],
    ["%zz=x", "%zz=x"],
    ["%70assword=x", "%70assword=<password>"],
    ["token=x>", "token=<token>"],
  ])("of the form %s secrets are masked", (form, shown) => expect(shape(redactForm(form as string, "s"))).toBe(shown));
  test.each([
    ['"token":"abc"', '"token":"<token>"'],
    ['log {"token":"abc"}', 'log {"token":"<token>"}'],
    ['{"token" : "abc"}', '{"token" : "<token>"}'],
    [' \n\t\r["token","abc"]', ' \n\t\r["token","<token>"]'],
    ['["token:","abc"]', '["token:","<token>"]'],
    ['["token = " , "abc"]', '["token = " , "<token>"]'],
    ['["my token","abc"]', '["my token","abc"]'],
    ['[" token","abc"]', '[" token","abc"]'],
    ['["my token:","abc"]', '["my token:","<token>"]'],
    ['["my token =","abc"]', '["my token =","<token>"]'],
    ['[1,\n"token","abc"]', '[1,\n"token","<token>"]'],
    ['[1,\t"token","abc"]', '[1,\t"token","<token>"]'],
    ['[1,\r"token","abc"]', '[1,\r"token","<token>"]'],
    ['["a","token","abc"]', '["a","token","<token>"]'],
    ['[":","abc"]', '[":","abc"]'],
    ['{"a":"token","b":"c"}', '{"a":"token","b":"c"}'],
    ['{"pin":1234}', '{"pin":"<pin>"}'],
    ['{"pin":1234\n}', '{"pin":"<pin>"\n}'],
    ['[{"pin":1234},{"pin":-5.5e3}]', '[{"pin":"<pin>"},{"pin":"<pin>"}]'],
    ['{"pin":true,"otp":false,"sid":null,"jwt":""}', '{"pin":true,"otp":false,"sid":null,"jwt":""}'],
    ['{"pin":"null"}', '{"pin":"null"}'],
    ['{"token":{"a":"b"}}', '{"token":{"a":"b"}}'],
    ['{"token":["b"]}', '{"token":["b"]}'],
    ['{"token":', '{"token":'],
    ['{"token', '{"token'],
    ['{"token":"a\\"b","c":1}', '{"token":"<token>","c":1}'],
    ['{"name":"pin","value":"12"}', '{"name":"pin","value":"<pin>"}'],
    ['{"value":"12","name":"pin"}', '{"value":"<pin>","name":"pin"}'],
    ['{"Value":12,"Key":"pin"}', '{"Value":"<pin>","Key":"pin"}'],
    ['{"id":"a","type":"token" , "value":"12"}', '{"id":"a","type":"token" , "value":"<token>"}'],
    ['{"title":"pin","value":"12"}', '{"title":"pin","value":"12"}'],
    ['{"name":"a","value":"12"}', '{"name":"a","value":"12"}'],
    ['{"name":"pin"},{"value":"12"}', '{"name":"pin"},{"value":"12"}'],
    ["plain :token", "plain :token"],
    ['a,"token","abc"', 'a,"token","abc"'],
    ['[a,"token","abc"]', '[a,"token","<token>"]'],
  ])("of the body %s secrets are masked", (body, shown) =>
    expect(shape(redactBody(body as string, "text/plain", "s"))).toBe(shown),
  );
  test("a name is looked for a thousand characters around its value, and no further", () => {
    const near = `{"name":"pin","a":"${"x".repeat(900)}","value":"12"}`;
    const far = `{"name":"pin","a":"${"x".repeat(1000)}","value":"12"}`;
    expect(redactBody(near, "", "s")).toContain("<pin:");
    expect(redactBody(far, "", "s")).toBe(far);
    const behind = (n: number) => `{"value":"12","a":"${"x".repeat(n)}","name":"pin"}`;
    expect(redactBody(behind(900), "", "s")).toContain("<pin:");
    expect(redactBody(behind(1100), "", "s")).toBe(behind(1100));
  });
  test("of a long name the end counts, and names are known again after thousands of others", () => {
    expect(secretName(`${"x".repeat(100)}Password`)).toBe("password");
    expect(secretName(`Password${"x".repeat(100)}`)).toBe("");
    expect(secretName(`xpassword${"0".repeat(56)}`)).toBe("password");
    expect(secretName(`xpassword${"0".repeat(55)}`)).toBe("");
    for (let i = 0; i < 4100; i++) expect(secretName(`name ${i} of`)).toBe("");
    expect([secretName("userPassword"), secretName("monkey")]).toEqual(["password", ""]);
    expect([secretHeader("x-acme-token"), secretHeader("token-x"), secretHeader("secret")]).toEqual([
      "token",
      "",
      "secret",
    ]);
  });

  test("words are told apart by their capitals, joined again, and not by digits in them", () => {
    for (const [name, secret] of [
      ["userAPIKey", "api_key"],
      ["userPIN", "pin"],
      ["XPw", "pw"],
      ["passWord", "password"],
      ["pass_word", "password"],
      ["pass9word", ""],
      ["pass0word", ""],
      ["passzword", ""],
      ["passaword", ""],
    ] as const)
      expect(secretName(name), name).toBe(secret);
  });

  test("any cut of a body keeps the secret in", () => {
    const body = '{"user":"ada","password":"SECRETSECRET","x":[{"apiKey":"SECRETSECRET"}]}';
    for (let i = 0; i <= body.length; i++)
      expect(redactBody(body.slice(0, i), "application/json", "s")).not.toContain("SECRE");
  });

  test("the daemon can make the same pseudonyms", () => {
    for (const m of fixture.masks) expect(mask(m.kind, m.value, m.salt), m.value).toBe(m.pseudonym);
  });

  test("the page's part of the shared cases", () => {
    const shown = (place: string, input: string): string => {
      if (place === "url") return redactURL(input, "s");
      if (place.startsWith("header:")) return headerValue(place.slice("header:".length), input, "s");
      return redactBody(input, place === "form" ? "application/x-www-form-urlencoded" : "application/json", "s");
    };
    let seen = 0;
    for (const { place, input, page } of fixture.cases) {
      if (page === undefined) continue;
      seen++;
      const once = shown(place, input);
      expect(once.replaceAll(/<(\w+):[0-9a-f]{8}>/g, "<$1>"), input).toBe(page);
      if (place === "form" || place === "url") expect(shown(place, once), input).toBe(once);
    }
    expect(seen).toBeGreaterThan(20);
  });

  test("the lists are those that the daemon has", () => {
    for (const name of fixture.page.headers) expect(secretHeader(name), name).not.toBe("");
    for (const end of fixture.page.header_ends) expect(secretHeader("x-acme" + end), end).not.toBe("");
    for (const name of fixture.page.public_headers) expect(secretHeader(name), name).toBe("");
    for (const name of fixture.page.names) expect(secretName(name), name).toBe(name);
    for (const name of fixture.page.plain_names) expect(secretName(name), name).toBe("");
    for (const { name, secret } of fixture.names) expect(secretName(name) !== "", name).toBe(secret);
    for (const type of fixture.page.inputs.types)
      expect(secretField(Object.assign(document.createElement("input"), { type })), type).not.toBe("");
    for (const token of fixture.page.inputs.autocomplete) {
      const field = document.createElement("input");
      field.setAttribute("autocomplete", "section-a " + token);
      expect(secretField(field), token).not.toBe("");
    }
  });
});

describe("write", () => {
  test("is JSON, without what is undefined, past any toJSON", () => {
    const proto = Object.prototype as { toJSON?: unknown };
    proto.toJSON = () => "stolen";
    try {
      expect(
        write({
          a: 1,
          b: undefined,
          c: [null, true, "\ud800\n", NaN, -0],
          d: new Json("[1]"),
          e: { f: {} },
        }),
      ).toBe('{"a":1,"c":[null,true,"\\ud800\\n",null,0],"d":[1],"e":{"f":{}}}');
    } finally {
      delete proto.toJSON;
    }
  });

  test("stops when the room is used up, and at 64 levels", () => {
    expect(
      write(
        Array.from({ length: 1000 }, () => "xxxxxxxxxx"),
        { left: 100 },
      ).length,
    ).toBeLessThan(150);
    const many = Array.from({ length: 1000 }, () => "xxxxxxxxxx");
    expect(write({ a: many, b: many }, { left: 100 }).length).toBeLessThan(150);
    expect(write([many, many], { left: 100 }).length).toBeLessThan(150);
    expect(write({ a: "x".repeat(100), b: 1 }, { left: 100 })).toBe(`{"a":"${"x".repeat(100)}"}`);
    expect(write([1, 2, 3], { left: 3 })).toBe("[1,2]");
    expect(write({ a: { b: 1 }, c: 2 }, { left: 12 })).toBe('{"a":{"b":1},"c":2}');
    expect(write([[1], 2], { left: 4 })).toBe("[[1],2]");
    expect(write([1, 2, 3], { left: 4 })).toBe("[1,2,3]");
    let deep: unknown = 1;
    for (let i = 0; i < 10_000; i++) deep = [deep];
    expect(write(deep)).toHaveLength(2 * 65 + 4);
  });

  test("rewrite gives the same of what was parsed, cut at 64 levels, past any toJSON", () => {
    const text = '{"a":[1,null,"\\ud800\\n",{"b":true}],"c":{"toJSON":"own"}}';
    expect(rewrite(JSON.parse(text) as object)).toBe(text);
    const nested = (levels: number) => JSON.parse("[".repeat(levels) + "]".repeat(levels)) as object;
    expect(rewrite(nested(60))).toHaveLength(2 * 60);
    expect(rewrite(nested(100_000))).toHaveLength(2 * 65 + 4);
    for (const [begin, end] of [
      ['{"a":', "}"],
      ['{"z":1,"a":', "}"],
      ["[1,", "]"],
    ] as const) {
      const levels = (n: number) => `${begin.repeat(n)}2${end.repeat(n)}`;
      expect(rewrite(JSON.parse(levels(64)) as object), begin).toBe(levels(64));
      expect(rewrite(JSON.parse(levels(66)) as object), begin).not.toBe(levels(66));
    }
    const proto = Array.prototype as { toJSON?: unknown };
    proto.toJSON = () => "stolen";
    try {
      expect(rewrite(nested(2))).toBe("[[]]");
    } finally {
      delete proto.toJSON;
    }
  });

  test("a name is written the same when it comes again, after thousands of others, and when it is long", () => {
    const long = 'x"'.repeat(100);
    const object = { 'a"b': 1, [long]: 2 };
    const first = write(object);
    for (let i = 0; i < 5000; i++) write({ ["name" + i]: i });
    expect(write(object)).toBe(first);
    expect(JSON.parse(first)).toEqual(object);
  });
});

describe("append", () => {
  const proto = Array.prototype as unknown as Record<string, unknown>;
  const appended = () => {
    const items: string[] = [];
    append(items, "a");
    append(items, "b");
    return { values: Object.values(items), length: items.length };
  };

  test("defines what a prototype would take away", () => {
    let taken = 0;
    const set = (): void => void taken++;
    Object.defineProperty(proto, "1", { set, configurable: true });
    Object.defineProperty(Object.prototype, "0", { set, configurable: true });
    let result: unknown;
    try {
      result = appended();
    } finally {
      delete proto["1"];
      delete (Object.prototype as unknown as Record<string, unknown>)["0"];
    }
    expect(result).toEqual({ values: ["a", "b"], length: 2 });
    expect(taken).toBe(0);
  });

  test("asks no proxy that a page put into the chain", () => {
    const asked: unknown[] = [];
    const trap = (name: string) => () => void asked.push(name);
    const handler = { has: trap("has"), set: trap("set"), get: trap("get") } as unknown as ProxyHandler<object>;
    Object.setPrototypeOf(proto, new Proxy({}, handler));
    let result: unknown;
    try {
      result = appended();
    } finally {
      Object.setPrototypeOf(proto, Object.prototype);
    }
    expect(result).toEqual({ values: ["a", "b"], length: 2 });
    expect(asked).toEqual([]);
  });
});

test("prefix never halves a character", () => {
  expect(prefix("ab😀", 3)).toBe("ab");
  expect(prefix("ab😀", 4)).toBe("ab😀");
});

test("what is text, by the type and the first bytes of a body", () => {
  const bytes = (...codes: number[]): Uint8Array => new Uint8Array(codes);
  const utf8 = (text: string): Uint8Array => new TextEncoder().encode(text);
  const json = utf8('{"error":"Größe 😀"}');
  for (const type of [
    "",
    "application/octet-stream",
    "application/x-amz-json-1.1",
    "application/json5",
    "image/png",
    "x",
  ])
    expect(isText(json, type), type).toBe(true);
  expect(isText(bytes(0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a), "application/json")).toBe(false);
  expect(isText(bytes(0, 0, 0, 5, 10), "")).toBe(false);
  expect(isText(bytes(0x66, 0xe9, 0x65), "")).toBe(false); // no UTF-8
  for (const type of ["text/plain", "application/vnd.api+json", "application/xml"])
    expect(isText(bytes(0x63, 0x61, 0x66, 0xe9), type), type).toBe(true);
  expect(isText(bytes(0x66, 0xe9, 0x65), "application/vnd.openxmlformats-officedocument")).toBe(false);
  expect(isText(bytes(0xff, 0xfe, 0x61, 0), "")).toBe(true);
  expect(isText(bytes(0, 0x61), "text/plain; charset=UTF-16BE")).toBe(true);
  expect(isText(utf8("x".repeat(511) + "😀").slice(0, 513), "")).toBe(true); // half a character
  expect(isText(bytes(0x1b, 0x5b, 0x33, 0x6d), "")).toBe(true);
  expect(isText(bytes(), "")).toBe(true);
  for (const type of ["image/png", "Font/woff2", "application/pdf; a=b"]) expect(binaryType(type), type).toBe(true);
  for (const type of ["image/svg+xml", "application/json", "", "application/octet-stream", "text/plain"])
    expect(binaryType(type), type).toBe(false);
});

test("content types that stream", () => {
  for (const type of [
    "text/event-stream",
    "application/x-ndjson",
    "multipart/x-mixed-replace; boundary=a",
    "application/grpc-web+proto",
  ])
    expect(streams(type), type).toBe(true);
  expect(essence("Text/HTML;charset=a")).toBe("text/html");
});

test("stable names are those that people give", () => {
  for (const name of ["save", "btn-primary", "checkoutForm", "nav2", "user-menu", "MuiButton"])
    expect(stable(name), name).toBe(true);
  for (const name of [
    "css-1x2y3z",
    "sc-bdVaJa",
    "ember123",
    ":r1:",
    "1abc",
    "jsx-2871293847",
    "a8f3e2b1",
    "radix-12",
    "Button_root__3xYzQ",
    "",
  ])
    expect(stable(name), name).toBe(false);
});
