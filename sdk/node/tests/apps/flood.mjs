// Logs ten times what the ring holds, and fails once in a request before that.
import http from "node:http";
const server = http.createServer((_req, res) => {
  console.log("before the failure");
  console.error(new TypeError("the one that matters"));
  for (let i = 0; i < 50_000; i++) console.debug(`noise ${i}`);
  res.end("done");
});
server.listen(0, "127.0.0.1", () => process.send({ port: server.address().port }));
