// What the network did, and what that did to the page.
import { numberOf, type Question, script } from "./question.ts";

/** With more than 0.05 bits a pixel: the browser takes no picture with less for the largest. */
const PICTURE = `<svg xmlns="http://www.w3.org/2000/svg" width="900" height="500"><rect width="900" height="500" fill="teal"/><circle cx="300" cy="200" r="90" fill="gold"/><!--${"= ".repeat(4500)}--></svg>`;

/** The LCP as Performance knows it, with the times of what was loaded for it. */
const LCP = `() => new Promise((done) => new PerformanceObserver((list) => {
  const last = list.getEntries().at(-1), r = performance.getEntriesByName(last.url)[0];
  done({ element: last.element?.outerHTML.slice(0, 200), time: last.startTime, url: last.url,
    ttfb: performance.getEntriesByType("navigation")[0].responseStart,
    loadDelay: r && r.requestStart - performance.getEntriesByType("navigation")[0].responseStart, loadDuration: r && r.responseEnd - r.requestStart,
    renderDelay: r && last.startTime - r.responseEnd });
}).observe({ type: "largest-contentful-paint", buffered: true }))`;

const trace = (insight: string): Question["devtools"] => [
  ["performance_start_trace", { reload: true, autoStop: true }],
  [
    "performance_analyze_insight",
    (told) => ({ insightSetId: /insight set id: (\S+)/i.exec(told)?.[1], insightName: insight }),
  ],
];

/** The headers of the document, by both peers. */
const documentHeaders: Pick<Question, "playwright" | "devtools"> = {
  playwright: [
    ["browser_network_requests", { static: true }],
    [
      "browser_network_request",
      (told) => ({ index: numberOf(/(\d+)\. \[GET\] \S+\/ /g, told), part: "response-headers" }),
    ],
  ],
  devtools: [
    ["list_network_requests", { resourceTypes: ["document"] }],
    ["get_network_request", (told) => ({ reqid: numberOf(/reqid=(\d+) GET/g, told) })],
  ],
};

const analyze = (what: string, args: object = {}): Question["gasoline"] => [["analyze", { what, ...args }]];

export const loading: Question[] = [
  {
    group: "how it loads",
    ask: "What is the LCP element, and why is it late?",
    page: {
      "": `<title>Hero</title><h1>Lamps</h1><div id=stage></div><script>
        fetch("config.json").then((r) => r.json()).then(({ picture }) => { const image = new Image(900, 500); image.id = "hero"; image.src = picture; stage.append(image) })</script>`,
      "config.json": { body: `{"picture":"hero.svg"}`, after: 2000 },
      "hero.svg": PICTURE,
    },
    // Nearly all of the time is before the picture's request.
    says: [/hero/, /load ?delay[^\n]{0,60}?([2-9],?\d{3}|[2-9]\.\d)/i],
    before: (page) => page.locator("#hero").waitFor(),
    gasoline: analyze("performance", { limit: 1 }),
    playwright: script(LCP).playwright,
    devtools: trace("LCPBreakdown"),
  },
  {
    group: "how it loads",
    ask: "What is the LCP element, and what takes most of its time?",
    page: {
      "": `<title>Hero</title><h1>Lamps</h1><img id=hero src=hero.svg width=900 height=500 alt=Lamps>`,
      "hero.svg": { body: PICTURE, after: 2000 },
    },
    says: [/hero/, /(\bload|load ?duration|load ?time|download)\b[^\n]{0,30}?\b([2-9],?\d{3}|[2-9]\.\d)/i],
    gasoline: analyze("performance", { limit: 1 }),
    playwright: script(LCP).playwright,
    devtools: trace("LCPBreakdown"),
  },
  {
    group: "how it loads",
    ask: "What moves while the page loads?",
    page: {
      "": `<title>News</title><style>body { margin: 0 } article { height: 300px; padding: 1px }</style><article id=story><h1>Story</h1><p>Once upon a time</p></article><script>
        requestAnimationFrame(() => requestAnimationFrame(() => fetch("offer.json").then((r) => r.json()).then(() => {
          const banner = document.createElement("div"); banner.id = "banner"; banner.style.height = "200px"; banner.textContent = "Offer"; document.body.prepend(banner) })))</script>`,
      "offer.json": { body: "{}", after: 300 },
    },
    says: [/(CLS|shift|moved|node":|Impacted)[^]{0,120}?(story|ARTICLE)/],
    before: (page) => page.locator("#banner").waitFor(),
    gasoline: analyze("performance", { limit: 1 }),
    ...script(`() => new Promise((done) => new PerformanceObserver((list) => done(list.getEntries().map((e) => ({ value: e.value, time: e.startTime, recent: e.hadRecentInput,
      sources: e.sources.map((s) => ({ node: s.node?.outerHTML?.slice(0, 120), from: s.previousRect, to: s.currentRect })) })))).observe({ type: "layout-shift", buffered: true }))`),
    devtools: trace("CLSCulprits"),
  },
  {
    group: "how it loads",
    ask: "Which requests hold the first paint back?",
    page: {
      "": `<title>Head</title><script async src=stats.js></script><link rel=stylesheet media=print href=print.css><link rel=stylesheet href=theme.css><script src=slow.js></script><h1>Shop</h1>`,
      "theme.css": { body: "h1 { color: navy }", after: 900 },
      "slow.js": { body: "window.slow = 1", after: 1200 },
      "stats.js": { body: "window.stats = 1", after: 300 },
      "print.css": { body: "h1 { color: black }", after: 300 },
    },
    says: [
      /theme\.css[^\n]*\bblock|block[^\n]*theme\.css|block[^]*?theme\.css/i,
      /slow\.js[^\n]*\bblock|block[^\n]*slow\.js|block[^]*?slow\.js/i,
    ],
    not: [/(stats\.js|print\.css)[^\n]*[ "]blocking|block(?!ing": ?"non)[^\n,{}]*(stats\.js|print\.css)/i],
    gasoline: analyze("performance", { limit: 1 }),
    playwright: script(
      `() => performance.getEntriesByType("resource").map((r) => ({ name: r.name, status: r.renderBlockingStatus, start: r.startTime, end: r.responseEnd }))`,
    ).playwright,
    devtools: trace("RenderBlocking"),
  },
  {
    group: "headers and cookies",
    ask: "Which header against sniffing, framing or scripts does the document lack?",
    page: {
      "": {
        body: `<title>Bank</title><h1>Account</h1>`,
        headers: { "content-security-policy": "default-src 'self' data:", "x-frame-options": "DENY" },
      },
    },
    says: [
      /(missing|without|no|lacks?)[^\n]*(x-content-type-options|nosniff)|(x-content-type-options|nosniff)[^\n]*(missing|absent|not)|^(?=[^]*x-frame-options)(?=[^]*content-security-policy)(?![^]*x-content-type-options)/i,
    ],
    because: "Headers of documents are seen by *Network detail* only.",
    gasoline: analyze("security_audit", { checks: ["headers"] }),
    ...documentHeaders,
  },
  {
    group: "headers and cookies",
    ask: "Why is the picture not shown?",
    page: {
      "": {
        body: `<title>Album</title><h1>Album</h1><img src="{other}photo.svg" alt=Photo width=90 height=50>`,
        headers: { "content-security-policy": "default-src 'self' data:; img-src 'self' data:" },
      },
      "photo.svg": PICTURE,
    },
    says: [/photo\.svg/, /img-src/, /content.?security.?policy|securitypolicy|\bcsp\b/i],
    gasoline: [["observe", { what: "errors" }]],
    playwright: [["browser_console_messages", { level: "error" }]],
    devtools: [["list_console_messages", { types: ["error", "issue"] }]],
  },
  {
    group: "headers and cookies",
    ask: "Which cookie of a login may scripts read?",
    page: {
      "": {
        body: `<title>Login</title><h1>Welcome</h1>`,
        headers: {
          "set-cookie": [
            "session=4f9c2a71d0b84e55; Path=/; SameSite=Lax",
            "refresh=77ab01c2; Path=/; HttpOnly; SameSite=Strict",
          ],
        },
      },
    },
    // What scripts are not shown is not readable.
    says: [/session/],
    not: [/refresh(?![^\n]*httponly)/i],
    gasoline: [["observe", { what: "storage", storage_type: "cookies" }]],
    ...script(`() => document.cookie`),
  },
  {
    group: "what failed",
    ask: "Why does the list stay empty?",
    page: {
      "": `<title>Prices</title><h1>Prices</h1><ul id=list></ul><script>
        fetch("{other}prices.json").then((r) => r.json()).then((all) => { list.textContent = all.length }).catch(() => { list.textContent = "" })</script>`,
      "prices.json": "[1,2]",
    },
    says: [/prices\.json/, /access-control-allow-origin|blocked by cors/i],
    because: "A page is told no reason; *Network detail* would tell it.",
    gasoline: [
      ["observe", { what: "errors" }],
      ["observe", { what: "network_bodies", failed: true }],
    ],
    playwright: [["browser_console_messages", { level: "error" }]],
    devtools: [["list_console_messages", { types: ["error", "issue"] }]],
  },
  {
    group: "what failed",
    ask: "What changed between the answers for items?",
    page: {
      "": `<title>Items</title><h1>Items</h1><script>(async () => { for (const n of [1, 2, 3]) await (await fetch("items/" + n + ".json")).json() })()</script>`,
      "items/1.json": `{"id":1,"name":"Lamp","price":12,"tags":[]}`,
      "items/2.json": `{"id":2,"name":"Table","price":80,"tags":[]}`,
      "items/3.json": `{"id":3,"name":"Chair","price":"40","tags":[]}`,
    },
    says: [/price[^\n]*(string|text)|"price": ?"40"/, /price[^\n]*number|number[^\n]*price|"price": ?(12|80)\b/],
    gasoline: analyze("api_validation", { url: "items" }),
    ...(() => {
      const [first, last] = [/(\d+)\. \[GET\] \S+items\/1\.json /g, /(\d+)\. \[GET\] \S+items\/3\.json /g];
      const [a, b] = [/reqid=(\d+) GET \S+items\/1\.json /g, /reqid=(\d+) GET \S+items\/3\.json /g];
      return {
        playwright: [
          ["browser_network_requests", { filter: "items" }],
          ["browser_network_request", (told) => ({ index: numberOf(first, told), part: "response-body" })],
          ["browser_network_request", (told) => ({ index: numberOf(last, told), part: "response-body" })],
        ],
        devtools: [
          ["list_network_requests", { resourceTypes: ["fetch"] }],
          ["get_network_request", (told) => ({ reqid: numberOf(a, told) })],
          ["get_network_request", (told) => ({ reqid: numberOf(b, told) })],
        ],
      } satisfies Pick<Question, "playwright" | "devtools">;
    })(),
  },
  {
    group: "what failed",
    ask: "Which errors are there, and how often is each?",
    page: {
      "": `<title>Orders</title><h1>Orders</h1><script>
        for (const n of [11, 12, 13, 14, 15, 16]) setTimeout(() => { throw new Error("Cannot load order " + n) });
        setTimeout(() => { undefined.total })</script>`,
    },
    says: [/order[^\n]*(×|x|:|\() ?6\b|\b6 ?(×|x|times)[^\n]*order|(order 1\d[^]*){6}/i, /reading 'total'/],
    gasoline: analyze("error_clusters"),
    playwright: [["browser_console_messages", { level: "error" }]],
    devtools: [["list_console_messages", { types: ["error"] }]],
  },
  {
    group: "what failed",
    ask: "How much does the page load from other origins?",
    page: {
      "": `<title>Ads</title><h1>News</h1><script src="{other}widget.js"></script><script src="{other}tracker.js"></script><script src=own.js></script>`,
      "own.js": "window.own = 1",
      "widget.js": { body: `window.widget = "${"w".repeat(60_000)}"`, headers: { "timing-allow-origin": "*" } },
      "tracker.js": { body: `window.tracker = "${"t".repeat(20_000)}"`, headers: { "timing-allow-origin": "*" } },
    },
    // 80 kB of bodies; headers may count.
    says: [/localhost/, /\b(80|81)([.,]\d+)? ?kB|\b7[89]([.,]\d+)? ?Ki?B|\b80[,.]?\d{3}\b|\b81[,.]?[01]\d\d\b/i],
    gasoline: analyze("third_party_audit"),
    ...script(`() => { const sum = {};
      for (const r of performance.getEntriesByType("resource")) { const { origin } = new URL(r.name); sum[origin] = (sum[origin] ?? 0) + r.transferSize; }
      return sum; }`),
  },
];
