import { rich } from "./editing.ts";

export default rich("Quill", "quill");
