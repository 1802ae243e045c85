package analysis

import (
	"strings"
	"testing"

	"github.com/brennhill/gasoline/internal/event"
)

// What runners write: Playwright 1.65, Cypress 14, Testing Library, pytest, Selenium.
const (
	missingClick = "TimeoutError: locator.click: Timeout 1500ms exceeded.\nCall log:\n  - waiting for getByTestId('pay')\n\n\n    at /p/tests/a.spec.ts:5:99"
	missingText  = "Error: \x1b[2mexpect(\x1b[22mlocator\x1b[2m).\x1b[22mtoBeVisible() failed\n\nLocator: getByText('Paid')\nExpected: visible\nTimeout: 500ms\nError: element(s) not found\n\nCall log:\n  - Expect \"toBeVisible\" getByText('Paid') with timeout 500ms\n  - waiting for getByText('Paid')\n"
	strict       = "Error: locator.click: Error: strict mode violation: getByRole('button') resolved to 2 elements:\n    1) <button>Pay now</button> aka getByRole('button', { name: 'Pay now' })\n"
	otherText    = "Error: expect(locator).toHaveText(expected) failed\n\nLocator:  locator('h1')\nExpected: \"Paid\"\nReceived: \"Checkout\"\nTimeout:  500ms\n\nCall log:\n  - waiting for locator('h1')\n    6 × locator resolved to <h1>Checkout</h1>\n"
	refused      = "Error: page.goto: net::ERR_CONNECTION_REFUSED at http://127.0.0.1:4000/\nCall log:\n  - navigating to \"http://127.0.0.1:4000/\", waiting until \"load\"\n"
	ownCode      = "TypeError: Cannot read properties of undefined (reading 'b')\n\n> 12 | a.b.c;\n    at /p/tests/a.spec.ts:12:87"
	appCode      = "TypeError: Cannot read properties of undefined (reading 'b')\n    at total (http://localhost:3000/assets/app.js:3:1)\n    at /p/tests/a.spec.ts:12:87"
	covered      = "TimeoutError: locator.click: Timeout 1500ms exceeded.\nCall log:\n  - waiting for getByRole('button', { name: 'Pay now' })\n    - locator resolved to <button>Pay now</button>\n      - <div id=\"x\"></div> intercepts pointer events\n"
	tooLong      = "Test timeout of 5000ms exceeded."
	cypressFind  = "AssertionError: Timed out retrying after 4000ms: Expected to find element: `#pay`, but never found it."
	selenium     = "selenium.common.exceptions.NoSuchElementException: Message: no such element: Unable to locate element: {\"method\":\"css selector\",\"selector\":\"#pay\"}"
	python       = "    def test_a():\n>       total(None)\nE       AttributeError: 'NoneType' object has no attribute 'x'\n\ntests/test_a.py:4: AttributeError"
	gone         = "Error: locator.click: Element is not attached to the DOM"
	noBrowser    = "Error: browserType.launch: Executable doesn't exist at /x/chrome"
	noModule     = "Error: Cannot find module '../support'\n    at /p/tests/a.spec.ts:1:1"
)

func threw(service string, handled bool) RunFacts {
	return RunFacts{Captured: true, Exceptions: []event.Exception{{
		Head: event.Head{Origin: event.Origin{Service: service}}, Type: "TypeError", Message: "total of undefined", Handled: handled,
	}}}
}

func answered(status int, outcome, how string) RunFacts {
	return RunFacts{Captured: true, Exchanges: []event.Exchange{{
		Method: "POST", URL: "/pay", Status: status, Outcome: outcome, Error: "net::ERR_FAILED", Initiator: event.Initiator{Type: how},
	}}}
}

func told(p LocatorFact) RunFacts { return RunFacts{Captured: true, Page: &p} }

func TestFailuresAreOfTheKindThatTheEvidenceSays(t *testing.T) {
	for _, c := range []struct {
		name, message string
		facts         RunFacts
		want          string
		least, most   float64
		evidence      string
	}{
		{"nothing is said without evidence", missingClick, RunFacts{}, unknown, 0, 0, "nothing was captured"},
		{"a value that differs is no evidence", otherText, RunFacts{Captured: true}, unknown, 0, 0, ""},
		{"a time that is over is none", tooLong, RunFacts{Captured: true}, unknown, 0, 0, ""},
		{"an exception of the page", otherText, threw("", false), realBug, 0.85, 0.85, `the page threw "TypeError: total of undefined"`},
		{"an exception of a service", missingText, threw("orders", false), realBug, 0.85, 0.85, `service "orders" threw`},
		{"a handled one says less", missingText, threw("", true), realBug, 0.65, 0.65, ""},
		{"a server that fails", missingText, answered(500, "http_error", "fetch"), realBug, 0.8, 0.8, `"POST /pay" was answered with 500`},
		{"a refusal says little", missingText, answered(404, "http_error", "fetch"), realBug, 0.55, 0.55, "404"},
		{"an answer that did not come", missingText, answered(0, "pending", "fetch"), timingFlaky, 0.7, 0.7, "had not been answered"},
		{"a beacon is never answered", missingText, answered(0, "pending", "beacon"), unknown, 0, 0, ""},
		{"a connection that failed", missingText, answered(0, "network_error", "fetch"), networkFlaky, 0.75, 0.75, "net::ERR_FAILED"},
		{"what stands there now came late", missingClick, told(LocatorFact{Locator: "getByTestId('pay')", Count: 1}), timingFlaky, 0.6, 0.6, "came after"},
		{"what is found otherwise has drifted", missingClick, told(LocatorFact{Locator: "getByTestId('pay')", Now: "role=button", Element: `button "Pay"`}), SelectorBroken, 0.9, 0.9, `is found by "role=button"`},
		{"what is near has perhaps", cypressFind, told(LocatorFact{Locator: "#pay", Element: `button "Pay"`}), SelectorBroken, 0.6, 0.6, "near it"},
		{"a page without anything like it says nothing", missingClick, told(LocatorFact{Locator: "getByTestId('pay')"}), unknown, 0, 0, ""},
		{"the page is not asked about what was found", otherText, told(LocatorFact{Locator: "h1", Count: 1}), unknown, 0, 0, ""},
		{"two elements", strict, RunFacts{}, SelectorBroken, 0.75, 0.75, "fits 2 elements"},
		{"no server", refused, RunFacts{}, networkFlaky, 0.8, 0.8, "net::ERR_CONNECTION_REFUSED"},
		{"the test's own code", ownCode, RunFacts{}, testBug, 0.8, 0.8, "/p/tests/a.spec.ts:12"},
		{"code of the page is not the test's", appCode, RunFacts{}, unknown, 0, 0, ""},
		{"the test's own code in Python", python, RunFacts{}, testBug, 0.8, 0.8, "tests/test_a.py:4"},
		{"a cover", covered, RunFacts{}, realBug, 0.55, 0.55, "covers the element"},
		{"an element that was replaced", gone, RunFacts{}, timingFlaky, 0.75, 0.75, "replaced"},
		{"no browser", noBrowser, RunFacts{}, environment, 0.9, 0.9, "could not be started"},
		{"no module", noModule, RunFacts{}, testBug, 0.9, 0.9, "could not be loaded"},
		{"two kinds that are as sure make it less sure", refused, answered(500, "http_error", "fetch"), networkFlaky, 0.7, 0.7, "500"},
		{"two signs of one kind make it surer", refused, answered(0, "network_error", "fetch"), networkFlaky, 0.85, 0.85, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			v := Classify(FailedTest{Error: c.message}, c.facts)
			if v.Category != c.want || v.Confidence < c.least || v.Confidence > c.most {
				t.Errorf("%s %.2f, want %s %.2f: %q", v.Category, v.Confidence, c.want, c.least, v.Evidence)
			}
			if !strings.Contains(strings.Join(v.Evidence, "\n"), c.evidence) {
				t.Errorf("%q has no %q", v.Evidence, c.evidence)
			}
			if v.RealBug != (c.want == realBug) || v.Flaky != (c.want == timingFlaky || c.want == networkFlaky) ||
				v.Environment != (c.want == environment || c.want == networkFlaky) || v.Action == "" {
				t.Errorf("%+v", v)
			}
		})
	}
}

func TestLocatorsAreReadFromMessages(t *testing.T) {
	for message, want := range map[string]string{
		missingClick: "getByTestId('pay')", missingText: "getByText('Paid')", strict: "getByRole('button')", otherText: "locator('h1')",
		cypressFind: "#pay", selenium: `{"method":"css selector","selector":"#pay"}`, tooLong: "", ownCode: "",
	} {
		s := ShapeOf(message)
		if s.Locator != want {
			t.Errorf("%q, want %q of %q", s.Locator, want, message)
		}
	}
	for message, missing := range map[string]bool{
		missingClick: true, missingText: true, strict: false, otherText: false, covered: false, cypressFind: true, selenium: true,
	} {
		if got := ShapeOf(message).Missing; got != missing {
			t.Errorf("missing is %v of %q", got, message)
		}
	}
}

func FuzzShapeOf(f *testing.F) {
	for _, m := range []string{missingClick, missingText, strict, covered, python, selenium} {
		f.Add(m)
	}
	f.Fuzz(func(t *testing.T, message string) {
		v := Classify(FailedTest{Error: message}, RunFacts{})
		if v.Confidence < 0 || v.Confidence > 1 || v.Category == "" || len(v.Evidence) > 9 {
			t.Fatalf("%+v", v)
		}
	})
}
