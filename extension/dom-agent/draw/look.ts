/** How the drawing looks: in the scheme that the user has, without motion, and in windows of 320 pixels too. */
export const LOOK = `
:host { --paper: #ffffff; --ink: #111827; --soft: #374151; --line: #6b7280; --strong: #9a3412; --on-strong: #ffffff;
  --field: #ffffff; color-scheme: light }
@media (prefers-color-scheme: dark) {
  :host { --paper: #111827; --ink: #f9fafb; --soft: #d1d5db; --line: #9ca3af; --strong: #fdba74; --on-strong: #111827;
    --field: #1f2937; color-scheme: dark }
}
dialog { position: fixed; inset: 0; width: 100vw; height: 100vh; max-width: none; max-height: none; margin: 0; padding: 0;
  border: 0; background: transparent; overflow: clip; color: var(--ink); font: 14px/1.4 system-ui, sans-serif }
dialog::backdrop { background: transparent }
* { box-sizing: border-box }
.area { position: absolute; inset: 0; cursor: crosshair; touch-action: none; outline: none }
.area:focus-visible { box-shadow: inset 0 0 0 3px var(--strong), inset 0 0 0 5px var(--paper) }
svg { position: absolute; inset: 0; width: 100%; height: 100%; pointer-events: none; overflow: visible }
.under { fill: none; stroke: #ffffff; stroke-width: 6 }
.over { fill: none; stroke: #c2410c; stroke-width: 3 }
.bar { position: absolute; top: 8px; left: 50%; transform: translateX(-50%); width: max-content; max-width: min(640px, calc(100vw - 16px));
  display: flex; flex-wrap: wrap; align-items: center; gap: 8px; padding: 8px 12px; background: var(--paper); border: 1px solid var(--line);
  border-radius: 10px; box-shadow: 0 4px 16px rgb(0 0 0 / .3) }
.bar.low { top: auto; bottom: 8px }
.bar.away, .bar[hidden] { visibility: hidden }
.asked { flex: 1 1 100%; margin: 0; font-weight: 600; overflow-wrap: anywhere; max-height: 6.5em; overflow: auto }
.hint { flex: 1 1 100%; margin: 0; color: var(--soft); font-size: 12px }
button { font: inherit; min-height: 32px; padding: 4px 12px; border: 1px solid var(--line); border-radius: 6px; background: var(--paper);
  color: var(--ink); cursor: pointer }
button[aria-pressed=true] { border: 2px solid var(--strong); padding: 3px 11px; font-weight: 600 }
button.done { background: var(--strong); border-color: var(--strong); color: var(--on-strong); font-weight: 600 }
button:disabled { opacity: .55; cursor: default }
button:focus-visible { outline: 3px solid var(--strong); outline-offset: 2px }
.note { position: absolute; width: 240px; max-width: calc(100vw - 16px); background: var(--paper); border: 1px solid var(--line);
  border-radius: 8px; padding: 6px; box-shadow: 0 2px 10px rgb(0 0 0 / .25) }
.note.spare { visibility: hidden }
iframe { display: block; width: 100%; height: 31px; border: 0; border-radius: 4px; color-scheme: inherit }
.seen { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%) }
@media (max-width: 480px) { .hint { display: none } button { padding: 4px 8px } button[aria-pressed=true] { padding: 3px 7px } .bar { gap: 6px; padding: 8px } }
@media (forced-colors: active) { .over { stroke: Highlight } button.done { forced-color-adjust: none } }
`;
