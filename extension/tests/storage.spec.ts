import { open } from "./acting.ts";
import { expect, test } from "./extension.ts";

test.use({ host: "node" });

test("entries of a storage are written, removed and cleared", async ({ daemon, site, browserWithExtension }) => {
  const { page, run } = await open(browserWithExtension, site, daemon, "", "/shop/a");
  await page.evaluate(() => {
    localStorage.setItem("cart", "3");
    localStorage.setItem("theme", "light");
    sessionStorage.setItem("step", "2");
  });
  expect((await run("set_storage", { key: "theme", value: "dark" })).result).toMatchObject({ match_count: 0 });
  expect((await run("set_storage", { key: "empty" })).error).toBeUndefined();
  expect((await run("delete_storage", { key: "cart" })).result.value).toBe("1");
  expect((await run("delete_storage", { key: "cart" })).result.value).toBe("0");
  expect(await page.evaluate(() => Object.fromEntries(Object.entries(localStorage)))).toEqual({
    theme: "dark",
    empty: "",
  });
  expect((await run("clear_storage", { storage_type: "sessionStorage" })).result.value).toBe("1");
  expect(await page.evaluate(() => [localStorage.length, sessionStorage.length])).toEqual([2, 0]);
});

test("a value that has no room in a storage is refused and changes nothing", async ({
  daemon,
  site,
  browserWithExtension,
}) => {
  const { page, run } = await open(browserWithExtension, site, daemon, "", "/shop/a");
  await page.evaluate(() => localStorage.setItem("big", "x".repeat(5_000_000)));
  const refused = await run("set_storage", { key: "more", value: "y".repeat(1_000_000) });
  expect(refused.error?.code).toBe("quota_exceeded");
  expect(await page.evaluate(() => Object.keys(localStorage))).toEqual(["big"]);
});

test("a frame is named for its storage, and a sandboxed one has none", async ({
  daemon,
  site,
  browserWithExtension,
}) => {
  const { page, run } = await open(
    browserWithExtension,
    site,
    daemon,
    `<iframe src="${site.page("/inner", "<p>inner")}"></iframe><iframe sandbox="allow-scripts" srcdoc="<p>boxed"></iframe>`,
  );
  await page.frames()[1]?.waitForLoadState();
  expect((await run("set_storage", { key: "k", value: "v", frame: "0" })).error).toBeUndefined();
  expect(await page.frames()[1]?.evaluate(() => localStorage.getItem("k"))).toBe("v");
  expect((await run("set_storage", { key: "k", frame: "1" })).error?.code).toBe("not_available");
});

test("what a page does because of a storage's new entry is in the receipt", async ({
  daemon,
  site,
  browserWithExtension,
}) => {
  const inner = site.page(
    "/listener",
    `<p>light</p><script>onstorage = (e) => document.querySelector("p").textContent = e.newValue</script>`,
  );
  const { page, run } = await open(browserWithExtension, site, daemon, `<iframe src="${inner}"></iframe>`);
  await page.frames()[1]?.waitForLoadState();
  expect((await run("set_storage", { key: "theme", value: "dark" })).error).toBeUndefined();
  await expect(page.frameLocator("iframe").getByText("dark")).toBeVisible();
});

test("cookies are set and removed as a page's script could", async ({ daemon, site, browserWithExtension }) => {
  const { page, run } = await open(browserWithExtension, site, daemon, "", "/shop/a");
  expect((await run("set_cookie", { name: "lang", value: "de=x" })).error).toBeUndefined();
  expect(await page.evaluate(() => document.cookie)).toBe("lang=de=x");
  const [cookie] = await page.context().cookies();
  expect(cookie).toMatchObject({ path: "/", httpOnly: false, expires: -1 });
  expect((await run("delete_cookie", { name: "lang" })).result.value).toBe("1");
  expect((await run("delete_cookie", { name: "lang" })).result.value).toBe("0");
  expect(await page.evaluate(() => document.cookie)).toBe("");
});

test("a cookie that the browser does not take, or keeps, is told", async ({ daemon, site, browserWithExtension }) => {
  const { page, run } = await open(browserWithExtension, site, daemon, "", "/shop/a");
  const { hostname: domain } = new URL(page.url());
  await page.context().addCookies([{ name: "session", value: "s", domain, path: "/", httpOnly: true }]);
  expect((await run("set_cookie", { name: "session", value: "mine" })).error?.code).toBe("status_mismatch");
  expect((await run("set_cookie", { name: "a", value: "b", domain: "other.example" })).error?.code).toBe(
    "status_mismatch",
  );
  await page.evaluate(() => (document.cookie = "deep=1; path=/shop"));
  expect((await run("delete_cookie", { name: "deep" })).error?.code).toBe("status_mismatch");
  expect((await run("delete_cookie", { name: "deep", path: "/shop" })).result.value).toBe("1");
  for (const params of [{ name: "a=b" }, { name: "a", value: "b; domain=x" }, { name: "a", path: "/;secure" }])
    expect((await run("set_cookie", params)).error?.code).toBe("invalid_param");
  // A cookie of another path cannot be read here, and is set all the same.
  expect((await run("set_cookie", { name: "far", value: "1", path: "/far" })).error).toBeUndefined();
  const names = (await page.context().cookies()).map(({ name }) => name);
  expect(names.sort()).toEqual(["far", "session"]);
});
