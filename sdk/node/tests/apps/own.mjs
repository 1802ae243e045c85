// What a program can add by itself, told by its path.
import http from "node:http";
const { span, captureError, currentIds, expressErrors, koaErrors, flush, stats } = await import(
  process.env.MUTATE_DIST ? `${process.env.MUTATE_DIST}/index.mjs` : "../../dist/index.mjs"
);
const again = (error) => error.message;
const routes = {
  "/span": () => span("reprice", () => 7, { "basket.id": 7, items: ["a"], password: "hunter22" }),
  "/later": () => span("reprice", async () => (await Promise.resolve(), console.log("within"), currentIds())),
  "/throws": () => {
    try {
      return span("reprice", () => {
        throw new TypeError("no price");
      });
    } catch (error) {
      return again(error);
    }
  },
  "/rejects": () => span("reprice", () => Promise.reject(new TypeError("no price"))).catch(again),
  "/handled": () => {
    const error = new RangeError("handled");
    captureError(error);
    captureError(error);
    captureError("a text");
  },
  "/ids": () => currentIds(),
  "/express": (request) =>
    new Promise((done) => expressErrors()(new Error("passed on"), request, {}, (error) => done(again(error)))),
  "/koa": (req) => koaErrors()({ req }, () => Promise.reject(new Error("awaited"))).catch(again),
  "/fine": (req) => koaErrors()({ req }, () => Promise.resolve()),
  "/flush": async () => {
    console.log("before");
    const before = stats();
    await flush();
    return [before, stats()];
  },
};
http
  .createServer(async (request, response) => {
    const answer = await routes[request.url](request);
    response.end(JSON.stringify(answer ?? null));
  })
  .listen(0, "127.0.0.1", function () {
    process.send({ port: this.address().port });
  });
