package lines_test

import (
	"strconv"
	"strings"
	"testing"

	"github.com/brennhill/gasoline/internal/event"
	"github.com/brennhill/gasoline/internal/ingest/lines"
)

// What runners of tests print: one failure is one error, with its place, and what goes right is none.
func TestFailedTestsAreOneErrorEach(t *testing.T) {
	for _, test := range []struct{ title, output, want string }{
		{"pytest, an assertion", `.F                                                                       [100%]
=================================== FAILURES ===================================
___________________________________ test_bad ___________________________________

    def test_bad():
>       assert pay(2) == 5
E       assert 3 == 5
E        +  where 3 = pay(2)

test_pay.py:5: AssertionError
----------------------------- Captured stdout call -----------------------------
paying 2
=========================== short test summary info ============================
FAILED test_pay.py::test_bad - assert 3 == 5
1 failed, 1 passed in 0.18s`, "AssertionError: assert 3 == 5⏎ +  where 3 = pay(2) < test_bad test_pay.py:5"},
		{"pytest, a fixture, its cause, and another test", `=== ERRORS ===
_________________________ ERROR at setup of test_setup _________________________

n = 1

    @pytest.fixture
    def broken():
        try:
>           pay(None)

test_more.py:11: 
_ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ 

x = None

    def pay(x):
>       return x + 1
E       TypeError: no number

shop.py:3: TypeError

The above exception was the direct cause of the following exception:

    def broken():
>           raise RuntimeError("no payment") from e
E           RuntimeError: no payment

test_more.py:13: RuntimeError
__________________________________ test_stop ___________________________________

    def test_stop():
>       pytest.fail("not yet")
E       Failed: not yet

test_more.py:15: Failed
=========================== short test summary info ============================
ERROR test_more.py::test_setup - RuntimeError: no payment`,
			"RuntimeError: no payment < broken test_more.py:13, because TypeError: no number < pay shop.py:3|Failed: not yet < test_stop test_more.py:15"},
		{"pytest, short", `__________________________________ test_stop ___________________________________
test_more.py:15: in test_stop
    pytest.fail("not yet")
E   Failed: not yet
E   at all
__________________________________ test_raise __________________________________
test_pay.py:7: in test_raise
    pay(None)
shop.py:3: in pay
    return x + 1
E   TypeError: no number`, "Failed: not yet⏎at all < test_stop test_more.py:15|TypeError: no number < pay shop.py:3"},
		{"a banner is none", `______________ hello, this is shop ______________
E = m c2`, ""},
		{"go test, a failure before a panic", `--- FAIL: TestBad (0.00s)
    pay_test.go:3: Pay(2) = 3, want 5
--- FAIL: TestNil (0.00s)
panic: no card [recovered, repanicked]

goroutine 18 [running]:
example.com/shop.TestNil(0x117809e96488?)
	/srv/pay_test.go:4 +0x3
FAIL	example.com/shop	0.005s`, "--- FAIL: TestBad (0.00s)⏎    pay_test.go:3: Pay(2) = 3, want 5|panic: no card < example.com/shop.TestNil /srv/pay_test.go:4"},
		{"go test, verbose", `=== RUN   TestGood
    pay_test.go:2: paying
--- PASS: TestGood (0.00s)
=== RUN   TestBad
    pay_test.go:3: Pay(2) = 3, want 5
--- FAIL: TestBad (0.00s)
=== RUN   TestOther
--- PASS: TestOther (0.00s)`, "=== RUN   TestBad⏎    pay_test.go:3: Pay(2) = 3, want 5⏎--- FAIL: TestBad (0.00s)"},
	} {
		t.Run(test.title, func(t *testing.T) {
			r := lines.Reader{Live: true}
			var got []string
			for _, e := range reading(r, arrived, strings.Split(test.output, "\n")...) {
				switch e := e.(type) {
				case *event.Exception:
					said := e.Type + ": " + e.Message + at(e.Stack)
					for _, c := range e.Causes {
						said += ", because " + c.Type + ": " + c.Message + at(c.Stack)
					}
					got = append(got, said)
				case *event.Log:
					if e.Severity > event.SeverityInfo {
						got = append(got, e.Message)
					}
				}
			}
			if s := strings.ReplaceAll(strings.Join(got, "|"), "\n", "⏎"); s != test.want {
				t.Errorf("read\n%s, want\n%s", s, test.want)
			}
		})
	}
}

// at is the first call of a stack.
func at(stack []event.StackFrame) string {
	if len(stack) == 0 {
		return ""
	}
	return " < " + stack[0].Function + " " + stack[0].URL + ":" + strconv.Itoa(stack[0].Line)
}
