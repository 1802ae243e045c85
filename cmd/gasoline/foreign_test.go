//go:build unix

package main

import (
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
)

// A repository may bring a state directory along and name it in a client's settings: nothing in it is followed.
func TestAStateDirectoryThatCameWithARepositoryStartsNothing(t *testing.T) {
	t.Parallel()
	var asked atomic.Int32
	place := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { asked.Add(1) }))
	defer place.Close()
	for name, c := range map[string]struct {
		git, inside bool
		want        string
	}{
		"in the work tree":        {git: true, inside: true, want: "is in the project"},
		"in the caller's project": {inside: true, want: "is in the project"},
		"elsewhere":               {want: "was not made by Gasoline on this machine"},
	} {
		t.Run(name, func(t *testing.T) {
			m := newMachine(t)
			if c.inside {
				m.place.StateDir = filepath.Join(m.dir, ".cache", "gasoline")
			}
			if c.git {
				must(t, os.Mkdir(filepath.Join(m.dir, ".git"), 0o700))
			}
			must(t, os.MkdirAll(m.place.StateDir, 0o700))
			must(t, os.WriteFile(filepath.Join(m.place.StateDir, "gasoline.json"), []byte(
				`{"services": {"api": {"sources": [{"type": "jaeger", "url": "`+place.URL+`", "service": "api", "tail": true, `+
					`"token_env": "HOME"}]}}}`), 0o600))
			m.env = append(m.env, "GASOLINE_STATE_DIR="+m.place.StateDir)
			b := m.bridge()
			b.send(`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},` +
				`"clientInfo":{"name":"c","version":"1"}}}`)
			if got := b.read(); got.Error == nil || !strings.Contains(got.Error.Message, c.want) ||
				!strings.Contains(got.Error.Message, "--state-dir") {
				t.Errorf("the client reads %+v", got)
			}
			if _, errs, code := m.run("observe", "logs"); code == 0 || !strings.Contains(errs, c.want) {
				t.Errorf("a command: %d %s", code, errs)
			}
			if _, errs, code := m.run("serve"); code != exitUser || !strings.Contains(errs, c.want) {
				t.Errorf("serve: %d %s", code, errs)
			}
			if _, held := m.place.Running(); held || asked.Load() > 0 {
				t.Errorf("a daemon runs: %v; the repository's host was asked %d times", held, asked.Load())
			}
		})
	}
}

// The user's own directory has a gasoline.json only when the user allowed it.
func TestTheStateDirectorysOwnSourcesAreAllowedToo(t *testing.T) {
	t.Parallel()
	m := newMachine(t)
	m.run("sources")
	file := filepath.Join(m.place.StateDir, "gasoline.json")
	must(t, os.WriteFile(file, []byte(`{"services": {"api": {"sources": [{"type": "file", "path": "x/*.log"}]}}}`), 0o600))
	eventually(t, "it is told", func() bool {
		out, _, code := m.run("sources")
		return code == exitUser && strings.Contains(out, "gasoline sources allow "+m.place.StateDir) && !strings.Contains(out, "api/file")
	})
	if out, errs, code := m.run("sources", "allow", "--yes", m.place.StateDir); code != 0 {
		t.Fatalf("allow: %d %s %s", code, out, errs)
	}
	eventually(t, "it is followed", func() bool {
		out, _, code := m.run("sources")
		return code == 0 && strings.Contains(out, "api/file")
	})
}

func TestAClientThatIsStartedAnywhereHasNoProject(t *testing.T) {
	t.Parallel()
	m := newMachine(t)
	m.env = append(m.env, "HOME="+m.dir)
	for _, dir := range []string{m.dir, "/"} {
		m.dir = dir
		_, errs, code := m.run("configure", "store", "--namespace", "selectors")
		if code == 0 || !strings.Contains(errs, "project is not known") || !strings.Contains(errs, "X-Gasoline-Project") {
			t.Errorf("in %s: %d %s", dir, code, errs)
		}
	}
}
