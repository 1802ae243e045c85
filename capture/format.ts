import { charCode, indexOf, prefix, slice, uncurry } from "./natives.ts";
import { causesOf, isError, describeError } from "./error-shape.ts";
import { serialize, type Budget } from "./serialize.ts";
import { Json } from "./write.ts";

/** Formatted is a console call as text and, where the text does not say it all, as data. */
export interface Formatted {
  message: string;
  args: Json | undefined;
}

const maxMessage = 10_000;
/** An object in the message is a hint; the whole of it is in args. */
const maxInline = 500;
/** The rest of the causes is in args. */
const maxCauses = 3;

const symbolText = uncurry(Symbol.prototype.toString);

/**
 * format makes the text of a console call as the console prints it: a first argument with %s %d %i %f %o %O %c is a
 * template, what is left over follows with spaces. Arguments are written once, here, because they may change later.
 */
export function format(args: readonly unknown[], budget: Budget): Formatted {
  let data = "";
  let objects = false;
  let message = "";
  let next = 0;
  const first = args.length > 0 ? args[0] : "";
  const written = (index: number): string => {
    const text = serialize(args[index], budget);
    data += (data === "" ? "" : ",") + text;
    return text;
  };
  const spoken = (index: number): string => {
    const value = args[index];
    const text = written(index);
    if ((typeof value === "object" && value !== null) || typeof value === "function") {
      objects = true;
      return isError(value) ? withCauses(value) : prefix(bareText(text), maxInline);
    }
    return textOf(value);
  };
  if (typeof first === "string" && args.length > 1 && indexOf(first, "%") >= 0) {
    written(0);
    next = 1;
    message = template(first, () => (next < args.length ? next++ : -1), args, spoken, written);
  }
  for (; next < args.length && next < budget.width; next++) message += (next === 0 ? "" : " ") + spoken(next);
  if (message.length > maxMessage) budget.cut = true;
  return {
    message: prefix(message, maxMessage),
    args: objects ? new Json("[" + data + "]") : undefined,
  };
}

/** withCauses is an error in one line, with what it names as its cause, and the cause of that. */
function withCauses(error: object): string {
  let text = describeError(error);
  const causes = causesOf(error, () => "") ?? [];
  for (let i = 0; i < causes.length && i < maxCauses; i++) {
    const { type, message } = causes[i]!;
    text += (i === 0 ? " [cause: " : ", ") + type + (message === "" ? "" : ": " + message);
  }
  return causes.length > 0 ? text + "]" : text;
}

/** textOf is a primitive as the console prints it. */
export function textOf(value: unknown): string {
  if (typeof value === "symbol") return symbolText(value);
  if (typeof value === "bigint") return bigintText(value) + "n";
  if (value === 0 && 1 / (value as number) < 0) return "-0";
  return "" + (value as string);
}

const bigintText = uncurry(BigInt.prototype.toString as () => string);

/** A JSON string without its quotes reads better in a message: <div#app>, not "<div#app>". */
function bareText(json: string): string {
  return json[0] === '"' && indexOf(json, "\\") < 0 ? slice(json, 1, json.length - 1) : json;
}

function template(
  text: string,
  take: () => number,
  args: readonly unknown[],
  spoken: (index: number) => string,
  written: (index: number) => string,
): string {
  let out = "";
  let from = 0;
  for (;;) {
    const at = indexOf(text, "%", from);
    if (at < 0 || at + 1 >= text.length) return out + slice(text, from);
    out += slice(text, from, at);
    from = at + 2;
    const directive = text[at + 1] as string;
    if (directive === "%") {
      out += "%";
    } else if (!isDirective(directive)) {
      out += "%" + directive;
    } else {
      const index = take();
      if (index < 0) out += "%" + directive;
      else if (directive === "c") written(index);
      else if (directive === "d" || directive === "i" || directive === "f")
        out += numeric(args[index], directive, () => written(index));
      else out += spoken(index);
    }
  }
}

function isDirective(c: string): boolean {
  return c === "s" || c === "d" || c === "i" || c === "f" || c === "o" || c === "O" || c === "c";
}

function numeric(value: unknown, directive: string, note: () => void): string {
  note();
  if (typeof value === "bigint") return bigintText(value) + "n";
  // Number() of an object would run its valueOf; the console says NaN for symbols and objects.
  const number = typeof value === "number" ? value : typeof value === "string" ? parsed(value) : NaN;
  if (directive === "f" || number - number !== 0) return "" + number;
  return "" + (number < 0 ? -floor(-number) : floor(number));
}

const floor = Math.floor;
const parseNumber = parseFloat;
const parsed = (text: string): number => (text.length > 0 && charCode(text, 0) > 0 ? parseNumber(text) : NaN);
