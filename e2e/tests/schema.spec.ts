import { readFileSync } from "node:fs";
import { encode } from "gpt-tokenizer/encoding/o200k_base";
import { expect, test } from "@playwright/test";

interface Tool {
  name: string;
  description: string;
  inputSchema: { type: string; properties: Record<string, Record<string, unknown>>; required: string[] };
}

const text = readFileSync(new URL("../../schema/tools.json", import.meta.url), "utf8");
const tools = JSON.parse(text) as Tool[];

/** Keywords that model APIs refuse, drop or misread somewhere. */
const REFUSED = [
  "$ref",
  "$schema",
  "$defs",
  "oneOf",
  "anyOf",
  "allOf",
  "not",
  "const",
  "default",
  "minimum",
  "maximum",
  "pattern",
  "format",
  "additionalProperties",
];

test("the tool list is flat: what every model API takes", () => {
  for (const tool of tools) {
    expect(Object.keys(tool.inputSchema).sort(), tool.name).toEqual(["properties", "required", "type"]);
    expect(tool.inputSchema.type).toBe("object");
    expect(tool.inputSchema.required).toHaveLength(1);
    expect(tool.name).toMatch(/^[a-z]{1,40}$/);
    expect(Buffer.byteLength(tool.description), tool.name).toBeLessThanOrEqual(1900);
    for (const [name, property] of Object.entries(tool.inputSchema.properties)) {
      const where = `${tool.name}.${name}`;
      expect(typeof property["type"], where).toBe("string");
      for (const keyword of REFUSED) expect(property, where).not.toHaveProperty([keyword]);
      if (property["type"] === "array")
        expect(typeof (property["items"] as { type?: unknown }).type, where).toBe("string");
    }
  }
});

test("the tool list costs few tokens", () => {
  // The one required property is the mode; help is one of its values.
  const modesOf = ({ inputSchema }: Tool) =>
    (inputSchema.properties[inputSchema.required[0]!]!["enum"] as string[]).filter((mode) => mode !== "help");
  const modes = tools.flatMap(modesOf).length;
  // As it goes over the wire, without the file's indentation.
  const sent = JSON.stringify(tools.map(({ name, description, inputSchema }) => ({ name, description, inputSchema })));
  const tokens = encode(sent).length;
  // A share for what is there at all and one for each mode: 3,300 for the 157 modes that are foreseen.
  const ceiling = 1300 + Math.ceil((2000 / 157) * modes);
  console.log(
    `tools/list: ${modes} modes, ${Buffer.byteLength(sent)} bytes, ${tokens} tokens (o200k), ceiling ${ceiling}`,
  );
  expect(tokens).toBeLessThanOrEqual(Math.min(ceiling, 3300));
});
