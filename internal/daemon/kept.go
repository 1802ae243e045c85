package daemon

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"strconv"
	"strings"
	"time"

	"github.com/brennhill/gasoline/internal/answer"
	"github.com/brennhill/gasoline/internal/state"
)

const (
	countEvery = 5 * time.Second  // how often what is kept is counted for the next daemon
	tellFor    = 10 * time.Minute // for so long after its start, a daemon tells new clients what an earlier one had
)

// kept is what a daemon had in its rings, for the next one to say that it is lost. The file has counts only.
type kept struct {
	Events int       `json:"events"`
	Since  time.Time `json:"since"`            // when the oldest came, or the daemon started
	At     time.Time `json:"at"`               // of the count
	Ended  bool      `json:"ended"`            // that was at the end; else more may have come
	Alerts bool      `json:"alerts,omitempty"` // clients had enabled them
}

func (p Place) keptFile() string { return "run/kept-" + strconv.Itoa(p.Port) + ".json" }

// readKept returns what the daemon before this one had; nil when there was none, or it had nothing.
func (p Place) readKept(dir *state.Dir) (*kept, error) {
	data, err := dir.Read(p.keptFile())
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	var k kept
	if err == nil {
		err = json.Unmarshal(data, &k)
	}
	if err != nil || k.Ended && k.Events == 0 && !k.Alerts {
		return nil, err
	}
	return &k, nil
}

// isNews reports whether clients that did not know the earlier daemon are told of what it had.
func (d *parts) isNews() bool {
	e := d.earlier
	return e != nil && time.Since(d.started) < tellFor && (!e.Ended || d.started.Sub(e.At) < tellFor)
}

// count writes what is kept, where that is not what the file says. As long as clients are told what the earlier daemon had,
// that is in it: a daemon that ends soon has told few.
func (d *parts) count(ended bool) error {
	now := kept{Since: d.started, Ended: ended, Alerts: d.alerts != nil && d.alerts.Any()}
	for _, r := range d.store.Stats().Rings {
		if r.Entries > 0 && (now.Events == 0 || r.Oldest.Before(now.Since)) {
			now.Since = r.Oldest
		}
		now.Events += r.Entries
	}
	if d.isNews() {
		now.Events += d.earlier.Events
		now.Since = d.earlier.Since
		now.Ended = ended && d.earlier.Ended
		now.Alerts = now.Alerts || d.earlier.Alerts
	}
	if now == d.counted {
		return nil
	}
	written := now
	written.At = time.Now()
	data, err := json.Marshal(written)
	if err != nil {
		return err
	}
	if err := d.dir.Write(d.cfg.keptFile(), append(data, '\n')); err != nil {
		return fmt.Errorf("keep how much is kept: %w", err)
	}
	d.counted = now
	return nil
}

// lost is what a client's first answer says of what an earlier daemon had, "" nothing. before is when the client was last
// in contact with another run, zero: never.
func (d *parts) lost(client string, before time.Time) string {
	if before.IsZero() && !d.isNews() || !d.registry.First(client) {
		return ""
	}
	var what []string
	e := d.earlier
	switch {
	case e == nil:
	case e.Events == 0:
		what = append(what, "it had been started at "+answer.Clock(e.Since))
	case e.Ended:
		what = append(what, fmt.Sprintf("%s since %s", plural(e.Events, "events"), answer.Clock(e.Since)))
	default:
		what = append(what, fmt.Sprintf("%s since %s, as counted at %s", plural(e.Events, "events"), answer.Clock(e.Since), answer.Clock(e.At)))
	}
	if !before.IsZero() {
		what = append(what, "last contact with the earlier one: "+answer.Clock(before))
	}
	out := fmt.Sprintf("history lost: the daemon was started anew at %s; what was captured before is gone (%s)",
		answer.Clock(d.started), strings.Join(what, "; "))
	if e != nil && e.Alerts {
		out += `; alerts that were enabled ended, configure {"action":"streaming","operation":"enable"} begins them again`
	}
	return out
}
