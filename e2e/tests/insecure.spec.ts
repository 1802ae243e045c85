// configure security_mode: a page's policy is taken away where an agent asked for it and the user agreed, and nowhere else.
import { expect, front, test } from "./support/fixtures.ts";

test.use({ pilot: true });

test("a page's script runs without its policy, on an origin of its own", async ({ agent, place, site, tab }) => {
  const policy = { "content-security-policy": "script-src 'none'" };
  const body = `<title>Policy</title><p id="said">blocked</p><script>said.textContent = "ran"</script>`;
  const url = site.page("/policy", { body, headers: policy });
  await tab.goto(url);
  await front(agent, tab);
  expect(await agent.ask("interact", { action: "get_text", selector: "#said" })).toContain("blocked");

  const { proxy } = await agent.json<{ proxy: { url: string } }>("configure", {
    action: "security_mode",
    mode: "insecure_proxy",
    url,
    confirm: true,
  });
  const shown = new URL("/policy", proxy.url).href;
  const went = await agent.ask("interact", { action: "navigate", url: shown });
  expect(went).toContain("security_mode is insecure_proxy until");
  expect(await agent.ask("interact", { action: "get_text", selector: "#said" })).toContain("ran");

  // It is another origin than the daemon's and the site's: nothing of theirs is in it.
  const seen = await tab.evaluate(() => [
    location.origin,
    document.cookie,
    localStorage.length + sessionStorage.length,
  ]);
  expect(seen).toEqual([new URL(proxy.url).origin, "", 0]);

  // A page of another origin neither reads it nor has it answer.
  await tab.goto(site.page("/other", "<title>Other</title>"));
  const asked = await tab.evaluate(async (at) => {
    const read = await fetch(at).then(
      () => "read",
      () => "refused",
    );
    const frame = document.createElement("iframe");
    frame.src = at;
    document.body.append(frame);
    await new Promise((resolve) => frame.addEventListener("load", resolve));
    return read;
  }, shown);
  expect(asked).toBe("refused");
  expect(await tab.frames()[1]!.evaluate(() => document.body?.innerText ?? "")).not.toContain("ran");

  await agent.ask("configure", { action: "security_mode", mode: "normal" });
  await expect(tab.goto(shown)).rejects.toThrow(/ERR_CONNECTION_REFUSED/);
  expect((await place.fetch("/health")).status).toBe(200);
});
