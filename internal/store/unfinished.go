package store

import (
	"hash/maphash"

	"github.com/brennhill/gasoline/internal/event"
)

// mostUnfinished is how many exchanges wait for their end, and how many replaced ones are known by their number.
const mostUnfinished = 2000

// unfinished finds the exchanges that were told before their end: a stream that goes on, a beacon, a request that may
// outlive its page. When the exchange is told again, the new event replaces the old one. Where more than mostUnfinished
// wait, the oldest stay as they are.
type unfinished struct {
	waiting  queue[uint64, event.Seq]    // by the hash of session and request id
	replaced queue[event.Seq, event.Seq] // number of one that is gone → of the one that came for it
}

// queue is a map of at most mostUnfinished entries, of which the oldest leave.
type queue[K comparable, V any] struct {
	values map[K]V
	order  []K
	oldest int // in order, once that is full
}

func (q *queue[K, V]) put(key K, value V) {
	if q.values == nil {
		q.values = make(map[K]V)
	}
	if _, there := q.values[key]; !there {
		if len(q.order) < mostUnfinished {
			q.order = append(q.order, key)
		} else {
			delete(q.values, q.order[q.oldest])
			q.order[q.oldest] = key
			q.oldest = (q.oldest + 1) % mostUnfinished
		}
	}
	q.values[key] = value
}

// ended reports whether x was told at its end.
func ended(x *event.Exchange) bool {
	return x.Outcome != "pending" && !x.Streams() && x.ResponseBodyNote != "unread"
}

func (s *Store) requestKey(x *event.Exchange) uint64 {
	var h maphash.Hash
	h.SetSeed(s.seed)
	_, _ = h.WriteString(x.Session)
	_ = h.WriteByte(0)
	_, _ = h.WriteString(x.RequestID)
	return h.Sum64()
}

// replaceLocked takes away what was told of the exchange before its end. It is called after x was stored in r.
func (s *Store) replaceLocked(r *ring, x *event.Exchange) {
	if x.RequestID == "" {
		return
	}
	u, key := &s.unfinished, s.requestKey(x)
	before, there := u.waiting.values[key]
	if !there && ended(x) {
		return
	}
	u.waiting.put(key, x.Seq)
	if !there {
		return
	}
	for _, o := range r.owners {
		for _, t := range []*strand{&o.young, &o.kept} {
			seg, h := t.find(before)
			if h == nil || h.marks&dead != 0 {
				continue
			}
			s.endLocked(r, t, seg, h)
			u.replaced.put(before, x.Seq)
			return
		}
	}
}

// nowLocked is the number of the event that a number stands for today.
func (s *Store) nowLocked(seq event.Seq) event.Seq {
	for range mostUnfinished {
		next, there := s.unfinished.replaced.values[seq]
		if !there {
			break
		}
		seq = next
	}
	return seq
}
