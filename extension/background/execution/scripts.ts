import type { Scripts } from "../../commands/context.ts";
import { isLoopback, originOf } from "../../state/origins.ts";

/** chrome.userScripts.execute came with Chrome 135 and is there only after the user allowed user scripts. */
interface UserScripts {
  execute?: (injection: {
    target: { tabId: number; documentIds: string[] };
    js: { code: string }[];
    world: "MAIN" | "USER_SCRIPT";
    injectImmediately: boolean;
  }) => Promise<{ result?: unknown; error?: string }[]>;
}

/** Says whether chrome.userScripts can be used now. Asking throws while the user's switch is off. */
export function userScriptsAvailable(): boolean {
  try {
    return typeof (chrome as unknown as { userScripts?: UserScripts }).userScripts?.execute === "function";
  } catch {
    return false;
  }
}

/** The ways to run agents' scripts that are open now. hosts are the origins granted in the popup. */
export function scriptRoutes(hosts: readonly string[]): Scripts {
  const routes: Scripts = { allowed: (url) => isLoopback(url) || hosts.includes(originOf(url)) };
  if (userScriptsAvailable()) routes.user = executeUser;
  return routes;
}

async function executeUser(
  tab: number,
  documentId: string,
  code: string,
  world: "MAIN" | "USER_SCRIPT",
): Promise<unknown> {
  const { userScripts } = chrome as unknown as { userScripts: Required<UserScripts> };
  const [first] = await userScripts.execute({
    target: { tabId: tab, documentIds: [documentId] },
    js: [{ code }],
    world,
    injectImmediately: true,
  });
  if (first?.error !== undefined) throw new SyntaxError(first.error);
  return first?.result;
}
