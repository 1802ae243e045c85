package daemon

import (
	"os"
	"path/filepath"
	"testing"
	"time"
)

// A starter that died left its mark, and the clock was set back since: that does not keep a daemon from being started.
func TestAMarkOfTheFutureKeepsNobody(t *testing.T) {
	for _, age := range []time.Duration{time.Hour, -time.Hour} {
		p := place(t)
		ran := filepath.Join(t.TempDir(), "ran")
		p.Program = filepath.Join(t.TempDir(), "program")
		if err := os.WriteFile(p.Program, []byte("#!/bin/sh\n: > "+ran+"\n"), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.MkdirAll(filepath.Dir(p.markFile()), 0o700); err != nil {
			t.Fatal(err)
		}
		at := time.Now().Add(-age)
		if err := os.WriteFile(p.markFile(), nil, 0o600); err != nil {
			t.Fatal(err)
		}
		if err := os.Chtimes(p.markFile(), at, at); err != nil {
			t.Fatal(err)
		}
		if err := p.Spawn(); err != nil {
			t.Fatal(err)
		}
		st, err := os.Stat(p.markFile())
		if err != nil || time.Since(st.ModTime()).Abs() > time.Minute {
			t.Errorf("a mark of %v ago is taken for a start: %v", age, err)
		}
		for end := time.Now().Add(20 * time.Second); ; time.Sleep(5 * time.Millisecond) {
			if _, err := os.Stat(ran); err == nil {
				break
			}
			if time.Now().After(end) {
				t.Fatalf("a mark of %v ago: nothing was started", age)
			}
		}
	}
}
