// A Nest application; with REDIS, the socket of a Redis, it queues jobs of BullMQ and works on them.
require("reflect-metadata");
const { Controller, Get, Logger, Module, NotFoundException } = require("@nestjs/common");
const { NestFactory } = require("@nestjs/core");

const connection = { path: process.env.REDIS, maxRetriesPerRequest: null };
let queue;
if (process.env.REDIS) {
  const { Queue, Worker } = require("bullmq");
  queue = new Queue("mail", { connection });
  const worker = new Worker(
    "mail",
    async (job) => {
      console.log(`writes to ${job.data.to}`);
      if (job.data.to === "nobody") throw new TypeError("invalid recipient");
    },
    { connection },
  );
  worker.on("failed", (job, error) => console.log(`failed: ${error.message}`));
  worker.on("completed", () => console.log("written"));
}

class Things {
  log = new Logger("Things");
  throws() {
    this.log.log("about to throw");
    return undefined.price;
  }
  missing() {
    throw new NotFoundException("no such thing");
  }
  logs() {
    try {
      return undefined.price;
    } catch (error) {
      this.log.error("caught it", error.stack);
    }
    this.log.debug("not enabled");
  }
  later() {
    setTimeout(() => void Promise.reject(new RangeError("in the background")), 10);
  }
  async queue() {
    await queue.add("mail", { to: "nobody" });
  }
  async bulk() {
    await queue.addBulk([{ name: "mail", data: { to: "somebody" } }]);
  }
}
for (const name of ["throws", "missing", "logs", "later", "queue", "bulk"]) {
  Get(name)(Things.prototype, name, Object.getOwnPropertyDescriptor(Things.prototype, name));
}
Controller()(Things);
class Application {}
Module({ controllers: [Things] })(Application);
process.on("uncaughtException", () => {});

void NestFactory.create(Application, { logger: ["log", "error"] }).then(async (app) => {
  await app.listen(0, "127.0.0.1");
  process.send({ port: app.getHttpServer().address().port });
});
