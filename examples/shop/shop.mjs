// Starts the whole shop: the Python service, the Go service and the Node service in front of them.
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";

/** The program that runs Python 3.9 or newer with SQLite, or undefined. */
function findPython() {
  const wanted = "import sys, sqlite3; sys.exit(sys.version_info < (3, 9))";
  return ["python3", "python"].find((name) => spawnSync(name, ["-c", wanted], { stdio: "ignore" }).status === 0);
}

/**
 * Builds and starts the services, each a process of its own; close() ends them. Without Python there is no payments service:
 * the orders service keeps payments itself.
 *
 * @param {(line: string, service: string) => void} log gets the lines of the services
 * @param {(service: string) => string[]} under the command that each service is started by, such as
 *   ["gasoline", "run", "--name", "orders", "--"]; none by default
 */
export async function startShop(log = () => {}, under = () => []) {
  const dir = mkdtempSync(join(tmpdir(), "gasoline-shop-"));
  const program = join(dir, process.platform === "win32" ? "orders.exe" : "orders");
  const build = spawn("go", ["build", "-o", program, "./shop/orders"], {
    cwd: join(import.meta.dirname, ".."),
    stdio: ["ignore", "inherit", "inherit"],
    env: { ...process.env, GOWORK: "off" },
  });
  const [code] = await once(build, "exit");
  if (code !== 0) throw new Error("the orders service does not build");
  const started = [];
  const close = async () => {
    for (const child of started.reverse()) {
      const ended = child.exitCode === null && child.signalCode === null ? once(child, "exit") : undefined;
      child.stdin.end(); // its sign to stop
      await ended;
    }
    rmSync(dir, { recursive: true, force: true });
  };
  /** Starts a service and returns the URL that it prints on its first line. */
  const start = async (service, command) => {
    const [name, ...args] = [...under(service), ...command];
    const child = spawn(name, args, { cwd: import.meta.dirname, stdio: ["pipe", "pipe", "pipe"] });
    started.push(child);
    createInterface(child.stderr).on("line", (line) => log(line, service));
    const ended = once(child, "exit").then(([status]) => {
      throw new Error(`the ${service} service ended with ${status}`);
    });
    ended.catch(() => {}); // after the first line it may end
    const [url] = await Promise.race([once(createInterface(child.stdout), "line"), ended]);
    return url;
  };
  try {
    const python = findPython();
    const payments = python && (await start("payments", [python, join("payments", "main.py")]));
    const orders = await start("orders", payments ? [program, payments] : [program]);
    const url = await start("web", [process.execPath, join(import.meta.dirname, "web", "main.mjs"), orders]);
    return { url, orders, payments, close };
  } catch (error) {
    await close();
    throw error;
  }
}

if (import.meta.filename === process.argv[1]) {
  const shop = await startShop((line, service) => console.log(`${service}: ${line}`));
  console.log(`shop: ${shop.url} (Ctrl-C ends it)`);
  process.once("SIGINT", () => void shop.close().then(() => process.exit(0)));
}
