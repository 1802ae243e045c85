// Package script writes tests and reproductions from steps that were recorded: for Playwright in TypeScript, JavaScript and
// Python, and for Cypress. A plan becomes acts with what is to be checked after each (acts.go), which is the same for all; a
// printer for each framework knows its words only.
//
// What comes from a page is data in these files: it stands in strings, patterns and comments from which it cannot get out.
// Secrets are never in them; what was masked is read from an environment variable.
package script

import (
	"fmt"
	"strings"

	"github.com/brennhill/gasoline/internal/event"
	"github.com/brennhill/gasoline/internal/steps"
)

// The frameworks and languages.
const (
	Playwright = "playwright"
	Cypress    = "cypress"

	TypeScript = "typescript"
	javaScript = "javascript"
	Python     = "python"
)

// Plan says what a test does and checks.
type Plan struct {
	Framework string
	Language  string
	Name      string
	Head      []string // sentences for the comment at the top of the file
	Origin    string   // that the steps were recorded on
	Base      string   // origin to run against, unless BASE_URL names another
	Start     string   // address to begin at
	Steps     []steps.Step

	Texts    bool // check texts, fields and addresses after each step
	Network  bool // check the requests that the steps caused
	NoErrors bool // no error may come that is not Known
	Known    []string
	Failing  []Failing            // requests that failed when it was recorded; others may not, with NoErrors
	Bodies   map[event.Seq]string // JSON answers whose shape is checked
	Mocks    []Mock

	Failure *Failure // what the test is about; nil: nothing went wrong
	Seen    bool     // the failure is to be seen: the test passes while it is there. Else it may not come
	Regions []Region // pictures to compare at the end
	Picture bool     // compare the whole page at the end
	Width   int      // of the viewport, CSS pixels; 0: the runner's
	Height  int
}

// Failing is a request that failed.
type Failing struct {
	Method string
	URL    string
	Status int
}

// Mock is an answer that the test gives itself.
type Mock struct {
	Method      string
	URL         string
	Status      int
	ContentType string
	Body        string
}

// Failure is an error that was captured.
type Failure struct {
	Message string   // of an exception with its type, or what the console said; "": it is the request
	Request *Failing // that failed
}

// Region is a part of a page whose picture is compared.
type Region struct {
	Name     string
	Comment  string
	Locators []steps.Locator // of the element; none: the area
	X, Y     float64         // of the area, CSS pixels of the page
	Width    float64
	Height   float64
}

// Script is a file, and what is to be said of it.
type Script struct {
	Text       string
	File       string // a name for it
	Selectors  []string
	Assertions []string // kinds, in order of their first use
	Checks     int
	Variables  []string // of the environment, that have to be set
	Gaps       []string // steps that the framework cannot do, with the reason
	Snapshots  bool     // pictures are compared: the first run makes them

	typed map[string]string // what was typed, by the variable
}

// printer writes acts in the words of a framework. Lines come without their indentation.
type printer interface {
	locator(base string, at *locator) (string, bool)
	file(p *Plan, acts []act, s *Script) string
}

func printerOf(p *Plan) printer {
	switch {
	case p.Framework == Cypress:
		return cypress{typed: p.Language != javaScript}
	case p.Language == Python:
		return python{}
	}
	return playwright{typed: p.Language != javaScript}
}

// Write writes a plan's file. The steps are at least one, or the plan has regions.
func Write(p *Plan) *Script {
	s := &Script{File: fileName(p)}
	printer := printerOf(p)
	s.Text = printer.file(p, p.acts(printer, s), s)
	return s
}

// fileName is a name that the framework's runner looks for.
func fileName(p *Plan) string {
	var b strings.Builder
	for _, r := range strings.ToLower(p.Name) {
		switch {
		case r >= 'a' && r <= 'z', r >= '0' && r <= '9':
			b.WriteRune(r)
		case b.Len() > 0 && !strings.HasSuffix(b.String(), "-"):
			b.WriteByte('-')
		}
		if b.Len() >= 60 {
			break
		}
	}
	name := strings.Trim(b.String(), "-")
	if name == "" {
		name = "recorded"
	}
	ext := "ts"
	if p.Language == javaScript {
		ext = "js"
	}
	switch {
	case p.Framework == Cypress:
		return name + ".cy." + ext
	case p.Language == Python:
		return "test_" + strings.ReplaceAll(name, "-", "_") + ".py"
	}
	return name + ".spec." + ext
}

// Extensions are the ends of names that files of a framework and a language may have.
func Extensions(framework, language string) []string {
	switch {
	case framework != Cypress && language == Python:
		return []string{".py"}
	case language == javaScript:
		return []string{".js", ".mjs", ".cjs"}
	}
	return []string{".ts", ".mts", ".cts"}
}

// lines collects lines with their indentation.
type lines struct {
	b      strings.Builder
	indent string // of one level
	level  int
}

func (l *lines) add(format string, args ...any) {
	text := format
	if len(args) > 0 {
		text = fmt.Sprintf(format, args...)
	}
	if text != "" {
		l.b.WriteString(strings.Repeat(l.indent, l.level))
		l.b.WriteString(text)
	}
	l.b.WriteByte('\n')
}
