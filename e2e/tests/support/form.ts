/**
 * A page with one of each thing that is hard to operate: an input that a framework controls (it keeps
 * the value itself and puts back what it did not hear of), a rich editor, something that moves, something that is
 * covered, a closed shadow root, a frame.
 */
export const FORM = `<!doctype html><title>Form</title>
<style>
  body { font: 16px sans-serif; margin: 20px } .far { margin-top: 1800px }
  #moving { position: absolute; left: 300px; top: 20px; animation: move 600ms linear } @keyframes move { from { left: 700px } }
  #wall { position: fixed; inset: auto 0 0 0; height: 0 }
</style>
<p id="status">nothing yet</p>
<form onsubmit="event.preventDefault(); say('submitted ' + this.mail.value)">
  <label>E-mail <input name="mail" placeholder="you@example.test"></label>
  <label>Password <input name="pw" type="password"></label>
  <label>Size <select name="size" onchange="say('size ' + value)"><option value="s">Small</option><option value="m">Medium</option></select></label>
  <label><input type="checkbox" name="gift" onchange="say('gift ' + checked)"> Gift</label>
  <button data-testid="order">Order now</button>
</form>
<label>Controlled <input id="controlled"></label>
<button onclick="say('first')">Same</button><button onclick="say('second')">Same</button>
<button id="off" disabled>Off</button>
<div id="editor" contenteditable aria-label="Note" style="border:1px solid;min-height:30px"></div>
<div id="hoverable" onmouseover="say('hovered')">Hover me</div>
<a id="away" href="/next">Go on</a> <a id="blank" href="/next" target="_blank">New window</a>
<input id="keys" aria-label="Keys" onkeydown="say('key ' + event.key)">
<button id="dialogs" onclick="alert('stop here'); say('after alert')">Alert</button>
<div id="shadow-host"></div>
<iframe id="inner-frame" src="/inner"></iframe>
<button id="moving" onclick="say('moving hit')">Moving</button>
<button class="far" onclick="say('far')">Far away</button>
<script>
  function say(text) { document.getElementById("status").textContent = text }
  const root = document.getElementById("shadow-host").attachShadow({ mode: "closed" });
  root.innerHTML = "<button>Inside closed</button>";
  root.querySelector("button").onclick = () => say("inside");
  // As React does it: its own property on the element sees writes, and an input event with the known value is ignored.
  const controlled = document.getElementById("controlled");
  const native = Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, "value");
  let state = "", tracked = "";
  Object.defineProperty(controlled, "value", {
    get() { return native.get.call(this) },
    set(v) { tracked = v; native.set.call(this, v) },
  });
  controlled.addEventListener("input", () => {
    const now = native.get.call(controlled);
    if (now !== tracked) { tracked = state = now; say("state " + state) }
    setTimeout(() => { if (native.get.call(controlled) !== state) controlled.value = state });
  });
</script>`;

/** The frame in the form. */
export const INNER = `<button onclick="document.title = 'pressed'; this.textContent = 'Pressed'">In frame</button>`;
