package browser_test

import (
	"bytes"
	"encoding/json"
	"os"
	"reflect"
	"slices"
	"testing"
	"time"

	"github.com/brennhill/gasoline/internal/event"
	"github.com/brennhill/gasoline/internal/ingest"
	"github.com/brennhill/gasoline/internal/ingest/browser"
	"github.com/brennhill/gasoline/internal/wire"
)

func fixture(t testing.TB, name string) []byte {
	t.Helper()
	raw, err := os.ReadFile("../../../schema/fixtures/" + name + ".json")
	if err != nil {
		t.Fatal(err)
	}
	return raw
}

type route struct {
	name string
	read func([]byte) (browser.Delivery, error)
	wire any
}

func routes() []route {
	return []route{
		{"logs", browser.ReadLogs, &wire.Logs{}},
		{"network-bodies", browser.ReadBodies, &wire.Bodies{}},
		{"network-waterfall", browser.ReadWaterfall, &wire.Waterfall{}},
		{"websocket-events", browser.ReadMessages, &wire.Frames{}},
		{"enhanced-actions", browser.ReadActions, &wire.Actions{}},
		{"performance-snapshots", browser.ReadSnapshots, &wire.Snapshots{}},
	}
}

// strict reads a fixture into the wire's declaration, which it has to fit.
func strict(t *testing.T, raw []byte, into any) {
	t.Helper()
	dec := json.NewDecoder(bytes.NewReader(raw))
	dec.DisallowUnknownFields()
	if err := dec.Decode(into); err != nil {
		t.Error(err)
	}
}

// notFromPages are fields that somebody else fills, or that only services send.
var notFromPages = []string{
	"Seq",
	"Raw",
	"Received",
	"Clock",
	"ClockDomain",
	"Half",
	"Cause",
	"Attributes",
	"RequestID",
	"TestID",
	"Worker",
	"Witnesses",
}

// full reports every field that is zero in all of xs.
func full(t *testing.T, kind string, xs reflect.Value) {
	t.Helper()
	if xs.Len() == 0 {
		t.Errorf("no %s in the fixture", kind)
		return
	}
	for i := range xs.Type().Elem().NumField() {
		field := xs.Type().Elem().Field(i)
		if field.Name == "Head" {
			var heads []event.Head
			for k := range xs.Len() {
				heads = append(heads, xs.Index(k).Field(i).Interface().(event.Head))
			}
			full(t, kind+".Head", reflect.ValueOf(heads))
			continue
		}
		if slices.Contains(notFromPages, field.Name) {
			continue
		}
		set := false
		for k := range xs.Len() {
			set = set || !xs.Index(k).Field(i).IsZero()
		}
		if !set {
			t.Errorf("%s.%s was not read", kind, field.Name)
		}
	}
}

// ofKind returns the events of a kind as a slice of structs.
func ofKind(b event.Batch, k event.Kind) reflect.Value {
	out := reflect.MakeSlice(reflect.SliceOf(reflect.TypeOf(event.New(k)).Elem()), 0, 0)
	for _, e := range b {
		if e.Kind() == k {
			out = reflect.Append(out, reflect.ValueOf(e).Elem())
		}
	}
	return out
}

func TestSyncFixture(t *testing.T) {
	raw := fixture(t, "sync")
	var w wire.Sync
	strict(t, raw, &w)
	m, err := browser.ReadSync(raw)
	if err != nil {
		t.Fatal(err)
	}
	for _, k := range event.Kinds() {
		if k != event.KindSpan { // a page makes none
			full(t, k.String(), ofKind(m.Upload.Batch, k))
		}
	}
	groups := w.Groups
	w.Groups = nil
	if !reflect.DeepEqual(m.Sync, w) {
		t.Errorf("the envelope is\n%+v, want\n%+v", m.Sync, w)
	}
	for _, e := range m.Upload.Batch {
		k, h := e.Kind(), e.Base()
		if h.Tab != 12 || h.Frame != 3 || h.Document != groups[0].Document || h.PageURL != groups[0].PageURL ||
			h.Session != "s-4f1d" ||
			h.Source != "extension" ||
			h.Flags&event.Late == 0 {
			t.Errorf("%v has head %+v", k, *h)
		}
	}
	want := map[event.Kind]int{event.KindLog: 4, event.KindDOM: 1}
	for _, r := range m.Upload.Reports {
		if r.Cause != ingest.Sender || r.Count != want[r.Kind] || r.Document != groups[0].Document {
			t.Errorf("report %+v", r)
		}
		delete(want, r.Kind)
	}
	if len(want) > 0 {
		t.Errorf("not reported: %v", want)
	}
}

// The decoder of our own and encoding/json have to agree about what is in the fixture.
func TestPickedFieldsAreTheWires(t *testing.T) {
	raw := fixture(t, "sync")
	var w wire.Sync
	strict(t, raw, &w)
	m, err := browser.ReadSync(raw)
	if err != nil {
		t.Fatal(err)
	}
	got, want := all[event.Log](m.Upload.Batch)[1], w.Groups[0].Logs[1]
	if got.Message != want.Message || got.Args != compactOf(t, raw, "args") || got.Level != want.Level ||
		got.Logger != want.Logger ||
		got.URL != want.URL || got.Line != want.Line || got.Column != want.Column ||
		got.Count != want.Count ||
		got.Severity != 13 {
		t.Errorf("log %+v, want %+v", got, want)
	}
	if got.Mono != want.Mono || got.Sender != want.Seq || got.TraceID != want.TraceID || got.SpanID != want.SpanID ||
		got.TestID != want.TestID ||
		got.Time != time.UnixMicro(int64(want.T*1000)) ||
		len(got.Flags.Names()) != len(want.Flags) {
		t.Errorf("head %+v, want %+v", got.Head, want.Base)
	}
	gotX, wantX := all[event.Exception](m.Upload.Batch)[0], w.Groups[0].Exceptions[0]
	if gotX.Type != wantX.Type || gotX.Message != wantX.Message || gotX.RawStack != wantX.RawStack ||
		gotX.Mechanism != wantX.Mechanism ||
		gotX.Handled != wantX.Handled ||
		gotX.Element != wantX.Element ||
		gotX.Causes[0].Message != wantX.Causes[0].Message {
		t.Errorf("exception %+v, want %+v", gotX, wantX)
	}
	for i, f := range gotX.Stack {
		if wire.StackFrame(f) != wantX.Stack[i] {
			t.Errorf("frame %+v, want %+v", f, wantX.Stack[i])
		}
	}
}

// compactOf returns the first value of a member as it is written.
func compactOf(t *testing.T, raw []byte, name string) string {
	t.Helper()
	at := bytes.Index(raw, []byte(`"`+name+`":`))
	var v json.RawMessage
	if err := json.NewDecoder(bytes.NewReader(raw[at+len(name)+3:])).Decode(&v); err != nil {
		t.Fatal(err)
	}
	return string(v)
}

func TestSingleKindFixtures(t *testing.T) {
	for _, r := range routes() {
		raw := fixture(t, r.name)
		strict(t, raw, r.wire)
		d, err := r.read(raw)
		if err != nil {
			t.Errorf("%s: %v", r.name, err)
			continue
		}
		if len(d.Rejected) > 0 {
			t.Errorf("%s: rejected %v", r.name, d.Rejected)
		}
		for _, k := range event.Kinds() {
			if xs := ofKind(d.Upload.Batch, k); xs.Len() > 0 {
				full(t, k.String(), xs)
			}
		}
		if got := d.Accepted().Accepted; got == 0 || got != len(d.Upload.Batch) {
			t.Errorf("%s: accepted %d of %d", r.name, got, len(d.Upload.Batch))
		}
		for _, e := range d.Upload.Batch {
			h := e.Base()
			if h.Source != "ci" || h.Service != "shop-web" || h.Worker != "2" ||
				h.TestID != "checkout.spec.ts > pays" ||
				h.Document != "doc-1" {
				t.Errorf("%s: head %+v", r.name, *h)
			}
		}
	}
}
