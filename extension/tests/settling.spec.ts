import { open } from "./acting.ts";
import { expect, test } from "./extension.ts";

test.use({ host: "node" });

const UNCACHED = { "Cache-Control": "no-store" };

/** Each way in which a button's press leads to a word of the page a moment later, by the code that does it. */
const WAYS: Record<string, string> = {
  "a script that is added":
    "s = document.createElement('script'); s.src = '/chunk.js?' + Math.random(); document.head.append(s)",
  "a module that is added":
    "s = document.createElement('script'); s.type = 'module'; s.src = '/chunk.js?' + Math.random(); document.head.append(s)",
  "a style sheet that is added":
    "l = document.createElement('link'); l.rel = 'stylesheet'; l.onload = said; l.href = '/style.css?' + Math.random(); document.head.append(l)",
  "code that is preloaded, and imported then":
    "l = document.createElement('link'); l.rel = 'modulepreload'; u = '/chunk.js?' + Math.random(); l.onload = () => import(u); l.href = u; document.head.append(l)",
  "a script that asks a server":
    "s = document.createElement('script'); s.src = '/asks.js?' + Math.random(); document.head.append(s)",
  "a picture that is in no document": "i = new Image(); i.onerror = said; i.src = '/pic.png?' + Math.random()",
  "a picture that is added":
    "i = document.createElement('img'); i.onerror = said; i.setAttribute('src', '/pic.png?' + Math.random()); document.body.append(i)",
  "a frame that is added":
    "f = document.createElement('iframe'); f.onload = said; f.src = '/frame?' + Math.random(); document.body.append(f)",
  "a frame that shows something else": "g.onload = said; g.src = '/frame?' + Math.random()",
  "a frame in a shadow root":
    "r = (r0 = document.createElement('div')).attachShadow({mode: 'closed'}); document.body.append(r0); f = document.createElement('iframe'); f.onload = said; f.src = '/frame?' + Math.random(); r.append(f)",
  "a worker that answers": "w.onmessage = said; w.postMessage(0)",
  "a worker that is started": "v = new Worker('/speaks.js'); v.onmessage = said",
  "a shared worker that answers": "m = new SharedWorker('/shared.js').port; m.onmessage = said; m.postMessage(0)",
  "an animation": "d.animate([{opacity: 0}, {opacity: 1}], 400).finished.then(said)",
  "an animation of CSS": "d.onanimationend = said; d.style.animation = 'come 400ms'",
  "an animation that a page begins before it works for long":
    "d.onanimationend = said; d.style.animation = 'come 400ms'; t = performance.now(); while (performance.now() - t < 200);",
  "a transition": "d.style.transition = 'margin 400ms'; d.style.marginLeft = '9px'; d.ontransitionend = said",
  "a transition in a shadow root":
    "e = sh.shadowRoot.firstChild; e.ontransitionend = said; e.style.transition = 'margin 400ms'; e.style.marginLeft = '9px'",
  "a render that comes by a message, with a script in it":
    "c = new MessageChannel(); c.port1.onmessage = () => { s = document.createElement('script'); s.src = '/chunk.js?' + Math.random(); document.head.append(s) }; c.port2.postMessage(0)",
};

for (const [way, code] of Object.entries(WAYS)) {
  test(`an act waits for what it leads to by ${way}`, async ({ daemon, site, browserWithExtension }) => {
    const headers = UNCACHED;
    const type = "text/javascript";
    site.page("/chunk.js", { body: "said()", type, delay: 400, headers });
    site.page("/asks.js", { body: "fetch('/slow?' + Math.random()).then(said)", type, delay: 300, headers });
    site.page("/slow", { body: "x", delay: 300, headers });
    site.page("/style.css", { body: "p { color: red }", type: "text/css", delay: 400, headers });
    site.page("/worker.js", { body: "onmessage = () => setTimeout(() => postMessage(0), 400)", type });
    site.page("/speaks.js", { body: "setTimeout(() => postMessage(0), 400)", type });
    site.page("/shared.js", {
      body: "onconnect = ({ports: [p]}) => { p.onmessage = () => setTimeout(() => p.postMessage(0), 400) }",
      type,
    });
    site.page("/pic.png", { body: "no", type: "image/png", delay: 400, headers });
    site.page("/frame", { body: "<p>x", delay: 400, headers });
    const { run } = await open(
      browserWithExtension,
      site,
      daemon,
      `<style>@keyframes come { from { opacity: 0 } }</style>
       <p id=say role=alert>ready</p><div id=d>d</div><iframe id=g></iframe><div id=sh></div>
       <button>Press</button>
       <script>w = new Worker('/worker.js'); said = () => { say.textContent = 'Card declined' };
         sh.attachShadow({mode: 'open'}).innerHTML = '<p>in it</p>';
         document.querySelector('button').onclick = () => { ${code.replaceAll("</", "<\\/")} }</script>`,
    );
    const { error, result } = await run("click", { selector: "text=Press" });
    expect(error).toBeUndefined();
    expect(result.receipt?.changes?.join(), JSON.stringify(result.receipt)).toContain("Card declined");
    expect(result.receipt?.busy).toBeUndefined();
  });
}

test("an act does not wait for what the page does by itself, or for what has no end", async ({
  daemon,
  site,
  browserWithExtension,
}) => {
  site.page("/pic.png", { body: "no", type: "image/png", headers: UNCACHED });
  const { run } = await open(
    browserWithExtension,
    site,
    daemon,
    `<style>@keyframes turn { to { rotate: 1turn } } #spin { animation: turn 1s infinite }</style>
     <button onclick="spin.hidden = false; i = document.createElement('img'); i.loading = 'lazy'; i.src = '/pic.png?lazy'; far.append(i)">Press</button>
     <button onclick="box.innerHTML = '<p>text</p><script src=/pic.png?never><\\/script><script type=text/template src=/pic.png?data><\\/script><iframe src=about:blank></iframe>'">Write</button>
     <div id=spin hidden>s</div><div id=box></div><div id=far style="margin-top: 20000px">far</div>
     <script>setInterval(() => { const i = document.createElement('img'); i.src = '/pic.png?' + Math.random(); far.append(i) }, 30)</script>`,
  );
  for (const selector of ["text=Press", "text=Write"]) {
    const { error, result } = await run("click", { selector });
    expect(error).toBeUndefined();
    expect(result.receipt?.busy, selector).toBeUndefined();
  }
});

test("of code that a page imports, which nobody sees come, nothing is claimed", async ({
  daemon,
  site,
  browserWithExtension,
}) => {
  site.page("/chunk.js", { body: "document.title = 'came'", type: "text/javascript", delay: 300 });
  const { page, run } = await open(
    browserWithExtension,
    site,
    daemon,
    `<button onclick="import('/chunk.js')">Press</button>`,
  );
  const { error, result } = await run("click", { selector: "text=Press" });
  expect(error).toBeUndefined();
  expect(Object.keys(result.receipt ?? {})).toEqual(["settled_ms"]); // which is told with what is not watched
  await expect(page).toHaveTitle("came");
});

test("what takes longer than an act waits for is named", async ({ daemon, site, browserWithExtension }) => {
  site.page("/chunk.js", { body: "", type: "text/javascript", delay: 300_000 });
  const { run } = await open(
    browserWithExtension,
    site,
    daemon,
    `<button onclick="s = document.createElement('script'); s.src = '/chunk.js'; document.head.append(s)">Press</button>`,
  );
  const { result } = await run("click", { selector: "text=Press" });
  expect(result.receipt?.busy).toEqual(["loading of script /chunk.js"]);
});
