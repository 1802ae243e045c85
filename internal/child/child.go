// Package child starts programs that end when this process does, however it ends: also when it is killed and can do
// nothing any more.
package child

import "os/exec"

// Start starts a command as cmd.Start does. On Linux the kernel ends the program when the thread ends that started it, so
// the caller locks its goroutine to its thread for as long as the program may run. On Windows the programs are in a job
// that ends with this process. Elsewhere there is no such thing: a program notices that nobody reads what it writes.
func Start(cmd *exec.Cmd) error {
	bind(cmd)
	if err := cmd.Start(); err != nil {
		return err
	}
	join(cmd)
	return nil
}
