import type { CommandKind, Commands } from "@gasoline/schema/commands";
import type { FakeDaemon } from "./daemon.ts";
import { type Browser, expect, test } from "./extension.ts";
import type { Site } from "./site.ts";

test.use({ host: "node" });

/** What a page hears of input: the order is what pages rely on. */
const HEARD =
  "pointerdown mousedown pointerup mouseup click dblclick auxclick keydown keypress beforeinput input change keyup focusin submit";

declare const log: string[];

/** Gives what runs a command on fresh html, and returns what the page heard of it. */
async function listener(browser: Browser, daemon: FakeDaemon, site: Site) {
  await browser.set({ pilot: true });
  await browser.page.goto(
    site.page(
      "/heard",
      `<!doctype html><title>Heard</title><body></body><script>
         window.log = [];
         const told = (event) => [
           event.type + "@" + (event.target.id || event.target.localName), event.constructor.name, event.detail, event.button,
           event.buttons, event.isPrimary, event.pointerType, event.key, event.code, event.keyCode, event.charCode, event.which, event.data, event.inputType,
           event.type === "click" || event.type === "input" ? event.target.value + "," + event.target.checked : "",
         ].filter((part) => part !== undefined && part !== null).join(" ");
         for (const type of "${HEARD}".split(" ")) addEventListener(type, (event) => {
           log.push(told(event));
           if (type === "submit") event.preventDefault();
         }, true);
       </script>`,
    ),
  );
  const tab = await browser.tab(browser.page);
  return async <K extends CommandKind>(html: string, kind: K, params: Commands[K]["params"]): Promise<string[]> => {
    await browser.page.evaluate((given) => {
      document.body.innerHTML = given;
      (document.querySelector("[autofocus]") as HTMLElement | null)?.focus();
      log.length = 0;
    }, html);
    const { error } = await daemon.command(kind, params, { tab });
    expect(error, html).toBeUndefined();
    return browser.page.evaluate(() => [...log]);
  };
}

type Case = [kind: "click" | "type" | "key_press", html: string, params: object];

const form = (inner: string): string => `<form>${inner}<button id=send>Send</button></form>`;
const radios = `<input id=a autofocus><input type=radio name=r id=r1><input type=radio name=r id=r2 checked><input type=radio name=r id=r3><input id=z>`;
const unchecked = radios.replace(" checked", "");

const CASES: Record<string, readonly Case[]> = {
  "text that is typed": [
    ["type", "<input id=a>", { selector: "#a", text: "aB" }],
    ["type", "<input id=a type=email value=bad>", { selector: "#a", text: "@x" }],
    ["type", "<input id=a type=number value=1>", { selector: "#a", text: "2" }],
    ["type", "<input id=a type=email value=bad>", { selector: "#a", text: "x", clear: true }],
    [
      "type",
      "<input id=a onkeypress='if (!/[0-9]/.test(event.key)) event.preventDefault()'>",
      { selector: "#a", text: "1a2" },
    ],
    [
      "type",
      "<input id=a onbeforeinput='if (event.data === `a`) event.preventDefault()'>",
      { selector: "#a", text: "1a2" },
    ],
    ["type", "<input id=a value=ab>", { selector: "#a", text: "", clear: true }],
    ["type", "<input id=a value=ab>", { selector: "#a", text: "" }],
    ["type", "<textarea id=a>x</textarea>", { selector: "#a", text: "\n1" }],
    ["key_press", "<input id=a autofocus>", { text: "x" }],
    ["key_press", "<input id=a autofocus onkeypress='event.preventDefault()'>", { text: "x" }],
  ],
  "Enter on the parts of a form": [
    ["key_press", form("<input id=a autofocus>"), { text: "Enter" }],
    ["key_press", form("<input id=a autofocus onkeypress='event.preventDefault()'>"), { text: "Enter" }],
    ["key_press", form("<input id=a type=checkbox autofocus>"), { text: "Enter" }],
    ["key_press", form("<input id=a type=radio autofocus>"), { text: "Enter" }],
    ["key_press", form("<input id=a type=range autofocus>"), { text: "Enter" }],
    ["key_press", form("<input id=a autofocus value=b onbeforeinput='event.preventDefault()'>"), { text: "Enter" }],
    ["key_press", form("<textarea id=a autofocus></textarea>"), { text: "Enter" }],
    ["key_press", form("<input id=a type=checkbox autofocus onkeyup='event.preventDefault()'>"), { text: " " }],
    [
      "key_press",
      form("<button type=button id=a autofocus onkeypress='event.preventDefault()'>a</button>"),
      { text: " " },
    ],
    [
      "key_press",
      form("<button type=button id=a autofocus onkeydown='event.preventDefault()'>a</button>"),
      { text: " " },
    ],
    ["key_press", "<form><input id=a type=checkbox autofocus></form>", { text: "Enter" }],
    ["key_press", "<form><input id=a autofocus></form>", { text: "Enter" }],
    ["key_press", form("<input id=a type=button value=b autofocus>"), { text: "Enter" }],
    ["key_press", form("<input id=a type=checkbox autofocus>"), { text: " " }],
  ],
  "Tab through radio buttons": [
    ["key_press", radios, { text: "Tab" }],
    ["key_press", unchecked, { text: "Tab" }],
    ["key_press", radios.replace(" autofocus", "").replace("checked", "checked autofocus"), { text: "Tab" }],
    ["key_press", radios.replace(" autofocus", "").replace("id=z", "id=z autofocus"), { text: "Shift+Tab" }],
    ["key_press", unchecked.replace(" autofocus", "").replace("id=z", "id=z autofocus"), { text: "Shift+Tab" }],
    ["key_press", unchecked.replace(" autofocus", "").replace("id=r2", "id=r2 autofocus"), { text: "Tab" }],
  ],
  "a press of a button": [
    ["click", "<button id=a>a</button>", { selector: "#a" }],
    ["click", "<button id=a>a</button>", { selector: "#a", count: 2 }],
    ["click", "<button id=a onpointerdown='event.preventDefault()'>a</button>", { selector: "#a" }],
    ["click", "<button id=a onpointerdown='event.preventDefault()'>a</button>", { selector: "#a", count: 2 }],
    ["click", "<button id=a onmousedown='event.preventDefault()'>a</button>", { selector: "#a" }],
    ["click", "<input id=a type=checkbox>", { selector: "#a" }],
    ["click", "<button id=a>a</button>", { selector: "#a", button: "middle" }],
  ],
};

for (const [name, cases] of Object.entries(CASES)) {
  test(`${name}: the page hears the same of made-up and of real input`, async ({
    daemon,
    site,
    browserWithExtension,
  }) => {
    const heard = await listener(browserWithExtension, daemon, site);
    for (const [kind, html, params] of cases) {
      const real = await heard(html, kind, { ...params, trusted: "always" } as never);
      const madeUp = await heard(html, kind, { ...params, trusted: "never" } as never);
      expect.soft(madeUp, `${kind} ${JSON.stringify(params)} ${html}`).toEqual(real);
    }
  });
}

test("what the browser refuses because no user acted is in the receipt, and real input is not refused", async ({
  daemon,
  site,
  browserWithExtension: browser,
}) => {
  await browser.set({ pilot: true });
  await browser.page.goto(
    site.page(
      "/refused",
      `<title>Refused</title><input type=file id=chooser hidden>
       <button onclick="document.getElementById('chooser').click()">Upload</button>
       <button onclick="Object.assign(document.createElement('input'), { type: 'file' }).click()">Loose</button>
       <button onclick="setTimeout(() => window.open('about:blank').close(), 50)">Window</button>
       <button onclick="document.body.requestFullscreen().catch(() => 0); try { chooser.showPicker() } catch {}">Both</button>
       <button onclick="chooser.type = 'text'; chooser.click()">Plain</button>`,
    ),
  );
  const tab = await browser.tab(browser.page);
  const click = async (name: string, trusted?: string) => {
    const { error, result } = await daemon.command(
      "click",
      { selector: `role=button[name="${name}"]`, ...(trusted ? { trusted } : {}) },
      { tab },
    );
    expect(error, name).toBeUndefined();
    return result.receipt?.refused;
  };
  expect(await click("Upload")).toEqual(["file chooser"]);
  expect(await click("Loose")).toEqual(["file chooser"]);
  // This browser blocks no popups: it refuses none.
  expect(await click("Window")).toBeUndefined();
  expect(await click("Both")).toEqual(["picker", "full screen"]);
  expect(await click("Plain")).toBeUndefined();
  const chosen = browser.page.waitForEvent("filechooser");
  expect(await click("Loose", "always")).toBeUndefined();
  await chosen;
});
