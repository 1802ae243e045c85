// Ends in the way that HOW says.
console.log("last words");
switch (process.env.HOW) {
  case "exit":
    process.exit(7);
  case "throw":
    throw new RangeError("nobody catches this");
  case "reject":
    void Promise.reject(new RangeError("nobody awaits this"));
    break;
  case "code":
    process.exitCode = 9;
    break;
  case "listens":
    process.on("SIGTERM", () => process.exit(11));
    setInterval(() => undefined, 1000);
    process.send({ port: 1 });
    break;
  case "waits":
    setInterval(() => undefined, 1000);
    process.send({ port: 1 });
    break;
}
