// A server as people write them, for the bench: a route that logs LINES lines (1) and answers JSON.
import express from "express";
import { stats } from "../dist/index.mjs";
const lines = Number(process.env.LINES ?? 1);
let made = 0;
const app = express();
app.get("/items/:id", (req, res) => {
  console.log("item", req.params.id);
  for (let i = 1; i < lines; i++) console.debug("noise", i);
  res.json({ id: req.params.id });
  made += lines + 1;
});
const server = app.listen(0, "127.0.0.1", () => process.send({ port: server.address().port }));
process.on("message", () => process.send({ rss: process.memoryUsage.rss(), made, stats: stats() }));
Object.assign(server, { keepAliveTimeout: 0, headersTimeout: 0, requestTimeout: 0 });
