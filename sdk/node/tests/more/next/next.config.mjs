import { dirname } from "node:path";
import { fileURLToPath } from "node:url";
const root = dirname(dirname(fileURLToPath(import.meta.url)));
export default { outputFileTracingRoot: root, turbopack: { root } };
