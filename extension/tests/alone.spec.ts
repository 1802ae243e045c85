import { readFile } from "node:fs/promises";
import { type CDPSession, type Page, expect, test as base } from "@playwright/test";
import { findChromium, TEST_FLAGS } from "../../scripts/chromium.mjs";

/** Calls the agent of a world and gives its value, or throws the problem's code. */
type Run = (op: string, params: object) => Promise<Record<string, unknown>>;

const read = async (script: string) => readFile(new URL(`../dist/${script}`, import.meta.url), "utf8");

// A browser without the extension: the engine knows nothing but the page.
const test = base.extend<{ isolated: Run; main: Run }>({
  isolated: async ({ page }, use) => {
    const session = await page.context().newCDPSession(page);
    await use(await engine(session, await worldOf(session)));
  },
  main: async ({ page }, use) => use(await engine(await page.context().newCDPSession(page), undefined)),
});

test.use({ launchOptions: { executablePath: findChromium() ?? "", args: TEST_FLAGS } });

/** An isolated world of the page's main document. */
async function worldOf(session: CDPSession): Promise<number> {
  const { frameTree } = await session.send("Page.getFrameTree");
  const world = { frameId: frameTree.frame.id, worldName: "engine" };
  return (await session.send("Page.createIsolatedWorld", world)).executionContextId;
}

async function engine(session: CDPSession, contextId: number | undefined): Promise<Run> {
  const evaluate = async (expression: string): Promise<unknown> => {
    const world = contextId === undefined ? {} : { contextId };
    const told = await session.send("Runtime.evaluate", {
      expression,
      awaitPromise: true,
      returnByValue: true,
      ...world,
    });
    if (told.exceptionDetails) throw new Error(told.exceptionDetails.exception?.description);
    return told.result.value;
  };
  let loaded = false;
  return async (op, params) => {
    if (!loaded) for (const script of ["core.js", "dom-agent.js"]) await evaluate(await read(script));
    loaded = true;
    const call = { id: "a", op, params, refs: [[1, 1000]], frame: "", deadline: Date.now() + 5000 };
    const answer = (await evaluate(`gasolineAgent.run(${JSON.stringify(call)})`)) as {
      ok: boolean;
      value: Record<string, unknown>;
      error?: { code: string };
    };
    if (!answer.ok) throw new Error(answer.error?.code);
    return answer.value;
  };
}

const shop = `<!doctype html><title>Shop</title>
<label>Name <input></label><button onclick="told.textContent = 'Bought by ' + document.querySelector('input').value">Buy</button><p id=told></p>
<my-box></my-box><script>document.querySelector("my-box").attachShadow({ mode: "open" }).innerHTML = "<button>Inside</button>"</script>`;

async function useShop(page: Page, run: Run): Promise<void> {
  const { elements } = (await run("list_interactive", {})) as {
    elements: { ref: string; role: string; label: string }[];
  };
  expect(elements.map(({ role, label }) => [role, label])).toEqual([
    ["textbox", "Name"],
    ["button", "Buy"],
    ["button", "Inside"],
  ]);
  expect(await run("probe", { selector: "role=button[name=Buy]" })).toEqual({ count: 1, visible: 1 });
  await run("type", { ref: elements[0]?.ref, text: "Ada" });
  await run("click", { selector: "role=button[name=Buy]" });
  expect(await page.textContent("#told")).toBe("Bought by Ada");
  expect(await run("get_text", { selector: "#told" })).toMatchObject({ value: "Bought by Ada" });
  await expect(run("click", { selector: "role=button[name=Nothing]" })).rejects.toThrow("element_not_found");
}

test("the engine serves a page without the extension, in a world of its own", async ({ page, isolated }) => {
  await page.setContent(shop);
  await useShop(page, isolated);
  expect(await page.evaluate(() => Object.keys(globalThis).filter((key) => key.startsWith("gasoline")))).toEqual([]);
});

test("the engine serves a page without the extension, in the page's own world", async ({ page, main }) => {
  await page.setContent(shop);
  await useShop(page, main);
});
