package script

import (
	"flag"
	"os"
	"path/filepath"
	"testing"

	"github.com/brennhill/gasoline/internal/event"
	"github.com/brennhill/gasoline/internal/steps"
)

var update = flag.Bool("update", false, "rewrite the files in testdata")

// every is a plan with each kind of step, of check and of answer.
func every(framework, language string) *Plan {
	at := func(kind, value string) []steps.Locator {
		return []steps.Locator{{Kind: kind, Value: value, Matches: 1}}
	}
	p := &Plan{
		Framework: framework, Language: language, Name: "every kind of step", Head: []string{"Made in a test."}, Origin: "http://a.test",
		Base: "https://b.test", Start: "http://a.test/start", Texts: true, Network: true, NoErrors: true, Known: []string{"Error: known 12345", "…"},
		Failing: []Failing{{Method: "GET", URL: "http://a.test/gone/7", Status: 404}, {Method: "GET", URL: "http://a.test/gone/8", Status: 404}},
		Bodies:  map[event.Seq]string{7: `{"id":1,"name":"x","on":true,"of":{"y":1},"list":[],"none":null}`, 8: `[1]`},
		Mocks: []Mock{
			{Method: "GET", URL: "http://a.test/api/1", Status: 200, ContentType: "application/json", Body: "{ \"a\": 1 }"},
			{Method: "GET", URL: "http://a.test/api/2", Status: 404, ContentType: "text/plain", Body: "no\nmore"},
			{Method: "POST", URL: "http://a.test/api/1", Status: 204},
		},
		Steps: []steps.Step{
			{Type: "click", Role: "button", Name: "Open", PageURL: "http://a.test/start", LedTo: "http://a.test/list", Locators: at("css", "#open")},
			{Type: "keypress", Key: "Enter", PageURL: "http://a.test/list", Locators: at("css", "#q"),
				Texts: []steps.Text{{Element: "p#found", Value: "3 found"}, {Value: "Quick", Brief: true, Visible: true}, {Value: "12:00"}}},
			{Type: "keypress", Key: "Escape", PageURL: "http://a.test/list"},
			{Type: "keypress", Key: "Tab", Locators: at("css", "#q")},
			{Type: "click", Count: 2, Name: "Row", Locators: at("testid", "row")},
			{Type: "input", Name: "Name", Value: "Ada", Locators: at("css", "form > input.name")},
			{Type: "input", Name: "Cleared", Value: "", Locators: at("css", "textarea")},
			{Type: "input", Name: "Editor", Text: "Hello", Value: "Hello", Locators: at("css", "div.editor")},
			{Type: "input", Name: "Long", Value: "long", Masked: true, Locators: at("css", "#long")},
			{Type: "select", Role: "combobox", Name: "Size", Value: "Small, thin", Locators: at("css", "#size")},
			{Type: "select", Role: "listbox", Name: "Colours", Value: "Red, Blue", Locators: at("css", "#colours")},
			{Type: "select", Name: "Card", Value: "<card#1>", Masked: true, Locators: at("css", "#card")},
			{Type: "check", Name: "Gift", Value: "checked", Locators: at("css", "#gift")},
			{Type: "check", Name: "Gift", Value: "unchecked", Locators: at("css", "#gift")},
			{Type: "check", Name: "Volume", Value: "7", Locators: at("css", "input.volume")},
			{Type: "scroll", X: 0, Y: 300},
			{Type: "scroll", X: 1.5, Y: 10, Locators: at("css", "#list")},
			{Type: "scroll", Y: 20, InFrame: true, PageURL: "http://a.test/frame"},
			{Type: "upload", Name: "Picture", Value: "a.png (1 bytes), b c.png (2 bytes)", Locators: at("css", "#file")},
			{Type: "submit", Locators: at("css", "form")},
			{Type: "drag", Name: "Card", Locators: at("css", "#card")},
			{Type: "drop", Name: "Done", Locators: at("css", "#done"), Texts: []steps.Text{{Element: "li", Value: "It was moved to a place with a long na", Cut: true}}},
			{Type: "click", Name: "In it", InFrame: true, PageURL: "http://a.test/frame", Locators: at("css", "#in"),
				Texts: []steps.Text{
					{Element: "p", Value: "same frame", InFrame: true, PageURL: "http://a.test/frame"},
					{Element: "p", Value: "other frame", InFrame: true, PageURL: "http://a.test/other"},
				}},
			{Type: "click", Name: "Out", Locators: at("css", "#out"), Texts: []steps.Text{{Role: "alert", Value: "Out", Visible: true}, {Role: "odd", Value: "Odd", Visible: true}}},
			{Type: "click", Name: "Ask", Locators: at("css", "#ask"), Dialogs: []steps.Dialog{{Type: "prompt", Message: "Your name?"}, {Type: "alert"}},
				Requests: []steps.Request{
					{Method: "GET", URL: "http://a.test/api/7", Status: 200, Seq: 7}, {Method: "GET", URL: "http://a.test/api/8", Status: 200},
					{Method: "PUT", URL: "http://a.test/api/x", Status: 401}, {Method: "PUT", URL: "http://a.test/api/x", Status: 200, Seq: 8},
					{Method: "GET", URL: "http://a.test/none"},
				}},
			{Type: "navigate", ToURL: "http://a.test/next", LedTo: "http://a.test/next"},
			{Type: "submit", PageURL: "http://a.test/next", Locators: at("css", "form"), Requests: []steps.Request{{Method: "POST", URL: "http://a.test/send", Status: 201}}},
			{Type: "back", LedTo: "http://a.test/list", PageURL: "http://a.test/next"},
			{Type: "navigate", ToURL: "http://a.test", LedTo: "http://a.test"},
			{Type: "navigate", ToURL: "http://other.test/x?a=1", LedTo: "http://other.test/x?a=1"},
			{Type: "click", Name: "Sort", PageURL: "http://other.test/x?a=1", LedTo: "http://other.test/x?a=2", Locators: at("css", "#sort")},
			{Type: "hover", Locators: at("css", "#x")},
		},
	}
	return p
}

// Each kind of step, of check and of answer is written as these files say.
func TestEveryKindOfStep(t *testing.T) {
	for _, c := range []struct {
		name string
		plan *Plan
	}{
		{"every.spec.ts", every(Playwright, TypeScript)},
		{"every.spec.js", every(Playwright, javaScript)},
		{"test_every.py", every(Playwright, Python)},
		{"every.cy.ts", every(Cypress, TypeScript)},
		{"every.cy.js", every(Cypress, javaScript)},
	} {
		for _, kind := range []string{"", "seen-", "gone-", "refused-"} {
			p := c.plan
			switch kind {
			case "seen-", "gone-":
				if kind == "seen-" && p.Language == Python {
					continue
				}
				p = &Plan{
					Framework: p.Framework, Language: p.Language, Name: "x", Origin: "http://a.test", Base: "http://a.test", Start: "http://a.test/",
					Steps: p.Steps[:1], Failure: &Failure{Message: "TypeError: it is 12345\nat x"}, Seen: kind == "seen-", Texts: kind == "gone-",
					Picture: kind == "seen-" && p.Framework == Playwright,
				}
			case "refused-":
				p = &Plan{
					Framework: p.Framework, Language: p.Language, Name: "x", Origin: "http://a.test", Base: "http://a.test", Start: "http://a.test/",
					Steps:   []steps.Step{{Type: "click", Locators: p.Steps[0].Locators, Requests: []steps.Request{{Method: "GET", URL: "http://a.test/api", Status: 500}}}},
					Failure: &Failure{Request: &Failing{Method: "GET", URL: "http://a.test/api", Status: 500}}, Network: true, Texts: true,
				}
			}
			got := Write(p).Text
			file := filepath.Join("testdata", kind+c.name+".txt")
			if *update {
				if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			if got != string(want) {
				t.Errorf("%s is written otherwise:\n%s", file, got)
			}
		}
	}
}

func TestWhatIsSaidOfAFile(t *testing.T) {
	s := Write(every(Playwright, TypeScript))
	if len(s.Gaps) != 1 || s.Checks != 25 || len(s.Variables) != 2 || len(s.Selectors) != 19 {
		t.Errorf("gaps %q, %d checks %q, variables %q, %d selectors", s.Gaps, s.Checks, s.Assertions, s.Variables, len(s.Selectors))
	}
	for _, c := range []struct{ framework, language, file, ends string }{
		{Playwright, TypeScript, "every-kind-of-step.spec.ts", ".ts"}, {Playwright, javaScript, "every-kind-of-step.spec.js", ".js"},
		{Playwright, Python, "test_every_kind_of_step.py", ".py"}, {Cypress, TypeScript, "every-kind-of-step.cy.ts", ".ts"},
		{Cypress, javaScript, "every-kind-of-step.cy.js", ".js"},
	} {
		if got := Write(every(c.framework, c.language)).File; got != c.file {
			t.Errorf("%s, want %s", got, c.file)
		}
		if got := Extensions(c.framework, c.language)[0]; got != c.ends {
			t.Errorf("%s, want %s", got, c.ends)
		}
	}
}
