import { brief, expect, test } from "./extension.ts";

test("what an act opens is named, from a tab in front and from one behind, and its events are its own", async ({
  daemon,
  site,
  browserWithExtension: browser,
}) => {
  await browser.set({ pilot: true });
  site.page("/next", `<title>Next</title><script>console.log("next speaks")</script>`);
  site.page("/formed", `<title>Formed</title><script>console.log("formed speaks")</script>`);
  const url = site.page(
    "/",
    `<!doctype html><title>Opener</title><a href="/next" target="_blank">Blank</a> <a href="/next" target="named">Named</a>
     <button onclick="window.open('/next', 'small', 'width=300,height=300')">Popup</button>
     <button onclick="setTimeout(() => window.open('/next'), 200)">Later</button>
     <button onclick="window.open('about:blank').location = '/next'">First empty</button>
     <form action="/formed" target="_blank"><button>Send</button></form><script>console.log("opener speaks")</script>`,
  );
  await browser.page.goto(url);
  const tab = await browser.tab(browser.page);
  const opened: number[] = [];
  for (const text of ["Blank", "Blank", "Named", "Popup", "Later", "First empty", "Send"]) {
    const { result, error } = await daemon.command("click", { selector: `text=${text}`, trusted: "always" }, { tab });
    expect(error, text).toBeUndefined();
    expect(result, text).toMatchObject({ title: "Opener", opened_tab: expect.any(Number) });
    expect(result, text).not.toHaveProperty("navigated");
    expect(result.receipt, text).not.toHaveProperty("to");
    const next = text === "Send" ? ["/formed", "Formed"] : ["/next", "Next"];
    expect(new URL(result.opened_url ?? "").pathname, text).toBe(next[0]);
    expect(result.opened_title, text).toBe(next[1]);
    opened.push(result.opened_tab ?? 0);
  }
  expect(new Set([tab, ...opened]).size).toBe(8);
  const lines = (of: number) =>
    daemon.groups
      .filter((group) => group.tab === of)
      .flatMap(({ logs = [], frame }) => logs.map(({ message }) => `${frame} ${message}`));
  for (const [i, of] of opened.entries()) {
    await daemon.until(`lines of ${i}`, () => lines(of).length > 0);
    expect(lines(of)).toEqual([i === 6 ? "0 formed speaks" : "0 next speaks"]);
  }
  expect(lines(tab)).toEqual(["0 opener speaks"]);

  // A window that is there already is used again: nothing is opened, and its tab shows another document.
  const again = await daemon.command("click", { selector: "text=Named", trusted: "always" }, { tab });
  expect(again.result).not.toHaveProperty("opened_tab");
  await daemon.until("the second document", () => lines(opened[2] ?? 0).length === 2);
  const documents = daemon.groups.filter((group) => group.tab === opened[2]);
  expect(new Set(documents.map((group) => group.document)).size).toBe(2);
});

test("a window that is used again, from about:blank or by its name, is one tab whose documents are apart", async ({
  daemon,
  site,
  browserWithExtension: browser,
}) => {
  await browser.set({ pilot: true });
  for (const name of ["One", "Two"]) {
    site.page(
      `/${name}`,
      `<title>${name}</title><button onclick="this.textContent = '${name} pressed'">${name}</button><script>console.log("${name} speaks")</script>`,
    );
  }
  const url = site.page(
    "/",
    `<!doctype html><title>Opener</title>
     <button onclick="w = window.open('about:blank', 'used'); w.console.log('empty speaks'); w.document.body.innerHTML = '<button>Empty</button>'">Empty</button>
     <button onclick="window.open('/One', 'used')">First</button><button onclick="window.open('/Two', 'used')">Second</button>`,
  );
  await browser.page.goto(url);
  const opener = await browser.tab(browser.page);
  const press = (text: string, tab: number) =>
    daemon.command("click", { selector: `role=button[name='${text}']`, trusted: "always" }, { tab });
  const tab = (await press("Empty", opener)).result.opened_tab ?? 0;
  expect(tab).toBeGreaterThan(0);
  const empty = await daemon.command("list_interactive", {}, { tab });
  expect(empty.result.elements.map(({ label }) => label)).toEqual(["Empty"]);
  const ref = empty.result.elements[0]?.ref ?? "";
  for (const [button, name] of [
    ["First", "One"],
    ["Second", "Two"],
  ] as const) {
    expect((await press(button, opener)).error).toBeUndefined();
    const there = await daemon.command("wait_for", { selector: `text=${name}` }, { tab });
    expect(there.error, name).toBeUndefined();
    expect((await press(name, tab)).error, name).toBeUndefined();
    expect((await daemon.command("get_text", {}, { tab })).result.value).toContain(`${name} pressed`);
  }
  expect((await daemon.command("click", { ref }, { tab, ...brief() })).error?.code).toBe("stale_ref");
  await daemon.command("flush", {}, { tab });
  const groups = daemon.groups.filter((group) => group.tab === tab);
  const lines = groups.flatMap(({ logs = [] }) => logs.map(({ message }) => message));
  expect(lines).toEqual(["empty speaks", "One speaks", "Two speaks"]);
  expect(new Set(groups.map(({ document }) => document)).size).toBe(3);
  expect(groups.every(({ frame }) => frame === 0)).toBe(true);
});
