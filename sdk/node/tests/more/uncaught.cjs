// Ends by an error of SQLite that nobody catches.
const driver = require(process.env.DRIVER);
const db = new (driver.DatabaseSync ?? driver)(":memory:");
const forget = () => db[process.env.METHOD]("DELETE FROM nowhere");
forget();
