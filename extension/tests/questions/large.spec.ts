import type { Commands, Question } from "@gasoline/schema/commands";
import { open } from "../acting.ts";
import { expect, test } from "../extension.ts";

test.use({ host: "node" });

const TEN_THOUSAND = 10_000;
const PAGES: Record<string, string> = {
  regions: `"<nav><a href=/p/" + i + ">Link " + i + "</a></nav>"`,
  fields: `(i ? "" : "<form>") + "<label><input type=checkbox name=n" + i + "> Box " + i + "</label>"`,
  roots: `"<my-link></my-link>"`,
};

for (const [name, part] of Object.entries(PAGES))
  // What the browser is asked for the closed root of is the extension's matter.
  test(`a page of ten thousand ${name} goes on while it is asked @extension`, async ({
    daemon,
    site,
    browserWithExtension,
  }) => {
    const { page, run } = await open(
      browserWithExtension,
      site,
      daemon,
      `<main><h1>Many</h1><section></section></main><script>
        customElements.define("my-link", class extends HTMLElement { constructor() { super();
          this.attachShadow({ mode: "open" }).innerHTML = "<a href=/x>Link</a>"; } });
        document.querySelector("section").innerHTML = Array.from({ length: ${TEN_THOUSAND} }, (_, i) => ${part}).join("");
        window.longest = 0;
        new PerformanceObserver((list) => { for (const { duration } of list.getEntries()) longest = Math.max(longest, duration); }).observe({ type: "longtask" });
      </script>`,
    );
    const asked = async <K extends Question>(
      kind: K,
      params = {},
    ): Promise<Commands[K]["result"]["documents"][0]["answer"]> => {
      await page.evaluate("new Promise((done) => setTimeout(done, 100)).then(() => { longest = 0; })");
      const began = performance.now();
      const { result } = await run(kind, params as never);
      // A machine that is slow or stands still makes a part long, and the whole as much longer.
      const whole = performance.now() - began;
      expect(await page.evaluate("longest"), kind).toBeLessThan(Math.max(1000, whole / 2));
      return result.documents[0]!.answer as never;
    };
    const isFields = name === "fields";
    expect(await asked("page_summary")).toMatchObject({
      link_count: isFields ? 0 : TEN_THOUSAND,
      interactive_element_count: TEN_THOUSAND,
    });
    expect(await asked("feature_gates")).toMatchObject({ total_gates: 0 });
    expect(await asked("page_structure")).toMatchObject({
      shadow_roots: { open: name === "roots" ? TEN_THOUSAND : 0 },
    });
    const { regions, regioned } = await asked("navigation");
    expect(regioned).toBe(isFields ? 0 : name === "roots" ? 1 : TEN_THOUSAND);
    expect(regions).toHaveLength(isFields ? 0 : name === "roots" ? 1 : 20);
    const { forms } = await asked("forms");
    expect(forms.map(({ field_count }) => field_count)).toEqual(isFields ? [TEN_THOUSAND] : []);
  });
