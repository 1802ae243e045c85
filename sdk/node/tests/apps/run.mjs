export function run(express) {
  const app = express();
  const items = express.Router();
  items.get("/:id", (req, res) => {
    console.log("item", req.params.id);
    res.json({ id: req.params.id });
  });
  app.use("/items", items);
  app.get("/fails", () => {
    throw new TypeError("no price");
  });
  app.get("/later", (_req, _res, next) => setTimeout(() => next(new Error("too late")), 1));
  app.use((error, _req, res, _next) => res.status(500).json({ error: error.message }));
  const server = app.listen(0, "127.0.0.1", () => {
    if (process.send) process.send({ port: server.address().port });
    else console.log(`port ${server.address().port}`);
  });
}
