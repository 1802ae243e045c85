package browser_test

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"image"
	"image/jpeg"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/brennhill/gasoline/internal/event"
	"github.com/brennhill/gasoline/internal/ingest/browser"
	"github.com/brennhill/gasoline/internal/wire"
)

// give sets every field of v, which is addressable, to a value of its own. Texts have at least least bytes, lists have
// many entries.
func give(v reflect.Value, n *int, least, many int) {
	*n++
	switch v.Kind() {
	case reflect.String:
		text := fmt.Sprint("T", *n)
		v.SetString(text + strings.Repeat("é", max(0, least-len(text)+1)/2))
	case reflect.Int, reflect.Int64:
		v.SetInt(int64(*n))
	case reflect.Uint64:
		v.SetUint(uint64(*n))
	case reflect.Float64:
		v.SetFloat(float64(*n) + 0.5)
	case reflect.Bool:
		v.SetBool(true)
	case reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		give(v.Elem(), n, least, many)
	case reflect.Struct:
		for i := range v.NumField() {
			give(v.Field(i), n, least, many)
		}
	case reflect.Slice:
		if v.Type() == reflect.TypeFor[json.RawMessage]() {
			v.SetBytes(fmt.Appendf(nil, `["R%d%s"]`, *n, strings.Repeat("x", least)))
			return
		}
		v.Set(reflect.MakeSlice(v.Type(), many, many))
		for i := range many {
			give(v.Index(i), n, least, 1)
		}
	}
}

// groupOf returns a group in which the list of one name has one event with every field set.
func groupOf(field reflect.StructField, least, many int) (g wire.Group, sent reflect.Value) {
	list := reflect.MakeSlice(field.Type, 1, 1)
	n := 100
	give(list.Index(0), &n, least, many)
	sent = list.Index(0)
	base := sent.FieldByName("Base")
	base.FieldByName("Flags").Set(reflect.ValueOf([]string{"sampled"}))
	if e := sent.FieldByName("Event"); e.IsValid() {
		e.SetString("message")
	}
	if p := sent.FieldByName("Picture"); p.IsValid() && least == 0 {
		p.SetString(base64.StdEncoding.EncodeToString(picture()))
	}
	reflect.ValueOf(&g).Elem().FieldByName(field.Name).Set(list)
	return g, sent
}

// picture is a JPEG of one pixel.
func picture() []byte {
	var b bytes.Buffer
	if err := jpeg.Encode(&b, image.NewGray(image.Rect(0, 0, 1, 1)), nil); err != nil {
		panic(err)
	}
	return b.Bytes()
}

// A picture is not cleaned, so what is none, or too large, is left out.
func TestOnlyPicturesArriveAsPictures(t *testing.T) {
	large := append(picture(), make([]byte, 500_000)...)
	for name, data := range map[string][]byte{
		"text": []byte("password=hunter22"), "a beginning": picture()[:20], "a PNG": []byte("\x89PNG\r\n\x1a\n"), "a large one": large,
	} {
		w := wire.Mark{Type: "annotation", Picture: base64.StdEncoding.EncodeToString(data)}
		e := read(t, wire.Group{Marks: []wire.Mark{w}}).(*event.Mark)
		if e.Picture != "" || e.Flags&event.Truncated == 0 {
			t.Errorf("%s: %d bytes arrived, flags %v", name, len(e.Picture), e.Flags.Names())
		}
	}
	e := read(t, wire.Group{Marks: []wire.Mark{{Type: "annotation", Picture: "no base64"}}}).(*event.Mark)
	if e.Picture != "" {
		t.Errorf("%q arrived", e.Picture)
	}
}

// listsOfGroups are the lists of events in a group.
func listsOfGroups() (out []reflect.StructField) {
	for f := range reflect.TypeFor[wire.Group]().Fields() {
		if f.Type.Kind() == reflect.Slice && f.Type.Elem().Kind() == reflect.Struct {
			if _, ok := f.Type.Elem().FieldByName("Base"); ok {
				out = append(out, f)
			}
		}
	}
	return out
}

func read(t *testing.T, g wire.Group) event.Event {
	t.Helper()
	g.Tab, g.Document = 5, "D"
	raw, err := json.Marshal(wire.Sync{Session: "s", Groups: []wire.Group{g}})
	if err != nil {
		t.Fatal(err)
	}
	m, err := browser.ReadSync(raw)
	if err != nil || len(m.Upload.Batch) != 1 {
		t.Fatalf("%d events, %v, %+v of %s", len(m.Upload.Batch), err, m.Upload.Reports, raw)
	}
	return m.Upload.Batch[0]
}

// same compares what was sent with the field of the same name that arrived.
func same(t *testing.T, path string, sent, got reflect.Value) {
	t.Helper()
	if sent.Kind() == reflect.Pointer {
		sent = sent.Elem()
	}
	if raw, ok := sent.Interface().(json.RawMessage); ok {
		if got.String() != string(raw) {
			t.Errorf("%s: %q, want %q", path, got, raw)
		}
		return
	}
	switch sent.Kind() {
	case reflect.Struct:
		for i := range sent.NumField() {
			name := sent.Type().Field(i).Name
			if name == "Base" {
				continue
			}
			f := got.FieldByName(name)
			if name == "ShownMS" {
				f = got.FieldByName("Shown")
			}
			if !f.IsValid() {
				t.Errorf("%s.%s has no field to arrive in", path, name)
				continue
			}
			if name == "Picture" {
				f = reflect.ValueOf(base64.StdEncoding.EncodeToString([]byte(f.String())))
			}
			same(t, path+"."+name, sent.Field(i), f)
		}
	case reflect.Slice:
		if sent.Len() != got.Len() {
			t.Errorf("%s: %d entries, want %d", path, got.Len(), sent.Len())
			return
		}
		for i := range sent.Len() {
			same(t, fmt.Sprintf("%s[%d]", path, i), sent.Index(i), got.Index(i))
		}
	case reflect.Float64:
		want := sent.Float()
		switch v := got.Interface().(type) {
		case time.Duration:
			if v != time.Duration(want*float64(time.Millisecond)) {
				t.Errorf("%s: %v, want %v ms", path, v, want)
			}
		case time.Time:
			if !v.Equal(time.UnixMicro(int64(want * 1000))) {
				t.Errorf("%s: %v, want %v ms", path, v, want)
			}
		default:
			if got.Float() != want {
				t.Errorf("%s: %v, want %v", path, got, want)
			}
		}
	default:
		if got.Kind() != sent.Kind() || !got.Equal(sent) {
			t.Errorf("%s: %v, want %v", path, got, sent)
		}
	}
}

// Every field that the wire declares arrives in the event's field of its name.
func TestEveryFieldOfTheWireArrives(t *testing.T) {
	lists := listsOfGroups()
	if kinds := len(event.Kinds()) - 1; len(lists) != kinds { // a page makes no spans
		t.Errorf("%d lists for %d kinds", len(lists), kinds)
	}
	for _, f := range lists {
		g, sent := groupOf(f, 0, 2)
		e := read(t, g)
		same(t, f.Name, sent, reflect.ValueOf(e).Elem())
		b, h := sent.FieldByName("Base").Interface().(wire.Base), e.Base()
		if h.Sender != b.Seq || h.Mono != b.Mono || h.TestID != b.TestID || h.Worker != b.Worker || h.TraceID != b.TraceID ||
			h.SpanID != b.SpanID || h.Cause != (event.Cause{Action: b.Action, Command: b.Command}) ||
			!h.Time.Equal(time.UnixMicro(int64(b.T*1000))) || h.Flags != event.Sampled || h.Tab != 5 || h.Document != "D" {
			t.Errorf("%s: head %+v of %+v", f.Name, *h, b)
		}
	}
}

// Texts and lists beyond their bounds are cut, and the event says so.
func TestEveryFieldOfTheWireIsBounded(t *testing.T) {
	for _, f := range listsOfGroups() {
		g, _ := groupOf(f, 30_000, 1)
		if sent := reflect.ValueOf(g).FieldByName(f.Name).Index(0); sent.FieldByName("RequestBody").IsValid() {
			sent.FieldByName("RequestBody").SetString("in")
			sent.FieldByName("ResponseBody").SetString("out")
		}
		e := read(t, g)
		if e.Base().Flags&event.Truncated == 0 {
			t.Errorf("%s: a cut event is not flagged", f.Name)
		}
		for path, text := range texts(f.Name, reflect.ValueOf(e).Elem()) {
			if strings.HasSuffix(path, ".TraceID") || strings.HasSuffix(path, ".SpanID") {
				continue // package correlate leaves out what is no hexadecimal id
			}
			if len(text) > 10<<10 && !strings.HasSuffix(path, ".Args") {
				t.Errorf("%s: %d bytes", path, len(text))
			}
		}
		g, _ = groupOf(f, 0, 300)
		e = read(t, g)
		lists := 0
		for i := range reflect.ValueOf(e).Elem().NumField() {
			if l := reflect.ValueOf(e).Elem().Field(i); l.Kind() == reflect.Slice {
				if lists++; l.Len() > 200 || l.Len() == 0 {
					t.Errorf("%s: list %d has %d entries", f.Name, i, l.Len())
				}
			}
		}
		if (e.Base().Flags&event.Truncated != 0) != (lists > 0) {
			t.Errorf("%s: flags %v with %d lists", f.Name, e.Base().Flags.Names(), lists)
		}
	}
}

// texts returns every string in v by its path.
func texts(path string, v reflect.Value) map[string]string {
	out := map[string]string{}
	var walk func(path string, v reflect.Value)
	walk = func(path string, v reflect.Value) {
		switch v.Kind() {
		case reflect.String:
			out[path] = v.String()
		case reflect.Slice:
			for i := range v.Len() {
				walk(path, v.Index(i))
			}
		case reflect.Struct:
			for i := range v.NumField() {
				if v.Type().Field(i).IsExported() {
					walk(path+"."+v.Type().Field(i).Name, v.Field(i))
				}
			}
		}
	}
	walk(path, v)
	return out
}

// A field of the wrong type is named, wherever it is, and what follows is read.
func TestFieldsOfTheWrongTypeAreNamed(t *testing.T) {
	const str, num, list, truth = "is not a string", "is not a number", "is not a list", "is not true or false"
	record := map[string]string{
		"seq": num, "t": num, "mono": num, "test_id": str, "worker": str, "trace_id": str, "span_id": str, "action": str,
		"command": str, "flags": list, "level": str, "message": str, "args": list, "logger": str, "url": str, "line": num,
		"column": num, "stack": list, "count": num, "type": str, "raw_stack": str, "cause": list, "handled": truth,
		"mechanism": str, "element": str,
	}
	frame := map[string]string{
		"function": str, "url": str, "line": num, "column": num, "source": str, "source_line": num, "source_column": num,
		"in_app": truth,
	}
	cause := map[string]string{"type": str, "message": str, "stack": list}
	for _, place := range []struct {
		fields map[string]string
		in     string
	}{
		{record, `{"message":"a",%s}`}, {frame, `{"message":"a","stack":[{"in_app":true},{%s}]}`},
		{cause, `{"message":"a","cause":[{"type":"E"},{%s}]}`}, {frame, `{"message":"a","cause":[{"stack":[{%s}]}]}`},
	} {
		for name, want := range place.fields {
			for _, wrong := range []string{`{"x":[1]}`, "null"} {
				entry := fmt.Sprintf(place.in, fmt.Sprintf("%q:%s", name, wrong))
				d := readLogs(t, entry+`,{"message":"after"}`)
				got := fmt.Sprint(d.Rejected)
				if wrong == "null" {
					if got != "[]" && name != "message" || len(d.Upload.Batch) < 1 {
						t.Errorf("%s: rejected %s", entry, got)
					}
					continue
				}
				logs := all[event.Log](d.Upload.Batch)
				if got != fmt.Sprintf("[{0 %s %s}]", name, want) || len(logs) != 1 || logs[0].Message != "after" {
					t.Errorf("%s: rejected %s, kept %d; want %s %s", entry, got, len(logs), name, want)
				}
			}
		}
	}
	for entry, want := range map[string]string{
		`{"message":"a","handled":true}`: "[]", `{"message":"a","handled":false}`: "[]",
		`{"message":"a","stack":[5]}`:                          "[{0 a frame of stack is not an object}]",
		`{"message":"a","cause":[5]}`:                          "[{0 a cause is not an object}]",
		`{"message":"a","flags":[5]}`:                          "[{0 flags is not a string}]",
		`{"message":"a","x":false,"y":true,"z":null,"line":3}`: "[]",
		`{"message":"a","line":"3"}`:                           "[{0 line is not a number}]",
		`{"message":"a","seq":1.5}`:                            "[{0 seq is out of range}]",
		`{"message":"a","count":-1}`:                           "[{0 count is out of range}]",
	} {
		d := readLogs(t, entry+`,{"message":"after","line":7}`)
		logs := all[event.Log](d.Upload.Batch)
		if got := fmt.Sprint(d.Rejected); got != want || logs[len(logs)-1].Line != 7 {
			t.Errorf("%s: rejected %s, want %s", entry, got, want)
		}
	}
}

// Causes beyond their bound are left out, and the exception says so.
func TestCausesAreBounded(t *testing.T) {
	for n, cut := range map[int]bool{15: false, 16: true, 40: true} {
		list := strings.TrimSuffix(strings.Repeat(`{"type":"E"},`, n), ",")
		m, err := browser.ReadSync([]byte(`{"session":"s","groups":[{"exceptions":[{"message":"m","cause":[` + list +
			`],"line":7}]}]}`))
		if err != nil {
			t.Fatal(err)
		}
		x := all[event.Exception](m.Upload.Batch)[0]
		if len(x.Causes) != min(n, 15) || (x.Flags&event.Truncated != 0) != cut || x.Line != 7 {
			t.Errorf("%d causes: %d are kept, flags %v, line %d", n, len(x.Causes), x.Flags.Names(), x.Line)
		}
	}
}

// An exchange without an outcome gets that of its status.
func TestOutcomesFollowTheStatus(t *testing.T) {
	for status, want := range map[int]string{0: "network_error", 200: "ok", 399: "ok", 400: "http_error",
		503: "http_error"} {
		d, err := browser.ReadBodies(fmt.Appendf(nil, `{"bodies":[{"url":"/a","status":%d}]}`, status))
		if err != nil {
			t.Fatal(err)
		}
		if x := all[event.Exchange](d.Upload.Batch)[0]; x.Outcome != want || x.Method != "GET" || x.Status != status {
			t.Errorf("%d: %s %s", status, x.Method, x.Outcome)
		}
	}
}
