package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/brennhill/gasoline/internal/shell"
)

func TestWhatTrustWouldDo(t *testing.T) {
	all := func(string) bool { return true }
	none := func(string) bool { return false }
	for name, c := range map[string]struct {
		machine trustMachine
		remove  bool
		want    string
		manual  int
	}{
		"macOS": {
			trustMachine{OS: "darwin", Home: "/home/me", Has: all}, false,
			"security add-trusted-cert -r trustRoot -p ssl -k /home/me/Library/Keychains/login.keychain-db /s/ca.crt", 0,
		},
		"macOS, back": {trustMachine{OS: "darwin", Has: all}, true, "security remove-trusted-cert /s/ca.crt", 0},
		"Windows":     {trustMachine{OS: "windows", Has: all}, false, "certutil -user -addstore Root /s/ca.crt", 0},
		"Windows, back": {
			trustMachine{OS: "windows", Has: all}, true, "certutil -user -delstore Root 'Gasoline local authority'", 0,
		},
		"Linux": {
			trustMachine{OS: "linux", Home: "/home/me", Has: all}, false,
			"certutil -d sql:/home/me/.pki/nssdb -A -t C,, -n 'Gasoline local authority' -i /s/ca.crt\n" +
				"sudo cp /s/ca.crt /usr/local/share/ca-certificates/gasoline.crt\nsudo update-ca-certificates", 2,
		},
		"Linux, back, as root": {
			trustMachine{OS: "linux", Home: "/home/me", Root: true, Has: all}, true,
			"certutil -d sql:/home/me/.pki/nssdb -D -n 'Gasoline local authority'\n" +
				"rm /usr/local/share/ca-certificates/gasoline.crt\nupdate-ca-certificates --fresh", 0,
		},
		"Linux without anything": {
			trustMachine{OS: "linux", Home: "/home/me", Has: none}, false,
			"mkdir -p /home/me/.pki/nssdb\ncertutil -d sql:/home/me/.pki/nssdb -N --empty-password\n" +
				"certutil -d sql:/home/me/.pki/nssdb -A -t C,, -n 'Gasoline local authority' -i /s/ca.crt", 2,
		},
		"Linux without anything, back": {trustMachine{OS: "linux", Has: none}, true, "", 0},
	} {
		var lines []string
		manual := 0
		for _, s := range trustSteps(c.machine, "/s/ca.crt", c.remove) {
			lines = append(lines, shell.Line(s.Command...))
			if s.Manual {
				manual++
			}
		}
		if got := strings.Join(lines, "\n"); got != c.want || manual != c.manual {
			t.Errorf("%s: %d by hand\n%s", name, manual, got)
		}
	}
}

func TestTrustChangesNothingUnasked(t *testing.T) {
	home, dir := t.TempDir(), t.TempDir()
	t.Setenv("HOME", home)
	run := func(args ...string) (int, string) {
		var out strings.Builder
		code := executeWith(t.Context(), append([]string{"trust", "--state-dir", dir}, args...), &out, &out)
		return code, out.String()
	}
	if code, text := run("--dry-run"); code != exitOK || !strings.Contains(text, "pin        sha256//") ||
		!strings.Contains(text, filepath.Join(dir, "tls", "ca.crt")) {
		t.Fatalf("%d %s", code, text)
	}
	if code, text := run(); code != exitUser || !strings.Contains(text, "--yes") {
		t.Errorf("without a terminal: %d %s", code, text)
	}
	if left, err := os.ReadDir(home); err != nil || len(left) > 0 {
		t.Errorf("the home directory has %v, %v", left, err)
	}
}
