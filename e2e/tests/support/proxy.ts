import { createServer, request } from "node:http";
import type { AddressInfo } from "node:net";
import type { Place } from "../../harness.ts";

/** A proxy to a place's daemon for clients that cannot send its token. Close it when done. */
export interface Proxy {
  url: string;
  close(): Promise<void>;
}

/**
 * Opens a port that adds the token and passes everything on. What names the proxy itself, as Host or
 * Origin, is made to name the daemon; a foreign name stays, so that the daemon's own refusals can be tested.
 */
export async function openProxy(place: Place): Promise<Proxy> {
  const server = createServer((incoming, outgoing) => {
    const { port } = server.address() as AddressInfo;
    const own = (text: string | undefined): string | undefined =>
      text?.replace(new RegExp(`^((?:http://)?(?:127\\.0\\.0\\.1|localhost)):${port}$`), `$1:${place.port}`);
    const headers = { ...incoming.headers, host: own(incoming.headers.host), authorization: `Bearer ${place.token}` };
    if (headers.origin) headers.origin = own(headers.origin);
    const passed = request(
      { host: "127.0.0.1", port: place.port, method: incoming.method, path: incoming.url, headers },
      (answer) => {
        outgoing.writeHead(answer.statusCode ?? 502, answer.headers);
        outgoing.flushHeaders(); // a stream says nothing for a while
        answer.pipe(outgoing);
      },
    );
    passed.on("error", () => outgoing.destroy());
    outgoing.on("close", () => passed.destroy());
    incoming.pipe(passed);
  });
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: () =>
      new Promise((done) => {
        server.close(() => done());
        server.closeAllConnections();
      }),
  };
}
