// An Express application whose handler throws, and prints what was thrown.
import express from "express";
const app = express();
const prices = () => {
  throw new TypeError("no price");
};
app.get("/items", (_req, _res, next) => next());
app.get("/items", () => prices());
app.use((error, _req, res, _next) => {
  process.stdout.write(`${error.stack}\n`);
  res.status(500).end("oops");
});
const server = app.listen(0, "127.0.0.1", () => process.send({ port: server.address().port }));
