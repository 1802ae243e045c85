package lines_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/brennhill/gasoline/internal/event"
	"github.com/brennhill/gasoline/internal/ingest/lines"
	"github.com/brennhill/gasoline/internal/problem"
)

// Text has colours, tabs and letters of any language; what is no text has zeros, or a fifth of it is control characters and
// broken letters.
func TestBinary(t *testing.T) {
	for s, want := range map[string]bool{
		"":                                    false,
		"plain text":                          false,
		"\x1b[31mred\x1b[0m\t50 %\r\n":        false,
		"a\b\f":                               false,
		"Größe 寸法 🙂":                          false,
		"寸":                                   false,
		"a\x00b":                              true,
		strings.Repeat("text ", 100) + "\x00": true,
		"\x01\x02\x03":                        true,
		"\x01abcd":                            false,
		"\x01abc":                             true,
		"\x1f\x1f\x1f plain text":             true,
		"\x1fplain":                           false,
		"\xff\xfe\xfd":                        true,
		"\xffabcd":                            false,
		"\xffabc":                             true,
		"\ufffd\ufffd":                        false, // a letter of its own
		"\x7f\x7f":                            false,
		"a b c d e":                           false,
		"\x80\x80":                            true,
	} {
		if got := lines.Binary([]byte(s)); got != want {
			t.Errorf("%q: %v", s, got)
		}
	}
}

// What an error says is cut where a letter ends, and its event says that it was.
func TestLongErrors(t *testing.T) {
	const begin = "Traceback (most recent call last):\n  File \"/app/pay.py\", line 3, in pay\n"
	for name, c := range map[string]struct {
		text         string
		message, raw int // bytes that are kept
		cut          bool
	}{
		"short":                {begin + "ValueError: no stock", 8, len(begin) + 20, false},
		"as long as it may be": {begin + "ValueError: " + strings.Repeat("x", 8192), 8192, -1, false},
		"the message":          {begin + "ValueError: " + strings.Repeat("é", 6000), 8192, 10_000, true},
		"an odd begin":         {begin + "ValueError: x" + strings.Repeat("é", 6000), 8192 - 1, -1, true},
		"the calls":            {begin + strings.Repeat("  File \"/app/pay.py\", line 3, in pay\n", 300) + "ValueError: no stock", 8, 10_000, true},
	} {
		reader := lines.Reader{}
		var b event.Batch
		for line := range strings.SplitSeq(c.text, "\n") {
			b = reader.Add(lines.Line{Text: line}, b)
		}
		x, ok := reader.Flush(b)[0].(*event.Exception)
		if !ok {
			t.Errorf("%s: no exception", name)
			continue
		}
		if len(x.Message) != c.message || c.raw >= 0 && len(x.RawStack) != c.raw || x.Flags&event.Truncated != 0 != c.cut {
			t.Errorf("%s: message %d, raw %d, flags %v", name, len(x.Message), len(x.RawStack), x.Flags.Names())
		}
	}
}

// The words of a logger that wrote a record in JSON stand before its error's calls.
func TestAnErrorInJSONSaysWhatWasLogged(t *testing.T) {
	reader := lines.Reader{}
	line := `{"level":"error","msg":"could not pay","stack":"Error: no stock\n    at pay (/app/a.js:3:9)"}`
	b := reader.Flush(reader.Add(lines.Line{Text: line}, nil))
	x, ok := b[0].(*event.Exception)
	if !ok || x.RawStack != "could not pay\nError: no stock\n    at pay (/app/a.js:3:9)" || x.Said() != "could not pay" {
		t.Errorf("%+v", b[0])
	}
}

// What a logger was told is the same in each of its outputs, whatever it writes before it.
func TestALoggersHeadIsNotSaidOfAnError(t *testing.T) {
	const raw = "Traceback (most recent call last):\n  File \"/app/shop.py\", line 3, in pay\n    raise ValueError(1)\nValueError: no price"
	for head, want := range map[string]string{
		"2026-01-02 03:04:05,387 [ERROR] shop.pay - ": "could not pay\n",
		"2026-01-02 03:04:05,387 ERROR shop.pay: ":    "shop.pay: could not pay\n", // it may be of the text
		"2026-01-02T03:04:05Z ERROR ":                 "could not pay\n",
		"[03:04:05.387] ERROR (2578): ":               "could not pay\n",
		"ERROR: ":                                     "ERROR: could not pay\n",
	} {
		reader, b := lines.Reader{}, event.Batch(nil)
		for line := range strings.SplitSeq(head+"could not pay\n"+raw, "\n") {
			b = reader.Add(lines.Line{Text: line}, b)
		}
		b = reader.Flush(b)
		x, ok := b[0].(*event.Exception)
		if !ok || x.RawStack != want+raw || x.Message != "no price" || !x.Handled {
			t.Errorf("%s: %+v", head, b[0])
		}
	}
	reader := lines.Reader{}
	b := reader.Add(lines.Line{Text: "2026-01-02 03:04:05,387 CRITICAL Traceback (most recent call last):"}, nil)
	b = reader.Flush(reader.Add(lines.Line{Text: "ValueError: no price"}, b))
	if x, ok := b[0].(*event.Exception); !ok || !x.Handled || x.Said() != "" {
		t.Errorf("%+v", b[0])
	}
}

// The rows that pino-pretty writes below a message are the values of its record, and so those of its JSON.
func TestRowsOfValuesAreAttributes(t *testing.T) {
	const head = "[03:04:05.387] INFO (shop/2578): "
	for rows, want := range map[string]string{
		"paid\n    order: 1\n    by: \"bob: \\\"x\\\"\"":                                               `paid {"order":1,"by":"bob: \"x\""}`,
		"paid\n    item: {\n      \"name\": \"tea\",\n      \"n\": 2\n    }\n    n: [\n      1\n    ]": `paid {"item":{  "name": "tea",  "n": 2},"n":[  1]}`,
		"paid\n    event: \"late\"":                                                                    `paid {"event":"late"}`,
		"paid\n    by: bob":                                                                            "paid\n    by: bob {}",
		"paid\n    by":                                                                                 "paid\n    by {}",
		"paid\n  order: 1":                                                                             "paid\n  order: 1 {}",
	} {
		reader, b := lines.Reader{}, event.Batch(nil)
		for line := range strings.SplitSeq(head+rows, "\n") {
			b = reader.Settle(reader.Add(lines.Line{Text: line}, b)) // a container's engine sends each row by itself
		}
		b = reader.Flush(b)
		l, ok := b[0].(*event.Log)
		if !ok || l.Message+" "+strings.ReplaceAll(strings.Replace(l.Attributes, `"process.pid":2578`, "", 1), "{,", "{") != want || l.Logger != "shop" {
			t.Errorf("%q: %q %s", rows, l.Message, l.Attributes)
		}
	}
	reader := lines.Reader{}
	b := reader.Add(lines.Line{Text: "03:04:05.387 INFO config"}, nil)
	b = reader.Flush(reader.Add(lines.Line{Text: "    order: 1"}, b))
	if l, ok := b[0].(*event.Log); !ok || l.Message != "config\n    order: 1" {
		t.Errorf("%+v", b[0]) // another logger's text
	}
}

// A sender is told what is wrong with its batch.
func TestBadBatchesAreTold(t *testing.T) {
	with := func(fields string) string {
		return `{"service":"a","instance":"1","client":"c","source":"run","batch":1` + fields + `}`
	}
	long, longest := strings.Repeat("n", 257), strings.Repeat("n", 256)
	for body, want := range map[string]struct {
		code problem.Code
		says string
	}{
		with(``): {},
		with(`,"lines":[` + strings.Repeat("null,", 9_999) + `null]`):  {},
		with(`,"lines":[` + strings.Repeat("null,", 10_000) + `null]`): {problem.TooLarge, "a batch may have 10000 lines"},
		`[]`: {problem.InvalidParam, "the body is no batch of lines"},
		`{"client":"c","source":"run","batch":1}`:     {problem.MissingParam, "service is missing"},
		`{"service":"a","source":"run","batch":1}`:    {problem.MissingParam, "client is missing"},
		`{"service":"a","client":"c","batch":1}`:      {problem.MissingParam, "source is missing"},
		`{"service":"a","client":"c","source":"run"}`: {problem.MissingParam, "batch is missing"},
		with(`,"source":"loki"`):                      {problem.InvalidParam, `source is "loki"`},
		with(`,"source":"tail"`):                      {},
		with(`,"service":"` + long + `"`):             {problem.InvalidParam, "a name has 257 bytes"},
		with(`,"instance":"` + long + `"`):            {problem.InvalidParam, "a name has 257 bytes"},
		with(`,"client":"` + long + `"`):              {problem.InvalidParam, "a name has 257 bytes"},
		with(`,"host":"` + long + `"`):                {problem.InvalidParam, "a name has 257 bytes"},
		with(`,"service":"` + longest + `"`):          {},
	} {
		in, err := lines.Read([]byte(body))
		var p *problem.Problem
		if errors.As(err, &p); want.code == "" {
			if err != nil || in.Batch != 1 {
				t.Errorf("%.90s: %v", body, err)
			}
		} else if p == nil || p.Code != want.code || !strings.Contains(fmt.Sprint(err), want.says) {
			t.Errorf("%.90s: %v", body, err)
		}
	}
}

// Wherever a line of JSON is cut, what stands whole before the cut is read: each byte of it is tried.
func TestJSONThatWasCutAnywhere(t *testing.T) {
	const head = `{"level":"error","msg":"no stock","order":41,"tags":["a","b"],"by":{"id":7,"name":"x\"y","e":"\u00e9"},"late":true,"list":[1, 2],"none":{},`
	long := `"rest":"` + strings.Repeat("x", 300<<10) + `"}`
	order := strings.Index(head, `"tags"`)
	for cut := range len(head) {
		reader := lines.Reader{}
		text := head[:cut]
		l, ok := reader.Flush(reader.Add(lines.Line{Text: text, Size: len(head) + len(long)}, nil))[0].(*event.Log)
		if !ok || l.Flags&event.Truncated == 0 || l.Attributes != "" && !json.Valid([]byte(l.Attributes)) {
			t.Fatalf("%s: %+v", text, l)
		}
		if cut < order {
			continue
		}
		if l.Level != "error" || l.Message != "no stock" || !strings.HasPrefix(l.Attributes, `{"order":41`) {
			t.Errorf("%s\n%s %s %s", text, l.Level, l.Message, l.Attributes)
		}
		var has struct {
			Tags []string
			By   map[string]any
			Late bool
			List []int
		}
		if err := json.Unmarshal([]byte(l.Attributes), &has); err != nil {
			t.Fatalf("%s: %v", l.Attributes, err)
		}
		for part, there := range map[string]bool{
			`"tags":["a",`: len(has.Tags) > 0 && has.Tags[0] == "a", `"tags":["a","b"]`: len(has.Tags) == 2 && has.Tags[1] == "b",
			`"by":{"id":7,`: has.By["id"] == 7., `"name":"x\"y",`: has.By["name"] == `x"y`, `"e":"\u00e9`: strings.HasPrefix(fmt.Sprint(has.By["e"]), "é"),
			`"late":true,`: has.Late, `"list":[1, `: len(has.List) > 0 && has.List[0] == 1, `[1, 2]`: len(has.List) == 2,
		} {
			if strings.Contains(text, part) && !there {
				t.Errorf("%s\n%s: %s is lost", text, l.Attributes, part)
			}
		}
	}
}
