package script

import (
	"fmt"
	"strings"

	"github.com/brennhill/gasoline/internal/steps"
)

// python prints for Playwright's plugin of pytest.
type python struct{}

func (w python) locator(base string, at *locator) (string, bool) {
	q := quotePython
	exact := q(at.value) + ", exact=True"
	if steps.InCapitals(at.value) {
		exact = `re.compile(r"^` + escape(at.value) + `$", re.I)`
	}
	switch at.kind {
	case "testid":
		return fmt.Sprintf("%s.get_by_test_id(%s)", base, q(at.value)), true
	case "attribute":
		return fmt.Sprintf("%s.locator(%s)", base, q(attribute(at.attr, at.value))), true
	case "role":
		return fmt.Sprintf("%s.get_by_role(%s, name=%s)", base, q(at.role), exact), playwrightRoles[at.role] && !at.summary
	case "label":
		return fmt.Sprintf("%s.get_by_label(%s)", base, exact), true
	case "placeholder":
		return fmt.Sprintf("%s.get_by_placeholder(%s, exact=True)", base, q(at.value)), true
	case "text":
		return fmt.Sprintf("%s.get_by_text(%s)", base, exact), true
	}
	for part := range strings.SplitSeq(at.value, " >>> ") {
		base += fmt.Sprintf(".locator(%s)", q(strings.TrimPrefix(part, ":host > ")))
	}
	return base, true
}

// find is the code of a place.
func (w python) find(at *place, frame string) string {
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

func re(pattern string) string { return `re.compile(r"` + pattern + `")` }

func (w python) file(p *Plan, acts []act, s *Script) string {
	l := &lines{indent: "    "}
	for _, h := range p.heads(s, "# ") {
		l.add("%s", h)
	}
	frames := uses(acts, func(a *act) bool { return a.frames() })
	l.add("import os")
	l.add("import re")
	l.add("from urllib.parse import urlsplit")
	l.add("")
	types := []string{"Page", "expect"}
	if frames {
		types = append([]string{"Frame"}, types...)
	}
	l.add("from playwright.sync_api import %s", strings.Join(types, ", "))
	l.add("")
	l.add("BASE_URL = os.environ.get(\"BASE_URL\", %s)", quotePython(p.Base))
	if len(s.Variables) > 0 {
		l.add("")
		l.add("")
		l.add("def secret(name: str) -> str:")
		l.add(`    """A value that is not in this file: the environment has it."""`)
		l.add("    if name not in os.environ:")
		l.add(`        raise LookupError(f"Set {name}: what was given there is not in this file.")`)
		l.add("    return os.environ[name]")
	}
	if frames {
		l.add("")
		l.add("")
		l.add("def frame_at(page: Page, url: re.Pattern[str]) -> Frame:")
		l.add(`    """The frame of a document, as soon as it is there."""`)
		l.add("    found = page.frame(url=url)")
		l.add("    if found is None:")
		l.add(`        found = page.wait_for_event("framenavigated", lambda frame: url.search(frame.url) is not None)`)
		l.add("    return found")
	}
	l.add("")
	l.add("")
	l.add("def test_%s(page: Page) -> None:", strings.TrimSuffix(strings.TrimPrefix(fileName(&Plan{Name: p.Name, Language: Python}), "test_"), ".py"))
	l.level++
	w.listeners(l, p, acts)
	w.mocks(l, p)
	if p.Start != "" {
		l.add("page.goto(%s)", w.address(p.local(p.Start), secretURL(p.Start)))
	}
	for i := range acts {
		l.add("")
		w.act(l, p, &acts[i])
	}
	w.end(l, p, acts, s)
	return l.b.String()
}

func (w python) address(local string, secret bool) string {
	switch {
	case secret:
		return `secret("START_URL")`
	case strings.HasPrefix(local, "/"):
		return "BASE_URL + " + quotePython(local)
	}
	return quotePython(local)
}

func (w python) listeners(l *lines, p *Plan, acts []act) {
	begin := l.b.Len()
	if p.listens() {
		l.add("# What goes wrong is listened for before the first step.")
		l.add("errors: list[str] = []")
		l.add(`page.on("pageerror", lambda error: errors.append(f"{error.name}: {error.message}" if error.name else error.message))`)
		l.add("# The browser's own line of a request that failed is left out: requests are looked at below.")
		l.add("")
		l.add("def told(message) -> None:")
		l.add(`    if message.type == "error" and not message.text.startswith("Failed to load resource:"):`)
		l.add("        rest = [str(one) for one in message.args] or [message.text]")
		l.add("")
		l.add("        def put(sign) -> str:")
		l.add("            value = rest.pop(0) if rest else sign[0]")
		l.add("            return %s", `"" if sign[0] == "%c" else value`)
		l.add("")
		l.add("        said = %s", `re.sub(r"%[sdifoOc]", put, rest.pop(0))`)
		l.add(`        errors.append(" ".join([said, *rest]))`)
		l.add("")
		l.add(`page.on("console", told)`)
	}
	if p.NoErrors {
		l.add("failing: list[re.Pattern[str]] = [%s]  # when it was recorded", strings.Join(pythonPatterns(p.failing()), ", "))
		l.add("")
		l.add("def answered(response) -> None:")
		l.add(`    line = f"{response.request.method} {response.url} {response.status}"`)
		l.add(`    if response.status < 400 or urlsplit(response.url).path == "/favicon.ico":`)
		l.add("        return")
		l.add("    if not any(known.search(line) for known in failing):")
		l.add("        errors.append(line)")
		l.add("")
		l.add(`page.on("response", answered)`)
	}
	if uses(acts, func(a *act) bool { return a.opens }) {
		l.add("# How a dialog was answered is not recorded: each is accepted.")
		l.add(`page.on("dialog", lambda dialog: dialog.accept())`)
	}
	if l.b.Len() > begin {
		l.add("")
	}
}

// pythonPatterns turns patterns between slashes into Python's.
func pythonPatterns(list []string) []string {
	out := make([]string, 0, len(list))
	for _, one := range list {
		out = append(out, re(strings.TrimSuffix(strings.TrimPrefix(one, "/"), "/")))
	}
	return out
}

func (w python) mocks(l *lines, p *Plan) {
	for i, g := range p.grouped() {
		l.add("# %s %s, as it was answered.", remark(g[0].Method), remark(g[0].URL))
		list := make([]string, 0, len(g))
		for _, m := range g {
			list = append(list, fmt.Sprintf("{\"status\": %d, \"content_type\": %s, \"body\": %s}", m.Status, quotePython(m.ContentType), quotePython(m.Body)))
		}
		l.add("answers%d = [%s]", i+1, strings.Join(list, ", "))
		l.add("")
		l.add("def mock%d(route) -> None:", i+1)
		l.add("    if route.request.method != %s:", quotePython(g[0].Method))
		l.add("        route.fallback()")
		l.add("    else:  # the last answer stays")
		l.add("        route.fulfill(**(answers%d.pop(0) if len(answers%d) > 1 else answers%d[0]))", i+1, i+1, i+1)
		l.add("")
		l.add("page.route(%s, mock%d)", re(addressPattern(g[0].URL)), i+1)
	}
	if len(p.Mocks) > 0 {
		l.add("")
	}
}

func (w python) text(v value) string {
	if v.variable != "" {
		return fmt.Sprintf("secret(%s)", quotePython(v.variable))
	}
	return quotePython(v.text)
}

func (w python) act(l *lines, p *Plan, a *act) {
	l.add("# %d. %s", a.number, a.remark)
	if a.verb == "gap" {
		l.add("raise NotImplementedError(%s)", quotePython(a.value.text))
		return
	}
	frame := fmt.Sprintf("frame%d", a.number)
	if a.at != nil && a.at.frame != "" {
		l.add("%s = frame_at(page, %s)", frame, re(a.at.frame))
	}
	level := l.level
	for _, r := range a.asks {
		cond := fmt.Sprintf("r.request.method == %s and %s.search(r.url)", quotePython(r.method), re(r.pattern))
		if r.choose {
			cond += fmt.Sprintf(" and r.status == %d", r.status)
		}
		l.add("with page.expect_response(lambda r: bool(%s)) as %s:", cond, r.name)
		l.level++
	}
	for _, c := range a.checks {
		if c.kind == "dialog" {
			l.add(`with page.expect_event("dialog", lambda dialog: bool(%s.search(dialog.message))):`, re(c.pattern))
			l.level++
		}
	}
	l.add("%s", w.do(a, frame))
	l.level = level
	for _, r := range a.asks {
		if r.under {
			l.add("assert %s.value.status < 400", r.name)
		} else {
			l.add("assert %s.value.status == %d", r.name, r.status)
		}
		if len(r.shape) > 0 {
			l.add("body = %s.value.json()", r.name)
		}
		for _, m := range r.shape {
			code := "body"
			for _, key := range m.path {
				code += "[" + quotePython(key) + "]"
			}
			of := map[string]string{"string": "str", "number": "(int, float)", "boolean": "bool", "object": "dict", "array": "list"}[m.kind]
			l.add("assert isinstance(%s, %s)", code, of)
		}
	}
	for i := range a.checks {
		if c := &a.checks[i]; c.kind != "dialog" {
			l.add("%s", w.check(c, a, frame))
		}
	}
}

func (w python) do(a *act, frame string) string {
	at := w.find(a.at, frame)
	switch a.verb {
	case "goto":
		if a.value.variable != "" {
			return fmt.Sprintf("page.goto(%s)", w.text(a.value))
		}
		return fmt.Sprintf("page.goto(%s)", w.address(a.value.text, false))
	case "back":
		return "page.go_back()"
	case "fill":
		return fmt.Sprintf("%s.fill(%s)", at, w.text(a.value))
	case "choose":
		if a.value.variable != "" {
			return fmt.Sprintf("%s.select_option(%s)", at, w.text(a.value))
		}
		return fmt.Sprintf("%s.select_option(label=%s)", at, pythonList(a.list))
	case "press":
		if a.at == nil {
			return fmt.Sprintf("page.keyboard.press(%s)", quotePython(keyName(a.key)))
		}
		return fmt.Sprintf("%s.press(%s)", at, quotePython(keyName(a.key)))
	case "scroll":
		if a.at == nil || a.at.locator == nil {
			return fmt.Sprintf(`%s.evaluate("scrollTo(%g, %g)")`, at, a.x, a.y)
		}
		return fmt.Sprintf(`%s.evaluate("element => element.scrollTo(%g, %g)")`, at, a.x, a.y)
	case "upload":
		paths := make([]string, 0, len(a.list))
		for _, f := range a.list {
			paths = append(paths, `os.path.join(os.environ.get("TEST_FILES", "."), `+quotePython(f)+`)`)
		}
		return fmt.Sprintf("%s.set_input_files([%s])", at, strings.Join(paths, ", "))
	case "submit":
		return fmt.Sprintf(`%s.evaluate("form => form.requestSubmit()")`, at)
	case "drag":
		return fmt.Sprintf("%s.drag_to(%s)", at, w.find(a.to, frame))
	}
	return fmt.Sprintf("%s.%s()", at, a.verb)
}

func pythonList(list []string) string {
	out := make([]string, 0, len(list))
	for _, s := range list {
		out = append(out, quotePython(s))
	}
	return "[" + strings.Join(out, ", ") + "]"
}

func (w python) check(c *check, a *act, frame string) string {
	at := w.find(c.at, frame)
	switch c.kind {
	case "url":
		return fmt.Sprintf("expect(page).to_have_url(%s)", re(c.pattern))
	case "value":
		return fmt.Sprintf("expect(%s).to_have_value(%s)", at, quotePython(c.text))
	case "checked":
		return fmt.Sprintf("expect(%s).to_be_checked()", at)
	case "unchecked":
		return fmt.Sprintf("expect(%s).not_to_be_checked()", at)
	case "chosen":
		return fmt.Sprintf(`expect(%s.locator("option:checked")).to_have_text(%s)`, at, pythonList(c.list))
	}
	base := "page"
	if c.frame != "" {
		base = frame
		if a.at == nil || a.at.frame != c.frame {
			base = fmt.Sprintf("frame_at(page, %s)", re(c.frame))
		}
	}
	switch {
	case c.role != "" && playwrightRoles[c.role]:
		base = fmt.Sprintf("%s.get_by_role(%s)", base, quotePython(c.role))
	case c.css != "":
		base = fmt.Sprintf("%s.locator(%s)", base, quotePython(c.css))
	default:
		base += `.locator("*")`
	}
	is := "to_be_attached"
	if c.visible {
		is = "to_be_visible"
	}
	return fmt.Sprintf("expect(%s.filter(has_text=%s).first).%s()", base, re(c.pattern), is)
}

func (w python) end(l *lines, p *Plan, acts []act, s *Script) {
	settle := func() {
		l.add("# What the last step still does comes first.")
		l.add(`page.evaluate("() => new Promise((done) => requestAnimationFrame(() => setTimeout(done)))")`)
	}
	f := p.Failure
	if f != nil && f.Message != "" {
		s.count("failure")
		l.add("")
		settle()
		l.add("assert [error for error in errors if %s.search(error)] == []", re(p.failurePattern()))
	}
	if p.NoErrors {
		s.count("errors")
		l.add("")
		if f == nil || f.Message == "" {
			settle()
		}
		if len(p.Known) > 0 {
			l.add("known = [%s]  # when it was recorded", strings.Join(pythonPatterns(p.known()), ", "))
			l.add("assert [error for error in errors if not any(one.search(error) for one in known)] == []")
		} else {
			l.add("assert errors == []")
		}
	}
}
