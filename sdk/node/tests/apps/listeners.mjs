// A server that does its work where the events of requests and answers are heard.
import http from "node:http";
const server = http.createServer((req, res) => {
  const { pathname } = new URL(req.url, "http://x");
  if (pathname === "/throw") throw new RangeError("thrown at once");
  res.on("finish", () => console.log("finish"));
  res.on("close", () => console.log("answer's close"));
  req.on("close", () => console.log("request's close"));
  if (pathname === "/hangs") {
    req.on("error", (error) => console.log(error.message));
    req.on("data", () => process.send("data"));
    return;
  }
  req.on("data", (data) => console.log(`data ${data}`));
  req.on("end", () => {
    console.log("end");
    if (pathname === "/throw-later") throw new RangeError("thrown at the end");
    res.end("done");
  });
});
server.listen(0, "127.0.0.1", () => process.send({ port: server.address().port }));
