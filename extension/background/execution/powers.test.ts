import { type CommandKind, MUTATING, POWER } from "@gasoline/schema/commands";
import { expect, test } from "vitest";
import type { Debug, Images, Send } from "../../commands/context.ts";
import { CommandProblem } from "../../commands/problem.ts";
import { choose } from "../../state/pilot.ts";
import { Powers } from "./powers.ts";

const shop = "https://shop.test";
const shown: Record<number, { url: string; granted: boolean }> = {
  1: { url: `${shop}/cart`, granted: true },
  2: { url: "https://bank.test/", granted: false },
  3: { url: "chrome://newtab/", granted: false },
  4: { url: "", granted: false },
  5: { url: "blob:https://bank.test/1", granted: true },
};

const answer = (work: Promise<unknown>): Promise<string> =>
  work.then(
    () => "yes",
    (error: unknown) => (error instanceof CommandProblem ? error.code : String(error)).replace(/^pilot_/, ""),
  );

const codes = async (choice: Parameters<typeof choose>[0], kind: CommandKind, params: object = {}): Promise<string> => {
  const powers = new Powers(
    async () => choose(choice),
    async (tab) => shown[tab]!,
  );
  const each = await Promise.all([0, 1, 2, 3, 4, 5].map((tab) => answer(powers.begins(kind, params, tab))));
  return each.map((code) => code.replace("origin_not_allowed", "grant")).join(" ");
};

test("a command begins where its tab shows a chosen site", async () => {
  //                                            no tab, chosen, other, of no site, not known, made by another
  expect(await codes([shop], "click")).toBe("yes yes elsewhere elsewhere elsewhere elsewhere");
  expect(await codes([shop], "execute_js")).toBe("yes yes elsewhere elsewhere elsewhere elsewhere");
  expect(await codes([shop], "navigate")).toBe("yes yes elsewhere yes elsewhere elsewhere");
  expect(await codes([shop], "close_tab")).toBe("yes yes elsewhere yes elsewhere elsewhere");
  expect(await codes([shop], "navigate", { new_tab: true })).toBe("yes yes yes yes yes yes");
  expect(await codes([shop], "switch_tab")).toBe("yes yes yes yes yes yes");
  expect(await codes([shop], "get_text")).toBe("yes yes grant grant grant yes");
});

test("what looks or acts begins where the user granted the site, wherever agents may act", async () => {
  for (const [kind, power] of Object.entries(POWER) as [CommandKind, string][]) {
    const asks = power === "looks" || power === "acts";
    expect(await codes("all", kind), kind).toBe(asks ? "yes yes grant grant grant yes" : "yes yes yes yes yes yes");
    const off = MUTATING.has(kind) ? "off off off off off off" : asks ? "yes yes grant grant grant yes" : undefined;
    expect(await codes("off", kind), kind).toBe(off ?? "yes yes yes yes yes yes");
  }
});

test("the refusal names the page's site and where agents may act", async () => {
  const sites = [shop, "https://a.test", "https://b.test", "https://c.test"];
  const at = (granted: boolean): Powers =>
    new Powers(
      async () => choose(sites),
      async () => ({ url: "https://bank.test/x", granted }),
    );
  await expect(at(true).may(2, "acts")).rejects.toThrow(
    "The tab shows https://bank.test. The user lets agents act on https://shop.test, https://a.test, https://b.test and 1 more.",
  );
  for (const power of ["acts", "leaves"] as const)
    await expect(at(false).may(2, power)).rejects.toThrow(/^The tab shows a site that is not granted\. /);
});

test("each step of the debugger and each picture is of a page that may be reached then", async () => {
  let tab = 1;
  const powers = new Powers(
    async () => choose("all"),
    async () => shown[tab]!,
  );
  const sent: string[] = [];
  const send: Send = async (method) => sent.push(method);
  const never = async (): Promise<never> => Promise.reject(new Error("not asked for"));
  const plain: Debug = {
    run: async (_tab, _deadline, work) => work(send),
    draw: async () => async () => undefined,
    on: () => () => undefined,
    blank: never,
    failure: never,
  };
  const pictures: Images = { visible: async () => "picture", edit: never, repeats: never };
  const { debug, images } = powers.guarded("screenshot", plain, pictures);
  await debug.run(1, 0, async (ask) => {
    await ask("Page.captureScreenshot");
    expect(await images.visible(1, "png", 80)).toBe("picture");
    tab = 2; // the page goes to the bank by itself
    expect(await answer(ask("Page.captureScreenshot"))).toBe("origin_not_allowed");
    expect(await answer(images.visible(1, "png", 80))).toBe("origin_not_allowed");
    await ask("Page.disable");
    await ask("Page.stopScreencast");
  });
  expect(await answer(debug.run(1, 0, never))).toBe("origin_not_allowed");
  expect(await answer(debug.failure(1, 0))).toBe("origin_not_allowed");
  expect(sent).toEqual(["Page.captureScreenshot", "Page.disable", "Page.stopScreencast"]);
  // What is given by the debugger is for the command's site.
  tab = 1;
  const origin = new URL(shown[1]!.url).origin;
  await powers.guarded("upload", plain, pictures, origin).debug.run(1, 0, async (ask) => {
    await ask("DOM.setFileInputFiles");
  });
  const other = powers.guarded("upload", plain, pictures, "https://other.test").debug;
  expect(await answer(other.run(1, 0, never))).toBe("other_origin");
});
