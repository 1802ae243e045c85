// Asks the servers whose ports are in its environment.
import Redis from "ioredis";
import mysql from "mysql2/promise";
import pg from "pg";
import http from "node:http";
const { PG, MYSQL, REDIS } = process.env;
const host = "127.0.0.1";
const server = http.createServer(async (req, res) => {
  const told = [];
  const ask = (what) =>
    what.then(
      (r) => told.push(r),
      (error) => told.push(error.message),
    );
  if (PG) {
    const client = new pg.Client({ host, port: Number(PG), user: "ann", database: "shop" });
    await client.connect();
    await ask(client.query("SELECT price FROM items WHERE id = $1", [42]).then((r) => r.rows));
    await ask(client.query({ text: "SELECT nothing" }).then((r) => r.rows));
    await new Promise((done) => client.query("SELECT price", (error, r) => (told.push(error ?? r.rows), done())));
    await client.end();
  }
  if (MYSQL) {
    const connection = await mysql.createConnection({ host, port: Number(MYSQL), user: "ann", database: "shop" });
    await ask(connection.query("SELECT price FROM items WHERE name = ?", ["secret tea"]).then(([rows]) => rows));
    await ask(connection.query("SELECT nothing").then(([rows]) => rows));
    connection.destroy();
  }
  if (REDIS) {
    const redis = new Redis(Number(REDIS), host, {
      lazyConnect: true,
      maxRetriesPerRequest: 0,
      enableReadyCheck: false,
    });
    await redis.connect();
    await ask(redis.get("basket:7"));
    await ask(redis.set("basket:7", "hunter22"));
    redis.disconnect();
  }
  console.log("asked");
  res.end(JSON.stringify(told));
});
server.listen(0, host, () => process.send({ port: server.address().port }));
