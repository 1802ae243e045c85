// Starts itself again as a child, by child_process.fork and in a thread, each of which logs and serves.
import { fork } from "node:child_process";
import http from "node:http";
import { fileURLToPath } from "node:url";
import { isMainThread, parentPort, Worker } from "node:worker_threads";
const file = fileURLToPath(import.meta.url);
if (!isMainThread) {
  console.log("in a thread");
  parentPort.postMessage("said");
} else if (process.env.CHILD) {
  console.log("in a child");
  process.send(String(process.pid), () => process.disconnect());
} else {
  const server = http.createServer((_req, res) => {
    console.log("in the parent");
    const child = fork(file, { env: { ...process.env, CHILD: "1" }, stdio: ["ignore", "ignore", "ignore", "ipc"] });
    child.once("message", (pid) => {
      new Worker(file, { stdout: true }).once("message", () => res.end(pid));
    });
  });
  server.listen(0, "127.0.0.1", () => process.send({ port: server.address().port }));
}
