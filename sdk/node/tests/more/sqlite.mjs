// Asks SQLite by the package that DRIVER names, for each request.
import http from "node:http";
const { DRIVER, FILE } = process.env;
const drivers = {
  async "better-sqlite3"() {
    const { default: Database } = await import("better-sqlite3");
    const db = new Database(FILE);
    return { db, inside: (work) => db.transaction(work)() };
  },
  async "node:sqlite"() {
    const { DatabaseSync } = await import("node:sqlite");
    return { db: new DatabaseSync(FILE), inside: (work) => work() };
  },
};
const { db, inside } = await drivers[DRIVER]();
const server = http.createServer((_req, res) => {
  const told = [];
  const ask = (what) => {
    try {
      told.push(what());
    } catch (error) {
      told.push(error.message);
    }
  };
  db.exec("CREATE TABLE items (name TEXT UNIQUE, price INT); INSERT INTO items VALUES ('secret tea', 17)");
  ask(() => db.prepare("SELECT price FROM items WHERE name = ?").get("secret tea"));
  ask(() => db.prepare("SELECT price FROM items WHERE name = 'secret tea'").all());
  inside(() => ask(() => db.prepare("INSERT INTO items VALUES (@name, @price)").run({ name: "hunter22", price: 3 })));
  const names = [];
  for (const { price } of db.prepare("SELECT price FROM items ORDER BY price").iterate()) names.push(price);
  for (const { price } of db.prepare("SELECT price FROM items ORDER BY price DESC").iterate()) {
    names.push(price);
    break;
  }
  told.push(names);
  ask(() => db.prepare("INSERT INTO items VALUES (?, 1)").run("hunter22"));
  ask(() => db.prepare("SELECT nothing FROM items"));
  ask(() => db.exec("DELETE FROM nowhere"));
  console.log("asked");
  res.end(JSON.stringify(told, (_, v) => (typeof v === "bigint" ? Number(v) : v)));
});
server.listen(0, "127.0.0.1", () => process.send({ port: server.address().port }));
