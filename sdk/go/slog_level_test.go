//go:build go1.22

package gasoline

import (
	"bytes"
	"log"
	"log/slog"
	"strings"
	"testing"
)

// What the program asked slog's default handler to write is written through ours.
func TestTheDefaultHandlersLevel(t *testing.T) {
	d := newDaemon(t)
	c := d.start(Config{})
	to := log.Writer()
	defer log.SetOutput(to)
	var out bytes.Buffer
	log.SetOutput(&out)
	defer slog.SetLogLoggerLevel(slog.SetLogLoggerLevel(slog.LevelDebug))
	slog.New(c.Slog(slog.Default().Handler())).Debug("in detail")
	if !strings.HasSuffix(out.String(), "DEBUG in detail\n") {
		t.Errorf("%q", out.String())
	}
	d.flush(c)
	if logs := d.logs(); len(logs) != 1 {
		t.Errorf("%+v", logs)
	}
}
