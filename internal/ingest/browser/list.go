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

// list is a member of a group, or of the body of a single-kind route, that holds events.
type list struct {
	kind event.Kind // of its events, for refusals
	read func(r *reader, refuse func(refusal))
}

// lists are the lists of a group by their names.
var lists = map[string]list{
	"logs": {
		event.KindLog,
		func(r *reader, refuse func(refusal)) { r.records(event.KindLog, r.addLog, refuse) },
	},
	"exceptions": {
		event.KindException,
		func(r *reader, refuse func(refusal)) { r.records(event.KindException, r.addException, refuse) },
	},
	"network":        values(func(w *wire.Exchange) *wire.Base { return &w.Base }, exchange),
	"waterfall":      values(func(w *wire.ResourceTiming) *wire.Base { return &w.Base }, resource),
	"websocket":      values(func(w *wire.Message) *wire.Base { return &w.Base }, message),
	"actions":        values(func(w *wire.Action) *wire.Base { return &w.Base }, action),
	"dom":            values(func(w *wire.DOM) *wire.Base { return &w.Base }, dom),
	"lifecycle":      values(func(w *wire.Lifecycle) *wire.Base { return &w.Base }, lifecycle),
	"performance":    values(func(w *wire.Performance) *wire.Base { return &w.Base }, performance),
	"extension_logs": values(func(w *wire.ExtensionLog) *wire.Base { return &w.Base }, extensionLog),
	"marks":          values(func(w *wire.Mark) *wire.Base { return &w.Base }, mark),
}

// values returns a list whose entries go through encoding/json.
func values[W, E any, P interface {
	*E
	event.Event
}](base func(*W) *wire.Base, convert func(*W) (E, string)) list {
	kind := P(nil).Kind()
	return list{kind, func(r *reader, refuse func(refusal)) {
		if r.null() || !r.enter('[') {
			return
		}
		index := 0
		var events slab[E]
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
			converted, reason := convert(&w)
			if reason != "" {
				refuse(refusal{kind, index, reason, seq})
				continue
			}
			const usual = 800 // bytes of an entry
			e := events.next(min((len(r.s)-r.i)/usual, 32))
			*e = converted
			r.batch = append(r.batch, P(e))
		}
	}}
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
