import { subscribe } from "node:diagnostics_channel";
import type { Runtime } from "../runtime.ts";
import { type Patch, wrap } from "./modules.ts";

type Done = (error?: unknown) => void;

interface Fastify {
  addHook(name: "onRequest", hook: (request: FastifyRequest, reply: unknown, done: Done) => void): void;
  addHook(name: "onError", hook: (request: FastifyRequest, reply: unknown, error: unknown, done: Done) => void): void;
}

interface FastifyRequest {
  raw: object;
  routeOptions?: { url?: unknown };
  routerPath?: unknown;
}

/** watchFastify adds hooks to each instance as it is made. */
export function watchFastify(runtime: Runtime): void {
  subscribe("fastify.initialization", (message) => {
    runtime.guard(() => {
      const { fastify } = message as { fastify: Fastify };
      fastify.addHook("onRequest", (request, _reply, done) => {
        runtime.routes.set(request.raw, () => request.routeOptions?.url ?? request.routerPath);
        done();
      });
      fastify.addHook("onError", (request, _reply, error, done) => {
        runtime.guard(() => runtime.served.get(request.raw)?.fail(error, true));
        done();
      });
    });
  });
}

/** Express tells its routes on the request; the errors that handlers throw or pass on are seen where layers are called. */
function layer(runtime: Runtime, method: string): Patch {
  return (Layer) => {
    wrap(
      (Layer as { prototype: object }).prototype,
      method,
      (native) =>
        function (this: unknown, req, res, next) {
          const ours = (error?: unknown): void => {
            // "route" and "router" are words that skip what is left, and no errors.
            if (error !== undefined && error !== null && error !== "route" && error !== "router") {
              runtime.guard(() => runtime.served.get(req as object)?.fail(error, true));
            }
            (next as Done)(error);
          };
          return Reflect.apply(native, this, [req, res, typeof next === "function" ? ours : next]);
        },
    );
  };
}

interface KoaContext {
  req: object;
  _matchedRoute?: unknown;
}

export const frameworks = (runtime: Runtime): [string, Patch][] => [
  ["router/lib/layer.js", layer(runtime, "handleRequest")],
  ["express/lib/router/layer.js", layer(runtime, "handle_request")],
  [
    "koa/lib/application.js",
    (Application) => {
      wrap(
        (Application as { prototype: object }).prototype,
        "handleRequest",
        (native) =>
          function (this: unknown, ...args) {
            const [context, middleware] = args as [KoaContext, (context: unknown) => Promise<unknown>];
            if (typeof middleware !== "function") return Reflect.apply(native, this, args);
            runtime.routes.set(context.req, () => context._matchedRoute);
            const ours = (c: unknown): Promise<unknown> =>
              middleware(c).catch((error: unknown) => {
                const expected = (error as { expose?: unknown } | null)?.expose === true;
                if (!expected) runtime.guard(() => runtime.served.get(context.req)?.fail(error, true));
                throw error;
              });
            return Reflect.apply(native, this, [context, ours]);
          },
      );
    },
  ],
];
