// Logs by the logger that LOGGER names, for each request.
import http from "node:http";
const { LOGGER } = process.env;
const log = {
  async pino() {
    const { default: pino } = await import("pino");
    const logger = pino({ name: "till", redact: ["card"], level: "debug" });
    return () => {
      logger.info({ order: 7, card: "visible" }, "paid %s", "twice");
      logger.error(new TypeError("no price"));
      logger.trace("not written");
    };
  },
  async winston() {
    const { default: winston } = await import("winston");
    const logger = winston.createLogger({ level: "info", transports: [new winston.transports.Console()] });
    return () => {
      logger.info("paid", { order: 7 });
      logger.error(new TypeError("no price"));
      logger.debug("not written");
    };
  },
  async bunyan() {
    const { default: bunyan } = await import("bunyan");
    const logger = bunyan.createLogger({ name: "till" });
    return () => {
      logger.info({ order: 7 }, "paid");
      logger.error(new TypeError("no price"), "failed");
      logger.debug("not written");
    };
  },
};
const write = await log[LOGGER]();
const server = http.createServer((_req, res) => {
  write();
  res.end("done");
});
server.listen(0, "127.0.0.1", () => process.send({ port: server.address().port }));
