import Fastify from "fastify";
const app = Fastify({ logger: { level: "info" } });
app.get("/items/:id", async (request) => {
  request.log.info({ item: request.params.id }, "lookup");
  return { id: request.params.id };
});
app.get("/fails", async () => {
  throw new TypeError("no price");
});
await app.listen({ port: 0, host: "127.0.0.1" });
process.send({ port: app.server.address().port });
