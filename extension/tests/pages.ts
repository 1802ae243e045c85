/** A page with one of most things that agents operate. */
export const FORM = `<!doctype html><title>Form</title>
<style>body{font:16px sans-serif;margin:20px} .far{margin-top:1500px}</style>
<h1>Order</h1>
<p id="status">nothing yet</p>
<form onsubmit="event.preventDefault(); say('submitted ' + this.mail.value)">
  <label>E-mail <input name="mail" placeholder="you@example.test"></label>
  <label>Password <input name="pw" type="password" value="hunter22"></label>
  <label>Size <select name="size" onchange="say('size ' + value)"><option value="s">Small</option><option value="m">Medium</option><option value="l" disabled>Large</option></select></label>
  <label><input type="checkbox" name="gift" onchange="say('gift ' + checked)"> Gift</label>
  <button data-testid="order">Order now</button>
</form>
<button onclick="say('first')">Same</button><button onclick="say('second')">Same</button>
<button id="off" disabled>Off</button>
<div id="editor" contenteditable style="border:1px solid;min-height:30px"></div>
<div id="hoverable" onmouseover="say('hovered')">Hover me</div>
<a id="away" href="/next">Go on</a>
<a id="blank" href="/next" target="_blank">New window</a>
<input id="keys" onkeydown="say('key ' + event.key + (event.isTrusted ? ' real' : ''))">
<div id="shadow-host"></div>
<button class="far" id="far" onclick="say('far')">Far away</button>
<script>
  function say(text) { document.getElementById('status').textContent = text; }
  const root = document.getElementById('shadow-host').attachShadow({ mode: 'closed' });
  root.innerHTML = '<button id="inner">Inside closed</button>';
  root.getElementById('inner').onclick = () => say('inside');
</script>`;
