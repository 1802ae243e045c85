package recording

import (
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"github.com/brennhill/gasoline/internal/answer"
	"github.com/brennhill/gasoline/internal/page"
	"github.com/brennhill/gasoline/internal/steps"
)

// Played is the result of a playback, as an answer.
type Played struct{ Record *Record }

// MarshalJSON gives the playback with what it is of, and what differs from the recording in lists of its own.
func (p *Played) MarshalJSON() ([]byte, error) {
	out := struct {
		RecordingID string `json:"recording_id"`
		PlaybackID  string `json:"playback_id"`
		Name        string `json:"name"`
		*Playback
		Drift drifts   `json:"drift"`
		Notes []string `json:"notes,omitempty"`
	}{p.Record.Playback.Of, p.Record.ID, p.Record.Name, p.Record.Playback, driftsOf(p.Record.Playback), p.Record.Lost.Notes()}
	return json.Marshal(out)
}

// drifts are the indexes of the steps that were not as recorded.
type drifts struct {
	Healed     []int `json:"healed"`
	Text       []int `json:"text"`
	Navigation []int `json:"navigation"`
}

func driftsOf(p *Playback) drifts {
	d := drifts{[]int{}, []int{}, []int{}}
	for _, r := range p.Results {
		if r.Status == "healed" {
			d.Healed = append(d.Healed, r.Index)
		}
		if r.Label != nil {
			d.Text = append(d.Text, r.Index)
		}
		if r.Went != nil {
			d.Navigation = append(d.Navigation, r.Index)
		}
	}
	return d
}

// Text writes the result for a reader.
func (p *Played) Text(w *answer.Writer) {
	b := p.Record.Playback
	d := driftsOf(b)
	line := fmt.Sprintf("playback of %s: %d of %d steps done in %s", b.Of, b.Executed-b.Failed, b.Total,
		answer.Took(time.Duration(b.MS)*time.Millisecond))
	for _, n := range []struct {
		count int
		what  string
	}{
		{b.Failed, "failed"}, {b.Total - b.Executed, "not begun"}, {len(d.Healed), "healed"},
		{len(d.Text), "with another text"}, {len(d.Navigation), "led elsewhere"},
	} {
		if n.count > 0 {
			line += fmt.Sprintf(", %d %s", n.count, n.what)
		}
	}
	w.Head("%s", line)
	switch b.Status {
	case "timeout":
		w.Note("the time was over before step %d; raise timeout_ms", b.Executed+1)
	case "cancelled":
		w.Note("it was cancelled before step %d", b.Executed+1)
	}
	for _, n := range p.Record.Lost.Notes() {
		w.Note("%s", n)
	}
	w.Note(`playback %s; configure {"action":"log_diff","original_id":%q} compares what was logged`, p.Record.ID, b.Of)
	w.Page(answer.Origin(p.Record.StartURL))
	for i, r := range b.Results {
		if w.Room() < 600 {
			w.Note("%d more steps are not shown; a larger budget shows them", len(b.Results)-i)
			break
		}
		w.Lines([]page.Text{page.Wrote(lineOf(r))})
		w.Lines(r.Page)
	}
}

// lineOf says what became of a step.
func lineOf(r steps.Result) string {
	out := fmt.Sprintf("%d %s %s", r.Index+1, r.Type, r.Status)
	if r.Selector != "" {
		out += " by " + answer.Cut(answer.Clean(r.Selector), 120)
	}
	if r.Fragile {
		out += " (fragile)"
	}
	out += fmt.Sprintf(", %d ms", r.MS)
	if r.Best != "" {
		out += fmt.Sprintf("; recorded as %s, %s", answer.Cut(answer.Clean(r.Best), 120), r.Why)
	}
	if r.Label != nil {
		out += fmt.Sprintf("; its name was %q and is %q", answer.Cut(answer.Clean(r.Label.Recorded), 60),
			answer.Cut(answer.Clean(r.Label.Now), 60))
	}
	if r.Went != nil {
		out += fmt.Sprintf("; it led to %s and now to %s", answer.Short(r.Went.Recorded, 120), answer.Short(r.Went.Now, 120))
	}
	if r.Error != "" {
		out += strings.TrimRight(fmt.Sprintf("; error=%s %s %s", r.Error, answer.Clean(r.Message), answer.Clean(r.Fix)), " ")
	}
	return out
}
