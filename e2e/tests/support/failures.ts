import type { Fixed, Site } from "./site.ts";

/** One kind of failure: a page that fails by itself when it is opened. */
export interface Failure {
  name: string;
  html: string;
  headers?: Record<string, string>;
  /** The page is one of https. */
  https?: true;
  /** Service workers are listened to. */
  services?: true;
  /** What the console says that no script of the page is told, and so no entry of ours names. */
  unseen?: { says: RegExp; because: string };
  /** What observe errors says of what is not seen, or of what would tell more. */
  answer?: RegExp;
  /** A line of the console and an entry of ours that say the same in other words. */
  alike?: { says: RegExp; ours: RegExp };
  /** Entries of ours that the console has not, and why they are there. */
  more?: { ours: RegExp; because: string };
  /** Why the console says nothing at all. */
  silent?: string;
}

/** What observe errors says. */
const ALONE = /what a browser tells its console alone is not/;
const WORKERS = /not seen of this tab's workers: console, rejections and requests, and what others than dedicated/;
const DETAIL = /network detail, which the user can switch on .* tells CORS, preflights and dead ports apart/;

const alone = (says: RegExp, because: string): Partial<Failure> => ({ unseen: { says, because }, answer: ALONE });
const ofWorker = (says: RegExp): Partial<Failure> => ({
  unseen: { says, because: "it stays within the worker" },
  answer: WORKERS,
});
/** Something else says it. */
const beside = (says: RegExp, because: string): Partial<Failure> => ({ unseen: { says, because } });
const alike = (says: RegExp, ours: RegExp): Partial<Failure> => ({ alike: { says, ours } });
const untold: Partial<Failure> = { answer: DETAIL };
const extra = (ours: RegExp, because: string): Partial<Failure> => ({ more: { ours, because } });
const policy = (value: string): Partial<Failure> => ({ headers: { "content-security-policy": value } });

const js = (body: string): Fixed => ({ body, type: "text/javascript" });
const cors = { "access-control-allow-origin": "*" };

export function files(site: Site): void {
  site.page("/lib/throws.js", js(`throw new Error("from a classic script");`));
  site.page("/lib/rejects.js", js(`Promise.reject(new Error("rejected by a script of another origin"))`));
  site.page("/lib/nosniff.js", {
    ...js("<!doctype html>"),
    type: "text/html",
    headers: { "x-content-type-options": "nosniff" },
  });
  site.page("/lib/away", { status: 302, headers: { location: site.url("/lib/ok.json", "localhost") } });
  site.page("/lib/cors-throws.js", { ...js(`throw new Error("secret of another origin");`), headers: cors });
  site.page("/lib/syntax.js", js(`let a = ;`));
  site.page("/lib/none.js", js(`export const here = 1;`));
  site.page("/lib/html.js", { body: "<!doctype html><title>login</title>", type: "text/html" });
  site.page("/lib/nested.js", js(`import "/gone/nested.js";`));
  site.page("/lib/module-throws.js", js(`throw new Error("from a module"); export {}`));
  site.page("/lib/css.html", { body: "<!doctype html>", type: "text/html" });
  site.page("/lib/page.html", { body: "<!doctype html><title>login</title>", type: "text/html" });
  site.page("/lib/bad.json", { body: `{"a": `, type: "application/json" });
  site.page("/lib/ok.json", { body: `{}`, type: "application/json" });
  site.page("/lib/bytes", { body: Buffer.from([1, 2, 3, 4, 5, 6, 7, 8]), type: "application/octet-stream" });
  site.page("/lib/bad.wasm", { body: Buffer.from([1, 2, 3, 4, 5, 6, 7, 8]), type: "application/wasm" });
  site.page("/lib/broken-half", (_, response) => {
    response.writeHead(200, { "content-type": "application/json", "content-length": "100" });
    response.write(`{"a":1,`);
    setTimeout(() => response.destroy(), 50);
  });
  site.page("/lib/500", { body: "no", status: 500, type: "text/plain" });
  site.page("/lib/stream-html", { body: "<!doctype html>", type: "text/html" });
  site.page("/lib/font.woff2", { body: "not a font", type: "font/woff2" });
  site.page("/lib/bad.png", { body: "not a picture", type: "image/png" });
  site.page("/lib/bad.mp4", { body: "not a film", type: "video/mp4" });
  site.page("/lib/worker-throws.js", js(`setTimeout(() => { throw new Error("thrown in a worker") })`));
  site.page("/lib/worker-rejects.js", js(`Promise.reject(new Error("rejected in a worker"))`));
  site.page("/lib/worker-console.js", js(`console.error("console of a worker")`));
  site.page("/lib/worker-fetch.js", js(`fetch("/gone/by-worker").then(r => r.json())`));
  site.page("/lib/worker-module.js", js(`await 0; throw new Error("thrown in a module worker")`));
  site.page("/lib/worker-nested.js", js(`import "/gone/of-worker.js"`));
  site.page("/lib/worker-syntax.js", js(`let a = ;`));
  site.page("/lib/worker-of-worker.js", js(`new Worker("/lib/worker-throws.js")`));
  site.page("/lib/shared-throws.js", js(`onconnect = () => { throw new Error("thrown in a shared worker") }`));
  site.page(
    "/lib/shared-rejects.js",
    js(`onconnect = () => { Promise.reject(new Error("rejected in a shared worker")) }`),
  );
  site.page(
    "/lib/sw-console.js",
    js(`console.error("console of a service worker"); oninstall = (e) => { skipWaiting() }`),
  );
  site.page("/lib/worklet.js", js(`throw new Error("thrown in a worklet")`));
  site.page("/lib/frame-throws.html", `<script>throw new Error("thrown in a frame")</script>`);
  site.page("/lib/frame-rejects.html", `<script>Promise.reject(new Error("rejected in a frame"))</script>`);
  site.page("/lib/frame-denied.html", { body: "x", headers: { "x-frame-options": "DENY" } });
  site.page("/lib/frame-ancestors.html", {
    body: "x",
    headers: { "content-security-policy": "frame-ancestors 'none'" },
  });
  site.page(
    "/lib/unload.html",
    `<script>addEventListener("pagehide", () => { throw new Error("thrown while unloading") })</script>`,
  );
}

export function failures(site: Site, dead: string): Failure[] {
  const other = (path: string) => site.url(path, "localhost");
  const s = (code: string) => `<script>${code}</script>`;
  const all: [string, string, Partial<Failure>?][] = [
    ["script: throws", s(`throw new TypeError("thrown at once")`)],
    ["script: syntax error", s(`let a = ;`)],
    ["script: other origin throws", `<script src="${other("/lib/throws.js")}"></script>`],
    ["script: other origin with CORS throws", `<script crossorigin src="${other("/lib/cors-throws.js")}"></script>`],
    ["script: crossorigin without CORS", `<script crossorigin src="${other("/lib/throws.js")}"></script>`],
    ["script: 404", `<script src="/gone/a.js"></script>`],
    ["script: dead port", `<script src="${dead}/a.js"></script>`],
    ["script: html with nosniff", `<script src="/lib/nosniff.js"></script>`],
    ["script: html", `<script src="/lib/html.js"></script>`],
    ["script: integrity", `<script src="/lib/none.js" integrity="sha384-AAAA"></script>`],
    ["handler: inline", `<button onclick="undefined.x"></button>` + s(`document.querySelector("button").click()`)],
    ["timer: setTimeout", s(`setTimeout(function f() { throw new Error("in a timer") })`)],
    ["timer: string", s(`setTimeout("throw new Error('in a string timer')")`)],
    ["queueMicrotask", s(`queueMicrotask(() => { throw new Error("in a microtask") })`)],
    ["promise: rejected", s(`Promise.reject(new Error("rejected"))`)],
    ["promise: rejected with a string", s(`Promise.reject("only a text")`)],
    ["promise: async function", s(`(async function f() { await 0; throw new RangeError("in async") })()`)],
    [
      "promise: handled late",
      s(`const p = Promise.reject(new Error("handled late")); setTimeout(() => p.catch(() => {}), 20)`),
    ],
    ["promise: any", s(`Promise.any([Promise.reject(new Error("first")), Promise.reject(new Error("second"))])`)],
    ["generator", s(`function* g() { throw new Error("in a generator") } setTimeout(() => g().next())`)],
    [
      "async generator",
      s(
        `async function* g() { yield 1; throw new Error("in an async generator") } (async () => { for await (const _ of g()); })()`,
      ),
    ],
    ["AggregateError", s(`throw new AggregateError([new Error("one"), new Error("two")], "several")`)],
    [
      "listener",
      s(
        `document.addEventListener("x", () => { throw new Error("in a listener") }); document.dispatchEvent(new Event("x"))`,
      ),
    ],
    ["reportError", s(`reportError(new Error("reported"))`)],
    [
      "custom element: connected",
      s(
        `customElements.define("x-a", class extends HTMLElement { connectedCallback() { throw new Error("in connectedCallback") } })`,
      ) + `<x-a></x-a>`,
    ],
    [
      "observer: resize loop",
      `<p style="width:10px">x</p>` +
        s(
          `const p = document.querySelector("p"); new ResizeObserver(() => { p.style.width = p.offsetWidth + 1 + "px"; p.n = (p.n ?? 0) + 1; if (p.n > 3) p.style.width = "50px" }).observe(p)`,
        ),
      { silent: "only window.onerror is told", ...extra(/ResizeObserver loop/, "only window.onerror is told") },
    ],
    ["module: throws", `<script type="module" src="/lib/module-throws.js"></script>`],
    ["module: syntax", `<script type="module" src="/lib/syntax.js"></script>`],
    ["module: inline throws", `<script type="module">throw new Error("in an inline module")</script>`],
    ["module: missing export", `<script type="module">import { gone } from "/lib/none.js"</script>`],
    ["module: 404", `<script type="module" src="/gone/m.js"></script>`],
    ["module: import is 404", `<script type="module" src="/lib/nested.js"></script>`],
    ["module: inline import is 404", `<script type="module">import "/gone/inline.js"</script>`],
    ["module: MIME", `<script type="module" src="/lib/html.js"></script>`],
    ["module: bare specifier", `<script type="module">import "lodash"</script>`],
    ["module: dynamic import 404", s(`import("/gone/dynamic.js")`)],
    ["module: dynamic import html", s(`import("/lib/html.js")`)],
    ["module: dynamic import html, caught", s(`import("/lib/html.js").catch(() => {})`)],
    ["module: dynamic import nested 404", s(`import("/lib/nested.js")`)],
    ["module: dynamic import throws", s(`import("/lib/module-throws.js")`)],
    ["module: dynamic import bare", s(`import("lodash")`)],
    ["module: json import", `<script type="module">import a from "/lib/ok.json"</script>`],
    ["module: top-level await", `<script type="module">await Promise.reject(new Error("awaited at the top"))</script>`],
    ["import map: broken", `<script type="importmap">{ "imports": </script>`],
    [
      "import map: maps to null",
      `<script type="importmap">{ "imports": { "a": "nowhere" } }</script><script type="module">import "a"</script>`,
    ],
    ["json: parse", s(`JSON.parse("<!doctype html>")`)],
    ["json: response of html", s(`fetch("/lib/page.html").then((r) => r.json())`)],
    ["json: new Response", s(`new Response("<").json()`)],
    ["json: request", s(`new Request("/", { method: "POST", body: "<" }).json()`)],
    [
      "body: cut text",
      s(`fetch("/lib/broken-half").then((r) => r.text())`),
      beside(/CONTENT_LENGTH_MISMATCH/, "of a body that breaks off the rejection is told, without its address"),
    ],
    [
      "body: cut reader",
      s(
        `fetch("/lib/broken-half").then(async (r) => { const d = r.body.getReader(); for (;;) if ((await d.read()).done) break })`,
      ),
      beside(/CONTENT_LENGTH_MISMATCH/, "of a body that breaks off the rejection is told, without its address"),
    ],
    ["body: formData", s(`fetch("/lib/page.html").then((r) => r.formData())`)],
    ["fetch: 500", s(`fetch("/lib/500")`)],
    ["fetch: 404 json", s(`fetch("/gone/api").then((r) => r.json())`)],
    ["fetch: dead port", s(`fetch("${dead}/dead")`), untold],
    ["fetch: CORS", s(`fetch("${other("/lib/ok.json")}")`), untold],
    ["fetch: preflight", s(`fetch("${other("/lib/ok.json")}", { method: "PUT", headers: { "x-a": "1" } })`), untold],
    ["fetch: aborted", s(`const c = new AbortController(); fetch("/lib/ok.json", { signal: c.signal }); c.abort()`)],
    ["fetch: CSP", s(`fetch("/lib/ok.json")`), policy("connect-src 'none'")],
    [
      "fetch: redirect CORS",
      s(`fetch("/lib/away")`),
      {
        ...beside(
          /ERR_FAILED/,
          "where a page is sent it is not told; the line before has the address that it asked for",
        ),
        ...untold,
      },
    ],
    ["xhr: CORS", s(`const x = new XMLHttpRequest(); x.open("GET", "${other("/lib/ok.json")}"); x.send()`), untold],
    ["xhr: 404", s(`const x = new XMLHttpRequest(); x.open("GET", "/gone/xhr"); x.send()`)],
    [
      "beacon: dead port",
      s(`navigator.sendBeacon("${dead}/dead", "x")`),
      alone(/ERR_CONNECTION_REFUSED/, "a page is not told how its beacon ended"),
    ],
    ["img: 404", `<img src="/gone/a.png">`],
    [
      "img: broken",
      `<img src="/lib/bad.png">`,
      { silent: "a picture that is none is no message", ...extra(/bad\.png/, "its element has an error event") },
    ],
    ["img: css background 404", `<p style="background:url(/gone/bg.png)">x</p>`],
    ["style: 404", `<link rel="stylesheet" href="/gone/a.css">`],
    [
      "style: html",
      `<link rel="stylesheet" href="/lib/css.html">`,
      { silent: "the console has it as an issue", ...extra(/css\.html/, "it was answered by a page") },
    ],
    ["style: import 404", `<style>@import "/gone/imported.css";</style>`],
    [
      "font: broken",
      `<style>@font-face { font-family: A; src: url(/lib/font.woff2) } p { font-family: A }</style><p>x</p>`,
      beside(/OTS/, "the line before has the file"),
    ],
    [
      "font: FontFace.load",
      s(`new FontFace("A", "url(/lib/font.woff2)").load()`),
      beside(/font|OTS/, "of a font that no style sheet names the rejection is all"),
    ],
    [
      "font: other origin",
      `<style>@font-face { font-family: A; src: url(${other("/lib/font.woff2")}) } p { font-family: A }</style><p>x</p>`,
    ],
    ["media: 404", `<video src="/gone/a.mp4"></video>`],
    [
      "media: broken",
      `<video src="/lib/bad.mp4"></video>`,
      { silent: "a film that is none is no message", ...extra(/bad\.mp4/, "its element has an error event") },
    ],
    [
      "media: play not allowed",
      `<video src="/lib/bad.mp4"></video>` + s(`document.querySelector("video").play()`),
      extra(/bad\.mp4/, "its element has an error event"),
    ],
    [
      "media: AudioContext before gesture",
      s(`new AudioContext().resume()`),
      alone(/AudioContext/, "a warning without an event"),
    ],
    ["media: getUserMedia", s(`navigator.mediaDevices.getUserMedia({ video: true })`)],
    ["media: getUserMedia wrong", s(`navigator.mediaDevices.getUserMedia({})`)],
    [
      "media: decodeAudioData",
      s(
        `fetch("/lib/bytes").then((r) => r.arrayBuffer()).then((b) => new OfflineAudioContext(1, 1, 44100).decodeAudioData(b))`,
      ),
    ],
    ["frame: same origin throws", `<iframe src="/lib/frame-throws.html"></iframe>`],
    ["frame: other origin rejects", `<iframe src="${other("/lib/frame-rejects.html")}"></iframe>`],
    ["frame: srcdoc", `<iframe srcdoc="<script>throw new Error('in srcdoc')</script>"></iframe>`],
    [
      "frame: sandbox",
      `<iframe sandbox src="/lib/frame-throws.html"></iframe>`,
      alone(/Blocked script execution/, "no script runs there"),
    ],
    [
      "frame: denied",
      `<iframe src="/lib/frame-denied.html"></iframe>`,
      alone(/Refused to display/, "an iframe has no error event"),
    ],
    [
      "frame: ancestors",
      `<iframe src="${other("/lib/frame-ancestors.html")}"></iframe>`,
      alone(/frame-ancestors/, "an iframe has no error event"),
    ],
    ["frame: 404", `<iframe src="/gone/frame.html"></iframe>`],
    [
      "frame: cross-origin access",
      `<iframe src="${other("/lib/page.html")}" onload="this.contentWindow.document"></iframe>`,
    ],
    [
      "frame: postMessage to another origin",
      `<iframe src="/lib/page.html" onload="this.contentWindow.postMessage(1, 'http://elsewhere.test')"></iframe>`,
      alone(/target origin/, "it throws nothing"),
    ],
    ["worker: throws", s(`new Worker("/lib/worker-throws.js")`)],
    ["worker: rejects", s(`new Worker("/lib/worker-rejects.js")`), ofWorker(/rejected in a worker/)],
    ["worker: console", s(`new Worker("/lib/worker-console.js")`), ofWorker(/console of a worker/)],
    ["worker: fetch", s(`new Worker("/lib/worker-fetch.js")`), ofWorker(/SyntaxError/)],
    ["worker: module throws", s(`new Worker("/lib/worker-module.js", { type: "module" })`)],
    [
      "worker: module import 404",
      s(`new Worker("/lib/worker-nested.js", { type: "module" })`),
      {
        silent: "the request is the worker's",
        ...extra(/worker script did not load|of-worker\.js/, "its object has an error event, the page a timing"),
      },
    ],
    ["worker: syntax", s(`new Worker("/lib/worker-syntax.js")`)],
    [
      "worker: 404",
      s(`new Worker("/gone/worker.js")`),
      {
        silent: "the request is no line of the page's target",
        ...extra(/worker script did not load/, "its object has an error event"),
      },
    ],
    ["worker: other origin", s(`new Worker("${other("/lib/worker-throws.js")}")`)],
    ["worker: of a worker", s(`new Worker("/lib/worker-of-worker.js")`)],
    ["worker: clone", s(`new Worker("/lib/none.js").postMessage(() => {})`)],
    [
      "shared worker: throws and rejects",
      s(`new SharedWorker("/lib/shared-throws.js"); new SharedWorker("/lib/shared-rejects.js")`),
      { silent: "the console of a shared worker is its own", answer: WORKERS },
    ],
    [
      "deprecations",
      s(`addEventListener("unload", () => {}); document.addEventListener("DOMNodeInserted", () => {})`),
      { silent: "deprecations are issues, not lines" },
    ],
    [
      "json: caught",
      s(`fetch("/lib/page.html").then((r) => r.json()).catch(() => {})`),
      { silent: "the page handles it" },
    ],
    [
      "console: lower levels",
      s(`console.log("l"); console.info("i"); console.debug("d"); console.trace("t"); console.table([1])`),
      { silent: "none is a warning" },
    ],
    [
      "CSP: report only",
      s(`1`),
      {
        headers: { "content-security-policy-report-only": "script-src 'self'" },
        silent: "the console has it as info",
        ...extra(/would block inline/, "a policy that is tried out is to be seen"),
      },
    ],
    ["service worker: 404", s(`navigator.serviceWorker.register("/gone/sw.js")`)],
    [
      "service worker: console",
      s(`navigator.serviceWorker.register("/lib/sw-console.js", { scope: "/lib/nothing/" })`),
      { services: true, ...ofWorker(/of a service worker/) },
    ],
    [
      "worklet: throws",
      s(
        `CSS.paintWorklet?.addModule("/lib/worklet.js"); new OfflineAudioContext(1, 1, 44100).audioWorklet.addModule("/lib/worklet.js")`,
      ),
      ofWorker(/thrown in a worklet/),
    ],
    [
      "worklet: 404",
      s(`new OfflineAudioContext(1, 1, 44100).audioWorklet.addModule("/gone/worklet.js")`),
      { answer: WORKERS },
    ],
    ["clone: structuredClone", s(`structuredClone(Symbol("x"))`)],
    [
      "clone: IndexedDB",
      s(`indexedDB.open("a", 1).onupgradeneeded = (e) => { e.target.result.createObjectStore("s").put(() => {}, 1) }`),
    ],
    [
      "IndexedDB: handler throws",
      s(`indexedDB.open("b", 1).onsuccess = () => { throw new Error("in a database's handler") }`),
    ],
    ["storage: quota", s(`localStorage.setItem("a", "x".repeat(6e6))`)],
    [
      "cache: addAll 404",
      s(`caches.open("a").then((c) => c.addAll(["/gone/cached"]))`),
      beside(/404/, "the browser asks for it; the rejection is told"),
    ],
    ["clipboard: write", s(`navigator.clipboard.writeText("x")`)],
    ["fullscreen", s(`document.documentElement.requestFullscreen()`), beside(/user gesture/, "the rejection is told")],
    ["blob: text after reading", s(`const f = new Blob(["x"]); new Response(f).json()`)],
    ["stream: errored", s(`new ReadableStream({ pull() { throw new Error("in a stream") } }).getReader().read()`)],
    [
      "stream: decompression",
      s(`new Response(new Blob(["x"]).stream().pipeThrough(new DecompressionStream("gzip"))).text()`),
    ],
    ["wasm: streaming", s(`WebAssembly.instantiateStreaming(fetch("/lib/bad.wasm"))`)],
    ["WebSocket: refused", s(`new WebSocket("${dead.replace("http", "ws")}/s")`)],
    ["WebSocket: no upgrade", s(`new WebSocket("${site.url("/lib/page.html").replace("http", "ws")}")`)],
    ["WebSocket: early send", s(`new WebSocket("${dead.replace("http", "ws")}/s").send("x")`)],
    [
      "EventSource: html",
      s(`new EventSource("/lib/stream-html")`),
      alike(/that is not "text\/event-stream"/, /was no event stream/),
    ],
    ["EventSource: 404", s(`new EventSource("/gone/stream")`)],
    ["EventSource: dead port", s(`new EventSource("${dead}/s")`)],
    ["CSP: inline script", `<script>1</script>`, policy("script-src 'self'")],
    [
      "CSP: eval",
      s(`eval("1")`),
      { ...policy("script-src 'unsafe-inline'"), ...alike(/Evaluating a string/, /script-src blocked eval/) },
    ],
    ["CSP: image", `<img src="/lib/bad.png">`, policy("img-src 'none'")],
    ["CSP: frame", `<iframe src="/lib/page.html"></iframe>`, policy("frame-src 'none'")],
    [
      "CSP: wrong directive",
      s(`1`),
      { ...policy("nonsense-src 'self'"), ...alone(/Unrecognized/, "the parser tells nobody") },
    ],
    [
      "Trusted Types",
      s(`document.body.innerHTML = "x"`),
      {
        ...policy("require-trusted-types-for 'script'"),
        ...alike(/requires 'TrustedHTML'/, /require-trusted-types-for/),
      },
    ],
    [
      "permissions policy",
      s(`navigator.geolocation.getCurrentPosition(() => {})`),
      { headers: { "permissions-policy": "geolocation=()" } },
    ],
    [
      "mixed content: image",
      `<img src="http://elsewhere.test/a.png">`,
      { https: true, ...beside(/upgraded to HTTPS/, "the request over https is named") },
    ],
    ["mixed content: script", `<script src="http://elsewhere.test/a.js"></script>`, { https: true }],
    ["mixed content: fetch", s(`fetch("http://elsewhere.test/a.json")`), { https: true }],
    [
      "mixed content: frame",
      `<iframe src="http://elsewhere.test/a"></iframe>`,
      { https: true, ...alone(/Mixed Content/, "an iframe has no error event") },
    ],
    ["intervention: vibrate", s(`navigator.vibrate(10)`)],
    [
      "intervention: dialog in unload",
      `<iframe src="/lib/page.html"></iframe>` +
        s(
          `addEventListener("load", () => { const f = document.querySelector("iframe"); f.contentWindow.onpagehide = () => f.contentWindow.alert(1); f.remove() })`,
        ),
      alone(/Blocked alert/, "it throws nothing"),
    ],
    [
      "svg: wrong attribute",
      `<svg><path d="M x"/><rect width="-1"/></svg>`,
      alone(/attribute/, "the parser tells nobody"),
    ],
    [
      "sandboxed form",
      `<iframe sandbox="allow-scripts" srcdoc="<form action=/x></form><script>document.forms[0].submit()</script>"></iframe>`,
      alone(/Blocked form submission/, "it throws nothing"),
    ],
    ["preload: 404", `<link rel="preload" as="script" href="/gone/preload.js">`],
    ["unloading", `<iframe src="/lib/unload.html" onload="this.remove()"></iframe>`],
    ["unhandled in finally", s(`Promise.reject(new Error("through finally")).finally(() => {})`)],
    [
      "error event prevented",
      s(`onerror = () => true; setTimeout(() => { throw new Error("kept from the console") })`),
      {
        silent: "the page prevented it",
        ...extra(/kept from the console/, "an agent wants to know what a page hides"),
      },
    ],
    [
      "rejection prevented",
      s(`onunhandledrejection = (e) => e.preventDefault(); Promise.reject(new Error("kept from the console too"))`),
      {
        silent: "the page prevented it",
        ...extra(/kept from the console/, "an agent wants to know what a page hides"),
      },
    ],
    [
      "listener stops",
      s(
        `addEventListener("error", (e) => e.stopImmediatePropagation(), true); setTimeout(() => { throw new Error("stopped") })`,
      ),
    ],
    ["console.error", s(`console.error("said", { a: 1 })`)],
    ["console.warn", s(`console.warn("warned")`)],
    ["console.assert", s(`console.assert(false, "asserted %s", "x"); console.assert(true, "not")`)],
    ["console.timeEnd", s(`console.timeEnd("none"); console.countReset("none")`)],
    ["console of a frame", `<iframe></iframe>` + s(`frames[0].console.error("by the frame's console")`)],
    ["thrown: string", s(`throw "only a text"`)],
    ["thrown: null", s(`throw null`)],
    ["message handler", s(`onmessage = () => { throw new Error("in a message handler") }; postMessage(1, "*")`)],
    [
      "form: not focusable",
      `<form><input required style="display:none"><button></button></form>` +
        s(`document.querySelector("button").click()`),
      alone(/not focusable/, "it throws nothing"),
    ],
    ["scheduler.postTask", s(`scheduler.postTask(() => { throw new Error("in a task") })`)],
    [
      "script: other origin rejects",
      `<script src="${other("/lib/rejects.js")}"></script>`,
      alone(
        /rejected by a script of another origin/,
        "the browser fires no unhandledrejection for a script of another origin without CORS",
      ),
    ],
    [
      "img: css background dead",
      `<p style="background:url(${dead}/bg.png)">x</p>`,
      alone(/ERR_CONNECTION_REFUSED/, "what a style sheet asks of another origin has no event and no status"),
    ],
    ["img: crossorigin", `<img crossorigin src="${other("/lib/ok.png")}">`],
    ["json: dynamic import broken", s(`import("/lib/bad.json", { with: { type: "json" } })`)],
    [
      "json: stream body",
      s(
        `new Response(new ReadableStream({ start(c) { setTimeout(() => { c.enqueue(new TextEncoder().encode("<")); c.close() }) } })).json()`,
      ),
    ],
    ["json: request of stream", s(`new Request("/", { method: "POST", body: new Blob(["<"]) }).json()`)],
    ["shared worker: script of html", s(`new SharedWorker("/lib/html.js")`)],
    ["speculation rules", `<script type="speculationrules">{ "prefetch": </script>`],
  ];
  return all.map(([name, html, more]) => ({ name, html, ...more }));
}
