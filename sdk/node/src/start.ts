import { syncBuiltinESMExports } from "node:module";
import { configured } from "./config.ts";
import { Runtime } from "./runtime.ts";
import { watchClients } from "./sources/client.ts";
import { watchConsole } from "./sources/console.ts";
import { databases, watchDrivers, watchSqlite } from "./sources/databases.ts";
import { watchEnd, watchErrors } from "./sources/errors.ts";
import { frameworks, watchFastify } from "./sources/frameworks.ts";
import { jobs } from "./sources/jobs.ts";
import { loggers, watchPino } from "./sources/loggers.ts";
import { watchModules } from "./sources/modules.ts";
import { watchServers } from "./sources/server.ts";

/** The runtime of this process, also for a second copy of this package. */
const KEY = Symbol.for("gasoline.node.1");
type Global = Record<symbol, Runtime | undefined>;

/** running returns the runtime of this process, undefined where none was started. */
export const running = (): Runtime | undefined => (globalThis as unknown as Global)[KEY];

/** start watches this process as its environment says, once. It never throws. */
export function start(): void {
  try {
    if (running()) return;
    const config = configured(process.env, process.argv);
    if (!config) return;
    const runtime = new Runtime(config);
    Object.defineProperty(globalThis, KEY, { value: runtime });
    watchModules(
      runtime,
      new Map([...loggers(runtime), ...frameworks(runtime), ...databases(runtime), ...jobs(runtime)]),
    );
    watchServers(runtime);
    watchClients(runtime);
    syncBuiltinESMExports();
    watchFastify(runtime);
    watchPino(runtime);
    watchDrivers(runtime);
    watchSqlite(runtime);
    watchConsole(runtime);
    watchErrors(runtime);
    watchEnd(runtime);
  } catch {
    // The program runs on without.
  }
}
