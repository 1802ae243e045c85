import { expect, front, test } from "./support/fixtures.ts";

test.use({ pilot: true, bodies: true });

test("findings about a page's loads, answers and ways are those of what happened", async ({ site, tab, agent }) => {
  for (const id of [1, 2, 3]) site.json(`/api/orders/${id}`, { id, price: 12.5 });
  site.json("/api/orders/4", { id: 4, price: "12.50" });
  // Chrome takes no picture of few bytes for the largest.
  site.page("/hero.svg", {
    body: `<svg xmlns="http://www.w3.org/2000/svg" width="900" height="600"><rect width="900" height="600"/><!--${"x".repeat(20_000)}--></svg>`,
    type: "image/svg+xml",
    delay: 700,
  });
  await tab.goto(
    site.page(
      "/shop",
      `<!doctype html><title>Shop</title><button id=dead>Pay</button><button id=step>More</button><button id=slow>Sort</button><p>1</p>
       <img src="/hero.svg" width=900 height=600><script>
        step.onclick = () => (document.querySelector("p").textContent += "1");
        slow.onclick = function sort() { const end = performance.now() + 300; while (performance.now() < end); };
        (async () => {
          for (const id of [1, 2, 3, 4]) await (await fetch("/api/orders/" + id)).json();
          history.pushState(null, "", "/shop/17");
          history.pushState(null, "", "/shop/18");
        })();
      </script>`,
    ),
  );
  await front(agent, tab);
  for (const name of ["Pay", "More"]) {
    for (let i = 0; i < 4; i++) await tab.getByText(name).click();
    // What changes within about a second of a click may be its effect.
    await tab.evaluate("window.clicked = performance.now()");
    await tab.waitForFunction("performance.now() > clicked + 1500");
  }
  await tab.getByText("Sort").click();
  await expect
    .poll(() => agent.ask("analyze", { what: "performance" }))
    .toMatch(
      /INP \d+ ms \S+( so far)?: pointer on .*#slow.* \(a\d+\): input delay \d+ \+ processing \d{3,} \+ presentation/,
    );
  const load = await agent.ask("analyze", { what: "performance" });
  expect(load).toMatch(/LCP \d+ ms .*\/hero\.svg \(t\d+\): first byte .*; most is load /);
  expect(load).toMatch(/slow: t\d+ img \/hero\.svg \+\d+ \d+ ms/);
  const api = await agent.ask("analyze", { what: "api_validation" });
  expect(api).toMatch(
    /high type_change GET \/api\/orders\/# price: string "12\.50" \(r\d+\), was number 12\.5 \(r\d+\); 1 of 4/,
  );
  const ways = await agent.ask("analyze", { what: "navigation_patterns" });
  expect(ways).toMatch(/4 clicks without effect on button "Pay"/);
  expect(ways).not.toContain("More");
  expect(ways).toContain("way /shop/# → /shop/# ×1");
});
