package lines

import (
	"strings"

	"github.com/brennhill/gasoline/internal/event"
	"github.com/brennhill/gasoline/internal/stacktrace"
)

// test says whether a line belongs to what a runner tells of one test, where the record is that. A failure is an error
// once it is said that the test failed.
func (j *joint) test(s string) (v verdict, ok bool) {
	first := j.parts[0]
	if number, _, found := strings.Cut(strings.TrimLeft(first, " "), ") "); found && isNumber(number) && len(j.parts) == 1 && strings.HasPrefix(s, "     Failure/Error: ") {
		j.fail() // RSpec
		j.state = dumped
		return part, true
	}
	if v, ok := j.box(s); ok {
		return v, true
	}
	if name, found := strings.CutPrefix(first, "=== RUN   "); found {
		if strings.HasPrefix(s, "--- FAIL: "+name+" (") {
			j.fail()
			return part, true
		}
		return apart, false
	}
	if j.state != dumped || !stacktrace.PytestHead(first) {
		return apart, false
	}
	if _, failed := stacktrace.PytestError(s); failed {
		return part, true
	}
	if s[0] == ' ' || s[0] == '>' || strings.HasPrefix(s, "_ _ ") || strings.HasPrefix(s, "[gw") || strings.HasPrefix(s, "@") ||
		strings.HasPrefix(s, "The above exception was ") || strings.HasPrefix(s, "During handling of the above ") {
		return part, true
	}
	if _, _, place := stacktrace.PytestPlace(s); place {
		return part, true
	}
	if name, _, value := strings.Cut(s, " = "); value && isName(name) { // of an argument
		return part, true
	}
	return apart, true
}

// box says whether a line belongs to the box that Terraform draws around a mistake.
func (j *joint) box(s string) (v verdict, ok bool) {
	if j.parts[0] != boxTop {
		return apart, false
	}
	if len(j.parts) == 1 {
		if j.state = dumped; strings.HasPrefix(s, "\u2502 Warning: ") {
			j.head.level, j.head.severity = "warn", event.SeverityWarn
			return part, true
		}
		if strings.HasPrefix(s, "\u2502 Error: ") {
			j.fail()
			return part, true
		}
		j.state = single
		return apart, false
	}
	if strings.HasPrefix(s, "\u2502") || s == boxEnd {
		return part, true
	}
	return apart, true
}

// What begins and ends such a box.
const (
	boxTop = "\u2577"
	boxEnd = "\u2575"
)

// fail makes the record an error.
func (j *joint) fail() { j.head.level, j.head.severity = "error", event.SeverityError }

// isGoTest reports whether a line is one of go test about a test.
func isGoTest(s string) bool {
	for _, begin := range [...]string{"--- FAIL: ", "--- PASS: ", "--- SKIP: ", "=== RUN   ", "=== PAUSE ", "=== CONT  ", "=== NAME  "} {
		if strings.HasPrefix(s, begin) {
			return true
		}
	}
	return false
}

// isSummary reports whether a line names a failed test behind all that was told of it: ERROR test_pay.py::test_pays - KeyError.
func isSummary(s string) bool {
	what, found := strings.CutPrefix(s, "ERROR ")
	test, _, _ := strings.Cut(what, " - ")
	file, _, _ := strings.Cut(test, "::")
	return found && strings.HasSuffix(file, ".py") && strings.IndexByte(file, ' ') < 0
}
