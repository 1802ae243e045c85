import { rich } from "./editing.ts";

export default rich("ProseMirror", "prosemirror-view");
