package stacktrace_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/brennhill/gasoline/internal/event"
	"github.com/brennhill/gasoline/internal/stacktrace"
)

// What the runtimes print is read: type, message, calls from the inside out, causes.
func TestExceptionsOfRuntimes(t *testing.T) {
	for _, c := range []struct {
		text, want string
	}{
		{
			"TypeError: x is not a function\n    at pay (/srv/app/pay.js:4:9)\n    at node:internal/main:1:2",
			"TypeError|x is not a function|pay /srv/app/pay.js:4:9 own; node:internal/main:1:2|",
		},
		{
			"java.lang.IllegalStateException: no stock\n\tat shop.Cart.add(Cart.java:12)\n" +
				"Caused by: java.sql.SQLException: locked\n\tat org.apache.Db.run(Db.java:3)",
			"java.lang.IllegalStateException|no stock|shop.Cart.add Cart.java:12:0 own|java.sql.SQLException locked",
		},
		{
			"Traceback (most recent call last):\n  File \"/srv/app.py\", line 3, in pay\n    charge()\n" +
				"  File \"/srv/bank.py\", line 9, in charge\n    raise E\nbank.DeclinedError: no money",
			"bank.DeclinedError|no money|charge /srv/bank.py:9:0 own; pay /srv/app.py:3:0 own|",
		},
		{
			"panic: runtime error: index out of range [3]\n\ngoroutine 1 [running]:\nmain.pay(0x1)\n\t/srv/main.go:7 +0x1d\nmain.main()\n\t/srv/main.go:3 +0x1",
			"runtime error|index out of range [3]|main.pay /srv/main.go:7:0 own; main.main /srv/main.go:3:0 own|",
		},
		{
			"goroutine 18 [running]:\nmain.pay(0x1)\n\t/srv/main.go:7 +0x1d\ncreated by main.main\n\t/srv/main.go:3 +0x1",
			"||main.pay /srv/main.go:7:0 own; main.main /srv/main.go:3:0 own|",
		},
		{
			"System.InvalidOperationException: closed\n   at Shop.Pay() in /srv/Pay.cs:line 5",
			"System.InvalidOperationException|closed|Shop.Pay() /srv/Pay.cs:5:0 own|",
		},
		{ // a chain of Python: what is printed last is what was thrown
			"Traceback (most recent call last):\n  File \"/srv/a.py\", line 1, in a\nKeyError: 'price'\n\n" +
				"The above exception was the direct cause of the following exception:\n\nTraceback (most recent call last):\n" +
				"  File \"/srv/b.py\", line 2, in b\nValueError: no price\nof this item\n\n" +
				"During handling of the above exception, another exception occurred:\n\nTraceback (most recent call last):\n" +
				"  File \"/usr/lib/python3.11/c.py\", line 3, in c\nshop.errors.Failed",
			"shop.errors.Failed||c /usr/lib/python3.11/c.py:3:0|ValueError no price\nof this item; KeyError 'price'",
		},
		{ // what follows without an empty line is no part of the message
			"Traceback (most recent call last):\n  File \"/srv/a.py\", line 1, in a\nKeyError: 1\n" +
				"During handling of the above exception, another exception occurred:\nTraceback (most recent call last):\n" +
				"  File \"/srv/a.py\", line 2, in a\nValueError: 2\nThe above exception was\nmore",
			"ValueError|2|a /srv/a.py:2:0 own|KeyError 1",
		},
		{ // Promise.any of Node: the error has no calls, those that it holds have
			"[AggregateError: All promises were rejected] {\n  [errors]: [\n    Error: refused [1]\n        at a (/srv/a.js:1:2) {\n      code: 'X'\n    },\n" +
				"    TypeError: late\n        at b (/srv/b.js:3:4)\n  ]\n}",
			"AggregateError|All promises were rejected||Error refused [1]; TypeError late",
		},
		{ // with what console.error said before
			"[7] db failed [AggregateError: All promises were rejected] {\n  [errors]: [\n    Error: refused\n        at a (/srv/a.js:1:2)\n  ]\n}",
			"AggregateError|All promises were rejected||Error refused",
		},
		{ // as the SDK sends it
			"AggregateError: All promises were rejected\nCaused by: Error: refused\n    at a (/srv/a.js:1:2)\nCaused by: TypeError: late\n    at b (/srv/b.js:3:4)",
			"AggregateError|All promises were rejected||Error refused; TypeError late",
		},
		{ // a logger's words before a cause alone
			"db failed\nCaused by: a.BException: c\n\tat d.E.f(E.java:1)", "a.BException|c|d.E.f E.java:1:0 own|",
		},
		{ // without a message
			"db failed AggregateError\n    at f (/srv/f.js:1:2) {\n  [errors]: [\n    Error: refused\n        at a (/srv/a.js:1:2)\n  ]\n}",
			"AggregateError||f /srv/f.js:1:2 own|Error refused",
		},
		{ // a group of Python
			"  + Exception Group Traceback (most recent call last):\n  |   File \"/srv/a.py\", line 1, in a\n  | x\nExceptionGroup: two",
			"ExceptionGroup|two|a /srv/a.py:1:0 own|",
		},
		{
			"fatal error: all goroutines are asleep\n\ngoroutine 1 [chan receive]:\nmain.main()\n\t/srv/main.go:3 +0x1",
			"fatal error|all goroutines are asleep|main.main /srv/main.go:3:0 own|",
		},
		{
			"2026/11/22 10:00:00 http: panic serving 127.0.0.1:5: no price\ngoroutine 9 [running]:\npanic({0x1})\n\t/go/src/panic.go:3 +0x1\n" +
				"main.main.func1(...)\n\t/srv/main.go:4",
			"panic|no price|main.main.func1 /srv/main.go:4:0 own|",
		},
		{
			"panic: first [recovered]\n\tpanic: last [recovered]\n\ngoroutine 1 [running]:\npanic(0x1)\n\t/srv/panic.go:3 +0x1\nnot a place\nx",
			"panic|last|panic /srv/panic.go:3:0|",
		},
		{ // thrown again by who recovered it: where it came from stands below
			"panic: boom [recovered, repanicked]\n\ngoroutine 1 [running]:\nmain.mid.func1()\n\t/srv/main.go:7 +0x18\n" +
				"panic({0x48?, 0x13?})\n\t/usr/local/go/src/runtime/panic.go:860 +0x13a\nmain.inner(...)\n\t/srv/main.go:5\n",
			"panic|boom|main.inner /srv/main.go:5:0 own|",
		},
		{ // as older versions of Go print it
			"panic: boom [recovered]\n\tpanic: boom\n\ngoroutine 1 [running]:\nmain.mid.func1()\n\t/srv/main.go:7 +0x18\n" +
				"panic({0x48, 0x13})\n\t/usr/local/go/src/runtime/panic.go:860 +0x13a\nmain.inner(...)\n\t/srv/main.go:5\n",
			"panic|boom|main.inner /srv/main.go:5:0 own|",
		},
		{ // another panic in a deferred call: it was thrown there
			"panic: boom\n\tpanic: other\n\ngoroutine 1 [running]:\nmain.mid.func1()\n\t/srv/main.go:7 +0x18\n" +
				"panic({0x48?, 0x13?})\n\t/usr/local/go/src/runtime/panic.go:860 +0x13a\nmain.inner(...)\n\t/srv/main.go:5\n",
			"panic|other|main.mid.func1 /srv/main.go:7:0 own; panic /usr/local/go/src/runtime/panic.go:860:0; main.inner /srv/main.go:5:0 own|",
		},
		{ // thrown again, and recovered by the server
			"2026/11/22 10:00:00 http: panic serving 127.0.0.1:5: boom\ngoroutine 9 [running]:\nnet/http.(*conn).serve.func1()\n" +
				"\t/usr/local/go/src/net/http/server.go:1 +0x1\npanic({0x48?, 0x13?})\n\t/usr/local/go/src/runtime/panic.go:860 +0x1\n" +
				"main.mid.func1()\n\t/srv/main.go:7 +0x18\npanic({0x48?, 0x13?})\n\t/usr/local/go/src/runtime/panic.go:860 +0x1\n" +
				"main.inner(...)\n\t/srv/main.go:5\n",
			"panic|boom|main.inner /srv/main.go:5:0 own|",
		},
		{ // another value, and recovered by the server: the last one thrown stands first
			"2026/11/22 10:00:00 http: panic serving 127.0.0.1:5: other\ngoroutine 9 [running]:\nnet/http.(*conn).serve.func1()\n" +
				"\t/usr/local/go/src/net/http/server.go:1 +0x1\npanic({0x48?, 0x99?})\n\t/usr/local/go/src/runtime/panic.go:860 +0x1\n" +
				"main.mid.func1()\n\t/srv/main.go:7 +0x18\npanic({0x48?, 0x13?})\n\t/usr/local/go/src/runtime/panic.go:860 +0x1\n",
			"panic|other|main.mid.func1 /srv/main.go:7:0 own; panic /usr/local/go/src/runtime/panic.go:860:0|",
		},
		{ // the SDK's own calls are not the program's, wherever they are built from
			"panic: boom\n\ngoroutine 1 [running]:\ngithub.com/brennhill/gasoline/sdk/go/gasolinesql.(*stmt).Exec(0x1)\n\t/src/gasoline/sdk/go/gasolinesql/stmt.go:5 +0x1\n" +
				"main.main()\n\t/srv/main.go:5 +0x1\n",
			"panic|boom|github.com/brennhill/gasoline/sdk/go/gasolinesql.(*stmt).Exec /src/gasoline/sdk/go/gasolinesql/stmt.go:5:0; main.main /srv/main.go:5:0 own|",
		},
		{
			"Traceback (most recent call last):\n  File \"/srv/a.py\", line 1, in a\n  File \"/src/gasoline/sdk/python/gasoline_sdk/db.py\", line 2, in execute\n" +
				"OperationalError: no table",
			"OperationalError|no table|execute /src/gasoline/sdk/python/gasoline_sdk/db.py:2:0; a /srv/a.py:1:0 own|",
		},
		{ // Node prints the source before, and properties behind the stack
			"/srv/pay.js:4\n  throw new E()\n        ^\n\nTypeError [ERR_X]: no price\nof this item\n    at async Shop.pay (/srv/pay.js:4:9) {\n" +
				"  code: 'ERR_X',\n  [cause]: Error: locked\n      at /srv/db.js:7:1\n}",
			"TypeError|no price\nof this item|async Shop.pay /srv/pay.js:4:9 own|Error locked",
		},
		{
			"order 7 failed: SomeError: no stock\n    at pay (/srv/node_modules/x/pay.js:4:9)\n    at <anonymous>\n    at new Cart (native)",
			"SomeError|no stock|pay /srv/node_modules/x/pay.js:4:9; new Cart native:0:0|",
		},
		{
			"Exception in thread \"main\" java.lang.Error: bad\n\tat java.util.List.get(List.java:9)\n\tat a.B.c(Native Method)\n" +
				"Caused by: no type\n\tat a.D.e(D.java:1)\nCaused by: a.FException\n\tat a.G.h(G.java:2)\n\t... 3 more",
			"java.lang.Error|bad|java.util.List.get List.java:9:0; a.B.c Native Method:0:0; a.D.e D.java:1:0 own|a.FException ",
		},
		{
			"Unhandled exception. System.IO.IOException: closed\n ---> System.Exception: inner\n ---> System.Exception: more\n   at Shop.A()\n" +
				"   --- End of inner exception stack trace ---\n   at Shop.M()\n   --- End of inner exception stack trace ---\n   at Shop.B(Int32 x) in /srv/B.cs:line 6",
			"System.IO.IOException|closed|Shop.B(Int32 x) /srv/B.cs:6:0 own|System.Exception inner; System.Exception more",
		},
	} {
		x, ok := stacktrace.Read("", c.text)
		var causes []string
		for _, cause := range x.Causes {
			causes = append(causes, cause.Type+" "+cause.Message)
		}
		got := fmt.Sprintf("%s|%s|%s|%s", x.Type, x.Message, calls(x.Stack), strings.Join(causes, "; "))
		if !ok || got != c.want {
			t.Errorf("%q is %v\n%s, want\n%s", c.text, ok, got, c.want)
		}
	}
	for _, text := range []string{"", "all is well", "goroutine 1 [running]:", "panic: x", "Traceback (most recent call last):", "Error\n at"} {
		if x, ok := stacktrace.Read("", text); ok {
			t.Errorf("%q is %+v", text, x)
		}
	}
}

// A type that the sender names need not look like one.
func TestTypesThatAreNamed(t *testing.T) {
	for _, text := range []string{
		"bank.Declined: no money\n\tat shop.Cart.pay(Cart.java:12)", "said before\nbank.Declined\n\tat shop.Cart.pay(Cart.java:12)",
	} {
		x, ok := stacktrace.Read("bank.Declined", text)
		if !ok || x.Type != "bank.Declined" || calls(x.Stack) != "shop.Cart.pay Cart.java:12:0 own" {
			t.Errorf("%q: %v %+v", text, ok, x)
		}
		if _, ok := stacktrace.Read("", text); ok {
			t.Errorf("%q is read without the name", text)
		}
		if _, ok := stacktrace.Read("bank.Decline", text); ok {
			t.Errorf("%q is read by a part of the name", text)
		}
	}
}

func TestHeads(t *testing.T) {
	for text, want := range map[string]string{
		"TypeError: x":                         "TypeError|x",
		"  Uncaught RangeError:  far ":         "RangeError|far",
		"RangeError {":                         "RangeError|",
		"[RangeError: far] {":                  "RangeError|far",
		"[RangeError: far]":                    "",
		"[AggregateError] {":                   "AggregateError|",
		"Error [ERR_Y]: z":                     "Error|z",
		"Exception in thread \"a b\" x.YError": "x.YError|",
		"[cause]: KeyboardInterrupt":           "KeyboardInterrupt|",
		"---> a.B`1Exception: c":               "a.B`1Exception|c",
		"SystemExit: 3":                        "SystemExit|3",
		"DeprecationWarning: old":              "DeprecationWarning|old",
		"StopIteration":                        "StopIteration|",
		"java.lang.Throwable: x":               "java.lang.Throwable|x",
		"Caused by: $Some_Error: b":            "",
		"a.$Some_Error":                        "",
		"a.Some$Error":                         "a.Some$Error|",
		"Some_Error2Error":                     "Some_Error2Error|",
		"shop.exceptions.NoStock: 3":           "shop.exceptions.NoStock|3",
		"shop.errors.NoStock: 3":               "",
		"Except: 3":                            "",
		"someError: 3":                         "",
		"a.someError: 3":                       "",
		"Some Error: 3":                        "",
		"Some-Error: 3":                        "",
		"a.ExceptE.: 3":                        "",
		"Erro: 3":                              "",
		"Error: 5":                             "Error|5",
		"Http409Error: 5":                      "Http409Error|5",
		"Exception in thread main: Error":      "",
		"Exception in thread ":                 "",
		"":                                     "",
		strings.Repeat("E", 195) + "Error":     strings.Repeat("E", 195) + "Error|",
		strings.Repeat("E", 196) + "Error":     "",
	} {
		typ, message, ok := stacktrace.Head(text)
		if got := typ + "|" + message; ok != (want != "") || ok && got != want {
			t.Errorf("%q: %v %s, want %s", text, ok, got, want)
		}
	}
}

func TestFrames(t *testing.T) {
	for row, want := range map[string]string{
		"    at pay (/srv/a.js:4:9)":                            "pay /srv/a.js:4:9 own",
		"\tat pay (/srv/a.js:4:9)  ":                            "pay /srv/a.js:4:9 own",
		" at async /srv/a.js:4:9":                               "/srv/a.js:4:9 own",
		" at Object.<anonymous> (file:///srv/a.mjs:1:2)":        "Object.<anonymous> file:///srv/a.mjs:1:2 own",
		" at eval (eval at f (/srv/a.js:1:2), <anonymous>:3:4)": "eval <anonymous>:3:4",
		" at node:internal/x:1:2":                               "node:internal/x:1:2",
		" at x (<anonymous>)":                                   "x <anonymous>:0:0",
		" at javax.X.y(X.java:3)":                               "javax.X.y X.java:3:0",
		" at jakarta.X.y(X.java:3)":                             "jakarta.X.y X.java:3:0",
		" at jdk.X.y(X.java:3)":                                 "jdk.X.y X.java:3:0",
		" at sun.X.y(X.java:3)":                                 "sun.X.y X.java:3:0",
		" at org.springframework.X.y(X.java:3)":                 "org.springframework.X.y X.java:3:0",
		" at sunny.X.y(X.java:3)":                               "sunny.X.y X.java:3:0 own",
		" at Microsoft.X.Y()":                                   "Microsoft.X.Y() :0:0",
		" at A.B() in C:\\a\\B.cs:line 12":                      "A.B() C:\\a\\B.cs:12:0 own",
		" at A.B(String s) in /usr/lib/B.cs:line 2":             "A.B(String s) /usr/lib/B.cs:2:0",
		" at the corner":                                        "",
		" at a.js:x:1":                                          "a.js:x:1:0 own",
		"at pay (/srv/a.js:4:9)":                                "",
		" atpay (/srv/a.js:4:9)":                                "",
		"  in pay":                                              "",
	} {
		f, ok := stacktrace.Frame(row)
		if got := calls([]event.StackFrame{f}); ok != (want != "") || ok && got != want {
			t.Errorf("%q: %v %q, want %q", row, ok, got, want)
		}
	}
	for _, library := range []string{
		"/srv/node_modules/a.js", "/v/lib/site-packages/a.py", "/usr/lib/python3/dist-packages/a.py", "/x/lib/python3/a.py",
		"/usr/local/go/src/a.go", "/root/go/pkg/mod/a.go", "<frozen importlib>", "/usr/lib/a.js", "native", "Native Method",
	} {
		if f, _ := stacktrace.Frame(" at f (" + library + ":1:2)"); f.InApp != (library == "native" || library == "Native Method") && f.InApp {
			t.Errorf("%s: %+v", library, f)
		}
	}
}

// Whoever names the type has the rest read by the form of the text, also where no row of it says a type.
func TestTypesThatAreNamedOfRuntimes(t *testing.T) {
	for text, want := range map[string]string{
		"bank.Declined: no money\n\tat shop.Cart.pay(Cart.java:12)":           "no money|shop.Cart.pay Cart.java:12:0 own",
		"no stock\n#0 /srv/index.php(3): pay()\n#1 {main}":                    "|pay /srv/index.php:3:0 own",
		"no card\npay.rb:3:in 'Order#pay'":                                    "|Order#pay pay.rb:3:0 own",
		"no card\n#0      main (file:///srv/main.dart:3:5)":                   "no card|main file:///srv/main.dart:3:5 own",
		"no card\nmain.pay\n\t/srv/pay.go:3":                                  "no card|main.pay /srv/pay.go:3:0 own",
		"PANIC: no card\ngoroutine 1 [running]:\nmain.pay()\n\t/srv/pay.go:3": "no card|main.pay /srv/pay.go:3:0 own",
		"1) CartTest::testPay\nno card\n\n/srv/CartTest.php:3":                "no card|/srv/CartTest.php:3:0 own",
		"In Cart.php line 3:\n\n  no card":                                    "no card|Cart.php:3:0 own",
	} {
		x, ok := stacktrace.Read("bank.Declined", text)
		if got := x.Message + "|" + calls(x.Stack); !ok || x.Type != "bank.Declined" || got != want {
			t.Errorf("%q: %v %s: %s, want %s", text, ok, x.Type, got, want)
		}
	}
}

// The name of a type may be long, within bounds.
func TestLongNamesOfTypes(t *testing.T) {
	for _, size := range []int{120, 121} {
		text := "Traceback (most recent call last):\n  File \"/srv/a.py\", line 1, in a\n" + strings.Repeat("N", size) + ": x"
		if x, ok := stacktrace.Read("", text); ok != (size <= 120) || ok && len(x.Type) != size {
			t.Errorf("%d bytes: %v, %s", size, ok, x.Type)
		}
	}
}

// A text may be long; what is kept of it is not.
func TestWhatIsKeptIsBounded(t *testing.T) {
	var python, golang, node strings.Builder
	golang.WriteString("panic: x\n\ngoroutine 1 [running]:\n")
	node.WriteString("Error: x\n")
	python.WriteString("Traceback (most recent call last):\n")
	for i := range 300 {
		fmt.Fprintf(&python, "  File \"/srv/a.py\", line %d, in a\n", i)
		fmt.Fprintf(&golang, "main.f()\n\t/srv/a.go:%d +0x1\n", i)
		fmt.Fprintf(&node, "    at f (/srv/a.js:%d:1)\n", i+1)
	}
	python.WriteString("KeyError: 1")
	for range 20 {
		node.WriteString("Caused by: a.BError: c\n")
	}
	for _, text := range []string{python.String(), golang.String(), node.String()} {
		if x, ok := stacktrace.Read("", text); !ok || len(x.Stack) != 256 {
			t.Errorf("%v, %d calls", ok, len(x.Stack))
		}
	}
	chain := strings.Repeat("Traceback (most recent call last):\n  File \"/a.py\", line 1, in a\nKeyError: 1\n\n", 20)
	for _, text := range []string{node.String(), chain} {
		if x, _ := stacktrace.Read("", text); len(x.Causes) != 16 {
			t.Errorf("%d causes", len(x.Causes))
		}
	}
}

func calls(stack []event.StackFrame) string {
	var out []string
	for _, f := range stack {
		s := strings.TrimSpace(fmt.Sprintf("%s %s:%d:%d", f.Function, f.URL, f.Line, f.Column))
		if f.InApp {
			s += " own"
		}
		out = append(out, s)
	}
	return strings.Join(out, "; ")
}

func FuzzRead(f *testing.F) {
	f.Add("panic: x\n\ngoroutine 1 [running]:\nmain.main()\n\t/a.go:1 +0x1")
	f.Add("Traceback (most recent call last):\n  File \"a\", line 1, in b\nE: m")
	f.Add("Error: m\n  at a (b:1:2)\nCaused by: X: y\n  at c(d.java:1)")
	f.Fuzz(func(t *testing.T, text string) {
		if x, ok := stacktrace.Read("", text); ok && (len(x.Stack) > 256 || len(x.Causes) > 16) {
			t.Errorf("%d calls, %d causes", len(x.Stack), len(x.Causes))
		}
	})
}
