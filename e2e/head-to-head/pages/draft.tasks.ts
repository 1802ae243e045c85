import { rich } from "./editing.ts";

export default rich("Draft.js", "draft-js");
