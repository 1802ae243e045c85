package main

import (
	"strings"
	"testing"
)

func TestExportOfATimeThatIsNone(t *testing.T) {
	m := newMachine(t)
	m.run("sources") // starts a daemon
	_, stderr, code := m.run("export", "--otlp", "http://127.0.0.1:1", "--since", "yesterday")
	if code != exitUsage || !strings.Contains(stderr, `since "yesterday" is neither`) {
		t.Errorf("%d: %s", code, stderr)
	}
}
