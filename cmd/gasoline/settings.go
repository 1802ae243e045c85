package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"

	"github.com/brennhill/gasoline/internal/daemon"
)

// Exit codes. They are API.
const (
	exitOK    = 0
	exitError = 1 // the tool answered with an error
	exitUsage = 2
	exitDown  = 3 // no daemon
	exitUser  = 4 // the user has to do something: pilot, grant, pairing
)

const defaultPort = 7890

// settings are the flags that every command has, as they were given. What is empty comes from the
// environment, then from the default.
type settings struct {
	port, stateDir, memory string
}

// place resolves the settings.
func (s settings) place() (daemon.Place, error) {
	port := first(s.port, os.Getenv("GASOLINE_PORT"), strconv.Itoa(defaultPort))
	n, err := strconv.Atoi(port)
	if err != nil || n < 1 || n > 65535 {
		return daemon.Place{}, fmt.Errorf("port %q is not between 1 and 65535", port)
	}
	dir := first(s.stateDir, os.Getenv("GASOLINE_STATE_DIR"))
	if dir == "" {
		home, err := os.UserHomeDir()
		if err != nil {
			return daemon.Place{}, errors.New("no home directory; give --state-dir")
		}
		dir = filepath.Join(home, ".gasoline")
	}
	if dir, err = filepath.Abs(dir); err != nil {
		return daemon.Place{}, fmt.Errorf("state directory: %w", err)
	}
	memory := first(s.memory, os.Getenv("GASOLINE_MEMORY"))
	if memory != "" {
		if _, err := daemon.ParseMemory(memory); err != nil {
			return daemon.Place{}, err
		}
	}
	program, err := os.Executable()
	if err != nil {
		return daemon.Place{}, fmt.Errorf("find this program: %w", err)
	}
	return daemon.Place{StateDir: dir, Port: n, Memory: memory, Program: program}, nil
}

func first(values ...string) string {
	for _, v := range values {
		if v != "" {
			return v
		}
	}
	return ""
}
