import { expect, test } from "vitest";
import { SizedCache } from "./cache.ts";
import { decodeDataURL, sourceMapURL } from "./find.ts";

test("finds the last comment, relative to the script", () => {
  const url = "http://localhost/js/app.js";
  expect(sourceMapURL("a()\n//# sourceMappingURL=app.js.map\n", url, null)).toBe("http://localhost/js/app.js.map");
  expect(sourceMapURL("a()\n//@ sourceMappingURL=/old.map", url, null)).toBe("http://localhost/old.map");
  expect(sourceMapURL("a()", url, "h.map")).toBe("http://localhost/js/h.map");
  expect(sourceMapURL("a()", url, null)).toBeUndefined();
  expect(sourceMapURL("a{}/*# sourceMappingURL=b.map */\n", url, null)).toBe("http://localhost/js/b.map");
  expect(sourceMapURL("a{}/*@ sourceMappingURL=b.map*/", url, null)).toBe("http://localhost/js/b.map");
  expect(sourceMapURL("//# sourceMappingURL=c.map\r\n// the end\n/* really */ ", url, null)).toBe(
    "http://localhost/js/c.map",
  );
  expect(sourceMapURL("//# sourceMappingURL=first.map\n//# sourceMappingURL=last.map", url, null)).toBe(
    "http://localhost/js/last.map",
  );
  expect(sourceMapURL("//# sourceMappingURL=c.map\u2028more()", url, null)).toBeUndefined();
  expect(sourceMapURL("//# sourceMappingURL=\nmore()", url, null)).toBeUndefined();
  expect(sourceMapURL("//# sourceMappingURL=c.map\n/* open", url, null)).toBeUndefined();
  expect(sourceMapURL("//# sourceMappingURL=c.map\n/* closed */x", url, null)).toBeUndefined();
  expect(sourceMapURL("//# sourceMappingURL=c.map\nmore() /* a */", url, null)).toBeUndefined();
  expect(sourceMapURL("/* a */ b /*# sourceMappingURL=c.map */", url, null)).toBe("http://localhost/js/c.map");
  expect(sourceMapURL("//# sourceMappingURL=c.map\n/**/", url, null)).toBe("http://localhost/js/c.map");
  expect(sourceMapURL("//# sourceMappingURL=c.map\n/*/", url, null)).toBeUndefined();
  expect(sourceMapURL("/*# sourceMappingURL=c.map */x", url, null)).toBeUndefined();
  expect(sourceMapURL("//# sourceMappingURL=http://[", url, null)).toBeUndefined();
  expect(sourceMapURL("/*# sourceMappingURL=open.map", url, null)).toBeUndefined();
  expect(sourceMapURL("/*# sourceMappingURL=two words.map */", url, null)).toBeUndefined();
  expect(sourceMapURL("//# sourceMappingURL=", url, null)).toBeUndefined();
  expect(sourceMapURL("# sourceMappingURL=x.map", url, null)).toBeUndefined();
  expect(sourceMapURL('s = "//# sourceMappingURL=x.map"; more()', url, null)).toBeUndefined();
});

test("a large inline map is decoded at once, for the worker stands still meanwhile", () => {
  const body = "ICAg".repeat(5_000_000);
  const took = (work: () => unknown): number => {
    const began = performance.now();
    work();
    return performance.now() - began;
  };
  expect(decodeDataURL(`data:application/json;base64,${body}`)?.length).toBe(15_000_000);
  const decoding = Math.min(...[1, 2, 3].map(() => took(() => decodeDataURL(`data:application/json;base64,${body}`))));
  // An iterator that is asked for each byte takes ten times as long.
  expect(decoding).toBeLessThan(took(() => Uint8Array.from(atob(body), (char) => char.charCodeAt(0))) / 2);
});

test("decodes inline maps, with and without base64", () => {
  expect(decodeDataURL("data:application/json;charset=utf-8;base64,eyLDvCI6MX0=")).toBe('{"ü":1}');
  expect(decodeDataURL("DATA:application/json;BASE64,e30=")).toBe("{}");
  expect(decodeDataURL("data:application/json,%7B%7D")).toBe("{}");
  expect(decodeDataURL("data:text/plain,x")).toBeUndefined();
  expect(decodeDataURL("data:application/json;base64,???")).toBeUndefined();
});

test("the cache forgets what was not used for longest, by size", () => {
  const cache = new SizedCache<number>(10);
  cache.set("a", 1, 4);
  cache.set("b", 2, 4);
  cache.get("a");
  cache.set("c", 3, 4);
  expect([cache.get("a"), cache.get("b"), cache.get("c")]).toEqual([1, undefined, 3]);
  cache.set("huge", 4, 11);
  expect(cache.get("huge")).toBeUndefined();
});
