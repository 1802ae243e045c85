package browser

import (
	"bytes"
	"encoding/base64"
	"image/jpeg"
	"math"
	"time"
	"unicode/utf8"

	"github.com/brennhill/gasoline/internal/event"
	"github.com/brennhill/gasoline/internal/wire"
)

// Bounds of single fields in bytes. What is longer is cut and the event flagged as truncated.
const (
	maxMessage  = 10 << 10
	maxRawStack = 10 << 10
	maxArgs     = 64 << 10 // JSON cannot be cut, so longer ones are left out
	maxURL      = 8 << 10
	maxData     = 4 << 10 // head of a message
	maxDetail   = 16 << 10
	maxPicture  = 500_000
	maxText     = 1 << 10 // names, selectors, labels
	maxWord     = 64      // closed sets of words
	maxID       = 128
	maxTestID   = 512
)

// Bounds of lists. What is beyond is left out and the event flagged as truncated.
const (
	maxStack     = 100
	maxCauses    = 15 // a chain of 5 and an aggregate of 10
	maxHeaders   = 200
	maxRedirects = 50
	maxLocators  = 20
	maxChanges   = 10
	maxTasks     = 200
	maxSums      = 50
)

// Numbers beyond these are not what they claim to be.
const (
	maxSeq   = 1 << 53
	maxMono  = 1e11 // ms: three years
	maxSize  = 1 << 50
	maxCount = 1 << 31
	maxSpan  = 1e10 // ms: four months
)

// bounded cuts fields and remembers whether it had to.
type bounded struct{ cut bool }

// text returns s, cut to max bytes at the bound of a character.
func (b *bounded) text(s string, limit int) string {
	if len(s) <= limit {
		return s
	}
	b.cut = true
	for limit > 0 && !utf8.RuneStart(s[limit]) {
		limit--
	}
	return s[:limit]
}

// json returns raw JSON that is not too long and no null, else "".
func (b *bounded) json(raw []byte, limit int) string {
	if len(raw) == 0 || string(raw) == "null" {
		return ""
	}
	if len(raw) > limit {
		b.cut = true
		return ""
	}
	return string(raw)
}

// picture returns the bytes of a JPEG in base64 that is not too long, else "": what is no picture would be kept uncleaned.
func (b *bounded) picture(s string) string {
	if s == "" {
		return ""
	}
	if base64.StdEncoding.DecodedLen(len(s)) <= maxPicture+2 {
		data, err := base64.StdEncoding.DecodeString(s)
		if err == nil && len(data) <= maxPicture {
			if _, err := jpeg.DecodeConfig(bytes.NewReader(data)); err == nil {
				return string(data)
			}
		}
	}
	b.cut = true
	return ""
}

// most returns xs without what is beyond the bound.
func most[T any](b *bounded, xs []T, limit int) []T {
	if len(xs) > limit {
		b.cut = true
		return xs[:limit:limit]
	}
	return xs
}

// milliseconds returns a number of milliseconds that can be one, else 0.
func milliseconds(ms float64) float64 {
	if !(ms > 0 && ms <= maxSpan) {
		return 0
	}
	return ms
}

// span returns milliseconds as a duration.
func span(ms float64) time.Duration {
	return time.Duration(milliseconds(ms) * float64(time.Millisecond))
}

// number returns a float that is finite, else 0.
func number(f float64) float64 {
	if math.IsNaN(f) || math.IsInf(f, 0) {
		return 0
	}
	return f
}

// size returns a size in bytes, -1 for what cannot be one.
func size(n int64) int64 {
	if n < 0 || n > maxSize {
		return -1
	}
	return n
}

// count returns a number from 0 to limit.
func count(n, limit int) int { return max(0, min(n, limit)) }

// head makes the head of an event from what all events have on the wire. seq has to be checked.
func (b *bounded) head(w *wire.Base) event.Head {
	h := event.Head{
		Time: when(w.T), Sender: w.Seq,
		TestID: b.text(w.TestID, maxTestID), Worker: b.text(w.Worker, maxID),
		TraceID: w.TraceID, SpanID: w.SpanID,
		Cause: event.Cause{Action: b.text(w.Action, maxID), Command: b.text(w.Command, maxID)},
	}
	if w.Mono > 0 && w.Mono <= maxMono {
		h.Mono = w.Mono
	}
	for _, f := range w.Flags {
		h.Flags |= event.FlagOf(f)
	}
	return h
}
