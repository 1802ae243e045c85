package source

import "os/exec"

const nonBlocking = 0

// inGroup does nothing: a child on Windows ends by itself when its output is closed.
func inGroup(*exec.Cmd) {}

// endGroup ends the child.
func endGroup(cmd *exec.Cmd, _ bool) error { return cmd.Process.Kill() }
