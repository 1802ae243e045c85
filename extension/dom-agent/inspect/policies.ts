import type { InlineCode, PageLoad } from "@gasoline/schema/commands";
import type { Question } from "./main.ts";
import { fitting } from "./walk.ts";

const MAX_CODE = 500;
const MAX_LOADS = 1000;

const CODE = /^(|module|importmap|speculationrules|(text|application)\/(x-)?(java|ecma)script)$/i;
const LOADS = /^(src|(image)?srcset|(xlink:)?href|(form)?action|data|poster|ping|background)$/;
const FILES = /^(script|link)$/;

/** What policies about code and loads would be about: hashes of the code in the document, and what its elements load. */
export const policies: Question<"policies"> = async ({ params, environment, tools }) => {
  const slices = new tools.Slices(environment.deadline);
  const patterns = (params.patterns ?? []).map((pattern) => new RegExp(pattern));
  const code = new Map<string, InlineCode>();
  const loads = new Map<string, PageLoad>();
  const marks = new Set<number>();
  let more = 0;
  let unhashed = 0;

  // A document without an address has the policy of its maker; where it shows nothing, nobody asks it.
  const documents = [document];
  for (const at of documents) await looked(at);
  return {
    url: location.href,
    ...(navigator.serviceWorker?.controller ? { worker: navigator.serviceWorker.controller.scriptURL } : {}),
    code: [...code.values()],
    loads: [...loads.values()],
    marks: [...marks],
    more,
    unhashed,
  };

  async function looked(scope: Document): Promise<void> {
    for (const at of await fitting("*", [scope], tools, slices)) {
      if (slices.over) await slices.pause();
      if (tools.isOwn(at)) continue;
      const inner = (at as HTMLIFrameElement).contentDocument;
      if (inner?.URL.startsWith("about:")) documents.push(inner);
      const { localName: tag } = at;
      const isScript = tag === "script" && CODE.test(at.getAttribute("type") ?? "");
      if ((isScript && !at.hasAttribute("src") && !at.hasAttribute("href")) || tag === "style")
        await written(tag, at.textContent, (at as HTMLElement).nonce !== "");
      for (const { name, value } of at.attributes) {
        if (name === "style") await written("attribute", value);
        else if (name.startsWith("on") && name in at) await written("handler", value);
        else if (LOADS.test(name)) await loaded(at, name, value);
      }
    }
  }

  async function written(sort: string, text: string, isNamed = false): Promise<void> {
    for (const [i, pattern] of patterns.entries()) if (pattern.test(text)) marks.add(i);
    // Pages that came unencrypted from another machine have no such function.
    const bytes = await crypto.subtle?.digest("SHA-256", new TextEncoder().encode(text));
    if (!bytes) unhashed++;
    else {
      const hash = isNamed ? "nonce" : btoa(String.fromCharCode(...new Uint8Array(bytes)));
      const key = `${sort} ${hash}`;
      if (code.has(key)) code.get(key)!.count++;
      else if (code.size < MAX_CODE) code.set(key, { sort, hash, count: 1 });
      else more++;
    }
  }

  async function loaded(at: Element, name: string, value: string): Promise<void> {
    const { localName: tag } = at;
    const isLink = /^(a|area)$/.test(tag) && name !== "ping";
    for (const part of name.endsWith("srcset") ? value.split(/,\s+/) : [value]) {
      let to: URL;
      try {
        to = new URL(name.endsWith("srcset") ? part.trim().split(/\s/)[0]! : part, at.baseURI);
      } catch {
        continue;
      }
      if (to.protocol === "javascript:") await written("javascript", to.href);
      else if (!isLink) {
        const isFile = FILES.test(tag);
        const url = isFile ? tools.clean(to.href, at) : to.protocol.startsWith("http") ? to.origin : to.protocol;
        const of = (attribute: string): string => at.getAttribute(attribute) ?? "";
        const load: PageLoad = { tag, name, url };
        if (isFile)
          for (const more of ["rel", "as", "type", "integrity", "crossorigin"] as const)
            if (at.hasAttribute(more)) load[more] = of(more).slice(0, 300);
        const key = JSON.stringify(load);
        if (loads.size < MAX_LOADS) loads.set(key, load);
        else if (!loads.has(key)) more++;
      }
    }
  }
};
