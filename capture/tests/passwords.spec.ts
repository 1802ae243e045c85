import { expect, test } from "./support/fixture.ts";

const eye = `onclick="const f = this.getRootNode().querySelector('input'); f.type = f.type === 'password' ? 'text' : 'password'"`;
const masked = /^<password:[0-9a-f]{8}>$/;

test("a password stays secret when the eye icon shows it", async ({ page, capture, server }) => {
  const records = await capture({ document: true });
  await page.goto(
    server.page(`<!doctype html><label>Pass <input type=password name=pass></label><button ${eye}>eye</button>`),
  );
  await page.locator("input").pressSequentially("hunter2");
  await page.locator("button").click();
  await page.locator("input").pressSequentially("X");
  await page.locator("button").focus();
  const typed = await records.one(
    "actions",
    (action) => action.type === "input" && records.all("actions").indexOf(action) > 1,
  );
  expect(typed.value).toMatch(masked);
  expect(JSON.stringify(records.batches)).not.toContain("hunter2");
});

test("a password stays secret when the page shows it while it is typed", async ({ page, capture, server }) => {
  const records = await capture({ document: true });
  await page.goto(
    server.page(
      `<!doctype html><input type=password name=pass oninput="if (this.value.length > 3) this.type = 'text'">`,
    ),
  );
  await page.locator("input").pressSequentially("hunter2");
  expect((await records.one("actions", (action) => action.type === "input")).value).toMatch(masked);
});

test("a field that was shown before anybody touched it is remembered", async ({ page, capture, server }) => {
  const records = await capture({ document: true });
  await page.goto(
    server.page(
      `<!doctype html><input type=password name=pass><script>document.querySelector("input").type = "text"</script>`,
    ),
  );
  await page.locator("input").fill("hunter2");
  await page.locator("input").blur();
  expect((await records.one("actions", (action) => action.type === "input")).value).toMatch(masked);
});

test("a field that is shown and reported in one turn is remembered", async ({ page, capture, server }) => {
  const records = await capture({ document: true });
  await page.goto(server.page(`<!doctype html><input type=password name=pass value=hunter2>`));
  await page.evaluate(() => {
    const field = document.querySelector("input")!;
    field.type = "text";
    field.dispatchEvent(new Event("change", { bubbles: true }));
  });
  expect((await records.one("actions", (action) => action.type === "input")).value).toMatch(masked);
});

test("the eye icon inside of a shadow root changes nothing either", async ({ page, capture, server }) => {
  const records = await capture({ document: true });
  await page.goto(
    server.page(
      `<!doctype html><x-login><template shadowrootmode=open><input type=password name=pass value=hunter><button ${eye}>eye</button></template></x-login>`,
    ),
  );
  await page.locator("button").click();
  await page.locator("input").pressSequentially("2");
  await page.locator("button").focus();
  expect((await records.one("actions", (action) => action.type === "input")).value).toMatch(masked);
});

test("of two passwords in a name of which one begins the other, nothing is left", async ({ page, capture, server }) => {
  const records = await capture({ document: true });
  await page.goto(
    server.page(
      `<!doctype html><input type=password name=pass value=hunter><textarea name=passphrase>hunter2tail</textarea><button aria-label="Send hunter2tail and hunter">Send</button>`,
    ),
  );
  await page.locator("button").click();
  const { name } = await records.one("actions", (action) => action.type === "click");
  expect(name).toMatch(/^Send <pass\w*:[0-9a-f]{8}> and <pass\w*:[0-9a-f]{8}>$/);
});

test("what is named after a shown password does not spell it", async ({ page, capture, server }) => {
  const records = await capture({ document: true });
  await page.goto(
    server.page(
      `<!doctype html><label><input type=checkbox> Remember <input type=password name=pass value=hunter2></label><button ${eye.replace("'input'", "'[name=pass]'")}>eye</button>`,
    ),
  );
  await page.locator("button").click();
  await page.locator("[type=checkbox]").check();
  await records.one("actions", (action) => action.type === "check");
  expect(JSON.stringify(records.batches)).not.toContain("hunter2");
});

test("the text of what is clicked does not spell a password, cut or not", async ({ page, capture, server }) => {
  const records = await capture({ document: true });
  const long = "a".repeat(95);
  await page.goto(
    server.page(
      `<!doctype html><input type=password name=pass value=hunter2-otter><button aria-label=Go>Use hunter2-otter</button><p>${long} hunter2-otter</p>`,
    ),
  );
  await page.locator("button").click();
  await page.locator("p").click();
  await records.one("actions", (action) => action.type === "click" && action.text?.startsWith("aaa") === true);
  expect(records.all("actions").find(({ name }) => name === "Go")?.text).toMatch(/^Use <pass\w*:[0-9a-f]{8}>$/);
  expect(JSON.stringify(records.batches)).not.toContain("hunt");
});
