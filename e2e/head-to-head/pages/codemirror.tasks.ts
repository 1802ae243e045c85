import { code } from "./editing.ts";

export default code("CodeMirror", "@codemirror/view");
