import { subscribe } from "node:diagnostics_channel";
import { apply } from "../natives.ts";
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

/**
 * Express tells its routes on the request. The errors that handlers throw or pass on are seen where a handler of errors is
 * called, or where a router gives up: so there is no frame of ours around a handler.
 */
const layer =
  (runtime: Runtime, method: string): Patch =>
  (Layer) => {
    wrap(
      (Layer as { prototype: object }).prototype,
      method,
      (native) =>
        function (this: unknown, ...args) {
          thrown(runtime, args[1], args[0]);
          return apply(native, this, args);
        },
    );
  };

const router =
  (runtime: Runtime): Patch =>
  (Router) => {
    const { prototype } = Router as { prototype?: { handle?: unknown } };
    wrap(
      prototype?.handle ? prototype : (Router as object),
      "handle",
      (native) =>
        function (this: unknown, req, res, done) {
          const ours = (error?: unknown): void => {
            thrown(runtime, req, error);
            (done as Done)(error);
          };
          return apply(native, this, [req, res, typeof done === "function" ? ours : done]);
        },
    );
  };

function thrown(runtime: Runtime, request: unknown, error: unknown): void {
  // "route" and "router" are words that skip what is left, and no errors.
  if (!error || error === "route" || error === "router") return;
  runtime.guard(() => runtime.served.get(request as object)?.fail(error, true));
}

/** Nest answers by its filters what handlers throw. What is meant for the client has a status below 500. */
const nest =
  (runtime: Runtime): Patch =>
  (exported) => {
    wrap(
      (exported as { ExceptionsHandler: { prototype: object } }).ExceptionsHandler.prototype,
      "next",
      (native) =>
        function (this: unknown, ...args) {
          runtime.guard(() => {
            const [error, host] = args as [unknown, { getArgByIndex?(index: number): unknown } | undefined];
            if (((error as { getStatus?(): number } | null)?.getStatus?.() ?? 500) < 500) return;
            const request = host?.getArgByIndex?.(0) as { raw?: object } | undefined;
            const span = request && (runtime.served.get(request) ?? runtime.served.get(request.raw ?? request));
            (span ?? runtime.scopes.getStore())?.fail(error, true);
          });
          return apply(native, this, args);
        },
    );
  };

interface KoaContext {
  req: object;
  _matchedRoute?: unknown;
}

export const frameworks = (runtime: Runtime): [string, Patch][] => [
  ["@nestjs/core/exceptions/exceptions-handler.js", nest(runtime)],
  ["router/lib/layer.js", layer(runtime, "handleError")],
  ["router/index.js", router(runtime)],
  ["express/lib/router/layer.js", layer(runtime, "handle_error")],
  ["express/lib/router/index.js", router(runtime)],
  [
    "koa/lib/application.js",
    (Application) => {
      wrap(
        (Application as { prototype: object }).prototype,
        "handleRequest",
        (native) =>
          function (this: unknown, ...args) {
            const [context, middleware] = args as [KoaContext, (context: unknown) => Promise<unknown>];
            if (typeof middleware !== "function") return apply(native, this, args);
            runtime.routes.set(context.req, () => context._matchedRoute);
            const ours = (c: unknown): Promise<unknown> =>
              middleware(c).catch((error: unknown) => {
                const expected = (error as { expose?: unknown } | null)?.expose === true;
                if (!expected) runtime.guard(() => runtime.served.get(context.req)?.fail(error, true));
                throw error;
              });
            return apply(native, this, [context, ours]);
          },
      );
    },
  ],
];
