// What `node --import @gasoline/node/register` loads before the program.
import { start } from "./start.ts";

start();
