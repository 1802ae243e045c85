import { expect, install, test } from "./support/fixture.ts";
import { launch } from "./support/launch.ts";

test("a page that comes back from the back/forward cache says so and goes on", async ({ server }) => {
  // Playwright switches the cache off; this browser has it.
  const browser = await launch({ ignoreDefaultArgs: ["--disable-back-forward-cache"] });
  try {
    const page = await browser.newPage();
    const records = await install(page, { document: true });
    // Playwright cannot follow a page into the cache: the pages do it themselves.
    const two = server.page(`<script>setTimeout(() => history.back(), 200)</script>`);
    await page.goto(
      server.page(`<script>
let visits = 0;
addEventListener("pageshow", () => { console.log("visit " + ++visits); if (visits === 1) setTimeout(() => (location.href = ${JSON.stringify(two)}), 200) });
</script>`),
    );
    expect(await records.one("lifecycle", (x) => x.state === "pageshow")).toMatchObject({
      persisted: true,
    });
    await records.one("logs", (x) => x.message === "visit 2");
  } finally {
    await browser.close();
  }
});

test("vitals are measured anew after the cache, also of a page that was written over", async ({ server }) => {
  const browser = await launch({ ignoreDefaultArgs: ["--disable-back-forward-cache"] });
  try {
    const page = await browser.newPage();
    const records = await install(page, { document: true });
    const two = server.page(`<script>setTimeout(() => history.back(), 200)</script>`);
    await page.goto(
      server.page(`<p>before</p><script>
const over = () => {
  document.open();
  document.write("<p>written</p>");
  document.close();
  setTimeout(() => (location.href = ${JSON.stringify(two)}), 200);
};
// What is measured from the first paint on is watched by then.
new PerformanceObserver(() => setTimeout(over, 100)).observe({ type: "paint", buffered: true });
</script>`),
    );
    const anew = await records.one("performance", (x) => x.navigation_type === "back-forward-cache");
    expect(anew).toMatchObject({ lcp: {}, fcp: {}, cls: {} });
  } finally {
    await browser.close();
  }
});
