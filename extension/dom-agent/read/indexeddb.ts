import type { DatabaseParams, DatabaseResult } from "@gasoline/schema/commands";
import type { Environment } from "../environment.ts";
import { withStores } from "../stored.ts";

/** The first rows of an object store. */
export const indexeddb = (params: DatabaseParams, environment: Environment): Promise<DatabaseResult> =>
  withStores(environment, ({ rows }, limits) => rows(params, limits));
