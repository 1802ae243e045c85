// A model that says what its script says, in the words of four providers' streaming APIs. It listens on
// loopback, and keeps every request, so that a test sees what a client told its model.
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";

/** What a client sent back for a call: text, and how many pictures. */
export interface Result {
  text: string;
  pictures: number;
}

/** What the model says next: text, which ends the turn, or one call of a tool of ours. */
export type Step = { say: string } | { tool: string; args: Record<string, unknown> };

/** What a request holds, whatever its form. */
interface Asked {
  tools: string[]; // names as the client gives them
  results: Result[]; // in order
  raw: string;
}

type Json = ReturnType<typeof JSON.parse>; // foreign documents, of whatever shape

/** One conversation at a time: `next` is asked for each step with what came so far. */
export class Model {
  asked: Asked[] = [];
  strange: string[] = []; // requests for something that is not here
  next: (asked: Asked) => Step = () => ({ say: "done" });
  readonly #server = createServer((req, res) => void this.#serve(req, res));
  url = "";

  async listen(): Promise<void> {
    await new Promise<void>((ok) => this.#server.listen(0, "127.0.0.1", ok));
    const at = this.#server.address();
    if (at === null || typeof at === "string") throw new Error("no address");
    this.url = `http://127.0.0.1:${at.port}`;
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((ok) => this.#server.close(ok));
  }

  async #serve(req: IncomingMessage, res: ServerResponse): Promise<void> {
    req.setEncoding("utf8");
    let raw = "";
    for await (const p of req) raw += String(p);
    const path = (req.url ?? "").split("?")[0] ?? "";
    let body: Json = {};
    try {
      body = raw === "" ? {} : (JSON.parse(raw) as Json);
    } catch {
      // compressed, or no JSON: of no interest here
    }
    if (path.endsWith("/v1/messages")) return this.#anthropic(body, raw, res);
    if (path.endsWith("/responses")) return this.#responses(body, raw, res);
    if (path.endsWith("/chat/completions")) return this.#chat(body, raw, res);
    if (/:(streamG|g)enerateContent$/.test(path)) return this.#gemini(body, raw, res, path.includes(":stream"));
    this.strange.push(`${req.method} ${path}`);
    if (path.endsWith("count_tokens") || path.endsWith(":countTokens"))
      return json(res, 200, { input_tokens: 10, totalTokens: 10 });
    if (path.endsWith("/models"))
      return json(res, 200, { object: "list", data: [{ id: "scripted", object: "model" }], models: [] });
    json(res, 404, { error: { type: "not_found_error", message: "not here" } });
  }

  /** A request without our tools is about something else: a title, a check whether the key works. */
  #step(asked: Asked): Step & { name?: string } {
    // Some list tools of servers by name only, until they are searched for.
    if (
      asked.tools.includes("tool_search") &&
      ["observe", "interact"].some((o) => !asked.tools.some((t) => own(t, o)))
    ) {
      const names = [...new Set(asked.raw.match(/\b\w*gasoline_+(observe|interact)\b/g))];
      if (names.length === 2)
        return { tool: "tool_search", args: { query: `select:${names.join(",")}` }, name: "tool_search" };
    }
    if (!asked.tools.some((t) => own(t, "observe"))) {
      this.strange.push(`tools ${asked.tools.join(" ")}`);
      return { say: "ok" };
    }
    this.asked.push(asked);
    const step = this.next(asked);
    if ("say" in step) return step;
    const name = asked.tools.find((t) => own(t, step.tool));
    if (name === undefined) return { say: `there is no tool ${step.tool}` };
    return { ...step, name };
  }

  #anthropic(body: Json, raw: string, res: ServerResponse): void {
    const results: Result[] = [];
    for (const m of body.messages ?? [])
      for (const b of Array.isArray(m.content) ? m.content : [])
        if (b.type === "tool_result")
          results.push({
            text: typeof b.content === "string" ? b.content : texts(b.content),
            pictures: count(b.content, (x) => x.type === "image"),
          });
    const step = this.#step({ tools: (body.tools ?? []).map((t: Json) => String(t.name)), results, raw });
    const events: [string, Json][] = [
      [
        "message_start",
        {
          message: {
            id: `msg_${Date.now()}`,
            type: "message",
            role: "assistant",
            model: body.model,
            content: [],
            stop_reason: null,
            stop_sequence: null,
            usage: { input_tokens: 10, output_tokens: 1 },
          },
        },
      ],
    ];
    if ("say" in step) {
      events.push(["content_block_start", { index: 0, content_block: { type: "text", text: "" } }]);
      events.push(["content_block_delta", { index: 0, delta: { type: "text_delta", text: step.say } }]);
    } else {
      events.push([
        "content_block_start",
        { index: 0, content_block: { type: "tool_use", id: `toolu_${this.asked.length}`, name: step.name, input: {} } },
      ]);
      events.push([
        "content_block_delta",
        { index: 0, delta: { type: "input_json_delta", partial_json: JSON.stringify(step.args) } },
      ]);
    }
    events.push(["content_block_stop", { index: 0 }]);
    events.push([
      "message_delta",
      {
        delta: { stop_reason: "say" in step ? "end_turn" : "tool_use", stop_sequence: null },
        usage: { output_tokens: 5 },
      },
    ]);
    events.push(["message_stop", {}]);
    if (body.stream !== true) {
      return json(res, 200, {
        ...events[0]?.[1].message,
        content: [{ type: "text", text: "say" in step ? step.say : "" }],
        stop_reason: "end_turn",
      });
    }
    stream(
      res,
      events.map(([type, data]) => `event: ${type}\ndata: ${JSON.stringify({ type, ...data })}\n\n`),
    );
  }

  #responses(body: Json, raw: string, res: ServerResponse): void {
    const results: Result[] = [];
    for (const item of body.input ?? [])
      if (item.type === "function_call_output")
        results.push({
          text: typeof item.output === "string" ? item.output : texts(item.output),
          pictures:
            count(item.output, (x) => x.type === "input_image") +
            (String(item.output).match(/data:image/g)?.length ?? 0),
        });
    // Tools of a server may come as one namespace.
    const named = (body.tools ?? []).flatMap((t: Json) =>
      t.type === "namespace"
        ? t.tools.map((x: Json) => ({ name: `${t.name}_${x.name}`, of: t.name, call: x.name }))
        : [{ name: t.name, call: t.name }],
    ) as { name: string; of?: string; call: string }[];
    const step = this.#step({ tools: named.map((t) => String(t.name)), results, raw });
    const id = `resp_${this.asked.length}`;
    const tool = "say" in step ? undefined : named.find((t) => t.name === step.name);
    const item: Json =
      "say" in step
        ? {
            type: "message",
            role: "assistant",
            id: `msg_${id}`,
            status: "completed",
            content: [{ type: "output_text", text: step.say, annotations: [] }],
          }
        : {
            type: "function_call",
            id: `fc_${id}`,
            call_id: `call_${id}`,
            name: tool?.call,
            ...(tool?.of === undefined ? {} : { namespace: tool.of }),
            arguments: JSON.stringify(step.args),
            status: "completed",
          };
    const response: Json = {
      id,
      object: "response",
      created_at: 1,
      status: "completed",
      model: body.model,
      output: [item],
      parallel_tool_calls: false,
      tool_choice: "auto",
      tools: [],
    };
    const usage = {
      input_tokens: 10,
      input_tokens_details: { cached_tokens: 0 },
      output_tokens: 5,
      output_tokens_details: { reasoning_tokens: 0 },
      total_tokens: 15,
    };
    if (body.stream !== true) return json(res, 200, { ...response, usage });
    const events: Json[] = [
      { type: "response.created", response: { ...response, status: "in_progress", output: [] } },
      { type: "response.output_item.added", output_index: 0, item },
      { type: "response.output_item.done", output_index: 0, item },
      { type: "response.completed", response: { ...response, usage } },
    ];
    stream(
      res,
      events.map((e, i) => `event: ${e.type}\ndata: ${JSON.stringify({ ...e, sequence_number: i })}\n\n`),
    );
  }

  #chat(body: Json, raw: string, res: ServerResponse): void {
    const results: Result[] = [];
    for (const m of body.messages ?? []) {
      if (m.role === "tool" && String(m.tool_call_id).startsWith("search")) continue;
      if (m.role === "tool")
        results.push({
          text: typeof m.content === "string" ? m.content : texts(m.content),
          pictures: count(m.content, isUrl),
        });
      // The API takes no pictures from tools; clients send them behind, as the user's.
      else if (m.role === "user" && results.length > 0) (results.at(-1) as Result).pictures += count(m.content, isUrl);
    }
    const step = this.#step({ tools: (body.tools ?? []).map((t: Json) => String(t.function?.name)), results, raw });
    const base = {
      id: `chatcmpl-${this.asked.length}`,
      object: "chat.completion.chunk",
      created: 1,
      model: body.model,
    };
    const delta =
      "say" in step
        ? { role: "assistant", content: step.say }
        : {
            role: "assistant",
            content: null,
            tool_calls: [
              {
                index: 0,
                id: `${step.name === "tool_search" ? "search" : "call"}_${this.asked.length}`,
                type: "function",
                function: { name: step.name, arguments: JSON.stringify(step.args) },
              },
            ],
          };
    const reason = "say" in step ? "stop" : "tool_calls";
    const usage = { prompt_tokens: 10, completion_tokens: 5, total_tokens: 15 };
    if (body.stream !== true) {
      return json(res, 200, {
        ...base,
        object: "chat.completion",
        choices: [{ index: 0, message: delta, finish_reason: reason }],
        usage,
      });
    }
    stream(res, [
      `data: ${JSON.stringify({ ...base, choices: [{ index: 0, delta, finish_reason: null }] })}\n\n`,
      `data: ${JSON.stringify({ ...base, choices: [{ index: 0, delta: {}, finish_reason: reason }], usage })}\n\n`,
      "data: [DONE]\n\n",
    ]);
  }

  #gemini(body: Json, raw: string, res: ServerResponse, streamed: boolean): void {
    const results: Result[] = [];
    for (const c of body.contents ?? [])
      for (const p of c.parts ?? []) {
        if (p.functionResponse !== undefined)
          results.push({
            text: JSON.stringify(p.functionResponse.response),
            pictures: count(p.functionResponse.parts, (x) => x.inlineData !== undefined),
          });
        else if (p.inlineData !== undefined && results.length > 0) (results.at(-1) as Result).pictures++;
      }
    const tools = (body.tools ?? []).flatMap((t: Json) =>
      (t.functionDeclarations ?? []).map((f: Json) => String(f.name)),
    );
    const step = this.#step({ tools, results, raw });
    const part = "say" in step ? { text: step.say } : { functionCall: { name: step.name, args: step.args } };
    const answer = {
      candidates: [{ content: { role: "model", parts: [part] }, finishReason: "STOP", index: 0 }],
      usageMetadata: { promptTokenCount: 10, candidatesTokenCount: 5, totalTokenCount: 15 },
      modelVersion: "scripted",
    };
    if (!streamed) return json(res, 200, answer);
    stream(res, [`data: ${JSON.stringify(answer)}\n\n`]);
  }
}

/** Clients put their own words in front of a tool's name. */
const own = (name: string, tool: string) => name === tool || (name.includes("gasoline") && name.endsWith(`_${tool}`));

const isUrl = (x: Json) => x.type === "image_url";
const texts = (content: unknown) =>
  (Array.isArray(content) ? (content as Json[]) : [])
    .map((x) => x.text ?? "")
    .filter((t) => t !== "")
    .join("\n");
const count = (content: unknown, is: (x: Json) => boolean) =>
  Array.isArray(content) ? (content as Json[]).filter(is).length : 0;

function json(res: ServerResponse, status: number, body: unknown): void {
  res.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body));
}

function stream(res: ServerResponse, events: string[]): void {
  res.writeHead(200, { "content-type": "text/event-stream", "cache-control": "no-cache" });
  for (const e of events) res.write(e);
  res.end();
}
