// What is done in every editor. Each page has two: one that is called Empty and one that is called Letter, with two
// paragraphs. window.app.empty and window.app.letter tell what the editor's own model has in it.
import type { Library, Task } from "../task.ts";

/** How a page tells the state of one of its editors. */
export interface Model {
  /** The paragraphs or lines, joined by line breaks. */
  text(): string;
  /** What is bold, joined by blanks; "" where nothing is. */
  bold?(): string;
}

/** What Letter begins with. */
export const LETTER = ["Dear reader,", "this is the end."];

const LONG = "All work and no play makes Jack a dull boy. ".repeat(12).trim();

export const empty = { role: "textbox", name: "Empty" };
export const letter = { role: "textbox", name: "Letter" };

const TASKS: Task[] = [
  {
    name: "a sentence into an empty document",
    kind: "type",
    steps: [{ do: "type", target: empty, text: "The quick brown fox, isn't it?" }],
    right: () => window.app.empty.text() === "The quick brown fox, isn't it?",
  },
  {
    name: "two paragraphs at once",
    kind: "type",
    steps: [{ do: "type", target: empty, text: "First line\nSecond line" }],
    right: () => window.app.empty.text() === "First line\nSecond line",
  },
  {
    name: "a long text",
    kind: "type",
    steps: [{ do: "type", target: empty, text: LONG }],
    right: () => window.app.empty.text() === "All work and no play makes Jack a dull boy. ".repeat(12).trim(),
  },
  {
    name: "instead of what is there",
    kind: "type",
    steps: [{ do: "type", target: letter, text: "All new.", clear: true }],
    right: () => window.app.letter.text() === "All new.",
  },
  {
    name: "at the end of what is there",
    kind: "type",
    steps: [
      { do: "click", target: letter },
      { do: "key", key: "Control+End" },
      { do: "type", text: " Or not." },
    ],
    right: () => window.app.letter.text() === "Dear reader,\nthis is the end. Or not.",
  },
  {
    name: "Enter and Backspace",
    kind: "keys",
    steps: [
      { do: "type", target: empty, text: "ab" },
      { do: "key", key: "Enter" },
      { do: "type", text: "cd" },
      { do: "key", key: "Backspace" },
    ],
    right: () => window.app.empty.text() === "ab\nc",
  },
  {
    name: "undo",
    kind: "keys",
    steps: [
      { do: "click", target: letter },
      { do: "key", key: "Control+a" },
      { do: "key", key: "Delete" },
      { do: "key", key: "Control+z" },
    ],
    right: () => window.app.letter.text() === "Dear reader,\nthis is the end.",
  },
  {
    name: "Japanese and an emoji of several parts",
    kind: "scripts",
    steps: [{ do: "type", target: empty, text: "日本語を入力 👨‍👩‍👧 한국어" }],
    right: () => window.app.empty.text() === "日本語を入力 👨‍👩‍👧 한국어",
  },
  {
    name: "from right to left",
    kind: "scripts",
    steps: [{ do: "type", target: empty, text: "שלום עולם، مرحبا" }],
    right: () => window.app.empty.text() === "שלום עולם، مرحبا",
  },
  {
    name: "the text back",
    kind: "read",
    steps: [{ do: "read", text: "this is the end." }],
    right: () => true,
  },
];

const RICH: Task[] = [
  {
    name: "bold by its key",
    kind: "format",
    steps: [
      { do: "click", target: letter },
      { do: "key", key: "Control+a" },
      { do: "key", key: "Control+b" },
    ],
    right: () => /Dear reader,\s*this is the end\./.test(window.app.letter.bold()),
  },
  {
    name: "markup from the clipboard",
    kind: "paste",
    steps: [{ do: "paste", target: empty, text: "strong words", html: "<p><strong>strong</strong> words</p>" }],
    right: () => window.app.empty.text() === "strong words" && window.app.empty.bold() === "strong",
  },
];

/** The tasks of an editor of rich text. */
export const rich = (title: string, name: string, more: Partial<Library> = {}): Library => ({
  title,
  package: name,
  tasks: [...TASKS, ...RICH],
  ...more,
});

const CODE = 'function f(a) {\n  if (a) {\n    return "(";\n  }\n}';

/** The tasks of an editor of code, whose Code has a thousand lines. */
export const code = (title: string, name: string, more: Partial<Library> = {}): Library => ({
  title,
  package: name,
  tasks: [
    ...TASKS,
    {
      name: "code as it is, whatever the editor adds to keys",
      kind: "type",
      steps: [{ do: "type", target: empty, text: CODE }],
      right: () => window.app.empty.text() === 'function f(a) {\n  if (a) {\n    return "(";\n  }\n}',
    },
    {
      name: "code instead of a thousand lines",
      kind: "type",
      steps: [{ do: "type", target: { role: "textbox", name: "Code" }, text: CODE, clear: true }],
      right: () => window.app.code.text() === 'function f(a) {\n  if (a) {\n    return "(";\n  }\n}',
    },
    {
      name: "the end of a thousand lines",
      kind: "type",
      steps: [
        { do: "click", target: { role: "textbox", name: "Code" } },
        { do: "key", key: "Control+End" },
        { do: "type", text: "done();" },
      ],
      right: () => {
        const text: string = window.app.code.text();
        return text.split("\n").length === 1000 && text.endsWith("line(1000);done();");
      },
    },
    {
      name: "lines from the clipboard",
      kind: "paste",
      steps: [{ do: "paste", target: empty, text: "a {\n  b\n}" }],
      right: () => window.app.empty.text() === "a {\n  b\n}",
    },
  ],
  ...more,
});

/** A thousand lines. */
export const LINES = Array.from({ length: 1000 }, (_, i) => `line(${i + 1});`).join("\n");

/** Makes the three places for editors, one below the other. Returns them by their names. */
export function places(...names: string[]): Record<string, HTMLElement> {
  const made: Record<string, HTMLElement> = {};
  for (const name of names) {
    const heading = document.createElement("h2");
    heading.textContent = `The editor ${name.toLowerCase()}`;
    const place = document.createElement("div");
    place.style.cssText = "border: 1px solid #888; min-height: 60px; margin-bottom: 12px";
    document.body.append(heading, place);
    made[name] = place;
  }
  return made;
}
