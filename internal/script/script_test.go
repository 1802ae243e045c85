package script

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/brennhill/gasoline/internal/event"
	"github.com/brennhill/gasoline/internal/steps"
)

// hostile are texts that code must not take for its own.
var hostile = []string{
	"", "plain", `"`, `\`, `\\"`, "'", "`${process.exit()}`", "*/ alert(1) /*", "// x", "# x", `"""`, "a\nb\r\nc\td", "\x00\x07\x1b[31m", "\u2028\u2029\u0085",
	"\u202eevil\u202c\u2066", "\ufeff\u200b\u00ad", "😀 שלום 𠮷", "\U000e0041\U000e0020", "</script><!--", `{"a":[1]}`, "%s %d %", "$1 \\1 (?i) [a-z]+ ^$",
	`=" & ' ; rm -rf`, "{enter}{{}", "a/b\\/c", "\xff\xfe broken",
}

// unquote reads a string as JavaScript and Python do, without surrogates and octals. It fails where the string ends early.
func unquote(t *testing.T, s string) string {
	t.Helper()
	if len(s) < 2 || s[0] != '"' || s[len(s)-1] != '"' {
		t.Fatalf("%q is no string", s)
	}
	var b strings.Builder
	in := s[1 : len(s)-1]
	for i := 0; i < len(in); {
		r, n := utf8.DecodeRuneInString(in[i:])
		i += n
		switch {
		case r == '"':
			t.Fatalf("%q ends early", s)
		case r != '\\':
			if !unicode.IsPrint(r) && r != ' ' {
				t.Fatalf("%q has %U as it is", s, r)
			}
			b.WriteRune(r)
			continue
		}
		next := in[i]
		i++
		digits := ""
		switch next {
		case '"', '\\':
			b.WriteByte(next)
			continue
		case 'n':
			b.WriteByte('\n')
			continue
		case 'U':
			digits, i = in[i:i+8], i+8
		case 'u':
			if in[i] == '{' {
				end := strings.IndexByte(in[i:], '}')
				digits, i = in[i+1:i+end], i+end+1
			} else {
				digits, i = in[i:i+4], i+4
			}
		default:
			t.Fatalf("%q has the escape %q", s, next)
		}
		code, err := strconv.ParseUint(digits, 16, 32)
		if err != nil {
			t.Fatalf("%q: %v", s, err)
		}
		b.WriteRune(rune(code))
	}
	return b.String()
}

// compiled is a pattern of a file as Go has it: the others write \u0041 where Go writes \x{0041}.
func compiled(t *testing.T, pattern string) *regexp.Regexp {
	t.Helper()
	if strings.ContainsAny(pattern, "\"\n\r\u2028\u2029") || strings.HasSuffix(strings.ReplaceAll(pattern, `\\`, ""), `\`) ||
		regexp.MustCompile(`(^|[^\\])(\\\\)*/`).MatchString(pattern) {
		t.Fatalf("%q gets out of its literal", pattern)
	}
	re, err := regexp.Compile(regexp.MustCompile(`\\u([0-9a-f]{4})`).ReplaceAllString(strings.ReplaceAll(pattern, `\\`, `\x5c`), `\x{$1}`))
	if err != nil {
		t.Fatalf("%q: %v", pattern, err)
	}
	return re
}

// folded is a text as a pattern sees it: Go's \s is that of ASCII.
func folded(s string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsSpace(r) {
			return ' '
		}
		return r
	}, s)
}

func checkText(t *testing.T, s string) {
	valid := strings.ToValidUTF8(s, "\ufffd")
	for _, quote := range []func(string) string{quoteJS, quotePython} {
		if got := unquote(t, quote(s)); got != valid && utf8.ValidString(s) {
			t.Errorf("%q is read as %q", s, got)
		}
	}
	if line := remark(s); strings.ContainsFunc(line, func(r rune) bool { return !plainly(r) }) || utf8.RuneCountInString(line) > 100 {
		t.Errorf("%q is the remark %q", s, line)
	}
	if p := whole(s, false); p != "" && utf8.ValidString(s) && !compiled(t, p).MatchString(folded(s)) {
		t.Errorf("%q is not found by %s", s, p)
	}
	compiled(t, addressPattern(s))
	if name := variable(s, 3); !regexp.MustCompile(`^[A-Z][A-Z0-9_]*$`).MatchString(name) {
		t.Errorf("%q is the variable %q", s, name)
	}
	if name := fileName(&Plan{Name: s}); !regexp.MustCompile(`^[a-z0-9][a-z0-9-]*\.spec\.ts$`).MatchString(name) || len(name) > 80 {
		t.Errorf("%q is the file %q", s, name)
	}
}

func TestHostileTextsStayTexts(t *testing.T) {
	for _, s := range hostile {
		checkText(t, s)
		checkText(t, strings.Repeat(s, 50))
	}
}

func FuzzTexts(f *testing.F) {
	for _, s := range hostile {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		if len(s) < 5000 {
			checkText(t, s)
		}
	})
}

// full is a plan with everything in it, of one text.
func full(framework, language, text string) *Plan {
	at := []steps.Locator{{Kind: "role", Value: `button[name="` + strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(text) + `"]`, Matches: 1}, {Kind: "css", Value: text, Matches: 1}}
	p := &Plan{
		Framework: framework, Language: language, Name: text, Head: []string{text}, Origin: "http://a", Base: "http://a", Start: "http://a/" + text,
		Texts: true, Network: true, NoErrors: true, Known: []string{text, "known " + text}, Failing: []Failing{{Method: "GET", URL: "http://a/" + text, Status: 500}},
		Bodies: map[event.Seq]string{1: `{"a":{"b":1}}`}, Mocks: []Mock{{Method: "GET", URL: "http://a/" + text, Status: 200, ContentType: text, Body: text}},
		Failure: &Failure{Message: "failed " + text}, Regions: []Region{{Name: text, Comment: text, Locators: at}, {Name: text, Width: 1, Height: 1}},
	}
	for _, kind := range []string{"click", "input", "select", "check", "keypress", "scroll", "upload", "submit", "navigate", "back", "drag", "drop", "odd " + text} {
		p.Steps = append(p.Steps, steps.Step{
			Type: kind, Role: "button", Name: text, Text: text, Value: text, Key: text, ToURL: "http://a/" + text, LedTo: "http://a/b/" + text,
			PageURL: "http://a/" + text, InFrame: kind == "click", Locators: at,
			Texts:    []steps.Text{{Element: "p#a", Value: "says " + text}, {Role: "alert", Value: "told " + text, Visible: true, InFrame: true, PageURL: "http://a/" + text}},
			Dialogs:  []steps.Dialog{{Type: "confirm", Message: "asks " + text}},
			Requests: []steps.Request{{Method: "POST", URL: "http://a/" + text, Status: 200, Seq: 1}, {Method: "POST", URL: "http://a/" + text, Status: 401}},
		})
	}
	return p
}

// A file has the same lines whatever the texts of the page are: none of them gets out of its string, pattern or comment.
func TestTextsAddNoLines(t *testing.T) {
	for _, c := range [][2]string{{Playwright, TypeScript}, {Playwright, javaScript}, {Playwright, Python}, {Cypress, TypeScript}, {Cypress, javaScript}} {
		want := strings.Count(Write(full(c[0], c[1], "plain text")).Text, "\n")
		for _, s := range hostile {
			text := Write(full(c[0], c[1], "x"+s+"y")).Text
			if got := strings.Count(text, "\n"); got != want && s != "" {
				t.Errorf("%v with %q has %d lines, not %d", c, s, got, want)
			}
			if i := strings.IndexFunc(text, func(r rune) bool { return r != '\n' && !plainly(r) }); i >= 0 {
				t.Errorf("%v with %q has %q as it is", c, s, text[i:min(len(text), i+8)])
			}
		}
	}
}

func TestWhatChangesIsLeftOpen(t *testing.T) {
	for text, want := range map[string]string{
		"Saved": "Saved", "2 items": "2 items", "Total 14.50 €": "Total 14.50 €", "1,299 left": "1,299 left",
		"Order 88124 is paid": "Order … is paid", "at 12:04:33": "at …", "at 9:05 pm!": "at …!", "on 2026-03-01": "on …", "on 1.3.2026": "on …",
		"took 12 ms": "took …", "3 minutes ago": "", "5 s left": "… left", "id 0b9f1c2e-58a5-4cb1-a0a3-1f2d3c4b5a69 ok": "id … ok",
		"key <jwt#3>": "key …", "12:00": "", "0.12345 m": "… m", "commit 4f2a9b1c77": "commit …", "facade": "facade", "<b> x": "<b> x",
	} {
		got := strings.ReplaceAll(strings.ReplaceAll(strings.ReplaceAll(pattern(text), ".+", "…"), `\s+`, " "), `\`, "")
		if got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}

func TestAddressesAreLeftOpenWhereTheyChange(t *testing.T) {
	for _, c := range []struct {
		of       string
		yes, not []string
	}{
		{"http://a:1/orders/88124?x=1#y", []string{"https://b/orders/5", "http://a/orders/7/?q#z"}, []string{"http://a/orders", "http://a/orders/7/8", "http://a/x/orders/7"}},
		{"http://a/", []string{"http://b", "http://b/", "http://b/?q"}, []string{"http://b/c"}},
		{"http://a/#/cart/7", []string{"http://b/#/cart/9", "http://b/?q#/cart/9/?z"}, []string{"http://b/", "http://b/#/cart", "http://b/#/cart/9/x"}},
		{"http://a/b.c", []string{"http://x/b.c"}, []string{"http://x/bxc"}},
		{"about:srcdoc", []string{"about:srcdoc"}, []string{"about:blank"}},
	} {
		re := compiled(t, addressPattern(c.of))
		for _, s := range c.yes {
			if !re.MatchString(s) {
				t.Errorf("%s: %s does not fit %s", c.of, s, re)
			}
		}
		for _, s := range c.not {
			if re.MatchString(s) {
				t.Errorf("%s: %s fits %s", c.of, s, re)
			}
		}
	}
}

func TestQueriesCountWhereNothingElseDiffers(t *testing.T) {
	re := compiled(t, queryPattern("http://a/list?page=2&id=88124&q=a.b#x"))
	for address, want := range map[string]bool{
		"https://b/list?page=2&id=7&q=a.b": true, "http://a/list/?page=2&id=&q=a.b#y": true,
		"http://a/list?page=3&id=7&q=a.b": false, "http://a/list?page=2&id=7&q=axb": false, "http://a/list": false, "http://a/list?page=2&id=7&q=a.bc": false,
	} {
		if re.MatchString(address) != want {
			t.Errorf("%s: %v by %s", address, !want, re)
		}
	}
}

// The first locator that finds exactly one, and that the framework has, is taken.
func TestLocatorsAreTheFirstThatFit(t *testing.T) {
	one := func(kind, value string) steps.Locator { return steps.Locator{Kind: kind, Value: value, Matches: 1} }
	for _, c := range []struct {
		list                       []steps.Locator
		text                       string
		playwright, python, cypres string
	}{
		{[]steps.Locator{one("testid", "pay"), one("css", "a")}, "", `page.getByTestId("pay")`, `page.get_by_test_id("pay")`, `cy.get("[data-testid=\"pay\"]")`},
		{[]steps.Locator{one("testid", `data-cy="p q"`)}, "", `page.locator("[data-cy=\"p q\"]")`, `page.locator("[data-cy=\"p q\"]")`, `cy.get("[data-cy=\"p q\"]")`},
		{[]steps.Locator{one("role", `button[name="a \"b\" \\ c"]`), one("css", "a")}, `a "b" \ c`,
			`page.getByRole("button", { name: "a \"b\" \\ c", exact: true })`, `page.get_by_role("button", name="a \"b\" \\ c", exact=True)`,
			`cy.contains("button, [role=\"button\"]", /^\s*a\s+\x22b\x22\s+\\\s+c\s*$/)`},
		{[]steps.Locator{one("role", `button[name="Save"]`), one("css", "#s")}, "other", `page.getByRole("button", { name: "Save", exact: true })`,
			`page.get_by_role("button", name="Save", exact=True)`, `cy.get("#s")`},
		{[]steps.Locator{one("role", `generic[name="x"]`), one("role", "button"), one("label", "L")}, "", `page.getByLabel("L", { exact: true })`,
			`page.get_by_label("L", exact=True)`, ""},
		{[]steps.Locator{{Kind: "text", Value: "x", Matches: 2}, one("text", "y")}, "", `page.getByText("y", { exact: true })`,
			`page.get_by_text("y", exact=True)`, `cy.contains(/^\s*y\s*$/)`},
		{[]steps.Locator{one("placeholder", `'q'`)}, "", `page.getByPlaceholder("q", { exact: true })`, `page.get_by_placeholder("q", exact=True)`,
			`cy.get("[placeholder=\"q\"]")`},
		{[]steps.Locator{one("id", `a"b\`)}, "", `page.locator("[id=\"a\\\"b\\\\\"]")`, `page.locator("[id=\"a\\\"b\\\\\"]")`, `cy.get("[id=\"a\\\"b\\\\\"]")`},
		{[]steps.Locator{one("css", "x-a >>> :host > b >>> c")}, "", `page.locator("x-a").locator("b").locator("c")`,
			`page.locator("x-a").locator("b").locator("c")`, `cy.get("x-a").shadow().find("b").shadow().find("c")`},
		{[]steps.Locator{one("odd", "x")}, "", "", "", ""},
		{nil, "", "", "", ""},
	} {
		for _, w := range []struct {
			printer
			want string
		}{{playwright{}, c.playwright}, {python{}, c.python}, {cypress{}, c.cypres}} {
			got := ""
			if at := chosen(c.list, c.text, w.printer); at != nil {
				got, _ = w.locator("page", at)
			}
			if got != w.want {
				t.Errorf("%T of %v: %s, want %s", w.printer, c.list, got, w.want)
			}
		}
	}
}

func TestShapesOfAnswers(t *testing.T) {
	words := func(body string) string {
		var out []string
		for _, m := range shapeOf(body) {
			out = append(out, strings.Join(m.path, ".")+":"+m.kind)
		}
		return strings.Join(out, " ")
	}
	for body, want := range map[string]string{
		`{"b":1,"a":{"x":"y","n":null,"88124":1},"c":[{"z":1}],"d":true}`: ":object a:object a.x:string b:number c:array d:boolean",
		`[1]`: ":array", `"x"`: ":string", `null`: "", `{`: "", `{}`: ":object",
		`{"a":{"b":{"c":{"d":{"e":1}}}}}`: ":object a:object a.b:object a.b.c:object a.b.c.d:object",
	} {
		if got := words(body); got != want {
			t.Errorf("%s: %s, want %s", body, got, want)
		}
	}
	var b strings.Builder
	for i := range 100 {
		fmt.Fprintf(&b, `,"k%c%c":1`, 'a'+i/26, 'a'+i%26)
	}
	if n := len(shapeOf("{" + b.String()[1:] + "}")); n != maxMembers {
		t.Errorf("%d members", n)
	}
	w := playwright{}
	if got := w.shape(shapeOf(`{"a-b":{"__proto__":1},"c":[],"e":{}}`)); got !=
		`toMatchObject({ "a-b": { ["__proto__"]: expect.any(Number) }, c: expect.any(Array), e: expect.any(Object) })` {
		t.Error(got)
	}
	if got := w.shape(shapeOf(`[]`)); got != "toEqual(expect.any(Array))" {
		t.Error(got)
	}
}

func TestKeys(t *testing.T) {
	for key, want := range map[string]string{
		"Enter": "{enter}", "Control+Enter": "{ctrl}{enter}", "Shift+Alt+a": "{shift}{alt}a", "Control++": "{ctrl}+", "+": "+", "{": "{{}", " ": " ", "F5": "F5",
	} {
		if got := keySequence(key); got != want {
			t.Errorf("%q: %q, want %q", key, got, want)
		}
	}
	for key, want := range map[string]string{" ": "Space", "Shift+ ": "Shift+Space", "Enter": "Enter"} {
		if got := keyName(key); got != want {
			t.Errorf("%q: %q, want %q", key, got, want)
		}
	}
}

// Secrets that were typed are read from the environment, and what cannot be done throws where it stands.
func TestSecretsAndGaps(t *testing.T) {
	at := []steps.Locator{{Kind: "css", Value: "input", Matches: 1}}
	for _, c := range [][2]string{{Playwright, TypeScript}, {Playwright, Python}, {Cypress, TypeScript}} {
		s := Write(&Plan{
			Framework: c[0], Language: c[1], Name: "x", Origin: "http://a", Base: "http://a", Start: "http://a/?token=<token#1>", Texts: true,
			Steps: []steps.Step{
				{Type: "input", Name: "PIN code", Value: "<password:0a1b2c3d>", Masked: true, Locators: at},
				{Type: "select", Name: "PIN code", Value: "<card#1>", Masked: true, Locators: at},
				{Type: "input", Name: "秘密", Value: "<password:0a1b2c3d>", Masked: true, Locators: at},
				{Type: "navigate", ToURL: "http://a/?token=<token%232>"},
				{Type: "click", Name: "lost"},
				{Type: "drag", Locators: at},
				{Type: "input", Name: "User", Value: "<email#1>", Masked: true, Locators: at},
				{Type: "input", Name: "PIN code", Value: "<password:0a1b2c3d>", Masked: true, Locators: at},
			},
		})
		if got := strings.Join(s.Variables, " "); got != "PIN_CODE PIN_CODE_2 VALUE_3 URL_4 VALUE_7_USER START_URL" {
			t.Errorf("%v: variables %s", c, got)
		}
		if len(s.Gaps) != 2 || strings.Count(s.Text, "has to be written by hand") != 2 {
			t.Errorf("%v: gaps %q", c, s.Gaps)
		}
		for _, secret := range []string{"0a1b2c3d", "card#1", "token#", "token%23", "email#"} {
			if strings.Contains(s.Text, secret) {
				t.Errorf("%v has %s:\n%s", c, secret, s.Text)
			}
		}
		if n := strings.Count(s.Text, `secret("PIN_CODE")`); n != 2 {
			t.Errorf("%v types the PIN %d times", c, n)
		}
	}
}

// A step that is dragged to where the next one drops it is one act, with what the drop led to.
func TestDragging(t *testing.T) {
	at := func(css string) []steps.Locator { return []steps.Locator{{Kind: "css", Value: css, Matches: 1}} }
	p := &Plan{
		Framework: Playwright, Language: TypeScript, Name: "x", Origin: "http://a", Base: "http://a", Start: "http://a/", Texts: true,
		Steps: []steps.Step{
			{Type: "drag", Locators: at("#card")},
			{Type: "drop", Locators: at("#done"), Texts: []steps.Text{{Element: "p", Value: "moved"}}},
			{Type: "drop", Locators: at("#done")},
		},
	}
	s := Write(p)
	if !strings.Contains(s.Text, `page.locator("#card").dragTo(page.locator("#done"))`) || !strings.Contains(s.Text, "moved") || len(s.Gaps) != 1 {
		t.Errorf("%q\n%s", s.Gaps, s.Text)
	}
	p.Steps[1].Locators = nil
	if s = Write(p); len(s.Gaps) != 2 || strings.Contains(s.Text, "dragTo") {
		t.Errorf("%q", s.Gaps)
	}
}

func TestUploadedFiles(t *testing.T) {
	if got := fmt.Sprintf("%q", files("a b.png (12 bytes), c (1).txt (3 bytes), d, e.txt (0 bytes)")); got != `["a b.png" "c (1).txt" "d, e.txt"]` {
		t.Error(got)
	}
}

// What is another day, another visit or another secret is no part of a pattern; what says something stays.
func TestDatesInWordsAreLeftOpen(t *testing.T) {
	for text, want := range map[string]string{
		"Saturday, November 28, 2026": "", "Paid on Nov 28": `Paid\s+on\s+.+`, "28. November 2026": "", "Am 28. Nov 2026 bezahlt": `Am\s+.+\s+bezahlt`,
		"2026年11月28日(土)": "", "2026년 11월 28일": "", "el 28 de noviembre de 2026": `el\s+.+`, "28 नवंबर 2026": "", "sent 2 weeks ago": `sent\s+.+`,
		"5m ago": "", "an hour ago": "", "Updated yesterday": `Updated\s+.+`, "Sat, 3 May": "", "14 août 2026": "", "Total 3 items": `Total\s+3\s+items`,
		"You may pay 3 times": `You\s+may\s+pay\s+3\s+times`, "Sunday": "Sunday", "12 monkeys": `12\s+monkeys`, "12 Angry Men": `12\s+Angry\s+Men`,
		"token <secret%232> sent": `token\s+.+\s+sent`, "March on": `March\s+on`,
	} {
		if got := pattern(text); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
	secret := "http://a/cb?token=<secret%232>&x=1"
	if got, want := queryPattern(secret), `^[a-z]+:\/\/[^\/]+\/cb\/?\?token=[^&#]*&x=1(?:#|$)`; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}

// Dialogs are accepted whatever is checked: a dismissed question leads elsewhere.
func TestDialogsAreAnswered(t *testing.T) {
	for _, c := range [][2]string{{Playwright, TypeScript}, {Playwright, Python}, {Cypress, javaScript}} {
		p := &Plan{
			Framework: c[0], Language: c[1], Name: "x", Origin: "http://a", Base: "http://a", Start: "http://a/",
			Steps: []steps.Step{{Type: "back", Dialogs: []steps.Dialog{{Type: "confirm"}, {Type: "alert", Message: "Sure? " + strings.Repeat("x", 30), Cut: true}}}},
		}
		if s := Write(p); !strings.Contains(s.Text, "each is accepted") || s.Checks != 0 {
			t.Errorf("%v:\n%s", c, s.Text)
		}
		p.Texts = true
		if s := Write(p); !strings.Contains(s.Text, `^\s*Sure\?\s+x`) || strings.Contains(s.Text, `x\s*$`) || s.Checks != 1 {
			t.Errorf("%v:\n%s", c, s.Text)
		}
	}
}

// Frameworks know an element otherwise than the page shows it: by what is written in its document.
func TestWhatFrameworksCallElements(t *testing.T) {
	at := func(kind, value, css string) steps.Step {
		return steps.Step{Type: "click", Text: "SAVE IT", Locators: []steps.Locator{{Kind: kind, Value: value, Matches: 1}, {Kind: "css", Value: css, Matches: 1}}}
	}
	for _, c := range []struct {
		step                        steps.Step
		playwright, python, cypress string
	}{
		{
			at("role", `button[name="SAVE IT"]`, "b"), `getByRole("button", { name: /^SAVE\s+IT$/i })`,
			`get_by_role("button", name=re.compile(r"^SAVE\s+IT$", re.I))`, `cy.contains("button, [role=\"button\"]", /^\s*SAVE\s+IT\s*$/i)`,
		},
		{at("role", `button[name="Save It"]`, "b"), `getByRole("button", { name: "Save It", exact: true })`, `get_by_role("button", name="Save It", exact=True)`, `cy.get("b")`},
		{at("text", `"SAVE IT"`, "b"), `getByText(/^SAVE\s+IT$/i)`, `get_by_text(re.compile(r"^SAVE\s+IT$", re.I))`, `cy.contains(/^\s*SAVE\s+IT\s*$/i)`},
		{at("label", `"PIN"`, "input"), `getByLabel(/^PIN$/i)`, `get_by_label(re.compile(r"^PIN$", re.I))`, `cy.get("input")`},
		{at("role", `button[name="More"]`, "#a > summary.b"), `page.locator("#a > summary.b")`, `page.locator("#a > summary.b")`, `cy.get("#a > summary.b")`},
		{at("role", `button[name="More"]`, "summary-box"), `getByRole("button", { name: "More", exact: true })`, `get_by_role("button", name="More", exact=True)`, `cy.get("summary-box")`},
	} {
		for _, f := range []struct{ framework, language, want string }{{Playwright, TypeScript, c.playwright}, {Playwright, Python, c.python}, {Cypress, TypeScript, c.cypress}} {
			s := Write(&Plan{Framework: f.framework, Language: f.language, Name: "x", Origin: "http://a", Base: "http://a", Start: "http://a/", Steps: []steps.Step{c.step}})
			if !strings.Contains(s.Text, f.want+".click()") {
				t.Errorf("%s %s: not %s in\n%s", f.framework, f.language, f.want, s.Text)
			}
		}
	}
}

// Playwright's own escaping loses every second quote of a row, and marks of direction stand around words of some languages.
func TestPatternsOfTexts(t *testing.T) {
	const marks = `[\s\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]`
	for text, want := range map[string]string{
		"it's '''x''' `\"'": `^\s*it's\s+'\x27\x27x'\x27\x27\s+` + "`" + `\x22\x27\s*$`,
		"שלום עולם":         `^` + marks + `*שלום` + marks + `+עולם` + marks + `*$`,
	} {
		if got := whole(text, false); got != want {
			t.Errorf("%q: %s, want %s", text, got, want)
		}
	}
}

// What was asked for while a text was being typed is not asked for by a test, which types it at once.
func TestPartsOfWhatIsTypedAreNotAskedFor(t *testing.T) {
	for address, want := range map[string]bool{
		"http://a/suggest/t": true, "http://a/suggest/te%20a": true, "http://a/suggest/te abc": false, "http://a/suggest?q=t": false, "http://a/list": false,
	} {
		if got := partly(address, "te abc"); got != want {
			t.Errorf("%s: %v", address, got)
		}
	}
}

// Frameworks write objects and what is thrown otherwise than it was captured.
func TestKnownErrors(t *testing.T) {
	p := &Plan{Known: []string{`failed {"code":5} Error: boom`, "Thrown: just text", `Thrown: {"a":1}`, `got [1,"x"]`, "[vite] lost [x]", "a [b] c", `failed {"code":6}`}}
	if got, want := strings.Join(p.known(), " "), `/^failed/ /^just\s+text/ /^Object/ /^got\s+\[1,\x22x\x22\]/ /^\[vite\]\s+lost\s+\[x\]/ /^a\s+\[b\]\s+c/`; got != want {
		t.Errorf("%s, want %s", got, want)
	}
}
