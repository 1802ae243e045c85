// A port of loopback for a program that has to be told its port, and may stop and come again.
//
//   node scripts/port.mjs     prints one, and holds it until its input ends
import { createSocket } from "node:dgram";
import { createServer } from "node:net";
import { pathToFileURL } from "node:url";

/** Resolves when a server or a socket listens, with what went wrong. */
const listening = (on, listen) =>
  new Promise((done) => {
    on.once("error", done);
    listen(() => done(undefined));
  });

/**
 * A port that is the caller's own until it releases it or its process ends. The UDP port of the same number is held: no
 * two tests get one number, in no process, and TCP's port stays free. It is below the range from which systems take
 * ports by themselves, so no connection has it.
 * @returns {Promise<{port: number, release: () => void}>}
 */
export async function holdPort() {
  for (let tries = 0; tries < 100; tries++) {
    const port = 10_000 + Math.floor(Math.random() * 20_000);
    const held = createSocket("udp4");
    const taken = await listening(held, (done) => held.bind({ port, address: "127.0.0.1", exclusive: true }, done));
    if (taken) continue; // another test has it, and the socket has closed itself
    const server = createServer();
    const inUse = await listening(server, (done) => server.listen({ port, host: "127.0.0.1", exclusive: true }, done));
    if (!inUse) {
      await new Promise((done) => server.close(done)); // nothing was accepted
      held.unref();
      return { port, release: () => held.close() };
    }
    held.close();
  }
  throw new Error("no port is free");
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? "").href) {
  const { port, release } = await holdPort();
  console.log(port);
  process.stdin.resume().once("end", release);
}
