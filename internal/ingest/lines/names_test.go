package lines_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/brennhill/gasoline/internal/event"
	"github.com/brennhill/gasoline/internal/ingest/lines"
)

// repeat returns numbered lines.
func repeat(form string, n int) (out []string) {
	for i := range n {
		out = append(out, fmt.Sprintf(form, i))
	}
	return out
}

// How often a name has to come until it is known for one, and in how many lines it is looked for.
func TestWhenNamesOfProcessesAreLearnt(t *testing.T) {
	for name, c := range map[string]struct {
		in   []string
		last string
	}{
		"within the lines that are looked at": {append(repeat("line %d", 198), "api:dev: a", "api:dev: b"), "api:dev> b"},
		"behind them":                         {append(repeat("line %d", 199), "api:dev: a", "api:dev: b", "api:dev: c"), "api:dev: c"},
		"empty lines are none of them":        {append(make([]string, 300), "api:dev: a", "api:dev: b"), "api:dev> b"},
		"objects are none of them":            {append(repeat(`{"msg":"x %d"}`, 300), "api:dev: a", "api:dev: b"), "api:dev> b"},
		"indented ones are none of them":      {append(repeat("  more %d", 300), "api:dev: a", "api:dev: b"), "api:dev> b"},
		"of so many names":                    {append(repeat("p%d:dev: x", 63), "late:dev: a", "late:dev: b"), "late:dev> b"},
		"of more names":                       {append(repeat("p%d:dev: x", 64), "late:dev: a", "late:dev: b"), "late:dev: b"},
		"of more names, one of the first":     {append(repeat("p%d:dev: x", 64), "late:dev: a", "p0:dev: b"), "p0:dev> b"},
		"seven of ten":                        {append(repeat("line %d", 3), repeat("web.1  | says %d", 7)...), "web.1> says 6"},
		"six of ten":                          {append(append(repeat("line %d", 4), repeat("web.1  | says %d", 5)...), "web.1  | x"), "web.1  | x"},
		"three of three":                      {repeat("web.1  | says %d", 3), "web.1> says 2"},
		"two of two":                          {repeat("web.1  | says %d", 2), "web.1  | says 1"},
		"numbers in brackets":                 {[]string{"[1234] a", "[1235] b", "[1234] c", "[1235] d", "[1234] e"}, "[1234] e"},
		"indices in brackets":                 {[]string{"[0] a", "[1] b", "[0] c", "[1] d", "[0] e"}, "0> e"},
		"one name in brackets":                {repeat("[api] %d", 9), "[api] 8"},
		"two names in brackets, one once":     {append(repeat("[api] %d", 8), "[web] x"), "[web] x"},
		"a value is no object":                {[]string{"api:dev: 123"}, "api:dev: 123"},
		"a text is no object":                 {[]string{`api:dev: "123"`}, `api:dev: "123"`},
		"an object and more":                  {[]string{`api:dev: {"a":1} x`}, `api:dev: {"a":1} x`},
		"an object in parens":                 {[]string{`(pay pid=4711) {"msg":"x"}`}, "pay.4711> x"},
		"an object behind a bar":              {[]string{`web.1  | {"msg":"x"}`}, "web.1> x"},
		"a log in brackets":                   {[]string{`[api] {"level":50,"msg":"x"}`}, "api> x"},
		"another object in brackets":          {[]string{`[api] {"order":7}`}, `[api] {"order":7}`},
		"a call in a column":                  {[]string{"   api \u2502 Error: x", "   api \u2502     at pay (/srv/a.js:3:9)"}, "api> ! x"},
		"an object in a column":               {[]string{`   api ` + "\u2502" + ` {"msg":"x"}`}, "api> x"},
		"a pod's container":                   {[]string{`api-6d4f8 api {"msg":"x"}`}, "api-6d4f8/api> x"},
		"a pod without a number":              {[]string{`api-web api {"msg":"x"}`}, `api-web api {"msg":"x"}`},
		"no pod":                              {[]string{`6d4f8 api {"msg":"x"}`}, `6d4f8 api {"msg":"x"}`},
		"a pod in capitals":                   {[]string{`API-6d4f8 api {"msg":"x"}`}, `API-6d4f8 api {"msg":"x"}`},
		"a container in capitals":             {[]string{`api-6d4f8 API {"msg":"x"}`}, `api-6d4f8 API {"msg":"x"}`},
		"a container that is a number":        {[]string{`api-6d4f8 7a {"msg":"x"}`}, `api-6d4f8 7a {"msg":"x"}`},
		"a container that is no name":         {[]string{`api-6d4f8 /a {"msg":"x"}`}, `api-6d4f8 /a {"msg":"x"}`},
		"a pod that is no name":               {[]string{`/api-6d4f8 api {"msg":"x"}`}, `/api-6d4f8 api {"msg":"x"}`},
		"a place of a source in brackets":     {[]string{"[api] > 3 | pay()"}, "[api] > 3 | pay()"},
	} {
		r := lines.Reader{Live: true, Origin: event.Origin{Service: "shop", Instance: "1"}}
		got := texts(reading(r, arrived, c.in...))
		if last := got[len(got)-1]; last != c.last {
			t.Errorf("%s: %q, want %q", name, last, c.last)
		}
	}
}

// The line before the one that tells the names keeps what was known of it: its stream, its time, and that it was cut.
func TestTheLineBeforeANameWasLearnt(t *testing.T) {
	r := lines.Reader{Origin: event.Origin{Service: "shop", Instance: "1"}}
	docker := func(text, stream string, second int) string {
		return fmt.Sprintf(`{"log":%q,"stream":%q,"time":"2026-10-12T10:00:%02d.5Z"}`, text+"\n", stream, second)
	}
	b := r.Add(lines.Line{Time: arrived, Text: docker("api:dev: Error: no stock", "stderr", 1), Size: 5000}, nil)
	b = r.Add(lines.Line{Time: arrived, Text: docker("api:dev:     at pay (/srv/a.js:3:9)", "stderr", 2)}, b)
	b = r.Flush(b)
	if len(b) != 1 {
		t.Fatalf("%q", texts(b))
	}
	x, ok := b[0].(*event.Exception)
	if !ok || x.Instance != "api:dev" || x.Service != "shop" || x.Time.UTC().Format("15:04:05.0") != "10:00:01.5" || x.Flags&event.Truncated == 0 {
		t.Errorf("%+v", b[0])
	}
	// Where another stream came between, nothing goes on.
	r = lines.Reader{Origin: event.Origin{Service: "shop", Instance: "1"}}
	b = r.Add(lines.Line{Time: arrived, Text: docker("api:dev: Error: no stock", "stderr", 1)}, nil)
	b = r.Add(lines.Line{Time: arrived, Text: docker("api:dev: ready", "stdout", 2)}, b)
	if got := strings.Join(texts(r.Flush(b)), "|"); got != "api:dev: Error: no stock|api:dev> ready" {
		t.Errorf("%q", got)
	}
}

// The processes of a stream are bounded: the records that may go on stay, and what is complete makes room.
func TestProcessesOfAStreamMakeRoom(t *testing.T) {
	services := func(b event.Batch) map[string]int {
		out := map[string]int{}
		for _, e := range b {
			out[e.Base().Service]++
		}
		return out
	}
	line := func(r *lines.Reader, i int, text string, b event.Batch) event.Batch {
		return r.Add(lines.Line{Time: arrived, Text: fmt.Sprintf("p%d_x | %s", i, text)}, b)
	}
	r := lines.Reader{Several: true, Origin: event.Origin{Service: "shop"}}
	var b event.Batch
	for i := range 200 {
		b = r.Flush(line(&r, i, "plain", b))
	}
	if got := services(b); len(b) != 200 || len(got) != 200 {
		t.Errorf("one by one: %d events of %d services", len(b), len(got))
	}
	// Some are open.
	r, b = lines.Reader{Several: true, Origin: event.Origin{Service: "shop"}}, nil
	for i := range 3 {
		b = line(&r, i, "ERROR no stock", b)
	}
	for i := range 100 {
		b = r.Settle(line(&r, i+3, "plain", b))
	}
	if b = r.Flush(b); len(b) != 103 || len(services(b)) != 103 {
		t.Errorf("with open ones: %d events of %d services", len(b), len(services(b)))
	}
	// All are open.
	r, b = lines.Reader{Several: true, Origin: event.Origin{Service: "shop"}}, nil
	for i := range 63 {
		b = r.Settle(line(&r, i, "plain", b))
	}
	b = b[:0]
	for i := range 100 {
		b = line(&r, i+100, "ERROR no stock", b)
	}
	if b = r.Flush(b); len(b) != 100 || services(b)["shop"] != 100-63 {
		t.Errorf("all open: %d events, %d of the program itself", len(b), services(b)["shop"])
	}
}

// A line is cut where it is too long, at the end of a letter, and where its sender says that it cut it.
func TestLinesThatAreCut(t *testing.T) {
	const most = 256 << 10
	for name, c := range map[string]struct {
		line lines.Line
		cut  string
	}{
		"whole":                  {lines.Line{Text: "whole", Size: 5}, ""},
		"cut by the sender":      {lines.Line{Text: "whole", Size: 6}, "[cut: 6 bytes in all]"},
		"as long as it may be":   {lines.Line{Text: strings.Repeat("x", most)}, ""},
		"longer":                 {lines.Line{Text: strings.Repeat("x", most+1)}, "[cut: 262145 bytes in all]"},
		"longer, within letters": {lines.Line{Text: "x" + strings.Repeat("é", most/2)}, "[cut: 262145 bytes in all]"},
		"longer, and by both":    {lines.Line{Text: strings.Repeat("x", most+1), Size: 1 << 20}, "[cut: 1048576 bytes in all]"},
		"an object":              {lines.Line{Text: `{"level":"error","msg":"no","body":"` + strings.Repeat("x", 100), Size: 1 << 20}, "[cut: 1048576 bytes in all]"},
	} {
		r := lines.Reader{}
		l := r.Flush(r.Add(c.line, nil))[0].(*event.Log)
		all := l.Message + l.Attributes
		if (l.Flags&event.Truncated != 0) != (c.cut != "") || !strings.Contains(all, c.cut) || strings.Contains(all, "\ufffd") || !strings.ContainsAny(l.Message, "xen") {
			t.Errorf("%s: %v, … %s", name, l.Flags.Names(), all[max(0, len(all)-60):])
		}
	}
}
