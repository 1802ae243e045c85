import type { Page } from "@playwright/test";
import type { Actors, PageCapture } from "../index.ts";
import { expect, test, type Records } from "./support/fixture.ts";

interface Tasks {
  scheduler: { postTask: (call: () => void, options: { delay: number }) => Promise<void> };
}

const both = { page: true, document: true, handle: true };

interface Handle {
  capture: { captures: [PageCapture, { actors: Actors }] };
}

/** Runs code of the page as an agent's action c1, and gives what is busy right after it. */
const act = (page: Page, code: string): Promise<string[]> =>
  page.evaluate((text) => {
    const [realm] = (window as never as Handle).capture.captures;
    realm.take({ type: "begin", action: "c1", ms: 5000, alone: false, whole: false });
    // oxlint-disable-next-line no-new-func, typescript/no-implied-eval -- the page's own code, at once
    new Function(text)();
    return realm.take({ type: "ask", action: "c1", waits: false })!.busy;
  }, code);

const busy = (page: Page): Promise<string[]> =>
  page.evaluate(
    () => (window as never as Handle).capture.captures[0].take({ type: "ask", action: "c1", waits: false })!.busy,
  );

const rested = (page: Page): Promise<void> => expect.poll(() => busy(page)).toEqual([]);

/** The lines of the console that begin with a word, with their causes. */
const causes = (records: Records, word: string) =>
  records
    .all("logs")
    .filter((x) => x.message.startsWith(word))
    .map((x) => [x.message, x.action, x.flags]);

/** Opens a socket as window.socket, which sends first at once where that is named. Its messages are logged after own. */
const openSocket = (page: Page, origin: string, { own = "", first = "", heard = 0 } = {}): Promise<void> =>
  page.evaluate(
    ([url, before, opening, wanted]) =>
      new Promise<void>((done) => {
        const socket = new WebSocket(url);
        Object.assign(window, { socket });
        let count = 0;
        socket.onopen = () => {
          if (opening) socket.send(opening);
          if (wanted === 0) done();
        };
        socket.onmessage = ({ data }) => {
          console.log(`${before}${data}`);
          if (before) setTimeout(() => console.log("own after the answer"), 20);
          if (++count === wanted) done();
        };
      }),
    [origin.replace("http", "ws") + "/ws?token=abc", own, first, heard] as const,
  );

test("frames that a page draws by itself are not an action's, though one comes right behind its task", async ({
  page,
  capture,
  server,
}) => {
  await capture(both);
  await page.goto(server.page("<p>"));
  await page.evaluate(`(function turn() { window.turns = (window.turns ?? 0) + 1; requestAnimationFrame(turn) })()`);
  for (let i = 0; i < 20; i++) {
    // A page that was not drawn for so long is drawn before anything else.
    await act(page, `for (const began = performance.now(); performance.now() < began + 150; );`);
    await rested(page);
    await page.evaluate(() => (window as never as Handle).capture.captures[0].take({ type: "end", action: "c1" }));
  }
});

test("an action is the cause of what it runs at once, in timers, frames, promises and after requests", async ({
  page,
  capture,
  server,
}) => {
  const records = await capture(both);
  await page.goto(server.page("<p>"));
  const started = await act(
    page,
    `console.log("own at once");
     Promise.resolve().then(() => console.log("own in a microtask"));
     setTimeout((text) => { console.log(text); setTimeout(() => console.log("own in a second timer"), 10) }, 30, "own in a timer");
     setTimeout("console.log('own in a text')", 5);
     requestAnimationFrame(() => console.log("own in a frame"));
     const interval = setInterval(() => { console.log("own in an interval"); clearInterval(interval) }, 15);
     (async () => {
       const response = await fetch("/json?own");
       console.log("own after an answer");
       await response.text();
       console.log("own after its body");
       const xhr = new XMLHttpRequest();
       xhr.onload = () => console.log("own after XHR");
       xhr.open("GET", "/json?xhr");
       xhr.send();
     })();`,
  );
  expect(started.length).toBeGreaterThan(2);
  await rested(page);
  await page.evaluate(() => {
    (window as never as Handle).capture.captures[0].take({ type: "end", action: "c1" });
    console.log("end");
  });
  await records.one("logs", (x) => x.message === "end");
  const told = causes(records, "own");
  expect(new Set(told.map(([message]) => message))).toEqual(
    new Set([
      "own after XHR",
      "own after an answer",
      "own after its body",
      "own at once",
      "own in a frame",
      "own in a microtask",
      "own in a second timer",
      "own in a text",
      "own in a timer",
      "own in an interval",
    ]),
  );
  for (const [message, action, flags] of told) expect([message, action, flags]).toEqual([message, "c1", undefined]);
  const made = records.all("network").filter((x) => x.initiator.type !== "navigation");
  expect(made.map((x) => [x.action, x.flags])).toEqual([
    ["c1", undefined],
    ["c1", undefined],
  ]);
  expect((await records.one("logs", (x) => x.message === "end")).action).toBeUndefined();
});

test("a timer that is cleared by what it calls ends its turn there", async ({ page, capture, server }) => {
  const records = await capture(both);
  await page.goto(server.page("<p>"));
  for (const [set, clear] of [
    ["setInterval", "clearInterval"],
    ["setTimeout", "clearTimeout"],
  ] as const) {
    await act(page, `const id = ${set}(() => { console.log("own ${set}"); ${clear}(id) }, 20)`);
    await rested(page);
    await records.one("logs", (x) => x.message === `own ${set}`);
    await page.evaluate((name) => {
      console.log(`other after ${name}`);
      (window as never as Handle).capture.captures[0].take({ type: "end", action: "c1" });
      console.log(`end of ${name}`);
    }, set);
    await records.one("logs", (x) => x.message === `end of ${set}`);
    const told = causes(records, "").filter(([message]) => String(message).endsWith(set));
    expect(told).toEqual([
      [`own ${set}`, "c1", undefined],
      [`other after ${set}`, "c1", ["inferred"]],
      [`end of ${set}`, undefined, undefined],
    ]);
  }
});

test("timers that are due at once do not take each other's turns", async ({ page, capture, server }) => {
  const records = await capture(both);
  await page.goto(server.page("<p>"));
  // The second of each pair is set so late that it is due within the few µs in which the first one's turn begins and ends.
  await act(
    page,
    `let left = 40;
     const pair = () => {
       const began = performance.now();
       let due = 2;
       const done = () => { if (--due === 0 && --left > 0) pair(); else if (due === 0) console.log("own last") };
       setTimeout(() => { console.log("own first"); done() }, 12);
       for (const until = began + 7 + Math.random() * 0.1; performance.now() < until; );
       setTimeout(() => { console.log("own second"); done() }, 5);
       for (const until = began + 14; performance.now() < until; );
     };
     pair();`,
  );
  await records.one("logs", (x) => x.message === "own last");
  const told = causes(records, "own");
  expect(told.length).toBe(81);
  expect(told.filter(([, action, flags]) => action !== "c1" || flags !== undefined)).toEqual([]);
});

test("an uncaught error and a rejection nobody handled have the action as their cause", async ({
  page,
  capture,
  server,
}) => {
  const records = await capture(both);
  await page.goto(server.page("<p>"));
  await act(page, `setTimeout(() => { throw new Error("thrown") }, 5); Promise.reject(new Error("rejected"));`);
  for (const message of ["thrown", "rejected"]) {
    const event = await records.one("exceptions", (x) => x.message === message);
    expect([event.action, event.flags]).toEqual(["c1", undefined]);
    // Nothing of ours stands in the stacks.
    expect(event.raw_stack ?? "").not.toContain("scope");
  }
});

test("what runs meanwhile by itself is in the same time and no more, and nobody waits for it", async ({
  page,
  capture,
  server,
}) => {
  const records = await capture(both);
  await page.goto(server.page("<p>"));
  await page.evaluate(() => {
    setTimeout(() => console.log("other"), 400);
  });
  expect(await act(page, "")).toEqual([]);
  const other = await records.one("logs", (x) => x.message === "other");
  expect([other.action, other.flags]).toEqual(["c1", ["inferred"]]);
});

test("what a page asks for while the other world waits for something is the action's, until that says that it does not", async ({
  page,
  capture,
  server,
}) => {
  await capture(both);
  await page.goto(server.page("<p>"));
  await act(page, "");
  const asked = (waits: boolean, code: string): Promise<string[]> =>
    page.evaluate(
      async ([is, text]) => {
        const take = (): string[] =>
          (window as never as Handle).capture.captures[0].take({ type: "ask", action: "c1", waits: is })!.busy;
        take();
        const until = performance.now() + 200; // no frame comes for so long
        while (performance.now() < until);
        // oxlint-disable-next-line no-new-func, typescript/no-implied-eval -- the page's own code, at once
        new Function(text)();
        return take();
      },
      [waits, code] as const,
    );
  expect(await asked(true, "fetch('/hang?a')")).toEqual(["fetch GET /hang"]);
  expect(await asked(false, "fetch('/other?b')")).toEqual(["fetch GET /hang"]);
});

for (const [name, early, waits] of [
  [
    "a body that comes long after its head is waited for where only the time says whose it is, and what comes then",
    true,
    ["fetch GET /drip", "body of a response", "fetch GET /hang"],
  ],
  [
    "a body that a page reads before the action is known is waited for, and what comes then",
    false,
    ["body of a response", "fetch GET /hang"],
  ],
] as const)
  test(name, async ({ page, capture, server }) => {
    await capture({ ...both, config: { bodies: false } });
    await page.goto(server.page("<p>"));
    const seen = await page.evaluate(async (isEarly) => {
      const [realm] = (window as never as Handle).capture.captures;
      const asked = fetch("/drip");
      if (isEarly)
        void asked.then(async (answer) => {
          await answer.text();
          await fetch("/hang");
        });
      else void (await asked).json().catch(() => fetch("/hang"));
      realm.take({ type: "begin", action: "c1", ms: 9000, alone: false, whole: true });
      const all: string[] = [];
      while (!all.includes("fetch GET /hang") && !all.includes("")) {
        const now = realm.take({ type: "ask", action: "c1", waits: false })!.busy.join();
        if (now !== all.at(-1)) all.push(now);
        await (window as never as Tasks).scheduler.postTask(() => {}, { delay: 5 }); // no timer of the page's
      }
      return all;
    }, early);
    expect(seen).toEqual(waits);
  });

test("what an action sends over a socket is waited for until the next message, whose doings are its own by time", async ({
  page,
  capture,
  server,
}) => {
  const records = await capture(both);
  await page.goto(server.page("<p>"));
  await openSocket(page, server.origin, { own: "own answer " });
  expect(await act(page, `socket.send("after 300"); console.log("own at once")`)).toEqual(["answer over /ws"]);
  await records.one("logs", (x) => x.message === "own answer after 300");
  await rested(page);
  await records.one("logs", (x) => x.message === "own after the answer");
  expect(causes(records, "own")).toEqual([
    ["own at once", "c1", undefined],
    ["own answer after 300", "c1", ["inferred"]],
    ["own after the answer", "c1", ["inferred"]],
  ]);
  // The user's page has nobody to wait for: what it sends outside of an action is no part of one.
  await page.evaluate(
    () =>
      new Promise<void>((done) => {
        setTimeout(() => {
          (window as never as { socket: WebSocket }).socket.send("no answer");
          done();
        }, 50);
      }),
  );
  expect(await busy(page)).toEqual([]);
});

test("a socket that answers nothing is waited for once, until it answers again", async ({ page, capture, server }) => {
  const records = await capture(both);
  await page.goto(server.page("<p>"));
  await openSocket(page, server.origin);
  const began = performance.now();
  expect(await act(page, `socket.send("no answer"); socket.send("no answer")`)).toEqual(["answer over /ws"]);
  await rested(page);
  expect(performance.now() - began).toBeGreaterThan(900);
  expect(await act(page, `socket.send("no answer")`)).toEqual([]);
  expect(await act(page, `socket.send("late answer")`)).toEqual([]);
  await records.one("logs", (x) => x.message === "late answer");
  expect(await act(page, `socket.send("after 100")`)).toEqual(["answer over /ws"]);
  await rested(page);
  await records.one("logs", (x) => x.message === "after 100");
});

test("a socket that speaks by itself is waited for a fifth of a second", async ({ page, capture, server }) => {
  const records = await capture(both);
  await page.goto(server.page("<p>"));
  // Nothing of an action: these come by themselves.
  await openSocket(page, server.origin, { first: "flood 2", heard: 2 });
  // Where a socket does not speak by itself, its answer is waited for longer than this timer.
  await page.evaluate(() => {
    const [realm] = (window as never as Handle).capture.captures;
    const look = (): void =>
      void Object.assign(window, { still: realm.take({ type: "ask", action: "c1", waits: false })!.busy });
    setTimeout(look, 900);
  });
  expect(await act(page, `socket.send("no answer")`)).toEqual(["answer over /ws"]);
  await expect.poll(() => page.evaluate("window.still")).toEqual([]);
  // It is no reason not to wait again.
  expect(await act(page, `socket.send("after 50")`)).toEqual(["answer over /ws"]);
  await records.one("logs", (x) => x.message === "after 50");
  expect(causes(records, "after 50")).toEqual([["after 50", "c1", ["inferred"]]]);
});

test("the page's timers are its own: natives come back, cleared ones do not run, stacks hold no frame of ours", async ({
  page,
  capture,
  server,
}) => {
  await capture(both);
  await page.goto(
    server.page(`<script>
      const names = ["setTimeout", "setInterval", "clearTimeout", "clearInterval", "requestAnimationFrame", "cancelAnimationFrame"];
      const natives = names.map((name) => Object.getOwnPropertyDescriptor(window, name));
      const same = () => names.every((name, i) => {
        const is = Object.getOwnPropertyDescriptor(window, name);
        return is.value === natives[i].value && is.writable === natives[i].writable && is.enumerable === natives[i].enumerable;
      });
    </script>`),
  );
  await act(
    page,
    `window.ran = [];
     clearTimeout(setTimeout(() => ran.push("cleared"), 5));
     cancelAnimationFrame(requestAnimationFrame(() => ran.push("cancelled")));
     window.texts = [String(setTimeout), setTimeout.name, setTimeout.length];
     setTimeout(function () { ran.push(this === window, arguments.length, new Error().stack.split("\\n").length) }, 20, 1, 2);`,
  );
  await rested(page);
  expect(await page.evaluate("ran")).toEqual([true, 2, 2]);
  expect(await page.evaluate("texts")).toEqual(["function setTimeout() { [native code] }", "setTimeout", 1]);
  expect(await page.evaluate("same()")).toBe(false);
  await page.evaluate(() => (window as never as Handle).capture.captures[0].take({ type: "end", action: "c1" }));
  expect(await page.evaluate("same()")).toBe(true);
});

test("an action without end is named as what it is, and followed no longer than it may be", async ({
  page,
  capture,
  server,
}) => {
  const records = await capture(both);
  await page.goto(server.page("<p>"));
  await act(page, `(function turn() { window.turns = (window.turns ?? 0) + 1; requestAnimationFrame(turn) })()`);
  await expect.poll(() => page.evaluate("turns > 5")).toBe(true);
  expect(await busy(page)).toEqual(["animation frame"]);
  expect(await act(page, `setTimeout(() => {}, 900); fetch("/hang")`)).toEqual(
    expect.arrayContaining(["fetch GET /hang", "timer of 900 ms"]),
  );
  await page.evaluate(() => {
    const [realm] = (window as never as Handle).capture.captures;
    realm.take({ type: "end", action: "c1" });
    realm.take({ type: "begin", action: "c2", ms: 1, alone: false, whole: false });
  });
  await expect
    .poll(() => page.evaluate("setTimeout.toString === Function.prototype.toString && turns > 10"))
    .toBe(true);
  await expect
    .poll(async () => {
      await page.evaluate(() => console.log("now"));
      return records.all("logs").at(-1)?.action;
    })
    .toBeUndefined();
});

test("what a user does has an id that its consequences carry", async ({ page, capture, server }) => {
  const records = await capture(both);
  await page.goto(
    server.page(`<button onclick="console.log('clicked'); setTimeout(() => console.log('later'), 20)">Go</button>
      <form onsubmit="event.preventDefault(); console.log('sent')"><input aria-label=Name><button>Send</button></form>`),
  );
  await page.click("text=Go");
  const click = await records.one("actions", (x) => x.type === "click");
  expect(click).toMatchObject({ by: "user", action: expect.stringMatching(/^u1-\w+$/) as unknown });
  for (const message of ["clicked", "later"])
    expect(await records.one("logs", (x) => x.message === message)).toMatchObject({ action: click.action });
  await page.click("text=Send");
  const submit = await records.one("actions", (x) => x.type === "submit");
  const send = records.all("actions").find((x) => x.name === "Send")!;
  expect(submit.action).toBe(send.action);
  expect(send.action).not.toBe(click.action);
  expect(await records.one("logs", (x) => x.message === "sent")).toMatchObject({ action: send.action });
});

test("who did it is right when user, agent and script act at once", async ({ page, capture, server }) => {
  const records = await capture(both);
  await page.goto(
    server.page(`<button id=a>A</button><button id=b>B</button><button id=c style="position:fixed;left:300px;top:300px">C</button>
      <input type=checkbox aria-label=One><input type=checkbox aria-label=Two><input aria-label=Text>`),
  );
  await page.evaluate(() => {
    const [, { actors }] = (window as never as Handle).capture.captures;
    const [a, b] = [document.getElementById("a")!, document.getElementById("b")!];
    const [one, two, text] = [...document.querySelectorAll("input")];
    a.addEventListener("click", () => b.click());
    actors.begin("c1", "claude");
    actors.dispatch(a, new MouseEvent("click", { bubbles: true }));
    actors.dispatch(one!, new MouseEvent("click", { bubbles: true }));
    two!.checked = true;
    two!.dispatchEvent(new Event("change", { bubbles: true }));
    actors.perform(() => {
      text!.focus();
      document.execCommand("insertText", false, "typed");
    });
    actors.expect({ type: "pointer", x: 5, y: 5, press: false });
  });
  await page.click("#b"); // the user's, while real input is expected elsewhere
  const box = (await page.locator("#c").boundingBox())!;
  const [x, y] = [box.x + box.width / 2, box.y + box.height / 2];
  await page.evaluate(
    ([x, y]) =>
      (window as never as Handle).capture.captures[1].actors.expect({ type: "pointer", x: x!, y: y!, press: false }),
    [x, y],
  );
  await page.mouse.click(x, y);
  await records.one("actions", (z) => z.name === "C");
  const told = records.all("actions").map((z) => [z.type, z.name, z.by, z.client, z.action?.[0]]);
  expect(told).toEqual([
    ["click", "A", "agent", "claude", "c"],
    ["click", "One", "agent", "claude", "c"],
    ["check", "One", "agent", "claude", "c"],
    ["check", "Two", "script", undefined, undefined],
    ["input", "Text", "agent", "claude", "c"],
    ["click", "B", "user", undefined, "u"],
    ["click", "C", "agent", "claude", "c"],
  ]);
});

test("a text that comes without keys once an agent's act is over is the user's", async ({ page, capture, server }) => {
  const records = await capture(both);
  await page.goto(server.page(`<button id=a>A</button><input aria-label=Text>`));
  await page.evaluate(() => {
    const [, { actors }] = (window as never as Handle).capture.captures;
    actors.begin("c1", "claude");
    actors.dispatch(document.getElementById("a")!, new MouseEvent("click", { bubbles: true }));
    actors.end("c1");
    document.querySelector("input")!.focus();
  });
  await page.keyboard.insertText("dictated");
  await page.keyboard.press("Tab");
  await records.one("actions", (z) => z.type === "keypress");
  const told = records.all("actions").map((z) => [z.type, z.name, z.by]);
  expect(told).toEqual([
    ["click", "A", "agent"],
    ["input", "Text", "user"],
    ["keypress", "Text", "user"],
  ]);
});

test("an answer of a worker and a picture in no document are waited for, and what follows them is the action's", async ({
  page,
  capture,
  server,
}) => {
  const records = await capture(both);
  await page.goto(server.page("<p>"));
  await page.evaluate(() => {
    const code = "onmessage = ({ data }) => setTimeout(() => postMessage(data), 30)";
    const made = new Worker(URL.createObjectURL(new Blob([code], { type: "text/javascript" })));
    Object.assign(window, { made });
    made.addEventListener("message", ({ data }) => console.log(`own ${data}`));
  });
  const started = await act(
    page,
    `made.postMessage("answer");
     const image = new Image();
     image.onerror = () => console.log("own picture");
     image.src = "/json?picture";`,
  );
  expect(started.toSorted()).toEqual(["answer of a worker", "loading of img /json"]);
  await rested(page);
  await page.evaluate(() => {
    (window as never as Handle).capture.captures[0].take({ type: "end", action: "c1" });
    console.log("end");
  });
  await records.one("logs", (x) => x.message === "end");
  expect(new Set(causes(records, "own").map(([message, action]) => `${String(message)} ${String(action)}`))).toEqual(
    new Set(["own answer c1", "own picture c1"]),
  );
  // Nothing is in the way any more.
  const left = await page.evaluate(() => [
    Object.getOwnPropertyDescriptor(HTMLImageElement.prototype, "src")?.set?.name,
    Worker.prototype.postMessage.name,
  ]);
  expect(left).toEqual(["set src", "postMessage"]);
});

test("of a page in front nothing is held back", async ({ page, capture, server }) => {
  await capture(both);
  await page.goto(server.page("<p>"));
  const [held, busyNow] = await page.evaluate(async () => {
    const [realm] = (window as never as Handle).capture.captures;
    realm.take({ type: "begin", action: "c1", ms: 5000, alone: false, whole: false });
    setTimeout(() => {}, 500);
    const answer = realm.take({ type: "ask", action: "c1", waits: false })!;
    return [answer.held, answer.busy] as const;
  });
  expect(held).toEqual([]);
  expect(busyNow).toEqual(["timer of 500 ms"]);
});
