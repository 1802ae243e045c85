package browser

import (
	"encoding/json"
	"errors"
	"fmt"

	"github.com/brennhill/gasoline/internal/event"
	"github.com/brennhill/gasoline/internal/ingest"
	"github.com/brennhill/gasoline/internal/wire"
)

// refusal is one entry of a list that is no event.
type refusal struct {
	kind   event.Kind
	index  int
	reason string
	seq    uint64 // 0: not known
}

// records reads a list of console entries or exceptions; add appends one.
func (r *reader) records(kind event.Kind, add func() string, refuse func(refusal)) {
	if r.null() || !r.enter('[') {
		return
	}
	index := 0
	for first := true; r.more(&first, ']'); index++ {
		r.readRecord()
		if r.err != nil {
			return
		}
		if reason := add(); reason != "" {
			refuse(refusal{kind, index, reason, r.record.head.Sender})
		}
	}
}

// values reads a list of one of the other kinds through encoding/json.
func values[W, E any](r *reader, kind event.Kind, into *[]E, base func(*W) *wire.Base, convert func(*W) (E, string), refuse func(refusal)) {
	if r.null() || !r.enter('[') {
		return
	}
	index := 0
	for first := true; r.more(&first, ']'); index++ {
		raw := r.skip()
		if r.err != nil {
			return
		}
		var w W
		err := json.Unmarshal([]byte(raw), &w)
		seq := base(&w).Seq
		if err != nil {
			refuse(refusal{kind, index, wrongType(err), seq})
			continue
		}
		if raw == "null" {
			refuse(refusal{kind, index, "it is not an object", 0})
			continue
		}
		if seq > maxSeq {
			refuse(refusal{kind, index, "seq is out of range", 0})
			continue
		}
		e, reason := convert(&w)
		if reason != "" {
			refuse(refusal{kind, index, reason, seq})
			continue
		}
		*into = append(*into, e)
	}
}

// wrongType says in words of the wire what encoding/json did not like.
func wrongType(err error) string {
	var wrong *json.UnmarshalTypeError
	if !errors.As(err, &wrong) {
		return "it is not understood"
	}
	if wrong.Field == "" {
		return "it is not an object"
	}
	return fmt.Sprintf("%s cannot be a %s", wrong.Field, wrong.Value)
}

// report turns the refusal of an uploaded event into one that the ingester counts.
func (f refusal) report(g *wire.Group) ingest.Report {
	return ingest.Report{Document: g.Document, Tab: g.Tab, Kind: f.kind, Cause: ingest.Invalid, Count: 1, Seq: f.seq}
}
