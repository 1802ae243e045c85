import Koa from "koa";
import Router from "@koa/router";
const app = new Koa();
const router = new Router();
router.get("/items/:id", (ctx) => {
  ctx.body = { id: ctx.params.id };
});
router.get("/fails", () => {
  throw new TypeError("no price");
});
app.use(router.routes());
const server = app.listen(0, "127.0.0.1", () => process.send({ port: server.address().port }));
