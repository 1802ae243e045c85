package main

import (
	"bytes"
	"context"
	"encoding/binary"
	"encoding/json"
	"io"
	"net"
	"net/http"
	"os"
	"strconv"
	"strings"
	"testing"

	"github.com/brennhill/gasoline/internal/daemon"
	"github.com/brennhill/gasoline/internal/proof"
	"github.com/brennhill/gasoline/internal/wire"
)

// native starts the program as a browser does, sends one message and returns its one answer; nil when
// it ended without one.
func (m *machine) native(origin string, message []byte, size int) *wire.NativeAnswer {
	m.t.Helper()
	ctx, cancel := context.WithTimeout(m.t.Context(), within)
	defer cancel()
	cmd := m.command(ctx, "--state-dir", m.place.StateDir, origin)
	cmd.Stdin = io.MultiReader(
		bytes.NewReader(binary.NativeEndian.AppendUint32(nil, uint32(size))),
		bytes.NewReader(message),
	)
	out, err := cmd.Output()
	if len(out) < 4 {
		if err == nil {
			m.t.Errorf("%s: ended without an answer and without an error", origin)
		}
		return nil
	}
	var a wire.NativeAnswer
	if n := binary.NativeEndian.Uint32(out); int(n) != len(out)-4 || json.Unmarshal(out[4:], &a) != nil || err != nil {
		m.t.Fatalf("%v: %q", err, out)
	}
	return &a
}

func (m *machine) pairNative() *wire.NativeAnswer {
	m.t.Helper()
	ask, err := json.Marshal(wire.NativeRequest{Port: m.place.Port, Session: "s1", Name: "Chromium"})
	if err != nil {
		m.t.Fatal(err)
	}
	id, err := daemon.ExtensionID()
	if err != nil {
		m.t.Fatal(err)
	}
	return m.native("chrome-extension://"+id+"/", ask, len(ask))
}

func TestABrowserPairsByStartingTheProgram(t *testing.T) {
	m := newMachine(t)
	if a := m.pairNative(); a == nil || a.Problem == nil || a.Problem.Code != "no_daemon" {
		t.Fatalf("without a daemon: %+v", a)
	}
	m.run("observe", "logs")
	m.dir = m.place.StateDir // a browser starts it in the folder of its script
	a := m.pairNative()
	if a == nil || a.Problem != nil || len(a.Key) != 64 {
		t.Fatalf("%+v", a)
	}
	// The daemon knows the key now.
	nonce := proof.Nonce()
	_, text := m.ask(http.MethodPost, "/prove", `{"nonce":"`+nonce+`","key_id":"`+a.KeyID+`"}`)
	var p wire.ProveAnswer
	token, err := m.place.Token()
	if json.Unmarshal([]byte(text), &p) != nil || err != nil ||
		p.Proof != proof.OfDaemon(proof.KeyOf(token, a.KeyID), nonce, m.place.Port, p.Server.Run, p.Boot, a.KeyID) {
		t.Errorf("%s", text)
	}
	if proof.Hex(proof.KeyOf(token, a.KeyID)) != a.Key {
		t.Error("the browser has another key")
	}
	ask := []byte(`{"port":` + strconv.Itoa(m.place.Port) + `,"session":"s1"}`)
	id, _ := daemon.ExtensionID() // checked above
	for what, c := range map[string]struct {
		origin string
		size   int
	}{
		"another extension": {"chrome-extension://" + strings.Repeat("a", 32) + "/", len(ask)},
		"a longer id":       {"chrome-extension://" + id + "x/", len(ask)},
		"too long":          {"chrome-extension://" + id + "/", 1 << 30},
		"cut off":           {"chrome-extension://" + id + "/", len(ask) + 1},
		"no JSON":           {"chrome-extension://" + id + "/", 3},
	} {
		if a := m.native(c.origin, ask, c.size); a != nil {
			t.Errorf("%s: %+v", what, a)
		}
	}
}

// The program names a stranger to the extension, and sends it a challenge only.
func TestTheHostOfABrowserNamesAStranger(t *testing.T) {
	m := newMachine(t)
	l, err := net.Listen("tcp4", net.JoinHostPort("127.0.0.1", strconv.Itoa(m.place.Port)))
	must(t, err)
	heard := make(chan string, 10)
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				close(heard)
				return
			}
			buf := make([]byte, 4096)
			n, _ := c.Read(buf) // it is looked at below
			heard <- string(buf[:n])
			_ = c.Close()
		}
	}()
	a := m.pairNative()
	l.Close()
	if a == nil || a.Problem == nil || a.Problem.Code != "foreign_port" || a.Problem.Fix == "" || a.Key != "" {
		t.Errorf("%+v", a)
	}
	for text := range heard {
		if !strings.HasPrefix(text, "POST /prove ") || strings.Contains(text, "Chromium") ||
			strings.Contains(text, "Authorization") {
			t.Errorf("it got %q", text)
		}
	}
}

// A daemon in a state directory of its own leaves the user's browsers alone.
func TestOnlyADaemonOfTheDefaultDirectorySetsBrowsersUp(t *testing.T) {
	m := newMachine(t)
	home := t.TempDir()
	must(t, os.MkdirAll(home+"/.config/chromium", 0o700))
	m.env = append(m.env, "HOME="+home, "XDG_CONFIG_HOME="+home+"/.config")
	m.run("observe", "logs")
	if _, err := os.Stat(home + "/.config/chromium/NativeMessagingHosts"); err == nil {
		t.Error("it wrote into a browser's folder")
	}
	if out, errs, code := m.run("setup", "browser", "--check"); code != exitUser ||
		!strings.Contains(out, "Chromium: not set up") {
		t.Errorf("%d %s%s", code, out, errs)
	}
	if out, errs, code := m.run("setup", "browser"); code != exitOK || !strings.Contains(out, "Chromium: written") {
		t.Errorf("%d %s%s", code, out, errs)
	}
	if out, errs, code := m.run("setup", "browser", "--check"); code != exitOK ||
		!strings.Contains(out, "Chromium: is there") {
		t.Errorf("%d %s%s", code, out, errs)
	}
	if out, errs, code := m.run("setup", "browser", "--remove"); code != exitOK ||
		!strings.Contains(out, "Chromium: removed") {
		t.Errorf("%d %s%s", code, out, errs)
	}
}
