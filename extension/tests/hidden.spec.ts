import { expect } from "./extension.ts";
import { undebugged } from "./undebugged.ts";

// The runner has every tab think that it is in front, and keeps timers awake that a user's browser lets sleep.
undebugged(
  "a tab behind another one, with its timers slowed, is read, waited for, operated and captured",
  async ({ daemon, site, tab }) => {
    undebugged.setTimeout(120_000);
    const run: typeof daemon.command = (kind, params) => daemon.command(kind, params, { tab });
    const value = async (expression: string): Promise<unknown> =>
      (await run("execute_js", { script: expression })).result.result;
    const url = site.page(
      "/",
      `<!doctype html><title>Behind</title><p id=said>nothing</p><input aria-label=Name>
       <button onclick="said.textContent = 'pressed ' + event.isTrusted">Press</button>
       <button onclick="setTimeout(() => (said.textContent = 'came late'), 50)">Later</button>
       <p id=grip style="width: 80px">Grip</p>
       <script>ticks = frames = 0;
         grip.onpointerdown = (event) => grip.setPointerCapture(event.pointerId);
         grip.onpointermove = (event) => event.buttons && requestAnimationFrame(() => (grip.title = event.clientX));
         grip.onpointerup = () => (said.textContent = "let go at " + grip.title); setInterval(() => ticks++, 10); setInterval(() => console.log("line " + ticks), 500);
         (function draw() { frames++; requestAnimationFrame(draw) })()</script>`,
    );
    expect((await run("navigate", { url })).result.title).toBe("Behind");
    expect(await value("document.visibilityState")).toBe("visible");
    const front = await daemon.command("new_tab", { url: site.page("/front", "<title>In front</title>") });
    await daemon.command("activate_tab", {}, { tab: front.result.tab });
    expect(await value("document.visibilityState")).toBe("hidden");

    // It is slowed: what asks for fifty ticks between two lines gets one or two.
    const lines = (): string[] =>
      daemon
        .events("logs")
        .map(({ message }) => message)
        .filter((message) => message.startsWith("line "));
    const [drawn, heard] = [await value("frames"), lines().length];
    await daemon.until("lines of its timers", () => lines().length >= heard + 4);
    const [from = 0, to = 0] = lines()
      .slice(-2)
      .map((line) => Number(line.slice(5)));
    expect(to - from).toBeLessThan(10);

    for (const trusted of ["never", "always"] as const) {
      expect((await run("click", { selector: "text=Press", trusted })).error, trusted).toBeUndefined();
      const said = (await run("get_text", { selector: "#said" })).result.value;
      expect(said).toBe(`pressed ${trusted === "always"}`);
      const typed = await run("type", { selector: "label=Name", text: trusted, clear: true, trusted });
      expect(typed.error, trusted).toBeUndefined();
      expect(typed.result.value).toBe(trusted);
    }
    expect((await run("click", { selector: "text=Later" })).error).toBeUndefined();
    expect((await run("wait_for", { text: "came late" })).result.matched_text).toContain("came late");
    const list = await run("list_interactive", {});
    expect(list.result.elements.map(({ label }) => label)).toEqual(["Name", "Press", "Later"]);
    expect(await value("console.log('said behind')")).toBeNull();
    await run("flush", {});
    expect(daemon.events("logs").map(({ message }) => message)).toContain("said behind");
    expect(await value("document.visibilityState")).toBe("hidden"); // nothing brought it to the front
    expect(Number(await value("frames")) - Number(drawn)).toBeLessThan(20);

    // Of a page that is not drawn Chrome makes no picture.
    for (const params of [{}, { full_page: true }, { selector: "text=Press" }]) {
      const { error, result } = await run("screenshot", params);
      expect(error, JSON.stringify(params)).toBeUndefined();
      expect(result.route).toBe("debugger");
    }

    // What is dragged is drawn by many pages in a frame of its own: no frames, no dragging.
    const { x } = (await run("get_attribute", { selector: "#grip", name: "id" })).result.matched!.bbox;
    expect((await run("drag", { selector: "#grip", dx: 60, dy: 0 })).error).toBeUndefined();
    expect((await run("get_text", { selector: "#said" })).result.value).toBe(`let go at ${x + 40 + 60}`);
    expect(await value("document.visibilityState")).toBe("hidden");

    // A film has it draw, too, and goes on when others are done with that.
    expect((await run("screen_recording_start", { name: "behind", fps: 10 })).result.source).toBe("screencast");
    expect((await run("screenshot", {})).error).toBeUndefined();
    expect((await run("drag", { selector: "#grip", dx: -60, dy: 0 })).error).toBeUndefined();
    expect((await run("screenshot", { full_page: true })).error).toBeUndefined();
    const frames = (): number => daemon.films.flatMap((film) => film.frames).length;
    const taken = frames();
    await value("void setInterval(() => (said.textContent = ticks), 100)");
    await daemon.until("pictures of what changes behind", () => frames() >= taken + 5);
    await run("screen_recording_stop", {});
  },
);
