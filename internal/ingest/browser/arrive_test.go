package browser_test

import (
	"encoding/json"
	"fmt"
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
	reflect.ValueOf(&g).Elem().FieldByName(field.Name).Set(list)
	return g, sent
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
	if len(lists) != len(event.Kinds()) {
		t.Errorf("%d lists for %d kinds", len(lists), len(event.Kinds()))
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
