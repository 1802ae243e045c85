//go:build !windows

package daemon

import (
	"encoding/json"
	"os"
	"strings"
	"testing"

	"github.com/brennhill/gasoline/internal/testkit"
	"github.com/brennhill/gasoline/internal/wire"
)

// That others could use the state directory until the start is told by health and doctor.
func TestDoctorTellsWhatOthersCouldUse(t *testing.T) {
	p := place(t)
	if err := os.MkdirAll(p.StateDir, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(p.StateDir, 0o777); err != nil {
		t.Fatal(err)
	}
	p.Port = testkit.Port(t)
	d := start(t, config(p))
	want := p.StateDir + " could"
	var h wire.Health
	if _, text := d.ask("GET", "/health", ""); json.Unmarshal([]byte(text), &h) != nil ||
		!strings.Contains(strings.Join(h.Problems, "\n"), want) {
		t.Errorf("health lacks %q: %+v", want, h)
	}
	if _, doctor := d.ask("GET", "/doctor", ""); !strings.Contains(doctor, want) {
		t.Errorf("doctor lacks %q: %s", want, doctor)
	}
	if err := d.stop(); err != nil {
		t.Error(err)
	}
}
