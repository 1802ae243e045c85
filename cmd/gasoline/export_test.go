package main

import (
	"context"
	"net/http"
	"net/http/httptest"
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

// A person sees that a receiver takes its time.
func TestExportSaysThatItWaits(t *testing.T) {
	release := make(chan struct{})
	receiver := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { <-release }))
	defer receiver.Close()
	defer close(release)
	m := newMachine(t)
	m.run("sources") // starts a daemon
	if code, text := m.ask(http.MethodPost, "/logs", `{"entries":[{"level":"error","message":"x"}]}`); code != http.StatusOK {
		t.Fatalf("%d %s", code, text)
	}
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	cmd := m.command(ctx, "export", "--otlp", receiver.URL)
	said := &heard{}
	cmd.Stderr = said
	must(t, cmd.Start())
	eventually(t, "it is said", func() bool { return strings.Contains(said.String(), "waiting for "+receiver.Listener.Addr().String()) })
	cancel()
	_ = cmd.Wait() // it was killed
}
