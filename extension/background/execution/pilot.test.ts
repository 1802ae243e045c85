import type { CommandKind } from "@gasoline/schema/commands";
import { expect, test } from "vitest";
import { CommandProblem } from "../../commands/problem.ts";
import { choose } from "../../state/pilot.ts";
import { Pilot } from "./pilot.ts";

const shop = "https://shop.test";
const shown: Record<number, string> = {
  1: `${shop}/cart`,
  2: "https://bank.test/",
  3: "chrome://newtab/",
  4: "",
  5: "blob:https://bank.test/1",
};

const codes = async (choice: Parameters<typeof choose>[0], kind: CommandKind, params: object = {}): Promise<string> => {
  const pilot = new Pilot(
    async () => choose(choice),
    async (tab) => shown[tab] ?? "",
  );
  const code = async (tab: number): Promise<string> =>
    pilot.begins(kind, params, tab).then(
      () => "yes",
      (error: unknown) => (error instanceof CommandProblem ? error.code : String(error)),
    );
  return (await Promise.all([0, 1, 2, 3, 4, 5].map(code))).map((one) => one.replace("pilot_", "")).join(" ");
};

test("a command begins where its tab shows a chosen site", async () => {
  //                                            no tab, chosen, other, of no site, not known, made by another
  expect(await codes([shop], "click")).toBe("yes yes elsewhere elsewhere elsewhere elsewhere");
  expect(await codes([shop], "execute_js")).toBe("yes yes elsewhere elsewhere elsewhere elsewhere");
  expect(await codes([shop], "navigate")).toBe("yes yes elsewhere yes elsewhere elsewhere");
  expect(await codes([shop], "close_tab")).toBe("yes yes elsewhere yes elsewhere elsewhere");
  expect(await codes([shop], "navigate", { new_tab: true })).toBe("yes yes yes yes yes yes");
  expect(await codes([shop], "switch_tab")).toBe("yes yes yes yes yes yes");
  expect(await codes([shop], "get_text")).toBe("yes yes yes yes yes yes");
});

test("everywhere and nowhere ask nothing of the tab", async () => {
  expect(await codes("all", "click")).toBe("yes yes yes yes yes yes");
  expect(await codes("off", "click")).toBe("off off off off off off");
  expect(await codes("off", "new_tab")).toBe("off off off off off off");
  expect(await codes("off", "get_text")).toBe("yes yes yes yes yes yes");
});

test("the refusal names the page's site and where agents may act", async () => {
  const sites = [shop, "https://a.test", "https://b.test", "https://c.test"];
  const pilot = new Pilot(
    async () => choose(sites),
    async () => "https://bank.test/x",
  );
  await expect(pilot.acts(2)).rejects.toThrow(
    "The tab shows https://bank.test. The user lets agents act on https://shop.test, https://a.test, https://b.test and 1 more.",
  );
});
