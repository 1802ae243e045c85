package script

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/brennhill/gasoline/internal/steps"
)

// playwright prints for Playwright Test in TypeScript and JavaScript.
type playwright struct{ typed bool }

// Roles that getByRole takes.
var playwrightRoles = set(`alert alertdialog application article banner blockquote button caption cell checkbox code columnheader
	combobox complementary contentinfo definition deletion dialog directory document emphasis feed figure form grid gridcell group
	heading img insertion link list listbox listitem log main marquee math meter menu menubar menuitem menuitemcheckbox
	menuitemradio navigation note option paragraph progressbar radio radiogroup region row rowgroup rowheader scrollbar search
	searchbox separator slider spinbutton status strong subscript superscript switch tab table tablist tabpanel term textbox time
	timer toolbar tooltip tree treegrid treeitem`)

func set(words string) map[string]bool {
	out := map[string]bool{}
	for w := range strings.FieldsSeq(words) {
		out[w] = true
	}
	return out
}

func (w playwright) locator(base string, at *locator) (string, bool) {
	q := quoteJS
	exact, name := q(at.value)+", { exact: true }", q(at.value)+", exact: true"
	if steps.InCapitals(at.value) {
		exact = "/^" + escape(at.value) + "$/i"
		name = exact
	}
	switch at.kind {
	case "testid":
		return fmt.Sprintf("%s.getByTestId(%s)", base, q(at.value)), true
	case "attribute":
		return fmt.Sprintf("%s.locator(%s)", base, q(attribute(at.attr, at.value))), true
	case "role":
		return fmt.Sprintf("%s.getByRole(%s, { name: %s })", base, q(at.role), name), playwrightRoles[at.role] && !at.summary
	case "label":
		return fmt.Sprintf("%s.getByLabel(%s)", base, exact), true
	case "placeholder":
		return fmt.Sprintf("%s.getByPlaceholder(%s, { exact: true })", base, q(at.value)), true
	case "text":
		return fmt.Sprintf("%s.getByText(%s)", base, exact), true
	}
	for part := range strings.SplitSeq(at.value, " >>> ") {
		base += fmt.Sprintf(".locator(%s)", q(strings.TrimPrefix(part, ":host > ")))
	}
	return base, true
}

// typedAs is a type of TypeScript; "" in JavaScript.
func (w playwright) typedAs(t string) string {
	if w.typed {
		return ": " + t
	}
	return ""
}

func (w playwright) file(p *Plan, acts []act, s *Script) string {
	l := &lines{indent: "  "}
	for _, h := range p.heads(s, "// ") {
		l.add("%s", h)
	}
	frames := uses(acts, func(a *act) bool { return a.frames() })
	types := []string{"expect"}
	if frames && w.typed {
		types = append(types, "type Frame", "type Page")
	}
	l.add(`import { %s, test } from "@playwright/test";`, strings.Join(types, ", "))
	l.add("")
	size := ""
	if p.Width > 0 && p.Height > 0 {
		size = fmt.Sprintf(", viewport: { width: %d, height: %d }", p.Width, p.Height)
	}
	l.add(`test.use({ baseURL: process.env["BASE_URL"] ?? %s%s });`, quoteJS(p.Base), size)
	if len(s.Variables) > 0 {
		l.add("")
		l.add("/** A value that is not in this file: the environment has it. */")
		l.add("const secret = (name%s)%s => {", w.typedAs("string"), w.typedAs("string"))
		l.add("  const value = process.env[name];")
		l.add("  if (value === undefined) throw new Error(`Set ${name}: what was given there is not in this file.`);")
		l.add("  return value;")
		l.add("};")
	}
	if frames {
		l.add("")
		l.add("/** The frame of a document, as soon as it is there. */")
		promise := ""
		if w.typed {
			promise = ": Promise<Frame>"
		}
		l.add("async function frameAt(page%s, url%s)%s {", w.typedAs("Page"), w.typedAs("RegExp"), promise)
		l.add("  const found = () => page.frames().find((frame) => frame.parentFrame() && url.test(frame.url()));")
		l.add("  await expect.poll(() => found() !== undefined).toBe(true);")
		l.add("  const frame = found();")
		l.add("  if (!frame) throw new Error(`The frame of ${url} went away.`);")
		l.add("  return frame;")
		l.add("}")
	}
	l.add("")
	l.add("test(%s, async ({ page }) => {", quoteJS(p.Name))
	l.level++
	w.listeners(l, p, acts)
	w.mocks(l, p)
	if p.Start != "" {
		start := quoteJS(p.local(p.Start))
		if secretURL(p.Start) {
			start = `secret("START_URL")`
		}
		l.add("await page.goto(%s);", start)
	}
	for i := range acts {
		l.add("")
		w.act(l, p, &acts[i])
	}
	w.end(l, p, acts, s)
	l.level--
	l.add("});")
	return l.b.String()
}

// listeners print what listens, before the first step.
func (w playwright) listeners(l *lines, p *Plan, acts []act) {
	begin := l.b.Len()
	if p.listens() {
		l.add("// What goes wrong is listened for before the first step.")
		l.add("const errors%s = [];", w.typedAs("string[]"))
		l.add(`page.on("pageerror", (error) => errors.push(` + "error.name ? `${error.name}: ${error.message}` : error.message" + `));`)
		l.add(`page.on("console", (message) => {`)
		l.add("  // The browser's own line of a request that failed: requests are looked at below.")
		l.add(`  if (message.type() !== "error" || message.text().startsWith("Failed to load resource:")) return;`)
		formatted(l, "message.args()", "message.text()", "  ")
		l.add("});")
	}
	if p.NoErrors {
		l.add(`page.on("response", (response) => {`)
		l.add(`  if (response.status() < 400 || new URL(response.url()).pathname === "/favicon.ico") return;`)
		l.add("  const line = `${response.request().method()} ${response.url()} ${response.status()}`;")
		if len(p.Failing) > 0 {
			l.add("  // These failed when it was recorded.")
			l.add("  const failing = [%s];", strings.Join(p.failing(), ", "))
			l.add("  if (failing.some((known) => known.test(line))) return;")
		}
		l.add("  errors.push(line);")
		l.add("});")
	}
	if uses(acts, func(a *act) bool { return a.opens }) {
		l.add("// How a dialog was answered is not recorded: each is accepted.")
		l.add("const dialogs%s = [];", w.typedAs("string[]"))
		l.add(`page.on("dialog", (dialog) => {`)
		l.add("  dialogs.push(dialog.message());")
		l.add("  void dialog.accept();")
		l.add("});")
	}
	if l.b.Len() > begin {
		l.add("")
	}
}

// formatted pushes what the console was told, put together as browsers do and as it was captured.
func formatted(l *lines, args, without, indent string) {
	l.add("%sconst [format = %s, ...rest] = %s.map(String);", indent, without, args)
	l.add("%sconst said = format.replace(/%%[sdifoOc]/g, (sign) => (sign === \"%%c\" ? (rest.shift(), \"\") : (rest.shift() ?? sign)));", indent)
	l.add("%serrors.push([said, ...rest].join(\" \"));", indent)
}

func (w playwright) mocks(l *lines, p *Plan) {
	for _, g := range p.grouped() {
		l.add("// %s %s, as it was answered.", remark(g[0].Method), remark(g[0].URL))
		list := make([]string, 0, len(g))
		for _, m := range g {
			list = append(list, fmt.Sprintf("{ status: %d, contentType: %s, body: %s }", m.Status, quoteJS(m.ContentType), quoteJS(m.Body)))
		}
		l.add("{")
		l.add("  const answers = [%s];", strings.Join(list, ", "))
		l.add("  await page.route(/%s/, async (route) => {", addressPattern(g[0].URL))
		l.add("    if (route.request().method() !== %s) return route.fallback();", quoteJS(g[0].Method))
		l.add("    // The last answer stays.")
		l.add("    await route.fulfill(answers.length > 1 ? answers.shift() : answers[0]);")
		l.add("  });")
		l.add("}")
	}
	if len(p.Mocks) > 0 {
		l.add("")
	}
}

// find is the code of a place; name is that of its frame in this act.
func (w playwright) find(at *place, frame string) string {
	base := "page"
	if at != nil && at.frame != "" {
		base = frame
	}
	if at == nil || at.locator == nil {
		return base
	}
	code, _ := w.locator(base, at.locator)
	return code
}

func (w playwright) text(v value) string {
	if v.variable != "" {
		return fmt.Sprintf("secret(%s)", quoteJS(v.variable))
	}
	return quoteJS(v.text)
}

func (w playwright) act(l *lines, p *Plan, a *act) {
	l.add("// %d. %s", a.number, a.remark)
	if a.verb == "gap" {
		l.add("throw new Error(%s);", quoteJS(a.value.text))
		return
	}
	frame := fmt.Sprintf("frame%d", a.number)
	if a.at != nil && a.at.frame != "" {
		l.add("const %s = await frameAt(page, /%s/);", frame, a.at.frame)
	}
	for _, r := range a.asks {
		l.add("const %s = page.waitForResponse((r) => %s);", r.name, w.asked(r, r.choose))
	}
	do := w.do(a, frame)
	// What proves that the act was not lost.
	var proof *check
	for i := range a.checks {
		c := &a.checks[i]
		if c.kind == "value" || c.kind == "checked" || c.kind == "unchecked" || c.kind == "chosen" || c.kind == "url" || c.kind == "text" {
			proof = c
			break
		}
	}
	switch pressing := a.verb == "click" || a.verb == "press" || a.verb == "submit" || a.verb == "dblclick"; {
	case a.again && pressing && len(a.asks) > 0:
		l.add("// The first act on a page is lost while its scripts are not ready: it is done again as long as nothing is sent.")
		l.add("await expect(async () => {")
		l.add("  const sent = page.waitForRequest((r) => %s, { timeout: 2_000 });", w.sent(a.asks[0]))
		l.add("  await Promise.all([sent, %s]);", strings.TrimSuffix(strings.TrimPrefix(do, "await "), ";"))
		l.add("}).toPass();")
	case a.again && pressing && proof != nil && proof.kind == "url":
		l.add("// The first act on a page is lost while its scripts are not ready: it is done again until it leads there.")
		before := fmt.Sprintf("before%d", a.number)
		l.add("const %s = page.url();", before)
		l.add("await expect(async () => {")
		l.add("  if (page.url() === %s) %s", before, do)
		l.add("  await expect(page).not.toHaveURL(%s, { timeout: 5_000 });", before)
		l.add("  await expect(page).toHaveURL(/%s/, { timeout: 5_000 });", proof.pattern)
		l.add("}).toPass();")
	case a.again && proof != nil && (pressing || proof.at != nil):
		l.add("// The first act on a page is lost while its scripts are not ready: it is done again until it shows.")
		l.add("await expect(async () => {")
		l.add("  %s", do)
		l.add("  %s", w.check(proof, a, frame, "{ timeout: 5_000 }"))
		l.add("}).toPass();")
	default:
		l.add("%s", do)
		proof = nil
	}
	for _, r := range a.asks {
		switch {
		case r.under:
			l.add("expect((await %s).status()).toBeLessThan(400);", r.name)
		default:
			l.add("expect((await %s).status()).toBe(%d);", r.name, r.status)
		}
		if len(r.shape) > 0 {
			l.add("expect(await (await %s).json()).%s;", r.name, w.shape(r.shape))
		}
	}
	for i := range a.checks {
		if c := &a.checks[i]; c != proof || len(a.asks) > 0 {
			l.add("%s", w.check(c, a, frame, ""))
		}
	}
}

func (w playwright) asked(r ask, status bool) string {
	out := fmt.Sprintf("r.request().method() === %s && /%s/.test(r.url())", quoteJS(r.method), r.pattern)
	if status {
		out += fmt.Sprintf(" && r.status() === %d", r.status)
	}
	return out
}

func (w playwright) sent(r ask) string {
	return fmt.Sprintf("r.method() === %s && /%s/.test(r.url())", quoteJS(r.method), r.pattern)
}

func (w playwright) do(a *act, frame string) string {
	at := w.find(a.at, frame)
	switch a.verb {
	case "goto":
		return fmt.Sprintf("await page.goto(%s);", w.text(a.value))
	case "back":
		return "await page.goBack();"
	case "fill":
		return fmt.Sprintf("await %s.fill(%s);", at, w.text(a.value))
	case "choose":
		list := w.text(a.value)
		if len(a.list) != 1 {
			list = jsList(a.list)
		}
		if a.value.variable == "" && len(a.list) == 1 {
			list = "{ label: " + list + " }"
		}
		return fmt.Sprintf("await %s.selectOption(%s);", at, list)
	case "press":
		key := quoteJS(keyName(a.key))
		if a.at == nil {
			return fmt.Sprintf("await page.keyboard.press(%s);", key)
		}
		return fmt.Sprintf("await %s.press(%s);", at, key)
	case "scroll":
		if a.at == nil || a.at.locator == nil {
			return fmt.Sprintf("await %s.evaluate(() => scrollTo(%g, %g));", at, a.x, a.y)
		}
		return fmt.Sprintf("await %s.evaluate((element) => element.scrollTo(%g, %g));", at, a.x, a.y)
	case "upload":
		paths := make([]string, 0, len(a.list))
		for _, f := range a.list {
			paths = append(paths, "`${process.env[\"TEST_FILES\"] ?? \".\"}/`"+" + "+quoteJS(f))
		}
		return fmt.Sprintf("await %s.setInputFiles([%s]);", at, strings.Join(paths, ", "))
	case "submit":
		return fmt.Sprintf("await %s.evaluate((form) => (form%s).requestSubmit());", at, map[bool]string{true: " as HTMLFormElement"}[w.typed])
	case "drag":
		return fmt.Sprintf("await %s.dragTo(%s);", at, w.find(a.to, frame))
	}
	return fmt.Sprintf("await %s.%s();", at, a.verb)
}

func jsList(list []string) string {
	out := make([]string, 0, len(list))
	for _, s := range list {
		out = append(out, quoteJS(s))
	}
	return "[" + strings.Join(out, ", ") + "]"
}

// keyName is a key as Playwright calls it.
func keyName(key string) string {
	if rest, ok := strings.CutSuffix(key, " "); ok {
		return rest + "Space"
	}
	return key
}

func (w playwright) check(c *check, a *act, frame, options string) string {
	more := ""
	if options != "" {
		more = ", " + options
	}
	at := w.find(c.at, frame)
	switch c.kind {
	case "url":
		return fmt.Sprintf("await expect(page).toHaveURL(/%s/%s);", c.pattern, more)
	case "value":
		return fmt.Sprintf("await expect(%s).toHaveValue(%s%s);", at, quoteJS(c.text), more)
	case "checked":
		return fmt.Sprintf("await expect(%s).toBeChecked(%s);", at, options)
	case "unchecked":
		return fmt.Sprintf("await expect(%s).not.toBeChecked(%s);", at, options)
	case "chosen":
		return fmt.Sprintf(`await expect(%s.locator("option:checked")).toHaveText(%s%s);`, at, jsList(c.list), more)
	case "dialog":
		return fmt.Sprintf("await expect.poll(() => dialogs.some((message) => /%s/.test(message))).toBe(true);", c.pattern)
	}
	base := "page"
	if c.frame != "" {
		base = frame
		if a.at == nil || a.at.frame != c.frame {
			base = fmt.Sprintf("(await frameAt(page, /%s/))", c.frame)
		}
	}
	if c.role != "" && playwrightRoles[c.role] {
		base = fmt.Sprintf("%s.getByRole(%s)", base, quoteJS(c.role))
	} else if c.css != "" {
		base = fmt.Sprintf("%s.locator(%s)", base, quoteJS(c.css))
	} else {
		base += `.locator("*")`
	}
	is := "toBeAttached"
	if c.visible {
		is = "toBeVisible"
	}
	return fmt.Sprintf("await expect(%s.filter({ hasText: /%s/ }).first()).%s(%s);", base, c.pattern, is, options)
}

// shape compares the types of members.
func (w playwright) shape(list []member) string {
	var tree func(path []string) string
	tree = func(path []string) string {
		var parts []string
		for _, m := range list {
			if len(m.path) != len(path)+1 || strings.Join(m.path[:len(path)], "\x00") != strings.Join(path, "\x00") {
				continue
			}
			of := map[string]string{"string": "String", "number": "Number", "boolean": "Boolean", "array": "Array", "object": "Object"}[m.kind]
			code := "expect.any(" + of + ")"
			if inner := tree(m.path); m.kind == "object" && inner != "{}" {
				code = inner
			}
			parts = append(parts, keyJS(m.path[len(path)])+": "+code)
		}
		if len(parts) == 0 {
			return "{}"
		}
		return "{ " + strings.Join(parts, ", ") + " }"
	}
	if list[0].kind != "object" {
		return map[string]string{
			"string": "toEqual(expect.any(String))", "number": "toEqual(expect.any(Number))", "boolean": "toEqual(expect.any(Boolean))",
			"array": "toEqual(expect.any(Array))",
		}[list[0].kind]
	}
	return "toMatchObject(" + tree(nil) + ")"
}

// keyJS is the name of a property.
func keyJS(name string) string {
	for i, r := range name {
		if !(r == '_' || r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || i > 0 && r >= '0' && r <= '9') {
			return quoteJS(name)
		}
	}
	if name == "" || name == "__proto__" {
		return `[` + quoteJS(name) + `]`
	}
	return name
}

// end prints what is checked when all steps are done.
func (w playwright) end(l *lines, p *Plan, acts []act, s *Script) {
	for i, r := range p.Regions {
		l.add("")
		l.add("// %s", remark(r.Comment))
		w.region(l, i, &r, s)
	}
	if p.Picture {
		s.Snapshots = true
		s.count("picture")
		l.add("")
		l.add("await expect(page).toHaveScreenshot({ mask: [%s] });", w.mask())
	}
	settled := false
	if f := p.Failure; f != nil && (f.Message != "" || p.Seen) {
		l.add("")
		w.failure(l, p, f, s)
		settled = !p.Seen
	}
	if p.NoErrors {
		s.count("errors")
		l.add("")
		if !settled {
			l.add("// What the last step still does comes first.")
			l.add("await page.evaluate(() => new Promise((done) => requestAnimationFrame(() => setTimeout(done))));")
		}
		if len(p.Known) > 0 {
			l.add("// These errors were there when it was recorded.")
			l.add("const known = [%s];", strings.Join(p.known(), ", "))
			l.add("expect(errors.filter((error) => !known.some((one) => one.test(error)))).toEqual([]);")
		} else {
			l.add("expect(errors).toEqual([]);")
		}
	}
}

func (w playwright) failure(l *lines, p *Plan, f *Failure, s *Script) {
	if f.Message == "" {
		l.add("// The failure: a request is answered as it was then, which is checked where it is sent.")
		return
	}
	s.count("failure")
	if p.Seen {
		l.add("// The failure is seen.")
		l.add("await expect.poll(() => errors.some((error) => /%s/.test(error))).toBe(true);", p.failurePattern())
		return
	}
	l.add("// What the last step still does comes first; then the failure must not have come.")
	l.add("await page.evaluate(() => new Promise((done) => requestAnimationFrame(() => setTimeout(done))));")
	l.add("expect(errors.filter((error) => /%s/.test(error))).toEqual([]);", p.failurePattern())
}

// mask is what is never the same: it is covered in pictures.
func (w playwright) mask() string {
	return `page.locator("input[type=password], time, video, canvas")`
}

func (w playwright) region(l *lines, i int, r *Region, s *Script) {
	s.Snapshots = true
	s.count("picture")
	file := quoteJS(fmt.Sprintf("%s-%d.png", strings.TrimSuffix(r.Name, "-"), i+1))
	if at := chosen(r.Locators, "", w); at != nil {
		code, _ := w.locator("page", at)
		s.Selectors = append(s.Selectors, code)
		l.add("await expect(%s).toHaveScreenshot(%s, { mask: [%s] });", code, file, w.mask())
		return
	}
	l.add("await expect(page).toHaveScreenshot(%s, {", file)
	l.add("  fullPage: true,")
	l.add("  clip: { x: %g, y: %g, width: %g, height: %g },", r.X, r.Y, r.Width, r.Height)
	l.add("  mask: [%s],", w.mask())
	l.add("});")
}

// text of JSON, for answers.
func oneLine(body string) string {
	var v any
	if json.Unmarshal([]byte(body), &v) == nil {
		if data, err := json.Marshal(v); err == nil {
			return string(data)
		}
	}
	return body
}
