package lines_test

import (
	"strconv"
	"strings"
	"testing"

	"github.com/brennhill/gasoline/internal/event"
	"github.com/brennhill/gasoline/internal/ingest/lines"
)

// The level of a line that names none is that of what programs and tools say so; what looks alike is none.
func TestLevelsOfTexts(t *testing.T) {
	for level, texts := range map[string]string{
		"error 17": `  error during build
[vite] Internal server error: x
[vite] (client) Pre-transform error: x
[vite] parse error: x
[vite] Syntax Error: x
[vite] error: x
[vite] transform error: x
[vite] build error: x
[request error] x
[shop] [request error] x
[!] no stock
make: *** [all] Error 1
make[2]: *** [Makefile:3: all] Error 2
gmake: *** no rule
 ELIFECYCLE  Command failed
ERR_PNPM_NO_SCRIPT  none
e: /srv/a.kt:3:9 no name
e: file:///srv/a.kt:3:9 no name
Error response from daemon: no image
dependency failed to start: no db
17 Task timed out after 3.00 seconds
npm ERR! no stock
npm error no stock
error[E0382]: moved
✘ [ERROR] no name
⨯ no name
error during build: no
not ok 1 - pays
FAILED: shop
PHP Fatal error:  no
PHP Parse error:  no
(node:7) UnhandledPromiseRejectionWarning: no
E   ValueError: no
E: no package
Error in pay(): no
curl: (7) no
app.sh: line 3: no
app.sh: 3: pay: not found
cat: /a: No such file or directory
cat: /a: Permission denied
sh: pay: command not found
sh: 1: pay: not found
sh: pay: not found
psql: db: Connection refused
OCI: error during connect: no
Rack app ("GET /" from a): #<RuntimeError: no>
ArgumentError - no stock:
Shop::NoError - no stock:
src/a.ts(3,9): error TS2322: no
src/a.ts:3:9 - error TS2322: no
a.c:3:9: error: no
ld: error: no
a.py:3: syntax error
sh: syntax error
a.c:3:9: fatal error: no
a.rb:3:9: E: no
shop: [ERROR] no
a.md:3: ERROR: no
shop: ERROR: no
a.go:3:9: undefined: pay
vet: a.go:3:9: undefined: pay
❌ no stock
❌️ no stock
⛔ no stock
🚨 no stock
💥 no stock
🛑 no stock
🔴 no stock
Traceback (most recent call last):
Exception in thread "main" no
Unhandled exception at 3
Uncaught no stock
ValueError: no
shop.NoError: no`,
		"fatal 21": `panic: boom
fatal error: stack overflow
Fatal Python error: no
Segmentation fault
Segmentation fault (core dumped)
Aborted (core dumped)
Bus error (core dumped)
terminate called after throwing
*** stack smashing detected ***: terminated
# A fatal error has been detected by the Java Runtime Environment
free(): invalid pointer
malloc(): corrupted
realloc(): invalid
==71==ERROR: AddressSanitizer: no
a.out: a.c:3: main: Assertion 'n > 0' failed.
*** FATAL no
a.rb:3:9: F: no
git: Fatal error: no`,
		"warn 13": `w: /srv/a.kt:3:9 old
w: file:///srv/a.kt:3:9 old
npm WARN old
npm warn old
PHP Warning:  old
⚠ old
⚠️ old
🟡 old
▲ [WARNING] old
OpenJDK 64-Bit Server VM warning: old
(node:7) DeprecationWarning: old
(node:7) Warning: old
W: old
Warning message:
=WARNING REPORT==== 12-Oct-2026::10:00:00 ===
a.c:3:9: warning: old
ld: warning: old
a.ts(3,9): warning TS1: old
a.rb:3:9: W: old
mysqld: [Warning] old
a.md:3: WARNING: old
sphinx: WARNING: old
a.py:3: DeprecationWarning: old`,
		"info 9": `panics: 0
panic : 0
panicking: no
fatal errors: 0
[vite] connected
[vite] error
[vite] (client) error
[vite] errors: 0
[request] error
maker: *** no
make: all is well
make up: *** no
e: x
errors[0]
the task timed out after 3 s
OpenJDK is here
free(): 
freed(): no
==71== no
a: Assertion n
it was told 'it has failed'
its words 'no' failed.
it is said: Assertion that' failed.
(node:7) ready
E   no
E   3 errors
=INFO REPORT==== 12-Oct-2026::10:00:00 ===
=PROGRESS REPORT==== 12-Oct-2026::10:00:00 ===
Rack app (a): ready
Rack app started: #<x>
no type - no stock:
ArgumentError - no stock
app.sh: line x: no
app.sh: line 3 no
app.sh: 3 files
app.sh 3: no
/a/cat : no: not found
ca t: no: not found
a.ts error TS2322
a.ts: error
src/a.ts:3:9 error TS
a.ts - error 
x y: error: no
3:9: warning of
: error: no
a: error at 3
a.py:3: Deprecation: old
shop: DeprecationWarning old
a.go:3: undefined
a.py:3:9: undefined
❌
❌ 
✅ paid
🔴🔴 no
Uncaught
Traceback
Values: no
Value: no
: no
 : no
ready`,
	} {
		for text := range strings.SplitSeq(strings.ReplaceAll(texts, "Assertion 'n", "Assertion `n"), "\n") {
			r := lines.Reader{Live: true}
			b := r.Flush(r.Add(lines.Line{Time: arrived, Text: text}, nil))
			if len(b) != 1 {
				t.Fatalf("%q is %d records", text, len(b))
			}
			l, ok := b[0].(*event.Log)
			if !ok {
				t.Errorf("%q is %T", text, b[0])
			} else if got := l.Level + " " + strconv.Itoa(l.Severity); got != level {
				t.Errorf("%q is %s, want %s", text, got, level)
			}
		}
	}
}

// The level of an answer is that of its status.
func TestLevelsOfAnswers(t *testing.T) {
	for status, want := range map[int]string{200: "info", 399: "info", 400: "warn", 499: "warn", 500: "error", 599: "error"} {
		text := `10.0.0.1 - - [12/Oct/2026:10:00:00 +0000] "GET / HTTP/1.1" ` + strconv.Itoa(status) + ` 1`
		if l := reading(lines.Reader{}, arrived, text)[0].(*event.Log); l.Level != want {
			t.Errorf("%d is %s", status, l.Level)
		}
	}
}

// What begins with a picture is of no record before it: between an error and its calls, too.
func TestPicturesBeginARecord(t *testing.T) {
	for text, picture := range map[string]bool{
		"\U0001f300 x": true, "\U0001faff x": true, "\U0001f2ff x": false, "\U0001fb00 x": false,
		"\u2600 x": true, "\u2793 x": true, "\u25ff x": false, "\u2794 x": false, "\u276f x": false, "\u2139 x": true, "\U0001f300": false, "x": false,
	} {
		got := strings.Join(texts(reading(lines.Reader{Live: true}, arrived, "Error: boom", text, "    at a (/a.js:1:1)")), "|")
		if together := got == "! boom\n"+text; together == picture {
			t.Errorf("%q: %q", text, got)
		}
	}
}
