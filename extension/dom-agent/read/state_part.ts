import type { StatePart, StatePartParams } from "@gasoline/schema/commands";
import type { Environment } from "../environment.ts";
import { withStores } from "../stored.ts";

/** A further chunk of what take_state took. */
export const statePart = (params: StatePartParams, environment: Environment): Promise<StatePart> =>
  withStores(environment, ({ chunk }) => chunk(params));
