package lines_test

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/brennhill/gasoline/internal/event"
	"github.com/brennhill/gasoline/internal/ingest"
	"github.com/brennhill/gasoline/internal/ingest/lines"
)

// texts are the messages of events, with the instance where it is none of the reader's own.
func texts(b event.Batch) (out []string) {
	for _, e := range b {
		text := ""
		switch e := e.(type) {
		case *event.Log:
			text = e.Message
		case *event.Exception:
			text = "! " + e.Message
		}
		if at := e.Base().Origin.Instance; at != "" && at != "1" {
			text = at + "> " + text
		}
		out = append(out, text)
	}
	return out
}

// The processes of a runner are told apart, and stay of the service.
func TestNamesOfProcessesAreLearnt(t *testing.T) {
	r := lines.Reader{Live: true, Origin: event.Origin{Service: "shop", Instance: "1"}}
	got := reading(r, arrived, "api:dev: one", "api:dev: Error: no stock", "web:dev: ready", "api:dev:     at pay (/srv/a.js:3:9)", "api:dev:", "done")
	want := "api:dev> one|api:dev> ! no stock|web:dev> ready|done"
	if s := strings.Join(texts(got), "|"); s != want {
		t.Errorf("%s, want %s", s, want)
	}
	for _, e := range got {
		if e.Base().Origin.Service != "shop" {
			t.Errorf("%+v", e.Base().Origin)
		}
	}
	// Whatever is written often enough by few.
	for _, c := range []struct {
		form  string
		learn bool
	}{
		{"%s:dev: %s", true}, {"packages/%s dev: %s", true}, {"@shop/%s: %s", true}, {"%s.1  | %s", true}, {"0|%s  | %s", true}, {"[%s] %s", true},
		{"%s dev: %s", true}, {"%s dev:watch: %s", true}, {"%s sees: %s", false}, {"packages/%s dev:%s", false},
		{"0|%s-worker|%s", true}, {"12345|%s|%s", false}, {"packages/%s %s", false},
		{"packages/%s d: %s", true}, {"packages/%s tidy: %s", true}, {"app.%s tidy: %s", true}, {"packages/%s dev:w: %s", true}, {"packages/%s dev:: %s", false},
		{"@shop/%s/: %s", false}, {"@shop%s: %s", false}, {"shop/%s: %s", false}, {"1234|%s|%s", true}, {"ab|%s|%s", false}, {"|%s|%s", false}, {"0|%s %s", false},
		{"INFO | %.0s%s", false}, {"info:dev: %.0s%s", false}, {"@info: %.0s%s", false}, {"%s:error: %s", false}, {"%s:dev:error: %s", false}, {"%s:1: %s", false},
		{strings.Repeat("p", 77) + "%s:dev: %s", true}, {strings.Repeat("p", 78) + "%s:dev: %s", false},
		{"%s:" + strings.Repeat("t", 40) + ": %s", true}, {"%s:" + strings.Repeat("t", 41) + ": %s", false},
		{"  %s \u2502 %s", true}, {"  1%s \u2502 %s", false}, {"  %s %s", false}, {"(%s pid=1) %s", true}, {"(pid=7) %[2]s", true}, {"(%s pid=1, ip=10.0.0.1) %s", true},
		{"(%s pid=x) %s", false}, {"(/%s pid=1) %s", false}, {"(%s, pid=1) %s", false}, {"pid=1) %[2]s", false}, {"[%s \t] %s", true}, {"[GIN-%s] %s", false},
		{"(%s) %s", false}, {"%s: %s", false}, {"%s - %s", false}, {"[info] %s %s", false}, {"info:dev: %s %s", false}, {"%s/: x: %s", false},
	} {
		var in []string
		for i := range 6 {
			in = append(in, fmt.Sprintf(c.form, []string{"api", "web"}[i%2], fmt.Sprintf("says %d", i)))
		}
		out := texts(reading(r, arrived, in...))
		if last := out[len(out)-1]; strings.Contains(last, "> says 5") != c.learn {
			t.Errorf("%s: %q", c.form, out)
		}
	}
	// One line is enough where it is an object or a command.
	for line, want := range map[string]string{
		`api:dev: {"level":"error","msg":"no stock"}`: "api:dev> no stock", `@shop/api: {"level":"error","msg":"no stock"}`: "@shop/api> no stock",
		"packages/api dev$ node app.js": "packages/api:dev> $ node app.js", "[api]     at pay (/srv/a.js:3:9)": "api>     at pay (/srv/a.js:3:9)",
		"[api] Traceback (most recent call last):": "api> Traceback (most recent call last):", `api:dev: {"level":"error"`: `api:dev: {"level":"error"`,
	} {
		if got := strings.Join(texts(reading(r, arrived, line)), "|"); got != want {
			t.Errorf("%s: %q, want %q", line, got, want)
		}
	}
	// Not after many lines without.
	var in []string
	for i := range 300 {
		in = append(in, fmt.Sprintf("line %d", i))
	}
	if out := texts(reading(r, arrived, append(in, "api:dev: a", "api:dev: b", "api:dev: c")...)); out[302] != "api:dev: c" {
		t.Errorf("%q", out[302])
	}
}

// What is tried and refused is read anew, as if it had not come.
func TestNamesOfARefusedBatchAreNotKept(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r, _, s := newReceiver(t, 1000)
		take(t, r, batchOf(1, "api:dev: one "+strings.Repeat("x", 1970)))
		if _, err := r.Take(t.Context(), ingest.From{}, batchOf(2, "api:dev: two", "INFO "+strings.Repeat("y", 900))); err == nil {
			t.Fatal("it was not refused")
		}
		time.Sleep(10 * time.Second)
		take(t, r, batchOf(2, "api:dev: two", "x"))
		if got := texts(s.stored()); got[len(got)-2] != "api:dev> two" && got[len(got)-1] != "api:dev> two" {
			t.Errorf("%q", got[1:])
		}
	})
}

// An error that goes on for ever is stored two seconds after it began, whatever follows.
func TestARecordIsHeldForTwoSecondsAtMost(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		r, _, s := newReceiver(t, 0)
		done := make(chan struct{})
		go func() { defer close(done); r.Run(ctx) }()
		for i := range 30 {
			take(t, r, batchOf(uint64(i+1), []string{"ERROR could not pay", "  more of it"}[min(i, 1)]))
			time.Sleep(100 * time.Millisecond)
			synctest.Wait()
			n := len(s.stored())
			if after := time.Duration(i+1) * 100 * time.Millisecond; (n > 0) != (after >= 2*time.Second) {
				t.Fatalf("%d records after %s", n, after)
			}
		}
		cancel()
		<-done
	})
}

// Lines of which it is not known whether they belong to an error are records of their own where nothing says so, in the
// order in which they came.
func TestLinesThatMayBelong(t *testing.T) {
	live := lines.Reader{Live: true}
	for _, c := range []struct{ in, want string }{
		{"Error: boom|listening|ready", "Error: boom|listening|ready"},
		{"Error: boom|second|    at a (/a.js:1:1)|ready", "! boom\nsecond|ready"},
		{"Error: boom||second||    at a (/a.js:1:1)||ready", "! boom\n\nsecond|ready"},
		{"ERROR could not pay|INFO next", "could not pay|next"},
		{"ERROR could not pay|TypeError: x|second|INFO next", "could not pay\nTypeError: x|second|next"},
		{"ERROR could not pay|TypeError: x|second|\tat a.B.c(B.java:1)|INFO next", "! x\nsecond|next"},
		{ // what PostgreSQL adds leaves no line out
			"2026-10-12 12:00:00.5 UTC [71] ERROR:  no stock|of sku-2|2026-10-12 12:00:00.5 UTC [71] DETAIL:  Key (a)|2026-10-12 12:00:00.5 UTC [72] DETAIL:  Key (b)",
			"no stock\nof sku-2\nDETAIL:  Key (a)|[72] DETAIL:  Key (b)",
		},
		{"WARN slow|plain", "slow|plain"},
		// What a runtime itself prints is no part of what a logger wrote before.
		{"ERROR no stock|Exception in thread Thread-1 (pay):|Traceback (most recent call last):|  File \"/srv/a.py\", line 4, in pay|ValueError: boom|INFO next", "no stock|! boom|next"},
		{"ERROR no stock|Exception in thread \"main\" java.lang.Error: x|\tat a.B.c(B.java:1)|INFO next", "no stock|! x|next"},
		{"ERROR no stock|Exception ignored in: <function F.__del__ at 0x7f>|Traceback (most recent call last):|  File \"/srv/a.py\", line 4, in f|ValueError: boom|INFO next", "no stock|Exception ignored in: <function F.__del__ at 0x7f>|! boom|next"},
		{"WARN slow|java.lang.Error: x|\tat a.B.c(B.java:1)|plain", "! x|plain"},
		{"no stock|main.pay|\t/srv/pay.go:3|main.main|\t/srv/main.go:4|ready", "! no stock|ready"},
		{"no stock|main.pay|ready", "no stock|main.pay|ready"},
		{"{\"level\":50,\"msg\":\"x\"}|plain", "x|plain"},
		{"Error: boom|  indented|plain", "Error: boom\n  indented|plain"},
		{"started|  2026-11-25T21:00:00.5Z INFO  aligned|  GET /pay 500 in 12ms", "started|aligned|GET /pay 500 in 12ms"},
		// Where every record has a head, a line without one goes on with the one before.
		{"INFO a|INFO b|INFO c|INFO d|INFO e|ERROR could not pay|the card|was refused|INFO f", "a|b|c|d|e|could not pay\nthe card\nwas refused|f"},
		{"INFO a|INFO b|INFO c|INFO d|INFO e|ERROR could not pay|[vite] ready|INFO f", "a|b|c|d|e|could not pay|[vite] ready|f"},
		{"INFO a|INFO b|INFO c|INFO d|INFO e|plain|INFO f", "a|b|c|d|e|plain|f"},
	} {
		got := strings.Join(texts(reading(live, arrived, strings.Split(c.in, "|")...)), "|")
		if got != c.want {
			t.Errorf("%q\n is %q\nwant %q", c.in, got, c.want)
		}
	}
	many := append([]string{"Error: boom"}, strings.Split(strings.Repeat("line|", 60)+"    at a (/a.js:1:1)", "|")...)
	if got := texts(reading(live, arrived, many...)); len(got) < 50 || got[0] != "Error: boom" {
		t.Errorf("%d records, the first is %q", len(got), got[0])
	}
}

// The two lines of java.util.logging are one record.
func TestJavaUtilLogging(t *testing.T) {
	at := time.Date(2026, 11, 25, 20, 0, 1, 0, time.UTC)
	got := reading(lines.Reader{Live: true}, at, "Nov 25, 2026 8:00:00 PM com.shop.Api pay", "SEVERE: no stock", "Nov 25, 2026 8:00:00 PM com.shop.Api pay", "plain", "INFO: other")
	l, ok := got[0].(*event.Log)
	if !ok || l.Level != "error" || l.Logger != "com.shop.Api" || l.Message != "no stock" || !strings.Contains(l.Attributes, `"pay"`) {
		t.Errorf("%+v", got[0])
	}
	if s := texts(got); len(s) != 4 || s[2] != "plain" || s[3] != "other" {
		t.Errorf("%q", s)
	}
}

// What a process of PostgreSQL adds to its error belongs to that, also behind the line of another process.
func TestWhatAProcessOfPostgreSQLAddsIsOfItsOwnError(t *testing.T) {
	head := func(pid int, said string) string {
		return fmt.Sprintf("2026-10-09 12:00:00.123 UTC [%d] %s", pid, said)
	}
	for name, c := range map[string]struct {
		lines []string
		want  string
	}{
		"behind another's": {
			[]string{head(71, "ERROR:  duplicate key"), head(72, "ERROR:  no such table"), head(71, "DETAIL:  Key (a) is there."), head(72, "HINT:  Look."), head(71, "STATEMENT:  insert"), "\tinto a"},
			"duplicate key\nDETAIL:  Key (a) is there.\nSTATEMENT:  insert\n\tinto a|no such table\nHINT:  Look.",
		},
		"behind another's log": {
			[]string{head(71, "ERROR:  duplicate key"), head(1, "LOG:  checkpoint starting: time"), head(71, "postgres@shop DETAIL:  Key (a) is there."), "ready"},
			"duplicate key\nDETAIL:  Key (a) is there.|checkpoint starting: time|ready",
		},
		"of a log":  {[]string{head(71, "LOG:  still waits"), head(71, "DETAIL:  It holds the lock.")}, "still waits\nDETAIL:  It holds the lock."},
		"of nobody": {[]string{head(71, "ERROR:  duplicate key"), head(99, "DETAIL:  x")}, "duplicate key|" + head(99, "DETAIL:  x")},
	} {
		if got := strings.Join(texts(reading(lines.Reader{Live: true}, arrived, c.lines...)), "|"); got != c.want {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
	// More processes than are told apart: each line is a record all the same.
	r := lines.Reader{Live: true}
	var many []string
	for pid := range 100 {
		many = append(many, head(pid+1, "ERROR:  duplicate key"))
	}
	for i, e := range reading(r, arrived, many...) {
		if l, ok := e.(*event.Log); !ok || l.Message != "duplicate key" {
			t.Errorf("%d: %+v", i, e)
		}
	}
}

// A level that is written for systemd is that of its line, which is no part of the error before. A call of its stack is.
func TestALevelForSystemdBeginsARecord(t *testing.T) {
	in := []string{"<3>disk is full", "<6>all good", "<3>Error: no stock", "<3>    at pay (/srv/a.js:3:9)", "<7>debugged"}
	if got, want := strings.Join(texts(reading(lines.Reader{Live: true}, arrived, in...)), "|"), "disk is full|all good|! no stock|debugged"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	// Also where all others of the stream have heads.
	var heads []string
	for range 20 {
		heads = append(heads, "2026-10-09 12:00:00.123 ERROR [shop] could not pay")
	}
	got := texts(reading(lines.Reader{Live: true}, arrived, append(heads, in[1:2]...)...))
	if len(got) != 21 || got[20] != "all good" {
		t.Errorf("%q", got)
	}
}

// abseil writes seconds of the epoch before it is set up.
func TestHeadsOfAbseil(t *testing.T) {
	at := time.Date(2026, 10, 9, 12, 0, 0, 5e8, time.UTC)
	for text, level := range map[string]string{
		fmt.Sprintf("E0000 00:00:%d.500000      12 main.cc:9] no stock", at.Unix()): "error", fmt.Sprintf("W0000 00:00:%d.500000 12 main.cc:9] no stock", at.Unix()): "warn",
		"E0000 00:00:1.2.3 12 main.cc:9] no stock": "info", "E0000 00:00: 12 main.cc:9] no stock": "info",
	} {
		got := reading(lines.Reader{Live: true}, at.Add(time.Second), "E1009 12:00:00.400000 12 main.cc:9] before", text)
		l, ok := got[len(got)-1].(*event.Log)
		if read := level != "info"; !ok || len(got) == 1 && read || read && (l.Level != level || l.Message != "no stock" || !l.Time.Equal(at)) {
			t.Errorf("%s: %d records, %+v", text, len(got), l)
		}
	}
}

// What Promise.any of Node throws has no calls of its own: the errors that it holds are its causes, and none beside it.
func TestWhatPromiseAnyThrowsIsOneError(t *testing.T) {
	rows := []string{
		"[AggregateError: All promises were rejected] {", "  [errors]: [", "    Error: refused ::1", "        at fail (/srv/any.js:2:46)", "        at node:internal/main:1:2 {",
		"      code: 'ECONNREFUSED'", "    },", "    Error: refused 127.0.0.1", "        at fail (/srv/any.js:2:46) {", "      code: 'ECONNREFUSED'", "    }", "  ]", "}",
	}
	for name, before := range map[string][]string{
		"alone": nil, "uncaught": {"node:internal/process/promises:391", "    triggerUncaughtException(err, true /* fromPromise */);", "    ^", ""},
		"behind words": {"db failed "},
	} {
		in := append([]string{}, rows...)
		if name == "behind words" {
			in[0] = before[0] + in[0]
		} else {
			in = append(append([]string{}, before...), in...)
		}
		r := lines.Reader{Live: true}
		var b event.Batch
		for _, text := range append(in, "listening") {
			b = r.Settle(r.Add(lines.Line{Time: arrived, Text: text}, b))
		}
		b = r.Flush(b)
		x, ok := b[0].(*event.Exception)
		if len(b) != 2 || !ok || x.Type != "AggregateError" || x.Message != "All promises were rejected" || len(x.Causes) != 2 ||
			x.Causes[1].Message != "refused 127.0.0.1" || len(x.Causes[0].Stack) != 2 || x.Handled != (name != "uncaught") {
			t.Errorf("%s: %q, %+v", name, texts(b), b[0])
		}
	}
}

// A record of any level that names an error is held until its calls came, though these come one by one.
func TestCallsThatComeOneByOneAreOfTheirRecord(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		r, _, s := newReceiver(t, 0)
		done := make(chan struct{})
		go func() { defer close(done); r.Run(ctx) }()
		for i, text := range []string{
			"2026-10-09 12:00:00.123 INFO [shop] tries again: java.lang.IllegalStateException: no stock", "\tat a.B.c(B.java:1)", "\tat a.B.d(B.java:2)",
			"2026-10-09 12:00:00.223 INFO [shop] ready",
		} {
			take(t, r, batchOf(uint64(i+1), text))
			time.Sleep(22 * time.Millisecond)
		}
		if got := strings.Join(texts(s.stored()), "|"); got != "! no stock|[shop] ready" {
			t.Errorf("%q", got)
		}
		cancel()
		<-done
	})
}

// What an application writes into Apache's error log is read as it wrote it; its processes and threads are told apart.
func TestApplicationsInApachesErrorLog(t *testing.T) {
	const date = "[Fri Oct 09 11:59:59.123456 2026] "
	from := func(head string, texts ...string) (out []string) {
		for _, text := range texts {
			out = append(out, date+head+text)
		}
		return out
	}
	wsgi := "[wsgi:error] [pid 7:tid 1] [client 10.0.0.1:80] "
	traceback := []string{"Traceback (most recent call last):", `  File "/srv/a.py", line 3, in pay`, "    raise ValueError('x')", "ValueError: no stock"}
	first := reading(lines.Reader{}, arrived, from("[wsgi:warn] [pid 7:tid 1] ", "late")...)[0].(*event.Log)
	if at := first.Time.Format("15:04:05.000000"); at != "11:59:59.123456" || first.Logger != "wsgi" || string(first.Attributes) != `{"process.pid":7}` {
		t.Errorf("%s %s %s", at, first.Logger, first.Attributes)
	}
	for _, c := range []struct {
		in   []string
		want string
	}{
		{from(wsgi, `level=info msg="paid" order=17`, `level=warn msg="slow" order=18`, `{"level":"info","msg":"JSON"}`), "info paid|warn slow|info JSON"},
		{from(wsgi, "2026-10-09 11:59:58,100 INFO shop.views paid", "INFO:shop:ready", "hello", ""), "info shop.views paid|info ready|error hello"},
		{from("[wsgi:warn] [pid 7] [remote 10.0.0.1:80] ", "INFO:shop:ready", "late"), "info ready|warn late"},
		{from(wsgi, append(traceback, "INFO:shop:after")...), "! no stock|info after"},
		{from(wsgi, append([]string{"mod_wsgi (pid=7): Exception occurred processing WSGI script '/srv/a.py'."}, traceback...)...), "! no stock"},
		// The browser's page, as Apache adds it to each line of a request.
		{from(wsgi, traceback[0]+", referer: http://a.test/", traceback[1]+", referer: http://a.test/", traceback[3]+", referer: http://a.test/"), "! no stock"},
		// Two threads at once.
		{
			[]string{
				date + wsgi + traceback[0], date + "[wsgi:error] [pid 7:tid 2] INFO:shop:ready", date + wsgi + traceback[1],
				date + "[wsgi:error] [pid 8:tid 1] level=info msg=paid order=1", date + wsgi + traceback[3],
			}, "! no stock|info ready|info paid",
		},
		{from("[cgid:error] [pid 7:tid 1] [client 10.0.0.1:80] ", "AH01215: "+traceback[0], "AH01215: "+traceback[1], "AH01215: "+traceback[3]), "! no stock"},
		{from("[cgi:error] [pid 7] [client 10.0.0.1:80] ", "AH01215: stderr from /srv/a.py: "+traceback[0], "AH01215: stderr from /srv/a.py: "+traceback[1], "AH01215: stderr from /srv/a.py: "+traceback[3]), "! no stock"},
		{from("[fcgid:warn] [pid 7] [client 10.0.0.1:80] ", "mod_fcgid: stderr: "+traceback[0], "mod_fcgid: stderr: "+traceback[1], "mod_fcgid: stderr: "+traceback[3]), "! no stock"},
		{from("[perl:error] [pid 7] ", "no stock at /srv/a.pl line 7."), "error no stock at /srv/a.pl line 7."},
		// Apache's own modules say what they say.
		{from("[core:error] [pid 7:tid 1] [client 10.0.0.1:80] ", "level=info msg=paid order=1"), "error level=info msg=paid order=1"},
		{from("[mpm_event:notice] [pid 7:tid 1] ", "AH00489: Apache/2.4.62 configured"), "info AH00489: Apache/2.4.62 configured"},
		{from("[wsgi:loud] [pid 7] ", "INFO:shop:ready"), "info " + date + "[wsgi:loud] [pid 7] INFO:shop:ready"},
	} {
		var said []string
		for _, e := range reading(lines.Reader{Live: true}, arrived, c.in...) {
			switch e := e.(type) {
			case *event.Log:
				said = append(said, e.Level+" "+e.Message)
				if len(c.in) > 1 && strings.Contains(c.in[1], "client 10") && !strings.Contains(string(e.Attributes), `"client.address":"10.0.0.1"`) {
					t.Errorf("%q is of %s", e.Message, e.Attributes)
				}
			case *event.Exception:
				said = append(said, "! "+e.Message)
				if e.Line != 3 {
					t.Errorf("%q is at %s:%d", c.in, e.URL, e.Line)
				}
			}
		}
		if got := strings.Join(said, "|"); got != c.want {
			t.Errorf("%q\nis   %s\nwant %s", c.in, got, c.want)
		}
	}
}

// How long a program runs may stand before what Python's logging writes, filled up with blanks or not.
func TestHeadsBehindHowLongAProgramRuns(t *testing.T) {
	for _, c := range [][3]string{
		{"123 ERROR shop.views: %s", "shop.views: no stock"},
		{"   123 ERROR shop.views: %s", "shop.views: no stock"},
		{"12345 ERROR:shop.views:%s", "no stock", "shop.views"},
		{"   123 ERROR:shop.views:%s", "no stock", "shop.views"},
		{"123.45672988 shop.views ERROR %s", "no stock", "shop.views"},
		{"   123 __main__ ERROR %s", "no stock", "__main__"},
		{"4711 shop ERROR %s", "no stock", "shop"},
		{"123 shop.views   ERROR    %s", "no stock", "shop.views"},
		{"123 - shop.views - ERROR - %s", "no stock", "shop.views"},
		{"123 MainThread shop.views ERROR %s", "no stock", "shop.views"},
		{"123 Thread-7 ERROR %s", "no stock"},
		{"123 [shop.views] ERROR: %s", "no stock", "shop.views"},
	} {
		at := fmt.Sprintf(c[0], "no stock")
		in := []string{at, "Traceback (most recent call last):", `  File "/srv/a.py", line 3, in pay`, "    raise ValueError('x')", "ValueError: x", at, fmt.Sprintf(c[0], "paid")}
		got := reading(lines.Reader{Live: true}, arrived, in...)
		if s := strings.Join(texts(got), "|"); s != strings.ReplaceAll("! x|"+c[1]+"|"+strings.Replace(c[1], "no stock", "paid", 1), "\n", "") {
			t.Errorf("%s: %s", c[0], s)
			continue
		}
		if l := got[1].(*event.Log); l.Level != "error" || l.Logger != c[2] {
			t.Errorf("%s is of %s, %s", c[0], l.Level, l.Logger)
		}
	}
	for _, text := range []string{"12 users WARNING about it", "500 Internal ERROR", "404 page ERROR", "3 of 4 ERROR rows", "4711 rows were read"} {
		if l := reading(lines.Reader{Live: true}, arrived, text)[0].(*event.Log); l.Level != "info" || l.Message != text {
			t.Errorf("%q is %s: %s", text, l.Level, l.Message)
		}
	}
}

// Rows of a record that come one by one belong to it, once a stream was seen to have such records.
func TestRowsThatComeOneByOneAreOfTheirRecord(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		r, _, s := newReceiver(t, 0)
		done := make(chan struct{})
		go func() { defer close(done); r.Run(ctx) }()
		n := uint64(0)
		say := func(texts ...string) {
			for _, text := range texts {
				n++
				take(t, r, batchOf(n, text))
				time.Sleep(22 * time.Millisecond)
			}
		}
		const head = "2026-10-09 12:00:00.123 INFO [shop] "
		say(head + "ready") // nothing is known of the stream: it is not held
		if got := strings.Join(texts(s.stored()), "|"); got != "[shop] ready" {
			t.Errorf("%q", got)
		}
		say(head+"order", "  id: 17", "  items: 2", head+"order", "  id: 18", "  items: 3", head+"paid")
		time.Sleep(time.Second)
		if got := strings.Join(texts(s.stored()), "|"); got != "[shop] ready|[shop] order|  id: 17\n  items: 2|[shop] order\n  id: 18\n  items: 3|[shop] paid" {
			t.Errorf("%q", got)
		}
		// What comes much later is of nothing before it.
		say("\tlate")
		time.Sleep(time.Second)
		if got := texts(s.stored()); got[len(got)-1] != "\tlate" {
			t.Errorf("%q", got)
		}
		cancel()
		<-done
	})
}

// A panic of Go is one error where something writes its prefix before each line of it.
func TestAPanicWithAPrefixBeforeEachLineIsOneError(t *testing.T) {
	for _, prefix := range []string{"shop: ", "[shop] ", "2026/10/09 12:00:00 ", "2026/10/09 12:00:00 [shop] "} {
		in := []string{"panic: no stock"}
		in = append(in, "", "goroutine 1 [running]:", "main.pay(...)", "\t/srv/main.go:7", "main.main()", "\t/srv/main.go:3 +0x1d", "exit status 2")
		for i := range in {
			in[i] = prefix + in[i]
		}
		got := reading(lines.Reader{Live: true}, arrived, append(in, "listening")...)
		x, ok := got[0].(*event.Exception)
		if len(got) != 2 || !ok || x.Message != "no stock" || len(x.Stack) != 2 || x.Line != 7 {
			t.Errorf("%q: %q, %+v", prefix, texts(got), got[0])
		}
	}
	for _, in := range [][]string{{"shop: panic: no stock", "shop: ready"}, {"shop: panic: no stock", "web: goroutine 1 [running]:"}, {"do not panic: all is well", "do not worry"}} {
		if got := reading(lines.Reader{Live: true}, arrived, in...); len(got) != 2 {
			t.Errorf("%q is %q", in, texts(got))
		}
	}
}
