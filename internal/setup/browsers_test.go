package setup

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

const id = "abcdefghijklmnopabcdefghijklmnop"

func TestTheBrowsersOfAUserAreFoundByTheirFolders(t *testing.T) {
	for system, folders := range map[string][]string{
		"linux":   {"google-chrome", "BraveSoftware/Brave-Browser", "unrelated"},
		"darwin":  {"Google/Chrome", "BraveSoftware/Brave-Browser", "Firefox"},
		"windows": {"Google/Chrome/User Data", "BraveSoftware/Brave-Browser/User Data", "Temp"},
	} {
		config := t.TempDir()
		for _, f := range folders {
			if err := os.MkdirAll(filepath.Join(config, f), 0o700); err != nil {
				t.Fatal(err)
			}
		}
		var names []string
		for _, b := range browsersIn(system, config) {
			names = append(names, b.Name)
			if system == "windows" != (b.Key != "") || system == "windows" != (b.Dir == "") {
				t.Errorf("%s: %+v", system, b)
			}
		}
		if got := strings.Join(names, ", "); got != "Google Chrome, Brave" {
			t.Errorf("%s: %s", system, got)
		}
	}
}

func TestTheHostIsWrittenOnceAndTakenAway(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("Windows finds hosts by the registry")
	}
	profile := t.TempDir()
	other := filepath.Join(profile, "NativeMessagingHosts", "com.other.json")
	if err := os.MkdirAll(filepath.Dir(other), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(other, []byte("theirs"), 0o600); err != nil {
		t.Fatal(err)
	}
	state := filepath.Join(t.TempDir(), "it's a state")
	program := filepath.Join(t.TempDir(), "a 'program'")
	if err := os.WriteFile(program, []byte("#!/bin/sh\nprintf '%s|' \"$@\"\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	b := InProfile(profile)
	for _, standard := range []bool{true, false} {
		h := Host{Program: program, StateDir: state, Default: standard, ExtensionID: id}
		if h.Check(b) {
			t.Error("it is there before")
		}
		if changed, err := h.Install(b); err != nil || !changed || !h.Check(b) {
			t.Fatalf("%v %v", changed, err)
		}
		if changed, err := h.Install(b); err != nil || changed {
			t.Errorf("written again: %v %v", changed, err)
		}
		data, err := os.ReadFile(h.File(b))
		if err != nil {
			t.Fatal(err)
		}
		var m manifest
		if err := json.Unmarshal(data, &m); err != nil || m.Name != hostName || m.Type != "stdio" ||
			len(m.Origins) != 1 ||
			m.Origins[0] != "chrome-extension://"+id+"/" {
			t.Errorf("%s %v", data, err)
		}
		out, err := exec.Command(m.Path, m.Origins[0]).Output()
		want := m.Origins[0] + "|"
		if !standard {
			want = "--state-dir|" + state + "|" + want
		}
		if err != nil || string(out) != want {
			t.Errorf("the host is started with %q, want %q (%v)", out, want, err)
		}
	}
	h := Host{Program: program, StateDir: state, Default: true, ExtensionID: id}
	if changed, err := h.Remove(b); err != nil || !changed || h.Check(b) {
		t.Errorf("%v %v", changed, err)
	}
	if changed, err := h.Remove(b); err != nil || changed {
		t.Errorf("removed again: %v %v", changed, err)
	}
	if data, err := os.ReadFile(other); err != nil || string(data) != "theirs" {
		t.Errorf("another's file: %q %v", data, err)
	}
	left, err := filepath.Glob(filepath.Join(profile, "NativeMessagingHosts", "*"))
	if err != nil || len(left) != 1 {
		t.Errorf("%v %v", left, err)
	}
}

func TestADaemonSetsBrowsersUpUnlessTheUserSaidNo(t *testing.T) {
	h := Host{StateDir: filepath.Join(t.TempDir(), "state"), Default: true}
	if !h.Wanted() {
		t.Error("the first time")
	}
	if err := h.Keep(false); err != nil || h.Wanted() {
		t.Errorf("after --remove: %v", err)
	}
	if err := h.Keep(true); err != nil || !h.Wanted() {
		t.Errorf("after setup: %v", err)
	}
	if (Host{StateDir: h.StateDir}).Wanted() {
		t.Error("in another state directory")
	}
}
