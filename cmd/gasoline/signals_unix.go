//go:build unix

package main

import (
	"os"
	"syscall"
)

// passedOn are the signals that "gasoline run" passes to its child.
var passedOn = []os.Signal{
	os.Interrupt, syscall.SIGTERM, syscall.SIGHUP, syscall.SIGQUIT, syscall.SIGUSR1, syscall.SIGUSR2, syscall.SIGWINCH,
}
