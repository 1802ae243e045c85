import cluster from "node:cluster";
import http from "node:http";
if (cluster.isPrimary) {
  cluster.on("listening", (_worker, { port }) => process.send({ port }));
  for (let i = 0; i < 2; i++) cluster.fork();
  process.on("SIGTERM", () => cluster.disconnect(() => process.exit(3)));
} else {
  http
    .createServer((_req, res) => {
      console.log("served");
      res.writeHead(200, { connection: "close" }).end(String(process.pid));
    })
    .listen(0, "127.0.0.1");
}
