// A plugin of the bundler: members that scripts read of a page's elements are those of the elements' prototypes.
//
// A form shows its fields as its own members, before those of its prototypes, in every world: the parentElement of
// <form><input name=parentElement></form> is the input. With it a walk upwards never ends, and a press on one element
// counts as one on another. Hundreds of places read members, new ones come with each change, and none of them looks
// wrong. So the build writes `x.parentElement` as `$of(x).parentElement` for the names of member-names.mjs, and
// capture/members.ts looks at run time what x is. Types are not asked: a cast would hide a form.
//
// Assignments and `this.x` stay as they are. So do files that the page's own realm runs, but for `document`: there what
// reads a symbol of our objects would ask the page's Object.prototype, and no element is read.
import { readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import { parseAst } from "rolldown/parseAst";
import { NAMES } from "./member-names.mjs";

const root = fileURLToPath(new URL("..", import.meta.url));
const RUNTIME = fileURLToPath(new URL("../capture/members.ts", import.meta.url));
const OTHERS = /\/(tests|bench)\/|\/node_modules\/(?!web-vitals\/|@mozilla\/readability\/|turndown\/)/;
/** Objects of the platform; classes and constants of ours, too, begin with a capital letter. */
const NO_ELEMENT = /^([A-Z].*|chrome|console|crypto|globalThis|history|location|navigator|performance|self|window)$/;
const NO_VALUE =
  /^(ThisExpression|Super|MetaProperty|NewExpression|(Template)?Literal|(Array|Object|Function)Expression)$/;
const CASTS = /^TS(As|NonNull|Satisfies|Instantiation)Expression$/;
const TYPES = /^(typeAnnotation|typeArguments|typeParameters|returnType|superTypeArguments|implements)$/;

const names = new Set(NAMES);
const bare = (node) => (CASTS.test(node.type) ? bare(node.expression) : node);
const listed = ({ computed, property, key = property }) => names.has(computed ? key.value : (key.name ?? key.value));
const takes = (node) => node?.type === "ObjectPattern" && node.properties.some((one) => one.key && listed(one));
/** Where a chain may have ended before a node, what follows must end, too. */
const mayEnd = (node) =>
  /^(Member|Call|TSNonNull)Expression$/.test(node.type) &&
  (node.optional === true || mayEnd(node.object ?? node.callee ?? node.expression));
const isWritten = (parent, role) =>
  (role === "left" && !/^(Binary|Logical)Expression$/.test(parent.type)) ||
  (role === "argument" && (parent.type === "UpdateExpression" || parent.operator === "delete")) ||
  (role === "elements" && parent.type === "ArrayPattern") ||
  (role === "value" && parent.ofPattern === true) ||
  parent.type === "RestElement";

/** Gives a source with what it reads put through $of. documents: only what it reads of `document`. */
export function rewrite(source, path, documents = false, isolated = false) {
  const program = parseAst(source, { lang: path.endsWith(".ts") ? "ts" : "js" });
  let edits = [];
  const edit = (at, text, until = at) => edits.push({ at, until, text });
  const wrap = ({ type, start, end }) => {
    edit(start, type === "SequenceExpression" ? "$of((" : "$of(");
    edit(end, type === "SequenceExpression" ? "))" : ")");
  };
  /** Members of `document` are put through $of whatever their names, or not at all. */
  const isDocument = (node) => bare(node).name === "document";
  const may = (node) =>
    documents ? isDocument(node) : !NO_VALUE.test(bare(node).type) && !NO_ELEMENT.test(bare(node).name ?? "");

  const visit = (node, parent, role, ofNew) => {
    const { type } = node;
    if (
      type === "MemberExpression" &&
      !ofNew &&
      !isWritten(parent, role) &&
      (isDocument(node.object) ? !isolated : listed(node) && may(node.object))
    ) {
      wrap(node.object);
      const dot = source.lastIndexOf(node.computed ? "[" : ".", node.property.start);
      if (!node.optional && mayEnd(node.object)) edit(dot, "?.", node.computed ? dot : dot + 1);
    }
    if (type === "BinaryExpression" && node.operator === "in" && names.has(node.left.value) && may(node.right))
      wrap(node.right);
    if (type === "VariableDeclarator" && node.init && takes(node.id) && may(node.init)) wrap(node.init);
    if (type === "ObjectPattern") for (const one of node.properties) one.ofPattern = true;
    // What a pattern of parameters or of a loop takes apart is taken apart in the body.
    if (!documents && node.params && node.body) for (const given of node.params) takeApart(given.left ?? given, node);
    if (!documents && type === "ForOfStatement") for (const { id } of node.left.declarations ?? []) takeApart(id, node);
    for (const [key, value] of Object.entries(node))
      if (!TYPES.test(key))
        for (const child of Array.isArray(value) ? value : [value])
          if (typeof child?.type === "string" && !child.moved)
            visit(child, node, key, key === "callee" ? type === "NewExpression" : ofNew && key === "object");
  };

  const takeApart = (pattern, { type, body, end }) => {
    if (!takes(pattern)) return;
    const outer = edits;
    edits = [];
    visit(pattern, pattern, "");
    const inner = write(pattern.start, pattern.typeAnnotation?.start ?? pattern.end);
    edits = outer;
    pattern.moved = true;
    const name = `$${pattern.start}`;
    edit(pattern.start, name, pattern.end);
    const first = `const ${inner}=$of(${name});`;
    if (body.type === "BlockStatement") return edit(body.start + 1, first);
    const returns = type === "ArrowFunctionExpression";
    edit(returns ? source.lastIndexOf("=>", body.start) + 2 : body.start, returns ? `{${first}return(` : `{${first}`);
    edit(end, returns ? ")}" : "}");
  };

  /** Edits at one place stand as they came, but what closes comes before what opens, the inner before the outer. */
  const write = (from, to) => {
    let text = "";
    let at = from;
    for (const one of edits
      .map((e, i) => ({ ...e, i }))
      .sort((a, b) => a.at - b.at || rank(a) - rank(b) || order(a, b))) {
      text += source.slice(at, one.at) + one.text;
      at = one.until;
    }
    return text + source.slice(at, to);
  };
  const rank = ({ text }) => (/^[)}]/.test(text) ? 0 : 1);
  const order = (a, b) => (rank(a) === 0 ? b.i - a.i : a.i - b.i);

  visit(program, program, "");
  // An element whose id is a name of ours is a member of the window, unless the window has one of its own.
  const globals = new Set(source.match(/(?<=\bglobalThis\.)gasoline\w+/g));
  const own = (name) => `Object.hasOwn(globalThis,"${name}")||(globalThis.${name}=void 0);`;
  return [...globals].map(own).join("") + write(0, source.length);
}

/** members is the plugin. isolated: the script runs in an isolated world, where documents do not do what forms do. */
export const members = ({ isolated = false } = {}) => ({
  name: "members",
  async setup({ initialOptions, onLoad }) {
    initialOptions.inject = [...(initialOptions.inject ?? []), RUNTIME];
    initialOptions.define = { ...initialOptions.define, __ISOLATED__: String(isolated) };
    const inPage = await (ofPage ??= filesOfPage());
    onLoad({ filter: /\.(ts|m?js)$/ }, async ({ path }) => {
      if (OTHERS.test(path) || path === RUNTIME) return;
      const contents = rewrite(await readFile(path, "utf8"), path, inPage.has(path), isolated);
      return { contents, loader: path.endsWith(".ts") ? "ts" : "js" };
    });
  },
});

/** The files that the page's own realm runs. */
let ofPage;
async function filesOfPage() {
  const options = {
    entryPoints: ["extension/page/main.ts"],
    absWorkingDir: root,
    bundle: true,
    write: false,
    metafile: true,
  };
  const { metafile } = await build({ ...options, define: { __VERSION__: '""' } });
  return new Set(Object.keys(metafile.inputs).map((path) => root + path));
}
