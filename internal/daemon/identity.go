package daemon

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/brennhill/gasoline/internal/project"
	"github.com/brennhill/gasoline/internal/proof"
	"github.com/brennhill/gasoline/internal/state"
)

// Identity is what a running daemon says of itself in the state directory. The file is held by a
// lock for the daemon's life, so a file that can be locked belongs to a daemon that is gone.
type Identity struct {
	PID     int       `json:"pid"`
	Run     string    `json:"run"`
	Port    int       `json:"port"`
	Version string    `json:"version"`
	Started time.Time `json:"started"`
}

// Place is a daemon's place on this machine: a state directory and a port. It is how the bridge and
// the CLI find, start and end it.
type Place struct {
	StateDir string
	Port     int
	Memory   string // --memory for a daemon that is started; "" for the default
	Program  string // this program's file
	Caller   string // the folder that the caller works in; "" when this process has no caller
}

// Open opens the state directory, unless it is in the caller's project: others may have written it then. Who works in the
// state directory itself, as a program that a browser starts does, has no project there. The error is that of [state.Open].
func (p Place) Open() (*state.Dir, error) {
	root, err := project.Root(p.Caller, "")
	if err == nil && project.Inside(p.StateDir, root) && !project.Inside(root, p.StateDir) {
		return nil, &state.Foreign{Path: p.StateDir, In: root}
	}
	return state.Open(p.StateDir)
}

func (p Place) identityFile() string {
	return filepath.Join(p.StateDir, "run", "daemon-"+strconv.Itoa(p.Port)+".json")
}

// inState returns the path of a file of the state directory.
func (p Place) inState(name string) string {
	return filepath.Join(p.StateDir, filepath.FromSlash(name))
}

// LogPath is where the daemon writes what a person would act on.
func (p Place) LogPath() string { return filepath.Join(p.StateDir, "logs", "daemon.log") }

// TokenPath is the file with the token.
func (p Place) TokenPath() string { return filepath.Join(p.StateDir, "token") }

// Token returns the token of the state directory, made when there is none.
func (p Place) Token() (string, error) {
	dir, err := p.Open()
	if err != nil {
		return "", err
	}
	defer dir.Close()
	return dir.Token()
}

// Running returns the identity of the daemon that holds this place, and whether one does.
func (p Place) Running() (Identity, bool) {
	held, err := state.Locked(p.identityFile())
	if err != nil || !held {
		return Identity{}, false
	}
	var id Identity
	data, err := os.ReadFile(p.identityFile())
	if err != nil || json.Unmarshal(data, &id) != nil || id.PID == 0 {
		return Identity{}, false
	}
	return id, true
}

// Held reports whether a daemon holds this place.
func (p Place) Held() bool {
	held, err := state.Locked(p.identityFile())
	return err == nil && held
}

// Still reports whether the process of the daemon that holds this place stands still and will go on.
func (p Place) Still() bool {
	id, ok := p.Running()
	return ok && still(id.PID)
}

// Dialer opens connections on which this place's daemon has proved itself.
func (p Place) Dialer() proof.Dialer {
	return proof.Dialer{Port: p.Port, StateDir: p.StateDir, Token: p.Token}
}

// lock locks the state directory and port for this process until the returned function is called. A second daemon of
// the same two gets an error.
func (p Place) lock(id Identity) (release func(), err error) {
	if err := os.MkdirAll(filepath.Dir(p.identityFile()), 0o700); err != nil {
		return nil, fmt.Errorf("make %s: %w", filepath.Dir(p.identityFile()), err)
	}
	f, err := state.Lock(p.identityFile())
	// Whoever looks whether the file is held has it locked for a moment, and a daemon that is stopping
	// has given the port away but not yet this.
	for end := time.Now().Add(stopWithin + 2*time.Second); err != nil && time.Now().Before(end); {
		time.Sleep(10 * time.Millisecond)
		f, err = state.Lock(p.identityFile())
	}
	if err != nil {
		return nil, err
	}
	data, err := json.Marshal(id)
	if err == nil {
		err = f.Truncate(0)
	}
	if err == nil {
		_, err = f.WriteAt(append(data, '\n'), 0)
	}
	if err != nil {
		return nil, errors.Join(fmt.Errorf("write %s: %w", p.identityFile(), err), f.Close())
	}
	return func() { _ = f.Close() }, nil // closing releases the lock; the file may stay
}

// errNotOurs is returned by Kill when the process at the port did not prove to be our daemon.
var errNotOurs = errors.New("the process that holds the port did not prove to be our daemon")

// Kill ends the daemon of this place. Proof is the locked identity file in our own state directory:
// whoever holds that lock is the daemon that wrote it. With a run, only that run is ended.
func (p Place) Kill(run string) error {
	id, ok := p.Running()
	if !ok {
		return fmt.Errorf("%w; end it yourself, or use another port with --port", errNotOurs)
	}
	if run != "" && id.Run != run {
		return nil // it was replaced already
	}
	proc, err := os.FindProcess(id.PID)
	if err != nil {
		return fmt.Errorf("find process %d: %w", id.PID, err)
	}
	// It hangs, so it cannot be asked.
	if err := proc.Kill(); err != nil && !errors.Is(err, os.ErrProcessDone) {
		return fmt.Errorf("end process %d: %w", id.PID, err)
	}
	for range 500 {
		// A client may have started the next one by now.
		if now, ok := p.Running(); !ok || now.Run != id.Run {
			return nil
		}
		time.Sleep(10 * time.Millisecond)
	}
	return fmt.Errorf("process %d does not end", id.PID)
}

// LaunchArg is the first argument of this program when it is to start itself with the others and end.
const LaunchArg = "--launch"

// Launch starts this program with these arguments as nobody's child and returns: the process that calls it
// ends at once, so that no line of descent leads from an MCP client to the daemon. Clients that end their
// process tree would end it for everybody.
func Launch(program string, args []string) error {
	cmd := exec.Command(program, args...)
	cmd.Stdout, cmd.Stderr = os.Stdout, os.Stderr // the log
	if err := startApart(cmd); err != nil {
		return fmt.Errorf("start %s: %w", program, err)
	}
	return cmd.Process.Release()
}

// Spawn starts a daemon that outlives this process and its ancestors, by a process in between that ends
// at once. Of many callers at once one starts it: the others find the starter's mark and only wait for the port.
func (p Place) Spawn() error {
	mark := p.markFile()
	if err := os.MkdirAll(filepath.Dir(mark), 0o700); err != nil {
		return fmt.Errorf("make %s: %w", filepath.Dir(mark), err)
	}
	if st, err := os.Stat(mark); err == nil && time.Since(st.ModTime()).Abs() > 2*time.Second {
		_ = os.Remove(mark) // its starter died, maybe before the clock was set back; a race for the removal is decided below
	}
	f, err := os.OpenFile(mark, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if errors.Is(err, fs.ErrExist) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("mark the start: %w", err)
	}
	if err := f.Close(); err != nil {
		return err
	}
	now := time.Now()
	_ = os.Chtimes(mark, now, now) // the disk may have another clock; then each caller would start one
	_ = os.Remove(p.failedFile())  // of an earlier start; there may be none
	args := []string{"serve", "--port", strconv.Itoa(p.Port), "--state-dir", p.StateDir, "--spawned"}
	if p.Memory != "" {
		args = append(args, "--memory", p.Memory)
	}
	if _, err := exec.LookPath(p.Program); err != nil {
		return errors.Join(fmt.Errorf("start %s: %w", p.Program, err), os.Remove(mark))
	}
	cmd := between(p.Program, args)
	cmd.Dir = p.StateDir // not the project's folder, which the user may want to move
	detach(cmd)
	log, err := p.openLog()
	if err != nil {
		return errors.Join(err, os.Remove(mark))
	}
	defer log.Close()
	cmd.Stdout, cmd.Stderr = log, log
	if err := cmd.Run(); err != nil {
		return errors.Join(fmt.Errorf("start %s: %w", p.Program, err), os.Remove(mark))
	}
	return nil
}

func (p Place) failedFile() string {
	return filepath.Join(p.StateDir, "run", "failed-"+strconv.Itoa(p.Port))
}

// fail leaves the reason why a daemon did not start for who waits for it.
func (p Place) fail(cause error) {
	_ = os.WriteFile(p.failedFile(), []byte(cause.Error()+"\n"), 0o600) // the log has it, too
}

// Failed returns why the daemon that was spawned last could not start; nil while nothing is known.
func (p Place) Failed() error {
	text, err := os.ReadFile(p.failedFile())
	if err != nil || len(text) == 0 {
		return nil
	}
	return errors.New(strings.TrimSpace(string(text)))
}

func (p Place) markFile() string {
	return filepath.Join(p.StateDir, "run", "starting-"+strconv.Itoa(p.Port))
}

// awaited reports whether the mark of a starter is there.
func (p Place) awaited() bool {
	_, err := os.Stat(p.markFile())
	return err == nil
}

// started removes the starter's mark: the port is bound.
func (p Place) started() { _ = os.Remove(p.markFile()) } // there is none when started by hand

const maxLog = 5 << 20

// openLog opens the daemon's log; one that has grown large is kept as .old and begun anew.
func (p Place) openLog() (*os.File, error) {
	if err := os.MkdirAll(filepath.Dir(p.LogPath()), 0o700); err != nil {
		return nil, fmt.Errorf("make %s: %w", filepath.Dir(p.LogPath()), err)
	}
	if st, err := os.Stat(p.LogPath()); err == nil && st.Size() > maxLog {
		if err := os.Rename(p.LogPath(), p.LogPath()+".old"); err != nil {
			return nil, fmt.Errorf("put the old log aside: %w", err)
		}
	}
	return os.OpenFile(p.LogPath(), os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
}
