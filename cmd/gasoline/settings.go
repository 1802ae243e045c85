package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/brennhill/gasoline/internal/daemon"
	"github.com/brennhill/gasoline/internal/toolset"
)

// Exit codes. They are API.
const (
	exitOK          = 0
	exitError       = 1 // the tool answered with an error
	exitUsage       = 2
	exitDown        = 3   // no daemon
	exitUser        = 4   // the user has to do something: pilot, grant, pairing
	exitNoDaemon    = 5   // a bridge ended and could not reach a daemon
	exitInterrupted = 130 // by Ctrl-C
	exitTerminated  = 143 // by SIGTERM
)

const (
	defaultPort   = "7890"
	defaultMemory = "200MB"
)

// settings are the flags that every command has, as they were given. What is empty comes from the
// environment, then from the default.
type settings struct {
	port, stateDir, memory string

	toolset string // of a bridge and of setup only
}

// setting is a value that is in force, and where it came from.
type setting struct {
	Value string `json:"value"`
	From  string `json:"from"` // a flag, a variable of the environment, default, or the running daemon
}

func resolve(flag, given, env, standard string) setting {
	if given != "" {
		return setting{given, flag}
	}
	if v := os.Getenv(env); v != "" {
		return setting{v, env}
	}
	return setting{standard, "default"}
}

// inForce resolves the settings. The default state directory is "" when there is no home directory.
func (s settings) inForce() (port, stateDir, memory setting) {
	home := ""
	if dir, err := os.UserHomeDir(); err == nil {
		home = filepath.Join(dir, ".gasoline")
	}
	return resolve("--port", s.port, "GASOLINE_PORT", defaultPort),
		resolve("--state-dir", s.stateDir, "GASOLINE_STATE_DIR", home),
		resolve("--memory", s.memory, "GASOLINE_MEMORY", defaultMemory)
}

// given are the flags as they were given: with them a command means the same place.
func (s settings) given() (out []string) {
	for _, f := range [][2]string{{"--port", s.port}, {"--state-dir", s.stateDir}, {"--memory", s.memory}} {
		if f[1] != "" {
			out = append(out, f[0], f[1])
		}
	}
	return out
}

// tools returns the toolset that a client is to see; "" is the usual one.
func (s settings) tools() (string, error) {
	named := resolve("--toolset", s.toolset, "GASOLINE_TOOLSET", "")
	if toolset.Of(named.Value) == nil {
		return "", fmt.Errorf("toolset %q (%s) is none of %s", named.Value, named.From, strings.Join(toolset.Names, ", "))
	}
	return named.Value, nil
}

// place checks the settings and returns what they mean.
func (s settings) place() (daemon.Place, error) {
	port, stateDir, memory := s.inForce()
	n, err := strconv.Atoi(port.Value)
	if err != nil || n < 1 || n > 65535 {
		return daemon.Place{}, fmt.Errorf("port %q (%s) is not between 1 and 65535", port.Value, port.From)
	}
	if stateDir.Value == "" {
		return daemon.Place{}, errors.New("no home directory; give --state-dir")
	}
	dir, err := filepath.Abs(stateDir.Value)
	if err != nil {
		return daemon.Place{}, fmt.Errorf("state directory: %w", err)
	}
	if _, err := daemon.ParseMemory(memory.Value); err != nil {
		return daemon.Place{}, fmt.Errorf("%w (%s)", err, memory.From)
	}
	program, err := os.Executable()
	if err != nil {
		return daemon.Place{}, fmt.Errorf("find this program: %w", err)
	}
	place := daemon.Place{StateDir: dir, Port: n, Program: program, Caller: projectRoot()}
	if memory.From != "default" {
		place.Memory = memory.Value
	}
	return place, nil
}

// size writes bytes as --memory takes them.
func size(n int64) string {
	if n%(1<<30) == 0 {
		return strconv.FormatInt(n>>30, 10) + "GB"
	}
	return strconv.FormatFloat(float64(n)/(1<<20), 'f', -1, 64) + "MB"
}
