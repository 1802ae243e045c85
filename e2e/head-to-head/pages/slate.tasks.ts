import { rich } from "./editing.ts";

export default rich("Slate", "slate-react");
