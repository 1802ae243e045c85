import { code } from "./editing.ts";

export default code("Monaco", "monaco-editor", {
  entries: { "monaco.worker": "monaco-editor/esm/vs/editor/editor.worker.js" },
});
