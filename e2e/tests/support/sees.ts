import { type Agent, until } from "../../harness.ts";

/** Everything that is kept, in any tab. */
export const ALL = { scope: "all", limit: 200 };

/** Asks a mode of observe until its text holds all that is wanted, and returns it; else the error says what is missing. */
export async function sees(
  agent: Agent,
  what: string,
  wanted: (string | RegExp)[],
  more: Record<string, unknown> = {},
): Promise<string> {
  const ask = async () => {
    const text = await agent.ask("observe", { what, ...ALL, ...more });
    return {
      missing: wanted.filter((w) => (typeof w === "string" ? !text.includes(w) : !w.test(text))).map(String),
      text,
    };
  };
  return (await until(`${what} with all that is wanted`, ask, ({ missing }) => missing.length === 0)).text;
}
