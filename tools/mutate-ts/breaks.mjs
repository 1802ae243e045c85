// Derives breaks from TypeScript, and writes all of a file into one text, each behind a number.
//
//   not    a condition is turned round
//   edge   a comparison by order treats equal values the other way
//   skip   a statement is left out
//   zero   an argument, a field of a literal, a fallback or a returned value is undefined
//   const  a number is another one, a text is empty, true is false
import { parseAst } from "rolldown/parseAst";

/**
 * @typedef {object} Break
 * @property {number} id
 * @property {string} file below the repository's root
 * @property {number} line
 * @property {string} key names the break as long as its function says the same, wherever its line moves to
 */

/**
 * Gives the text of a file with its breaks, which call $m(id), and the breaks. Each loop calls $step().
 * @param {string} source
 * @param {string} file below the repository's root
 * @param {number} first the number of the first break
 * @returns {{ text: string, breaks: Break[] }}
 */
export function instrument(source, file, first) {
  const writer = new Writer(source, file, first);
  return { text: writer.write(parseAst(source, { lang: "ts" })), breaks: writer.breaks };
}

const EDGES = { "<": "<=", "<=": "<", ">": ">=", ">=": ">" };
const COMPARISON = /^([=!]==?|[<>]=?|instanceof|in)$/;
const LOOPS = new Set(["WhileStatement", "DoWhileStatement", "ForStatement", "ForOfStatement", "ForInStatement"]);
const EXPRESSIONS_WITH_TYPES = new Set(["TSAsExpression", "TSNonNullExpression", "TSSatisfiesExpression"]);
const STATEMENTS = new Set([
  "CallExpression",
  "NewExpression",
  "AwaitExpression",
  "AssignmentExpression",
  "UpdateExpression",
  "YieldExpression",
  "LogicalExpression",
  "ChainExpression",
]);
const ASKS = /(^|\.)#?(is|has|matches|test|includes|startsWith|endsWith|some|every|contains|may)[A-Z]?\w*$/;

/** What stands where no value does. */
const isNode = (value) => value !== null && typeof value === "object" && typeof value.type === "string";

class Writer {
  breaks = [];
  #source;
  #file;
  #next;
  #names = [];
  #seen = new Map(); // equal breaks of a function
  #conditions = new Set();
  #zeros = new Set();
  #lines = [0];

  constructor(source, file, first) {
    this.#source = source;
    this.#file = file;
    this.#next = first;
    for (let i = 0; i < source.length; i++) if (source[i] === "\n") this.#lines.push(i + 1);
  }

  write(node) {
    if (node.type.startsWith("TS") && !EXPRESSIONS_WITH_TYPES.has(node.type)) return this.#raw(node);
    if (/^(Import|ExportAll)/.test(node.type) || (node.type === "ExportNamedDeclaration" && node.source))
      return this.#raw(node);
    const name = nameOf(node);
    if (name) this.#names.push(name);
    this.#mark(node);
    // Numbers are given from the outside in, as one reads.
    const own = this.#own(node);
    let text = this.#inner(node);
    for (const { id, broken } of own.toReversed()) text = `($m(${id}) ? ${broken} : (${text}))`;
    const skip = this.#skip(node);
    if (skip !== undefined) text = `{ if (!$m(${skip})) ${text} }`;
    if (name) this.#names.pop();
    return text;
  }

  #raw({ start, end }) {
    return this.#source.slice(start, end);
  }

  #inner(node) {
    const children = [];
    for (const [key, value] of Object.entries(node)) {
      if (key === "typeAnnotation" || key === "typeArguments" || key === "typeParameters" || key === "returnType")
        continue;
      for (const child of Array.isArray(value) ? value : [value]) if (isNode(child)) children.push([key, child]);
    }
    children.sort(([, a], [, b]) => a.start - b.start);
    let text = "";
    let at = node.start;
    const loop = LOOPS.has(node.type);
    for (const [key, child] of children) {
      if (child.start < at) continue; // the key of a shorthand is its value too
      text += this.#source.slice(at, child.start);
      if (this.#isName(node, key)) text += this.#raw(child);
      else if (node.type === "Property" && node.shorthand && key === "key")
        text +=
          node.value.type === "Identifier" ? shorthand(child.name, this.write(node.value)) : this.#raw(node.value);
      else if (loop && key === "body") text += `{ $step(); ${this.write(child)} }`;
      else text += this.write(child);
      at = node.type === "Property" && node.shorthand ? node.value.end : child.end;
    }
    return text + this.#source.slice(at, node.end);
  }

  /** What is a name rather than a value. */
  #isName(node, key) {
    if (key === "key") return !node.computed && !node.shorthand;
    if (key === "id" || key === "label") return node.type !== "VariableDeclarator" || node.id.type === "Identifier";
    return key === "property" && !node.computed;
  }

  /** Says of what is in a node how it is broken. */
  #mark(node) {
    switch (node.type) {
      case "IfStatement":
      case "WhileStatement":
      case "DoWhileStatement":
      case "ForStatement":
      case "ConditionalExpression":
        if (node.test) this.#condition(node.test);
        break;
      case "UnaryExpression":
        if (node.operator === "!") this.#condition(node.argument);
        break;
      case "LogicalExpression":
        if (this.#conditions.has(node)) break;
        if (node.operator === "&&" || asks(node.left)) this.#condition(node.left);
        if (node.operator !== "&&" && !asks(node.right)) this.#zero(node.right);
        break;
      case "ReturnStatement":
        if (node.argument) this.#zero(node.argument);
        break;
      case "ArrowFunctionExpression":
        if (node.body.type !== "BlockStatement") this.#zero(node.body);
        break;
      case "CallExpression":
      case "NewExpression":
        for (const argument of node.arguments) this.#zero(argument);
        break;
      case "ObjectExpression":
        for (const property of node.properties)
          if (property.value && property.kind === "init") this.#zero(property.value);
    }
  }

  #condition(node) {
    if (node.type === "ParenthesizedExpression") this.#condition(node.expression);
    else if (node.type === "LogicalExpression" && node.operator !== "??") {
      this.#conditions.add(node);
      this.#condition(node.left);
      this.#condition(node.right);
    } else if (node.type === "UnaryExpression" && node.operator === "!") this.#condition(node.argument);
    else this.#conditions.add(node);
  }

  #zero(node) {
    if (node.type === "ParenthesizedExpression") this.#zero(node.expression);
    else if (/Literal$|Function|^(Spread|Object|Array)/.test(node.type) && node.type !== "TemplateLiteral") return;
    else if (node.type === "Identifier" && node.name === "undefined") return;
    else if (asks(node)) this.#condition(node);
    else this.#zeros.add(node);
  }

  #own(node) {
    const own = [];
    const add = (kind, broken) => own.push({ id: this.#add(kind, node), broken });
    const raw = this.#raw(node);
    const leaf = node.type !== "LogicalExpression" || node.operator === "??";
    if (node.type === "BinaryExpression" && COMPARISON.test(node.operator)) {
      add("not", `!(${raw})`);
      const edge = EDGES[node.operator];
      if (edge) add("edge", `(${this.#raw(node.left)} ${edge} ${this.#raw(node.right)})`);
    } else if (this.#conditions.has(node) && leaf) add("not", `!(${raw})`);
    else if (this.#zeros.has(node)) add("zero", "undefined");
    if (node.type === "Literal") {
      if (typeof node.value === "boolean") add("const", String(!node.value));
      else if (typeof node.value === "number") add("const", String(other(node.value)));
      else if (typeof node.value === "string" && node.value !== "") add("const", '""');
    }
    return own;
  }

  #skip(node) {
    if (node.type !== "ExpressionStatement" || node.directive) return undefined;
    const { expression } = node;
    if (!STATEMENTS.has(expression.type) && !(expression.type === "UnaryExpression" && expression.operator !== "!"))
      return undefined;
    if (expression.type === "CallExpression" && expression.callee.type === "Super") return undefined;
    return this.#add("skip", node);
  }

  #add(kind, node) {
    const text = this.#raw(node).replace(/\s+/g, " ").replace(/;$/, "");
    const short = text.length > 80 ? `${text.slice(0, 79)}…` : text;
    const place = `${this.#file} ${this.#names.join(".") || "-"} ${kind}`;
    const nth = this.#seen.get(`${place} ${short}`) ?? 0;
    this.#seen.set(`${place} ${short}`, nth + 1);
    const line = this.#lines.findLastIndex((start) => start <= node.start) + 1;
    this.breaks.push({ id: this.#next, file: this.#file, line, key: `${place}#${nth} \`${short}\`` });
    return this.#next++;
  }
}

const shorthand = (name, text) => (text === name ? name : `${name}: ${text}`);

/** The name of a function, a method or a class, under which its breaks are listed. */
function nameOf(node) {
  if (/^(FunctionDeclaration|ClassDeclaration)$/.test(node.type)) return node.id?.name;
  if (node.type === "MethodDefinition") return (node.key.type === "PrivateIdentifier" ? "#" : "") + node.key.name;
  if (node.type === "VariableDeclarator" && /^(ArrowFunction|Function)Expression$/.test(node.init?.type ?? ""))
    return node.id.name;
  return undefined;
}

/** Whether an expression is a question: true or false. */
function asks(node) {
  if (node.type === "ParenthesizedExpression") return asks(node.expression);
  if (node.type === "ChainExpression") return asks(node.expression);
  if (node.type === "BinaryExpression") return COMPARISON.test(node.operator);
  if (node.type === "UnaryExpression") return node.operator === "!";
  if (node.type === "LogicalExpression") return node.operator !== "??" && (asks(node.left) || asks(node.right));
  if (node.type !== "CallExpression") return false;
  const { callee } = node;
  return ASKS.test(callee.type === "MemberExpression" ? `.${callee.property.name}` : (callee.name ?? ""));
}

const other = (n) => (Math.abs(n) <= 10 ? n + 1 : Math.round(n / 2));
