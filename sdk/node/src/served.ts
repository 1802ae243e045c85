import type { Span } from "./runtime.ts";

class Given {
  constructor(object: object) {
    return object;
  }
}

/**
 * Served knows the spans of the requests that this process serves, by request, answer or stream. The span is a private
 * field of that object: a program does not see it, and unlike an entry of a WeakMap it costs a collector nothing.
 */
export class Served extends Given {
  #span!: Span;

  static get(object: object): Span | undefined {
    return #span in object ? object.#span : undefined;
  }

  static set(object: object, span: Span): typeof Served {
    (#span in object ? object : new Served(object)).#span = span;
    return Served;
  }
}
