package ingest_test

import (
	"context"
	"fmt"
	"math"
	"testing"
	"time"

	"github.com/brennhill/gasoline/internal/event"
	"github.com/brennhill/gasoline/internal/ingest"
)

// upload is one of a row of uploads of document "d", and what is expected of it.
type upload struct {
	wait    time.Duration // before it
	numbers []uint64
	dropped int // reported by the sender, without numbers
	stored  int
	ack     uint64
	lost    string // all that was lost so far
}

func ns(n ...uint64) []uint64 { return n }

func dropped(n int) ingest.Report {
	return ingest.Report{Document: "d", Kind: event.KindLog, Cause: ingest.Sender, Count: n}
}

// Holes in the row of a document: when they close, by what, and what is then told as lost.
func TestHolesOfARow(t *testing.T) {
	const most = 30 * time.Second
	for name, row := range map[string][]upload{
		"a hole is a loss after half a minute, not before": {
			{0, ns(1), 0, 1, 1, ""}, {0, ns(3), 0, 1, 1, ""}, {most - 1, ns(4), 0, 1, 1, ""}, {1, ns(5), 0, 1, 5,
				"unknown/gap=1"},
			{0, ns(2), 0, 0, 5, "unknown/gap=1"},
		},
		"the age counts from when the hole is first seen": {
			{0, ns(1), 0, 1, 1, ""}, {time.Hour, ns(3), 0, 1, 1, ""}, {most - 1, ns(4), 0, 1, 1, ""}, {1, ns(3), 0, 0,
				4, "unknown/gap=1"},
		},
		"the next hole has an age of its own": {
			{0, ns(1), 0, 1, 1, ""}, {0, ns(4), 0, 1, 1, ""}, {20 * time.Second, ns(6), 0, 1, 1, ""},
			{10 * time.Second, ns(7), 0, 1, 4, "unknown/gap=2"}, {most - 1, ns(8), 0, 1, 4, "unknown/gap=2"}, {1,
				ns(9), 0, 1, 9, "unknown/gap=3"},
		},
		"a hole that shrinks from below is a new one": {
			{0, ns(1), 0, 1, 1, ""}, {0, ns(5), 0, 1, 1, ""}, {20 * time.Second, ns(2), 0, 1, 2, ""}, {most - 1,
				ns(6), 0, 1, 2, ""},
			{1, ns(7), 0, 1, 7, "unknown/gap=2"},
		},
		"a hole that is filled is forgotten": {
			{0, ns(1), 0, 1, 1, ""}, {0, ns(3), 0, 1, 1, ""}, {0, ns(2), 0, 1, 3, ""}, {most, ns(5), 0, 1, 3, ""},
			{most - 1, ns(4), 0, 1, 5, ""},
		},
		"dropped events close the lowest hole, when they are as many": {
			{0, ns(1), 0, 1, 1, ""}, {0, ns(5), 2, 1, 1, "log/sender=2"}, {0, ns(6), 1, 1, 6, "log/sender=3"}, {0,
				ns(8), 0, 1, 6, "log/sender=3"},
		},
		"what is left of them closes the next ones": {
			{0, ns(1), 0, 1, 1, ""}, {0, ns(3, 6), 1, 2, 3, "log/sender=1"}, {0, ns(8), 4, 1, 8, "log/sender=5"}, {0,
				ns(10), 0, 1, 10, "log/sender=5"},
			{0, ns(12), 0, 1, 10, "log/sender=5"},
		},
		"dropped events without a hole count for less than half a minute": {
			{0, ns(1), 0, 1, 1, ""}, {0, ns(2), 2, 1, 2, "log/sender=2"}, {most - 1, ns(3), 0, 1, 3, "log/sender=2"},
			{0, ns(5), 0, 1, 5, "log/sender=2"},
			{0, ns(7), 0, 1, 7, "log/sender=2"}, {0, ns(9), 0, 1, 7, "log/sender=2"},
		},
		"and then no more": {
			{0, ns(1), 0, 1, 1, ""}, {0, ns(2), 2, 1, 2, "log/sender=2"}, {most, ns(3), 0, 1, 3, "log/sender=2"}, {0,
				ns(5), 0, 1, 3, "log/sender=2"},
		},
		"a hole that they closed starts their time anew": {
			{0, ns(1), 0, 1, 1, ""}, {0, ns(3), 0, 1, 1, ""}, {20 * time.Second, ns(4), 3, 1, 4, "log/sender=3"},
			{most - 1, ns(5), 0, 1, 5, "log/sender=3"},
			{0, ns(7), 0, 1, 7, "log/sender=3"}, {most, ns(8), 0, 1, 8, "log/sender=3"}, {0, ns(10), 0, 1, 8,
				"log/sender=3"},
		},
		"an upload that repeats only what has come repeats its reports": {
			{0, ns(1, 2), 1, 2, 2, "log/sender=1"}, {0, ns(1, 2), 1, 0, 2, "log/sender=1"}, {0, ns(2, 3), 1, 1, 3,
				"log/sender=2"},
			{0, nil, 4, 0, 3, "log/sender=6"}, {0, ns(10), 0, 1, 10, "log/sender=6"},
		},
		"a report of nothing, or of less, is none": {
			{0, ns(1), 0, 1, 1, ""}, {0, nil, -1, 0, 0, ""}, {0, ns(3), -5, 1, 1, ""},
		},
		"a report alone acknowledges nothing": {{0, nil, 3, 0, 0, "log/sender=3"}},
		"numbers come in any order": {
			{0, ns(1, 5, 3), 0, 3, 1, ""}, {0, ns(1, 3, 5), 0, 0, 1, ""}, {0, ns(4), 0, 1, 1, ""}, {0, ns(3, 4, 5), 0,
				0, 1, ""}, {0, ns(7, 6), 0, 2, 1, ""},
			{0, ns(9, 2), 0, 2, 7, ""}, {0, ns(8), 0, 1, 9, ""}, {0, ns(1, 2, 3, 4, 5, 6, 7, 8, 9), 0, 0, 9, ""},
		},
		"numbers before the begin of the row are taken once": {
			{0, ns(10), 0, 1, 10, ""}, {0, ns(8), 0, 1, 10, ""}, {0, ns(9, 8), 0, 1, 10, ""}, {0, ns(5, 3), 0, 2, 10,
				""}, {most, ns(11), 0, 1, 11, ""},
		},
		"a hole behind a number before the begin is closed for good": {
			{0, ns(5, 6), 0, 2, 6, ""}, {0, ns(2), 0, 1, 6, ""}, {0, ns(8), 1, 1, 8, "log/sender=1"}, {0, ns(7), 0, 0, 8,
				"log/sender=1"},
		},
		"the longest hole": {
			{0, ns(1), 0, 1, 1, ""}, {0, ns(1 << 40), 0, 1, 1, ""}, {most, ns(1 << 40), 0, 0, 1 << 40,
				"unknown/gap=2147483648"},
		},
		"the last number": {{0, ns(math.MaxUint64), 0, 1, math.MaxUint64, ""}, {0, ns(math.MaxUint64), 0, 0,
			math.MaxUint64, ""}},
	} {
		d := start(t, ingest.Config{Rate: 1 << 30})
		for i, u := range row {
			d.pass(u.wait)
			var reports []ingest.Report
			if u.dropped != 0 {
				reports = append(reports, dropped(u.dropped))
			}
			if r := d.sync(numbered(u.numbers...), reports...); r.Stored != u.stored || r.Ack["d"] != u.ack ||
				d.lost() != u.lost {
				t.Errorf("%s, upload %d: stored %d, ack %d, lost %q; want %d, %d, %q", name, i+1, r.Stored,
					r.Ack["d"], d.lost(), u.stored, u.ack, u.lost)
			}
		}
	}
}

// After an upload a row keeps 63 holes; one more closes the lowest one.
func TestHolesAreBoundedInNumber(t *testing.T) {
	d := start(t, ingest.Config{Rate: 1 << 30})
	odd := func(n int) (list []uint64) {
		for i := range n {
			list = append(list, uint64(2*i+1))
		}
		return list
	}
	d.sync(numbered(1))
	if r := d.sync(numbered(odd(64)...)); r.Stored != 63 || r.Ack["d"] != 1 || d.lost() != "" {
		t.Errorf("63 holes: %+v, lost %q", r, d.lost())
	}
	if r := d.sync(numbered(2*64 + 1)); r.Ack["d"] != 3 || d.lost() != "unknown/gap=1" {
		t.Errorf("64 holes: %+v, lost %q", r, d.lost())
	}
	if r := d.sync(numbered(2, 4)); r.Stored != 1 || r.Ack["d"] != 5 {
		t.Errorf("the hole that was closed and the next one: %+v", r)
	}
	// Within an upload, whose kinds come one after the other, there may be many more.
	d = start(t, ingest.Config{Rate: 1 << 30})
	list := odd(4096)
	for i := range 4096 {
		list = append(list, uint64(2*i+2))
	}
	if r := d.sync(numbered(list...)); r.Stored != 8192 || r.Ack["d"] != 8192 || d.lost() != "" {
		t.Errorf("two kinds of 4096 events: stored %d, ack %d, lost %q", r.Stored, r.Ack["d"], d.lost())
	}
	// What was given up within the upload is told, too.
	d = start(t, ingest.Config{Rate: 1 << 30})
	if r := d.sync(numbered(odd(4100)...)); r.Stored != 4100 || d.lost() != "unknown/gap=4036" {
		t.Errorf("4099 holes: stored %d, lost %q", r.Stored, d.lost())
	}
}

// Refused events that have a number are settled like those that came, once.
func TestRefusedEventsAreSettled(t *testing.T) {
	d := start(t, ingest.Config{Rate: 1 << 30})
	refused := func(n uint64) ingest.Report {
		return ingest.Report{Document: "d", Kind: event.KindAction, Cause: ingest.Invalid, Count: 1, Seq: n}
	}
	for i, u := range []struct {
		numbers []uint64
		reports []ingest.Report
		ack     uint64
		lost    string
	}{
		{ns(1, 3), []ingest.Report{refused(2)}, 3, "action/invalid=1"}, {ns(1, 3), []ingest.Report{refused(2)}, 3,
			"action/invalid=1"},
		{nil, []ingest.Report{refused(2), dropped(1)}, 3, "action/invalid=1"}, {nil, []ingest.Report{refused(4),
			dropped(2)}, 4, "log/sender=2 action/invalid=2"},
		{ns(7), nil, 7, "log/sender=2 action/invalid=2"}, {ns(4), nil, 7, "log/sender=2 action/invalid=2"},
	} {
		if r := d.sync(numbered(u.numbers...), u.reports...); r.Ack["d"] != u.ack || d.lost() != u.lost {
			t.Errorf("upload %d: ack %d, lost %q; want %d, %q", i+1, r.Ack["d"], d.lost(), u.ack, u.lost)
		}
	}
}

// Each document of each session has a row of its own, also where an upload mixes them.
func TestRowsOfSeveralDocuments(t *testing.T) {
	d := start(t, ingest.Config{Rate: 1 << 30})
	of := func(document string, tab int, n uint64) event.Event {
		return &event.Log{Head: event.Head{Session: "s", Document: document, Sender: n, Tab: tab}, Message: "m"}
	}
	r := d.sync(event.Batch{of("d", 1, 1), of("e", 2, 5), of("d", 1, 2), of("f", 3, 9), of("e", 2, 7), of("d", 1, 3)})
	if fmt.Sprint(r.Ack) != "map[d:3 e:7 f:9]" && fmt.Sprint(r.Ack) != "map[d:3 e:5 f:9]" || r.Stored != 6 {
		t.Errorf("receipt %+v", r)
	}
	// e has nothing new, so its report is a repeated one; d has.
	r = d.sync(event.Batch{of("e", 2, 5), of("d", 1, 4), of("e", 2, 5)}, dropped(1), ingest.Report{Document: "e",
		Tab: 2, Cause: ingest.Sender, Count: 5})
	if r.Stored != 1 || r.Ack["d"] != 4 || len(r.Ack) != 2 || d.lost() != "log/sender=1" {
		t.Errorf("receipt %+v, lost %q", r, d.lost())
	}
	// A gap is told with the tab of its document.
	d.sync(event.Batch{of("f", 3, 12), of("d", 1, 5)})
	d.pass(30 * time.Second)
	if r = d.sync(event.Batch{of("d", 1, 6), of("f", 3, 13)}); r.Ack["f"] != 13 || r.Ack["d"] != 6 {
		t.Errorf("acks %v", r.Ack)
	}
	found := false
	for _, l := range d.LossesOf("s", 3, "") {
		found = found || l.Cause == ingest.Gap && l.Count == 2
	}
	if !found {
		t.Errorf("the gap is not told of tab 3: %v", d.LossesOf("s", 3, ""))
	}
	other, err := d.uploads.Sync(context.Background(), ingest.Upload{Session: "t",
		Batch: event.Batch{&event.Log{Head: event.Head{Session: "t", Document: "d", Sender: 1}}}})
	if err != nil || other.Stored != 1 || other.Ack["d"] != 1 {
		t.Errorf("the same document of another session: %+v, %v", other, err)
	}
}

// A new document beyond the bound drops the eighth of those that were not used longest.
func TestOldestDocumentsAreForgotten(t *testing.T) {
	d := start(t, ingest.Config{Rate: 1 << 30})
	known := func(i int) bool {
		return d.sync(event.Batch{&event.Log{Head: event.Head{Session: "s", Document: fmt.Sprint(i),
			Sender: 1}}}).Stored == 0
	}
	for i := range 4096 {
		if known(i) {
			t.Fatalf("document %d is known before it came", i)
		}
	}
	for _, i := range []int{0, 600} {
		if !known(i) {
			t.Errorf("document %d was forgotten before the bound", i)
		}
	}
	known(5000)
	for i, want := range map[int]bool{0: true, 600: true, 4095: true, 514: true, 5000: true, 1: false, 512: false,
		513: false} {
		if known(i) != want {
			t.Errorf("document %d is known: %v, want %v", i, !want, want)
		}
	}
}
