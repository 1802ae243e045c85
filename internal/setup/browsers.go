package setup

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"

	"github.com/brennhill/gasoline/internal/shell"
	"github.com/brennhill/gasoline/internal/state"
)

// hostName is the name by which the extension asks for the host; see
// https://developer.chrome.com/docs/extensions/develop/concepts/native-messaging.
const hostName = "com.brennhill.gasoline"

// Browser is a place where a browser looks for hosts.
type Browser struct {
	Name string
	Dir  string // folder of the manifests; on Windows "", there the registry names the file
	Key  string // registry key on Windows
}

// vendor is a browser of the Chromium family: its folder of user data on each system, and its key.
type vendor struct{ name, linux, mac, windows, key string }

var vendors = []vendor{
	{"Google Chrome", "google-chrome", "Google/Chrome", `Google\Chrome\User Data`, `Google\Chrome`},
	{"Google Chrome Beta", "google-chrome-beta", "Google/Chrome Beta", "", ""},
	{"Google Chrome Dev", "google-chrome-unstable", "Google/Chrome Dev", "", ""},
	{"Google Chrome Canary", "", "Google/Chrome Canary", "", ""},
	{"Chrome for Testing", "google-chrome-for-testing", "Google/Chrome for Testing", "", ""},
	{"Chromium", "chromium", "Chromium", `Chromium\User Data`, "Chromium"},
	{"Microsoft Edge", "microsoft-edge", "Microsoft Edge", `Microsoft\Edge\User Data`, `Microsoft\Edge`},
	{
		"Brave",
		"BraveSoftware/Brave-Browser",
		"BraveSoftware/Brave-Browser",
		`BraveSoftware\Brave-Browser\User Data`,
		`BraveSoftware\Brave-Browser`,
	},
	{"Vivaldi", "vivaldi", "Vivaldi", `Vivaldi\User Data`, "Vivaldi"},
	{"Opera", "opera", "com.operasoftware.Opera", `Opera Software\Opera Stable`, "Opera Software"},
}

// Browsers returns the browsers of this user, by their folders. A browser that was never started has none.
func Browsers() []Browser {
	config, err := os.UserConfigDir() // macOS: Application Support; Linux: XDG
	if runtime.GOOS == "windows" {
		config, err = os.Getenv("LOCALAPPDATA"), nil
	}
	if err != nil || config == "" {
		return nil
	}
	return browsersIn(runtime.GOOS, config)
}

func browsersIn(system, config string) []Browser {
	var out []Browser
	for _, v := range vendors {
		folder := map[string]string{"linux": v.linux, "darwin": v.mac, "windows": v.windows}[system]
		if folder == "" {
			continue
		}
		data := filepath.Join(config, filepath.FromSlash(strings.ReplaceAll(folder, `\`, "/")))
		if st, err := os.Stat(data); err != nil || !st.IsDir() {
			continue
		}
		b := InProfile(data)
		b.Name = v.name
		if system == "windows" {
			b = Browser{Name: v.name, Key: `HKCU\Software\` + v.key + `\NativeMessagingHosts\` + hostName}
		}
		out = append(out, b)
	}
	return out
}

// InProfile is a browser that was started with --user-data-dir. Not on Windows, where the registry
// counts for all of them.
func InProfile(userData string) Browser {
	return Browser{Name: userData, Dir: filepath.Join(userData, "NativeMessagingHosts")}
}

// Host is the program that a browser starts for the extension.
type Host struct {
	Program     string // absolute path
	StateDir    string // absolute path
	Default     bool   // StateDir is the one that the program takes without being told
	ExtensionID string
}

type manifest struct {
	Name        string   `json:"name"`
	Description string   `json:"description"`
	Path        string   `json:"path"`
	Type        string   `json:"type"`
	Origins     []string `json:"allowed_origins"`
}

// manifest returns the file that browsers read, as it has to be.
func (h Host) manifest() ([]byte, error) {
	path := h.Program
	if !h.Default {
		path = h.wrapper()
	}
	out, err := json.MarshalIndent(
		manifest{hostName, "Pairs the Gasoline extension with the daemon of this user.", path, "stdio",
			[]string{"chrome-extension://" + h.ExtensionID + "/"}},
		"",
		"  ",
	)
	return append(out, '\n'), err
}

// wrapper is the script that starts the program with its state directory: a manifest has no arguments.
func (h Host) wrapper() string {
	if runtime.GOOS == "windows" {
		return filepath.Join(h.StateDir, "native-host.cmd")
	}
	return filepath.Join(h.StateDir, "native-host")
}

func (h Host) script() []byte {
	if runtime.GOOS == "windows" {
		return []byte("@echo off\r\n\"" + h.Program + "\" --state-dir \"" + h.StateDir + "\" %*\r\n")
	}
	return []byte("#!/bin/sh\nexec " + shell.Word(h.Program) + " --state-dir " + shell.Word(h.StateDir) + " \"$@\"\n")
}

// File returns the manifest's path for a browser.
func (h Host) File(b Browser) string {
	if b.Dir == "" {
		return filepath.Join(h.StateDir, hostName+".json")
	}
	return filepath.Join(b.Dir, hostName+".json")
}

// Check reports whether a browser finds this host.
func (h Host) Check(b Browser) bool {
	want, err := h.manifest()
	if err != nil {
		return false
	}
	have, err := os.ReadFile(h.File(b))
	if err != nil || !bytes.Equal(have, want) {
		return false
	}
	if !h.Default {
		have, err = os.ReadFile(h.wrapper())
		return err == nil && bytes.Equal(have, h.script())
	}
	return true
}

// Install lets a browser find this host. It writes the one file that has our name, and nothing when
// that is as it has to be.
func (h Host) Install(b Browser) (changed bool, err error) {
	if h.Check(b) {
		return false, nil
	}
	out, err := h.manifest()
	if err != nil {
		return false, err
	}
	if !h.Default {
		dir, err := state.Open(h.StateDir)
		if err != nil {
			return false, err
		}
		if err := dir.Close(); err != nil {
			return false, err
		}
		if err := replace(h.wrapper(), h.script(), 0o700); err != nil {
			return false, err
		}
	}
	file := h.File(b)
	if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
		return false, fmt.Errorf("make the folder of %s's hosts: %w", b.Name, err)
	}
	if err := replace(file, out, 0o600); err != nil {
		return false, err
	}
	if b.Key != "" {
		if text, err := exec.Command("reg.exe", "add", b.Key, "/ve", "/t", "REG_SZ", "/d", file,
			"/f").CombinedOutput(); err != nil {
			return true, fmt.Errorf("write the registry for %s: %w: %s", b.Name, err, bytes.TrimSpace(text))
		}
	}
	return true, nil
}

// Remove takes the host away from a browser.
func (h Host) Remove(b Browser) (changed bool, err error) {
	err = os.Remove(h.File(b))
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	if err == nil && b.Key != "" {
		err = exec.Command("reg.exe", "delete", b.Key, "/f").Run()
	}
	return err == nil, err
}

// optOut is a file of the state directory: with it a starting daemon leaves browsers alone.
const optOut = "no-browser-setup"

// Wanted reports whether a starting daemon may install the host: in the default state directory, unless
// the user removed it. Daemons of other directories are experiments, and the last one would win.
func (h Host) Wanted() bool {
	_, err := os.Lstat(filepath.Join(h.StateDir, optOut))
	return h.Default && errors.Is(err, fs.ErrNotExist)
}

// Keep notes whether the user wants the host.
func (h Host) Keep(wanted bool) error {
	file := filepath.Join(h.StateDir, optOut)
	if wanted {
		if err := os.Remove(file); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
		return nil
	}
	if err := os.MkdirAll(h.StateDir, 0o700); err != nil {
		return err
	}
	return replace(file, nil, 0o600)
}
