// Starts the shop's Node service by itself: prints its URL, and stops when its stdin closes.
import { startWeb } from "./server.mjs";

const web = await startWeb(process.argv[2]);
console.log(web.url);
process.stdin.resume().once("close", () => void web.close().then(() => process.exit(0)));
