import { expect } from "./extension.ts";
import { undebugged } from "./undebugged.ts";

undebugged.describe("a tab that has been behind for long", () => {
  // After five minutes Chrome lets the timers of a hidden page run once a minute; here after one second.
  undebugged.use({ flags: ["--enable-features=IntensiveWakeUpThrottling:grace_period_seconds/1"] });

  undebugged("costs an agent what one in front does", async ({ daemon, site, tab }) => {
    undebugged.setTimeout(300_000);
    const run: typeof daemon.command = (kind, params) => daemon.command(kind, params, { tab, timeoutMS: 60_000 });
    site.page("/slow", { body: "x", delay: 300, headers: { "Cache-Control": "no-store" } });
    const url = site.page(
      "/",
      `<!doctype html><title>Behind</title><p id=said>nothing</p><input aria-label=Name>
       <button onclick="said.textContent = 'pressed'">Press</button>
       <button onclick="setTimeout(() => (said.textContent = 'came late'), 100)">Later</button>
       <button onclick="fetch('/slow').then(() => (said.textContent = 'fetched'))">Fetch</button>
       <button onclick="said.textContent = 'in a moment'; requestAnimationFrame(() => (said.textContent = 'drawn'))">Draw</button>
       <button onclick="said.animate([{ opacity: 0 }, { opacity: 1 }], 200)">Move</button>
       <p id=card draggable=true style="width: 80px">Card</p><p id=lane ondragover="event.preventDefault()" ondrop="said.textContent = 'dropped'">Lane</p>
       <p id=grip style="width: 80px" onpointerdown="this.setPointerCapture(event.pointerId)" onpointermove="said.textContent = event.buttons + ' ' + event.clientX">Grip</p>
       <script>ticks = 0; (function turn() { ticks++; setTimeout(turn, 50) })()</script>`,
    );
    expect((await run("navigate", { url })).error).toBeUndefined();
    const works: Record<string, () => Promise<{ error?: unknown; result: unknown }>> = {
      press: () => run("click", { selector: "text=Press", trusted: "never" }),
      "press with a timer": () => run("click", { selector: "text=Later", trusted: "never" }),
      "press with a request": () => run("click", { selector: "text=Fetch", trusted: "never" }),
      "press with a frame": () => run("click", { selector: "text=Draw", trusted: "never" }),
      "press with a movement": () => run("click", { selector: "text=Move", trusted: "never" }),
      type: () => run("type", { selector: "label=Name", text: "hello", clear: true, trusted: "never" }),
      "real press": () => run("click", { selector: "text=Press", trusted: "always" }),
      "real typing": () => run("type", { selector: "label=Name", text: "hello", clear: true, trusted: "always" }),
      hover: () => run("hover", { selector: "text=Press", trusted: "never" }),
      "real hover": () => run("hover", { selector: "text=Press", trusted: "always" }),
      drag: () => run("drag", { selector: "#card", to: "#lane" }),
      "drag by pixels": () => run("drag", { selector: "#grip", dx: 40, dy: 0 }),
      wait: async () => {
        await run("click", { selector: "text=Fetch", trusted: "never" });
        return run("wait_for", { text: "fetched" });
      },
      "wait for rest": () => run("wait_for_stable", { stability_ms: 300 }),
      snapshot: () => run("snapshot", {}),
      list: () => run("list_interactive", {}),
      text: () => run("get_text", { selector: "#said" }),
    };
    const costs = async (): Promise<Map<string, number>> => {
      const all = new Map<string, number>();
      for (const [name, work] of Object.entries(works)) {
        const took: number[] = [];
        for (let i = 0; i < 3; i++) {
          const began = performance.now();
          expect((await work()).error, name).toBeUndefined();
          took.push(performance.now() - began);
        }
        all.set(name, took.toSorted((a, b) => a - b)[1] ?? 0);
      }
      return all;
    };
    const inFront = await costs();
    const front = await daemon.command("new_tab", { url: site.page("/front", "<title>In front</title>") });
    await daemon.command("activate_tab", {}, { tab: front.result.tab });
    const ticks = async (): Promise<unknown> => (await run("execute_js", { script: "ticks" })).result.result;
    await expect
      .poll(
        async () => {
          const before = await ticks();
          const waited = await daemon.command("wait_for", { text: "no such text" }, { tab, timeoutMS: 5000 });
          expect(waited.error?.code).toBe("timeout");
          return before === (await ticks());
        },
        { timeout: 150_000 },
      )
      .toBe(true);
    const behind = await costs();
    // What takes a moment only is as long as the machine is busy with others.
    const ratios = [...behind].map(([name, ms]) => [name, ms / Math.max(200, inFront.get(name) ?? 0)] as const);
    expect(ratios.filter(([, ratio]) => ratio > 1.5)).toEqual([]);
    const timer = await run("click", { selector: "text=Later", trusted: "never" });
    const { busy = [], changes = [] } = timer.result.receipt ?? {};
    expect([...busy, ...changes].join()).toMatch(/holds back|came late/);
  });
});
