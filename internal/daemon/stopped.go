package daemon

import (
	"errors"
	"os"
	"strconv"
	"strings"

	"github.com/brennhill/gasoline/internal/problem"
	"github.com/brennhill/gasoline/internal/state"
)

// Why a daemon stops.
var (
	errStopped   = errors.New("asked to stop")
	errReplaced  = errors.New("another one takes its place")
	errRestarted = errors.New("asked to restart")
	errMoved     = errors.New("the state directory is not at its place any more")
	errIdle      = errors.New("no client and no browser for long")
)

// interrupted is how a context of [os/signal.NotifyContext] says that it was Ctrl-C.
var interrupted = os.Interrupt.String() + " signal received"

// stoppedBy returns how a person asked for the stop with this cause; "" when nobody did.
func stoppedBy(cause error) string {
	switch {
	case errors.Is(cause, errStopped):
		return "by a request to stop it"
	case cause.Error() == interrupted:
		return "by Ctrl-C at its terminal"
	}
	return ""
}

// stoppedFile says that a person stopped the daemon of this place. It is there until the next one starts.
func (p Place) stoppedFile() string { return "run/stopped-" + strconv.Itoa(p.Port) }

// Stopped returns the mark of a person's stop, whose first line says how it was done; "" when there was none since the
// last start. Two stops have different marks.
func (p Place) Stopped() string {
	text, err := os.ReadFile(p.inState(p.stoppedFile()))
	if err != nil {
		return ""
	}
	return string(text)
}

// MarkStopped says to the clients of this place that a person stops its daemon, so that they start none by themselves.
// A start that is under way ends.
func (p Place) MarkStopped(by string) error {
	dir, err := p.Open()
	if err != nil {
		return err
	}
	defer dir.Close()
	err = p.markStopped(dir, by)
	p.started() // behind the mark: whoever misses the one finds the other
	return err
}

func (p Place) markStopped(dir *state.Dir, by string) error {
	return dir.Write(p.stoppedFile(), []byte(by+"\n"+newRun()+"\n"))
}

// UnmarkStopped takes the mark back: the daemon goes on.
func (p Place) UnmarkStopped() { _ = os.Remove(p.inState(p.stoppedFile())) } // there may be none

// stopped notes that a person stops this daemon.
func (d *parts) stopped(by string) {
	if mark := d.cfg.Stopped(); mark != "" { // who asked has said so
		by, _, _ = strings.Cut(mark, "\n")
	} else if err := d.cfg.markStopped(d.dir, by); err != nil {
		d.cfg.Log.Error("tell clients that the daemon was stopped", "error", err.Error())
	}
	d.end.Store(problem.New(problem.Stopped, "Ask whoever stopped it before you go on: the next call starts it again.",
		"the daemon was stopped %s. The call was under way: what it had begun may have been done.", by))
}

// whyStopped is calls.Runner's.
func (d *parts) whyStopped() error {
	if p := d.end.Load(); p != nil {
		return p
	}
	return nil
}

// shutdown stops the daemon for who asked over HTTP.
func (d *parts) shutdown(replaced bool) {
	if replaced {
		d.stop(errReplaced)
		return
	}
	d.stop(errStopped)
}
