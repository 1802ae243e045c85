package script

import (
	"fmt"
	"strings"

	"github.com/brennhill/gasoline/internal/steps"
)

// cypress prints for Cypress, in TypeScript and JavaScript.
type cypress struct{ typed bool }

// Elements that have a role by themselves, for roles whose name is what is written on them.
var cypressRoles = map[string]string{
	"button": `button, [role="button"]`, "link": `a[href], [role="link"]`, "tab": `[role="tab"]`, "menuitem": `[role="menuitem"]`,
	"option": `[role="option"]`, "heading": `h1, h2, h3, h4, h5, h6, [role="heading"]`,
}

// locator has the attributes, the text of what is pressed, and CSS: Cypress knows neither labels nor names.
func (w cypress) locator(base string, at *locator) (string, bool) {
	get := func(css string) string {
		if base == "cy" || base == "page" {
			return fmt.Sprintf("cy.get(%s)", quoteJS(css))
		}
		return fmt.Sprintf("%s.find(%s)", base, quoteJS(css))
	}
	if base == "page" {
		base = "cy"
	}
	flags := ""
	if steps.InCapitals(at.value) {
		flags = "i"
	}
	switch at.kind {
	case "testid":
		return get(attribute("data-testid", at.value)), true
	case "attribute":
		return get(attribute(at.attr, at.value)), true
	case "placeholder":
		return get(attribute("placeholder", at.value)), true
	case "role":
		css, known := cypressRoles[at.role]
		return fmt.Sprintf(`%s.contains(%s, /^\s*%s\s*$/%s)`, base, quoteJS(css), escape(at.value), flags), known && at.written
	case "text":
		return fmt.Sprintf(`%s.contains(/^\s*%s\s*$/%s)`, base, escape(at.value), flags), true
	case "css":
		first, rest, deep := strings.Cut(at.value, " >>> ")
		code := get(first)
		for deep {
			first, rest, deep = strings.Cut(rest, " >>> ")
			code += fmt.Sprintf(".shadow().find(%s)", quoteJS(strings.TrimPrefix(first, ":host > ")))
		}
		return code, true
	}
	return "", false
}

func (w cypress) find(at *place) string {
	base := "cy"
	if at != nil && at.frame != "" {
		base = fmt.Sprintf("frameAt(/%s/)", at.frame)
	}
	if at == nil || at.locator == nil {
		return base
	}
	code, _ := w.locator(base, at.locator)
	return code
}

func (w cypress) file(p *Plan, acts []act, s *Script) string {
	l := &lines{indent: "  "}
	for _, h := range p.heads(s, "// ") {
		l.add("%s", h)
	}
	as := func(t string) string { return playwright(w).typedAs(t) }
	if uses(acts, func(a *act) bool { return a.frames() }) {
		l.add("")
		l.add("/** The body of a frame's document, which has to be of the page's origin. */")
		l.add("const frameAt = (url%s) =>", as("RegExp"))
		l.add("  cy")
		l.add(`    .get("iframe")`)
		element := "frame"
		if w.typed {
			element = "(frame as HTMLIFrameElement)"
		}
		l.add("    .filter((_, frame) => url.test(%s.contentWindow?.location.href ?? \"\"))", element)
		l.add(`    .its("0.contentDocument.body")`)
		l.add(`    .should("not.be.empty")`)
		l.add("    .then((body) => cy.wrap(%s));", map[bool]string{true: "body as HTMLElement", false: "body"}[w.typed])
	}
	if len(s.Variables) > 0 {
		l.add("")
		l.add("/** A value that is not in this file: Cypress' environment has it. */")
		l.add("const secret = (name%s)%s => {", as("string"), as("string"))
		l.add("  const value = Cypress.env(name)%s;", map[bool]string{true: " as string | undefined"}[w.typed])
		l.add("  if (value === undefined) throw new Error(`Set ${name}: what was given there is not in this file.`);")
		l.add("  return value;")
		l.add("};")
	}
	l.add("")
	l.add("describe(%s, { baseUrl: Cypress.env(\"BASE_URL\") ?? %s }, () => {", quoteJS(p.Name), quoteJS(p.Base))
	l.level++
	l.add(`it("does what was recorded", () => {`)
	l.level++
	w.listeners(l, p, acts, as)
	w.mocks(l, p)
	if p.Start != "" {
		start := quoteJS(p.local(p.Start))
		if secretURL(p.Start) {
			start = `secret("START_URL")`
		}
		l.add("cy.visit(%s);", start)
	}
	for i := range acts {
		l.add("")
		w.act(l, &acts[i])
	}
	w.end(l, p, s)
	l.level--
	l.add("});")
	l.level--
	l.add("});")
	if w.typed {
		l.add("")
		l.add("// As a module it has its names for itself, whatever other tests call theirs.")
		l.add("export {};")
	}
	return l.b.String()
}

func (w cypress) listeners(l *lines, p *Plan, acts []act, as func(string) string) {
	begin := l.b.Len()
	if p.listens() {
		l.add("// What goes wrong is listened for before the first step.")
		l.add("const errors%s = [];", as("string[]"))
		l.add(`cy.on("uncaught:exception", (error) => {`)
		l.add("  errors.push(error.name ? `${error.name}: ${error.message}` : error.message);")
		l.add("  return false; // it is judged at the end")
		l.add("});")
		l.add(`cy.on("window:before:load", (win) => {`)
		l.add("  const told = win.console.error;")
		l.add("  win.console.error = (...args%s) => {", as("unknown[]"))
		formatted(l, "args", `""`, "    ")
		l.add("    told.apply(win.console, args);")
		l.add("  };")
		l.add("});")
	}
	if p.NoErrors {
		if len(p.Failing) > 0 {
			l.add("// These failed when it was recorded.")
			l.add("const failing = [%s];", strings.Join(p.failing(), ", "))
		}
		l.add(`cy.intercept("**", { middleware: true }, (req) => {`)
		l.add(`  req.on("response", (res) => {`)
		l.add("    const line = `${req.method} ${req.url} ${res.statusCode}`;")
		l.add(`    if (res.statusCode < 400 || req.url.endsWith("/favicon.ico")) return;`)
		if len(p.Failing) > 0 {
			l.add("    if (failing.some((known) => known.test(line))) return;")
		}
		l.add("    errors.push(line);")
		l.add("  });")
		l.add("});")
	}
	if uses(acts, func(a *act) bool { return a.opens }) {
		l.add("// How a dialog was answered is not recorded: each is accepted.")
		l.add("const dialogs%s = [];", as("string[]"))
		l.add(`cy.on("window:alert", (message) => {`)
		l.add("  dialogs.push(message);")
		l.add("});")
		l.add(`cy.on("window:confirm", (message) => {`)
		l.add("  dialogs.push(message);")
		l.add("  return true;")
		l.add("});")
		l.add(`cy.on("window:before:load", (win) => {`)
		l.add(`  win.prompt = (message = "") => {`)
		l.add("    dialogs.push(message);")
		l.add(`    return "";`)
		l.add("  };")
		l.add("});")
	}
	if l.b.Len() > begin {
		l.add("")
	}
}

func (w cypress) mocks(l *lines, p *Plan) {
	for _, g := range p.grouped() {
		l.add("// %s %s, as it was answered.", remark(g[0].Method), remark(g[0].URL))
		list := make([]string, 0, len(g))
		for _, m := range g {
			list = append(list, fmt.Sprintf(`{ statusCode: %d, headers: { "content-type": %s }, body: %s }`, m.Status, quoteJS(m.ContentType), quoteJS(m.Body)))
		}
		l.add("{")
		l.add("  const answers = [%s];", strings.Join(list, ", "))
		l.add("  cy.intercept({ method: %s, url: /%s/ }, (req) => {", quoteJS(g[0].Method), addressPattern(g[0].URL))
		l.add("    // The last answer stays.")
		l.add("    req.reply(answers.length > 1 ? answers.shift() : answers[0]);")
		l.add("  });")
		l.add("}")
	}
	if len(p.Mocks) > 0 {
		l.add("")
	}
}

func (w cypress) text(v value) string {
	if v.variable != "" {
		return fmt.Sprintf("secret(%s)", quoteJS(v.variable))
	}
	return quoteJS(v.text)
}

func (w cypress) act(l *lines, a *act) {
	l.add("// %d. %s", a.number, a.remark)
	if a.verb == "gap" {
		l.add("cy.then(() => {")
		l.add("  throw new Error(%s);", quoteJS(a.value.text))
		l.add("});")
		return
	}
	for _, r := range a.asks {
		l.add("cy.intercept({ method: %s, url: /%s/ }).as(%s);", quoteJS(r.method), r.pattern, quoteJS(r.name))
	}
	for _, line := range w.do(a) {
		l.add("%s", line)
	}
	for _, r := range a.asks {
		switch {
		case r.under:
			l.add(`cy.wait(%s).its("response.statusCode").should("be.lt", 400);`, quoteJS("@"+r.name))
		case len(r.shape) > 0:
			l.add("cy.wait(%s).then(({ response }) => {", quoteJS("@"+r.name))
			l.add("  expect(response?.statusCode).to.eq(%d);", r.status)
			for _, m := range r.shape {
				code := "response?.body"
				for _, key := range m.path {
					code += "[" + quoteJS(key) + "]"
				}
				l.add("  expect(%s).to.be.a(%s);", code, quoteJS(m.kind))
			}
			l.add("});")
		default:
			l.add(`cy.wait(%s).its("response.statusCode").should("eq", %d);`, quoteJS("@"+r.name), r.status)
		}
	}
	for i := range a.checks {
		l.add("%s", w.check(&a.checks[i], a))
	}
}

// keys are Cypress' names of keys.
var cypressKeys = map[string]string{
	"Enter": "{enter}", "Escape": "{esc}", "Backspace": "{backspace}", "Delete": "{del}", "ArrowUp": "{upArrow}",
	"ArrowDown": "{downArrow}", "ArrowLeft": "{leftArrow}", "ArrowRight": "{rightArrow}", "Home": "{home}", "End": "{end}",
	"PageUp": "{pageUp}", "PageDown": "{pageDown}", " ": " ", "Control": "{ctrl}", "Meta": "{meta}", "Alt": "{alt}", "Shift": "{shift}",
	"{": "{{}",
}

func (w cypress) do(a *act) []string {
	at := w.find(a.at)
	one := func(format string, args ...any) []string { return []string{fmt.Sprintf(format, args...)} }
	switch a.verb {
	case "goto":
		return one("cy.visit(%s);", w.text(a.value))
	case "back":
		return one(`cy.go("back");`)
	case "fill":
		if a.value.variable == "" && a.value.text == "" {
			return one("%s.clear();", at)
		}
		options := "{ parseSpecialCharSequences: false }"
		if a.value.variable != "" {
			options = "{ parseSpecialCharSequences: false, log: false }"
		}
		if a.at.locator != nil && a.set {
			return one(`%s.invoke("val", %s).trigger("input").trigger("change");`, at, w.text(a.value))
		}
		// What is there is replaced in two commands: each looks for the field again.
		return []string{at + ".clear();", fmt.Sprintf("%s.type(%s, %s);", at, w.text(a.value), options)}
	case "choose":
		if a.value.variable != "" {
			return one("%s.select(%s);", at, w.text(a.value))
		}
		if len(a.list) == 1 {
			return one("%s.select(%s);", at, quoteJS(a.list[0]))
		}
		return one("%s.select(%s);", at, jsList(a.list))
	case "press":
		if a.key == "Tab" {
			return one("cy.press(Cypress.Keyboard.Keys.TAB);")
		}
		if a.at == nil {
			at = `cy.get("body")`
		}
		return one("%s.type(%s);", at, quoteJS(keySequence(a.key)))
	case "scroll":
		if a.at == nil || a.at.locator == nil {
			return one("%s.scrollTo(%g, %g, { ensureScrollable: false });", at, a.x, a.y)
		}
		return one("%s.scrollTo(%g, %g, { ensureScrollable: false });", at, a.x, a.y)
	case "upload":
		paths := make([]string, 0, len(a.list))
		for _, f := range a.list {
			paths = append(paths, quoteJS("cypress/fixtures/"+f))
		}
		return one("%s.selectFile([%s]);", at, strings.Join(paths, ", "))
	case "submit":
		return one("%s.submit();", at)
	case "drag":
		return []string{
			fmt.Sprintf("const moved%d = new DataTransfer();", a.number),
			fmt.Sprintf(`%s.trigger("dragstart", { dataTransfer: moved%d });`, at, a.number),
			fmt.Sprintf(`%s.trigger("dragover", { dataTransfer: moved%d });`, w.find(a.to), a.number),
			fmt.Sprintf(`%s.trigger("drop", { dataTransfer: moved%d });`, w.find(a.to), a.number),
		}
	case "dblclick":
		return one("%s.dblclick();", at)
	}
	return one("%s.%s();", at, a.verb)
}

// keySequence is a key with its modifiers as type() reads them.
func keySequence(key string) string {
	var b strings.Builder
	for {
		part, rest, more := strings.Cut(key, "+")
		if !more || part == "" || cypressKeys[part] == "" {
			break
		}
		b.WriteString(cypressKeys[part])
		key = rest
	}
	if known := cypressKeys[key]; known != "" {
		key = known
	}
	return b.String() + key
}

func (w cypress) check(c *check, a *act) string {
	at := w.find(c.at)
	switch c.kind {
	case "url":
		return fmt.Sprintf(`cy.url().should("match", /%s/);`, c.pattern)
	case "value":
		return fmt.Sprintf(`%s.should("have.value", %s);`, at, quoteJS(c.text))
	case "checked":
		return fmt.Sprintf(`%s.should("be.checked");`, at)
	case "unchecked":
		return fmt.Sprintf(`%s.should("not.be.checked");`, at)
	case "chosen":
		// What jQuery calls their text has the white space around it.
		return fmt.Sprintf(`%s.find("option:selected").should((all) => expect(Cypress._.map(all.get(), "text")).to.deep.eq(%s));`, at, jsList(c.list))
	case "dialog":
		return fmt.Sprintf(`cy.wrap(dialogs).should((all) => expect(all.some((message) => /%s/.test(message))).to.eq(true));`, c.pattern)
	}
	base := "cy"
	if c.frame != "" {
		base = fmt.Sprintf("frameAt(/%s/)", c.frame)
	}
	css := c.css
	if css == "" {
		css = "*"
	}
	is := "exist"
	if c.visible {
		is = "be.visible"
	}
	if c.role != "" {
		css = attribute("role", c.role) + ", " + css
	}
	return fmt.Sprintf(`%s.contains(%s, /%s/).should(%s);`, base, quoteJS(css), c.pattern, quoteJS(is))
}

func (w cypress) end(l *lines, p *Plan, s *Script) {
	if f := p.Failure; f != nil && f.Message != "" {
		s.count("failure")
		l.add("")
		test := fmt.Sprintf("all.filter((error) => /%s/.test(error))", p.failurePattern())
		if p.Seen {
			l.add("// The failure is seen.")
			l.add("cy.wrap(errors).should((all) => expect(%s).not.to.be.empty);", test)
		} else {
			l.add("// The failure must not have come.")
			l.add("cy.wrap(errors).should((all) => expect(%s).to.be.empty);", test)
		}
	}
	if !p.NoErrors {
		return
	}
	s.count("errors")
	l.add("")
	if len(p.Known) > 0 {
		l.add("// These errors were there when it was recorded.")
		l.add("const known = [%s];", strings.Join(p.known(), ", "))
		l.add("cy.then(() => expect(errors.filter((error) => !known.some((one) => one.test(error)))).to.be.empty);")
		return
	}
	l.add("cy.then(() => expect(errors).to.be.empty);")
}
