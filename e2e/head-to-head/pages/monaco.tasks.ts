import { code } from "./editing.ts";

export default code("Monaco", "monaco-editor", {
  entries: { "monaco.worker": "monaco-editor/editor/editor.worker.js" },
});
