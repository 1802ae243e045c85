import { open } from "./acting.ts";
import { expect, test } from "./extension.ts";

test.use({ host: "node" });

test("attributes are read as the document holds them, without secrets", async ({
  daemon,
  site,
  browserWithExtension,
}) => {
  const { run } = await open(
    browserWithExtension,
    site,
    daemon,
    `<a href="../b?c=1" title="">B</a><input type=password value=opensesame><p hidden>h</p>`,
  );
  const read = async (selector: string, name: string) => (await run("get_attribute", { selector, name })).result;
  expect(await read("a", "href")).toMatchObject({ value: "../b?c=1", matched: { label: "B" } });
  expect(await read("a", "title")).not.toHaveProperty("absent");
  expect(await read("a", "rel")).toMatchObject({ value: "", absent: true });
  expect((await read("[type=password]", "VALUE")).value).toBe("••••••");
  expect(await read("p", "hidden")).toMatchObject({ value: "" });
});

test("attributes are set and removed, and the page's answer to it is in the receipt", async ({
  daemon,
  site,
  browserWithExtension,
}) => {
  const { page, run } = await open(
    browserWithExtension,
    site,
    daemon,
    `<dialog>Sure?</dialog><p></p><script>new MutationObserver(() => document.querySelector("p").textContent = "it opened").observe(document.querySelector("dialog"), { attributes: true })</script>`,
  );
  const set = await run("set_attribute", { selector: "dialog", name: "open" });
  expect(set.result.receipt?.changes?.join()).toContain('dialog "Sure?"');
  await expect(page.getByText("it opened")).toBeVisible();
  expect((await run("set_attribute", { selector: "dialog", name: "open", remove: true })).result).not.toHaveProperty(
    "value",
  );
  await expect(page.getByText("Sure?")).toBeHidden();
});

test("an attribute never becomes a way to run a script", async ({ daemon, site, browserWithExtension }) => {
  const { page, run } = await open(
    browserWithExtension,
    site,
    daemon,
    `<a href=/>A</a><iframe></iframe><b onclick>B</b>`,
  );
  for (const [selector, name, value] of [
    ["a", "href", "java\nscript:document.title='ran'"],
    ["a", "href", " javascript:document.title='ran'"],
    ["a", "href", "data:text/html,<script>1</script>"],
    ["iframe", "srcdoc", "<script>parent.document.title='ran'</script>"],
    ["b", "OnClick", "document.title='ran'"],
  ] as const) {
    const refused = await run("set_attribute", { selector, name, value });
    expect(refused.error, `${name}=${value}`).toMatchObject({ code: "invalid_param" });
  }
  expect((await run("set_attribute", { selector: "a", name: "a b" })).error?.code).toBe("invalid_param");
  await expect(page).toHaveTitle("A");
});

test("a question about the page is answered over all its frames, and nothing found is an answer", async ({
  daemon,
  site,
  browserWithExtension,
}) => {
  const { run } = await open(
    browserWithExtension,
    site,
    daemon,
    `<ul><li>one<li>two</ul><input type=password value=opensesame class=x><iframe srcdoc="<li data-id=3>three</li>"></iframe>`,
  );
  const ask = async (params: Parameters<typeof run<"query">>[1]) => (await run("query", params)).result;
  await expect.poll(async () => (await ask({ selector: "li" })).count).toBe(3);
  expect(await ask({ selector: "li", query_type: "text_all" })).toMatchObject({
    exists: true,
    count: 3,
    texts: ["one", "two", "three"],
  });
  expect(await ask({ selector: "li", within: "ul", query_type: "text" })).toMatchObject({ count: 2, text: "one" });
  expect(await ask({ selector: "[data-id]", query_type: "attributes" })).toMatchObject({
    attributes: { "data-id": "3" },
    frame: "0",
  });
  expect(
    await ask({ selector: ".x", query_type: "attributes", attribute_names: ["value", "type", "alt"] }),
  ).toMatchObject({
    attributes: { value: "••••••", type: "password" },
  });
  expect(await ask({ selector: ".none" })).toMatchObject({ exists: false, count: 0 });
  expect(await ask({ selector: "li", within: ".none" })).toMatchObject({ exists: false });
  expect((await run("query", { selector: "li[" })).error?.code).toBe("invalid_selector");
});
