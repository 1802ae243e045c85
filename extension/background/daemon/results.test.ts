import { afterEach, expect, test, vi } from "vitest";
import type { Result } from "@gasoline/schema/wire";
import { type DaemonClient, Refused } from "./client.ts";
import { Results } from "./results.ts";

afterEach(() => void vi.unstubAllGlobals());

/** Sends a result to a daemon that answers with these errors, in turn. */
async function sent(errors: Error[], result: Partial<Result> = { result: { big: "x" } }): Promise<Result[]> {
  vi.stubGlobal("chrome", { storage: { session: { set: async () => {}, remove: async () => {} } } });
  const posted: Result[] = [];
  const client = {
    post: async (_path: string, body: Result) => {
      posted.push(body);
      const error = errors.shift();
      if (error) throw error;
    },
  };
  const results = new Results(
    client as unknown as DaemonClient,
    async () => "s",
    async () => {},
  );
  await results.send({ id: "r-1", correlation_id: "c", status: "complete", ...result } as Result, Date.now() + 1000);
  return posted;
}

test("a result that is too large is answered with why, and once", async () => {
  const posted = await sent([new Refused(413, "too_large", "The body is too large.", "")]);
  expect(posted).toHaveLength(2);
  expect(posted[1]).toMatchObject({ id: "r-1", session: "s", status: "error", error: { code: "too_large" } });
  expect(JSON.stringify(posted[1])).not.toContain("big");
});

test("an answer without a result that is refused is not sent again", async () => {
  const refused = [new Refused(400, "invalid_param", "no", ""), new Refused(400, "invalid_param", "no", "")];
  expect(await sent(refused)).toHaveLength(2);
});

test("a daemon that has no time yet is asked again with the same result", async () => {
  const posted = await sent([new Refused(429, "busy", "later", "")]);
  expect(posted).toHaveLength(2);
  expect(posted[1]).toEqual(posted[0]);
});
