import type { FeatureGate } from "@gasoline/schema/commands";
import type { Question } from "./main.ts";
import { compared, fitting } from "./walk.ts";

const MAX_GATES = 20;
/** A text that is longer tells a story. */
const MAX_TEXT = 160;

const PLANS = "pro|plus|premium|business|team|enterprise|growth|scale|starter|professional|ultimate|paid";
const PLAN = new RegExp(
  `\\b(upgrade (to|your|now|plan)|(available|included|only) (on|in|for|with) (the |our |a )?(${PLANS})\\b|(${PLANS}) (plan|feature|only|subscribers|members)\\b|requires? (a |the |an )?(${PLANS}|subscription|higher plan)|unlock (this|with|all|more)|subscribe to (unlock|continue|access)|start (your )?(free )?trial|not (available|included) (on|in) (your|the) (current |free )?plan)`,
  "i",
);
const NAMED_PLAN = new RegExp(`\\b(${PLANS})\\b`, "i");
const AUTH =
  /\b((sign|log) ?in (to|with|for|required)|please (sign|log) ?in|you (must|need to) (be (signed|logged) in|(sign|log) in)|continue with (google|github|apple|microsoft|facebook|gitlab|sso|email|okta)|create an account to|sign up to|(session|login) (has )?expired|members only|not authori[sz]ed|access denied|permission (denied|required))\b/i;
const PROVIDER = /\b(google|github|apple|microsoft|facebook|gitlab|sso|okta|saml|passkey)\b/i;
const USAGE =
  /\b((\d[\d,.]*)\s*(of|\/|out of)\s*(\d[\d,.]*)\s+[\w ]{0,30}?(used|remaining|left|credits|seats|projects|requests|messages|users|gb|mb|tokens|minutes|members)|(limit|quota) (reached|exceeded)|reached (your|the) [\w ]{0,30}(limit|quota)|(\d+) (credits?|requests?|messages?|days?|seats?|trials?) (left|remaining)|out of (credits|storage|quota)|rate limit(ed)?|too many requests)\b/i;
const USED = /(\d[\d,.]*)\s*(?:of|\/|out of)\s*(\d[\d,.]*)/i;

/** What the document says, in words, of what is not to be had. */
export const featureGates: Question<"feature_gates"> = async ({ within, environment, tools }) => {
  const { refs, deadline } = environment;
  const slices = new tools.Slices(deadline);
  const found = { plan: [] as FeatureGate[], auth: [] as FeatureGate[], usage: [] as FeatureGate[] };
  const told = new Set<string>();
  let total = 0;
  for (const at of await fitting("*", within ?? [document], tools, slices)) {
    if (slices.over) await slices.pause();
    // The innermost element that has the words: its own text, and what is in words beside it.
    if (!at.isConnected || tools.isOwn(at) || !hasOwnText(at)) continue;
    const { textContent } = at;
    if (textContent === null || textContent.length > MAX_TEXT * 4) continue;
    const text = tools.shownText(at, MAX_TEXT + 1);
    if (text.length > MAX_TEXT) continue;
    const kind = USAGE.test(text) ? "usage" : PLAN.test(text) ? "plan" : AUTH.test(text) ? "auth" : undefined;
    if (!kind || told.has(text) || !tools.isVisible(at)) continue;
    told.add(text);
    total++;
    const list = found[kind];
    if (list.length >= MAX_GATES) continue;
    const control = tools.nearest(at, "button,a[href],[role=button],[role=link]") ?? at;
    await compared(control, tools, slices);
    const feature = headingOf(at);
    const used = kind === "usage" ? USED.exec(text) : null;
    const plan = kind === "plan" ? NAMED_PLAN.exec(text)?.[0] : undefined;
    const provider = kind === "auth" ? PROVIDER.exec(text)?.[0] : undefined;
    list.push({
      ref: refs.refOf(control),
      text,
      ...(feature && feature !== text ? { feature } : {}),
      ...(plan ? { required_plan: plan } : {}),
      ...(provider ? { provider } : {}),
      ...(used ? { used: `${used[1]} of ${used[2]}` } : {}),
      ...(tools.isDisabled(control, slices.pass) ? { disabled: true } : {}),
    });
  }
  return { plan_gates: found.plan, auth_gates: found.auth, usage_limits: found.usage, total_gates: total };

  /** The heading of the part that an element stands in. */
  function headingOf(at: Element): string {
    const part = tools.nearest(
      at,
      "section,article,li,tr,dialog,[role=dialog],[role=region],[role=listitem],fieldset,form",
    );
    const heading = part?.querySelector("h1,h2,h3,h4,h5,h6,[role=heading],legend,th");
    return heading ? tools.shownText(heading, 80) : "";
  }
};

const SILENT = /^(script|style|noscript|template|option|title)$/;

const hasOwnText = (at: Element): boolean =>
  !SILENT.test(at.localName) && [...at.childNodes].some((node) => node instanceof Text && node.data.trim().length > 2);
