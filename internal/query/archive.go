package query

import (
	"bytes"
	"cmp"
	"compress/gzip"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"sync"

	"github.com/brennhill/gasoline/internal/event"
)

// Archive keeps the events of finished tests, compressed, within a number of bytes; whole oldest tests go
// first. It may be used by many goroutines.
type Archive struct {
	most int64

	mu    sync.Mutex
	tests []finished // oldest first
	bytes int64      // of all data; ≤ most
}

type finished struct {
	test string
	lost losses
	data []byte // a line of JSON for the kind and one for the event, again and again, through gzip
}

// losses counts by kind the events that had been evicted when a test was archived. Some may have been of the test.
type losses [event.KindCount]uint64

// NewArchive returns an empty archive of at most most bytes.
func NewArchive(most int64) *Archive { return &Archive{most: most} }

// Limit returns the most bytes that the archive holds.
func (a *Archive) Limit() int64 { return a.most }

// Keep copies the events of a test out of r. A test that has none, or more than the archive holds, is not
// kept. Its error is ctx's.
func (a *Archive) Keep(ctx context.Context, r Reader, test string) error {
	sum, err := r.Sum(ctx, nil, &Filter{}, 0, false)
	if err != nil {
		return err
	}
	var out bytes.Buffer
	zip := gzip.NewWriter(&out)
	enc := json.NewEncoder(zip)
	n := 0
	var failed error
	if _, err := r.Scan(ctx, Span{To: sum.Next, Bodies: true, Guess: maxChunk}, &Filter{TestID: test}, func(it Item) bool {
		n++
		if failed = enc.Encode(it.Kind); failed == nil {
			failed = enc.Encode(it.Event)
		}
		return failed == nil && int64(out.Len()) <= a.most
	}); err != nil {
		return err
	}
	if failed != nil {
		return fmt.Errorf("archive test %q: %w", test, failed)
	}
	if err := zip.Close(); err != nil {
		return fmt.Errorf("archive test %q: %w", test, err)
	}
	if n == 0 || int64(out.Len()) > a.most {
		return nil
	}
	var lost losses
	for _, k := range event.Kinds() {
		sum, err := r.Sum(ctx, []event.Kind{k}, &Filter{TestID: test}, 0, false)
		if err != nil {
			return err
		}
		lost[k] = sum.Evicted
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	a.tests = append(a.tests, finished{test, lost, bytes.Clone(out.Bytes())})
	for a.bytes += int64(out.Len()); a.bytes > a.most; a.tests = slices.Delete(a.tests, 0, 1) {
		a.bytes -= int64(len(a.tests[0].data))
	}
	return nil
}

// Open returns a reader of the newest finished test of this id, and whether there is one.
func (a *Archive) Open(test string) (Reader, bool) {
	a.mu.Lock()
	var newest finished
	for _, f := range a.tests {
		if f.test == test {
			newest = f
		}
	}
	a.mu.Unlock()
	return newest.open()
}

// All returns a reader of all finished tests, and whether there are any that can be read.
func (a *Archive) All() (Reader, bool) {
	a.mu.Lock()
	tests := slices.Clone(a.tests)
	a.mu.Unlock()
	all := &run{name: "all tests"}
	for _, f := range tests {
		one, ok := f.open()
		if !ok {
			continue
		}
		all.items = append(all.items, one.items...)
		for k, n := range one.lost {
			all.lost[k] = max(all.lost[k], n) // each test counts what had gone by its end
		}
	}
	slices.SortFunc(all.items, func(x, y Item) int { return cmp.Compare(x.Head.Seq, y.Head.Seq) })
	// A test that ran twice under one id may be kept twice with the events of its first run.
	all.items = slices.CompactFunc(all.items, func(x, y Item) bool { return x.Head.Seq == y.Head.Seq })
	return all, len(all.items) > 0
}

func (f finished) open() (*run, bool) {
	zip, err := gzip.NewReader(bytes.NewReader(f.data))
	if err != nil {
		return nil, false
	}
	r := &run{name: "test " + f.test, lost: f.lost}
	for dec := json.NewDecoder(zip); ; {
		var k event.Kind
		if err := dec.Decode(&k); err == io.EOF {
			break
		} else if err != nil {
			return nil, false
		}
		e := event.New(k)
		if e == nil || dec.Decode(e) != nil {
			return nil, false
		}
		r.items = append(r.items, Item{Kind: k, Event: e, Head: e.Base()})
	}
	return r, true
}

// run is a finished test, read: its events in the order of their numbers, by the daemon's clock.
type run struct {
	name  string
	lost  losses
	items []Item
}

func (r *run) Run() string { return r.name }

func (r *run) passes(it Item, kinds []event.Kind, f *Filter) bool {
	return (len(kinds) == 0 || slices.Contains(kinds, it.Kind)) && f.takes(it.Event)
}

func (r *run) Sum(ctx context.Context, kinds []event.Kind, f *Filter, _ event.Seq, _ bool) (Sum, error) {
	s := Sum{Next: 1}
	for k, n := range r.lost {
		if len(kinds) == 0 || slices.Contains(kinds, event.Kind(k)) {
			s.Evicted += n
		}
	}
	s.EvictedUpper = s.Evicted > 0
	for _, it := range r.items {
		s.Next = it.Head.Seq + 1
		if r.passes(it, kinds, &Filter{}) {
			s.Live++
		}
		if r.passes(it, kinds, f) {
			s.Passing++
		}
	}
	return s, ctx.Err()
}

func (r *run) Scan(ctx context.Context, span Span, f *Filter, visit func(Item) bool) (Scanned, error) {
	items := slices.Clone(r.items)
	var done Scanned
	if span.Back {
		slices.Reverse(items)
	}
	for _, it := range items {
		if it.Head.Seq < span.From || it.Head.Seq >= span.To || !r.passes(it, span.Kinds, f) {
			continue
		}
		if err := ctx.Err(); err != nil {
			return done, err
		}
		done.Looked++
		if !visit(it) {
			done.At = it.Head.Seq
			return done, nil
		}
	}
	done.Exhausted = true
	return done, nil
}

func (r *run) Find(kinds []event.Kind, seq event.Seq) (Item, bool) {
	i, ok := slices.BinarySearchFunc(
		r.items,
		seq,
		func(it Item, s event.Seq) int { return cmp.Compare(it.Head.Seq, s) },
	)
	if !ok || !r.passes(r.items[i], kinds, &Filter{}) {
		return Item{}, false
	}
	return r.items[i], true
}

func (r *run) Trace(ctx context.Context, id string, limit int) (items []Item, exhausted bool, err error) {
	for _, it := range r.items {
		if it.Head.TraceID == id {
			items = append(items, it)
		}
	}
	limit = Page{Limit: limit}.limit()
	exhausted = len(items) <= limit
	items = items[:min(limit, len(items))]
	inTime(items)
	return items, exhausted, ctx.Err()
}
