// Starts the whole shop: the Go service and the Node service in front of it.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { startWeb } from "./web/server.mjs";

/**
 * Builds and starts both services; close() ends them.
 *
 * @param {(line: string) => void} log gets the lines of the Go service
 */
export async function startShop(log = () => {}) {
  const dir = mkdtempSync(join(tmpdir(), "gasoline-shop-"));
  const program = join(dir, process.platform === "win32" ? "orders.exe" : "orders");
  const build = spawn("go", ["build", "-o", program, "./shop/orders"], {
    cwd: join(import.meta.dirname, ".."),
    stdio: ["ignore", "inherit", "inherit"],
    env: { ...process.env, GOWORK: "off" },
  });
  const [code] = await once(build, "exit");
  if (code !== 0) throw new Error("the orders service does not build");
  const orders = spawn(program, { stdio: ["pipe", "pipe", "pipe"] });
  createInterface(orders.stderr).on("line", log);
  const [url] = await once(createInterface(orders.stdout), "line");
  const web = await startWeb(url);
  return {
    url: web.url,
    orders: url,
    async close() {
      const ended = orders.exitCode === null && orders.signalCode === null ? once(orders, "exit") : undefined;
      orders.stdin.end(); // its sign to stop
      await Promise.all([web.close(), ended]);
      rmSync(dir, { recursive: true, force: true });
    },
  };
}

if (import.meta.filename === process.argv[1]) {
  const shop = await startShop((line) => console.log(`orders: ${line}`));
  console.log(`shop: ${shop.url} (Ctrl-C ends it)`);
  process.once("SIGINT", () => void shop.close().then(() => process.exit(0)));
}
