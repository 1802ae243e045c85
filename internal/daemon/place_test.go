package daemon

import (
	"encoding/json"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/brennhill/gasoline/internal/testkit"
	"github.com/brennhill/gasoline/internal/wire"
)

func place(t *testing.T) Place {
	t.Helper()
	return Place{
		StateDir: filepath.Join(t.TempDir(), "state"),
		Port:     1,
		Program:  filepath.Join(t.TempDir(), "no-such-program"),
	}
}

func TestParseMemory(t *testing.T) {
	for in, want := range map[string]int64{
		"": 200 << 20, "16MB": 16 << 20, "16mb": 16 << 20, " 64 MB ": 64 << 20, "64M": 64 << 20, "64MiB": 64 << 20,
		"1GB": 1 << 30, "0.5g": 1 << 29,
		"4GB": 4 << 30, "20000KB": 20000 << 10, "33554432": 32 << 20, "33554432B": 32 << 20,
	} {
		if got, err := ParseMemory(in); err != nil || got != want {
			t.Errorf("%q: %d %v, want %d", in, got, err, want)
		}
	}
	for _, in := range []string{"15MB", "4.1GB", "0", "-64MB", "x", "MB", "64XB", "NaN", "Inf", "1e400", "64MB 1",
		"64 M B x", "1TB"} {
		if got, err := ParseMemory(in); err == nil || !strings.Contains(err.Error(), strings.TrimSpace(in)) {
			t.Errorf("%q: %d %v", in, got, err)
		}
	}
}

func FuzzParseMemory(f *testing.F) {
	f.Add("200MB")
	f.Add("0x1p28")
	f.Fuzz(func(t *testing.T, s string) {
		if n, err := ParseMemory(s); err == nil && (n < 16<<20 || n > 4<<30) {
			t.Errorf("%q: %d", s, n)
		}
	})
}

// A place is held by one process; who looks does not disturb.
func TestAPlaceIsHeldOnce(t *testing.T) {
	p := place(t)
	if id, ok := p.Running(); ok {
		t.Errorf("nobody is there: %+v", id)
	}
	mine := Identity{
		PID:     os.Getpid(),
		Run:     "r1",
		Port:    p.Port,
		Version: "1",
		Started: time.Now().UTC().Truncate(time.Second),
	}
	release, err := p.lock(mine)
	if err != nil {
		t.Fatal(err)
	}
	for range 100 {
		if id, ok := p.Running(); !ok || id != mine {
			t.Fatalf("%+v %v", id, ok)
		}
	}
	if second, err := p.lock(Identity{PID: 1, Run: "r2"}); err == nil {
		second()
		t.Error("held twice")
	}
	if id, ok := p.Running(); !ok || id != mine {
		t.Errorf("after a second try: %+v %v", id, ok)
	}
	release()
	if id, ok := p.Running(); ok {
		t.Errorf("released: %+v", id)
	}
	release, err = p.lock(Identity{PID: os.Getpid(), Run: "r3"})
	if err != nil {
		t.Fatal(err)
	}
	release()
}

// A file that says pid 1 proves nothing: only a lock that is held does.
func TestKillRefusesWhatIsNotOurs(t *testing.T) {
	p := place(t)
	if err := p.Kill(""); !errors.Is(err, errNotOurs) || !strings.Contains(err.Error(), "--port") {
		t.Errorf("nothing there: %v", err)
	}
	release, err := p.lock(Identity{PID: os.Getpid(), Run: "r1", Port: p.Port})
	if err != nil {
		t.Fatal(err)
	}
	// Another run than the one that hangs: it was replaced already.
	if err := p.Kill("r0"); err != nil {
		t.Errorf("another run: %v", err)
	}
	for _, damaged := range []string{"", "{", `{"pid":0}`, `[]`} {
		if err := os.WriteFile(p.identityFile(), []byte(damaged), 0o600); err != nil {
			t.Fatal(err)
		}
		if err := p.Kill(""); !errors.Is(err, errNotOurs) {
			t.Errorf("%q: %v", damaged, err)
		}
	}
	release()
	if err := os.WriteFile(p.identityFile(), []byte(`{"pid":1,"run":"r1","port":1}`), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := p.Kill(""); !errors.Is(err, errNotOurs) {
		t.Errorf("a file that nobody holds: %v", err)
	}
}

// A client that waits for a daemon starts the next one in the moment in which one ends: the one that was meant is gone.
func TestKillOfADaemonThatIsReplacedAtOnce(t *testing.T) {
	const asOld = "GASOLINE_TEST_OLD_DAEMON"
	if os.Getenv(asOld) != "" {
		_, _ = io.Copy(io.Discard, os.Stdin) // until it is killed
		return
	}
	p := place(t)
	old := exec.Command(os.Args[0], "-test.run", "^"+t.Name()+"$")
	old.Env = append(os.Environ(), asOld+"=1")
	stdin, err := old.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	defer stdin.Close()
	if err := old.Start(); err != nil {
		t.Fatal(err)
	}
	release, err := p.lock(Identity{PID: old.Process.Pid, Run: "old", Port: p.Port})
	if err != nil {
		t.Fatal(err)
	}
	replaced := make(chan func())
	go func() {
		_ = old.Wait() // it was killed
		release()
		next, err := p.lock(Identity{PID: os.Getpid(), Run: "next", Port: p.Port})
		if err != nil {
			t.Error(err)
			next = func() {}
		}
		replaced <- next
	}()
	if err := p.Kill("old"); err != nil {
		t.Error(err)
	}
	(<-replaced)()
}

func TestALargeLogIsPutAside(t *testing.T) {
	p := place(t)
	write := func(text string) {
		t.Helper()
		f, err := p.openLog()
		if err != nil {
			t.Fatal(err)
		}
		if _, err := f.WriteString(text); err != nil {
			t.Fatal(err)
		}
		if err := f.Close(); err != nil {
			t.Fatal(err)
		}
	}
	read := func(path string) string {
		t.Helper()
		data, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		return string(data)
	}
	write("one\n")
	write("two\n")
	if got := read(p.LogPath()); got != "one\ntwo\n" {
		t.Errorf("log: %q", got)
	}
	write(strings.Repeat("x", maxLog))
	write("three\n")
	if got := read(p.LogPath()); got != "three\n" {
		t.Errorf("after it was large: %.40q", got)
	}
	if got := read(p.LogPath() + ".old"); !strings.HasPrefix(got, "one\ntwo\nxx") {
		t.Errorf("put aside: %.40q", got)
	}
	write(strings.Repeat("y", maxLog))
	write("four\n")
	if got := read(p.LogPath() + ".old"); !strings.HasPrefix(got, "three\nyy") {
		t.Errorf("put aside again: %.40q", got)
	}
	if st, err := os.Stat(p.LogPath()); err != nil || st.Mode().Perm()&0o077 != 0 {
		t.Errorf("%v %v", st.Mode(), err)
	}
}

// A start that fails leaves no mark: the next client may try at once.
func TestAFailedSpawnLeavesNoMark(t *testing.T) {
	p := place(t)
	for range 2 {
		if err := p.Spawn(); err == nil || !strings.Contains(err.Error(), p.Program) {
			t.Errorf("%v", err)
		}
	}
}

// damage puts contents into a file of the state directory.
func damage(t *testing.T, p Place, file, contents string) string {
	t.Helper()
	path := filepath.Join(p.StateDir, filepath.FromSlash(file))
	dir, err := p.Open() // which makes it
	if err != nil {
		t.Fatal(err)
	}
	_ = dir.Close()
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(contents), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// A daemon without its secrets does not start, and says which file it is; the next one is told at once.
func TestADamagedSecretIsNamed(t *testing.T) {
	for _, file := range []string{"token", "salt"} {
		p := place(t)
		p.Port = testkit.Port(t)
		path := damage(t, p, file, "x")
		err := Run(t.Context(), config(p))
		if err == nil || !strings.Contains(err.Error(), path) {
			t.Errorf("%s: %v", file, err)
		}
		if got, err := os.ReadFile(path); err != nil || string(got) != "x" {
			t.Errorf("%s became %q (%v)", file, got, err)
		}
		if id, ok := p.Running(); ok {
			t.Errorf("%s: the place is held still: %+v", file, id)
		}
	}
}

// Every other file that is broken is named with its line, and the daemon starts with what is safe.
func TestADaemonStartsWithBrokenFiles(t *testing.T) {
	p := place(t)
	p.Port = testkit.Port(t)
	damage(t, p, "run/seq-1", "5000000\n")
	for _, counter := range []string{"", "many\n", "\x00\x00\x00", "99999999999999999999999\n", "-1",
		"9223372036854775807\n"} {
		paths := map[string]string{
			damage(t, p, p.seqFile(), counter):                                         ":1: ",
			damage(t, p, "pairings.json", "[\n {\"id\": \"a\",\n}]"):                   ":3: ",
			damage(t, p, "redaction.json", "{\n \"rules\": [\n  {\"nme\": \"x\"}\n]}"): ": ",
		}
		d := start(t, config(p))
		var h wire.Health
		if _, text := d.ask("GET", "/health", ""); json.Unmarshal([]byte(text), &h) != nil || h.Status != "degraded" ||
			len(h.Problems) != 3 {
			t.Fatalf("%q: %+v", counter, h)
		}
		_, doctor := d.ask("GET", "/doctor", "")
		for path, line := range paths {
			told := strings.Join(h.Problems, "\n")
			if !strings.Contains(told, path+line) {
				t.Errorf("no %s%s in %s", path, line, told)
			}
			if !strings.Contains(doctor, path) {
				t.Errorf("doctor does not name %s", path)
			}
		}
		// Numbers of earlier runs do not come again, and secrets are still replaced.
		d.ask("POST", "/logs", `{"entries":[{"level":"error","message":"token ghp_`+strings.Repeat("a1B2", 9)+`"}]}`)
		_, logs := d.ask("POST", "/tools/observe", `{"what":"logs","scope":"all"}`)
		if !strings.Contains(logs, "l1005000000") || strings.Contains(logs, "ghp_a1B2a1B2") {
			t.Errorf("%q: %s", counter, logs)
		}
		if err := d.stop(); err != nil {
			t.Error(err)
		}
	}
}

// A daemon whose state directory was moved away ends: the next client starts another, at the place
// where everybody looks.
func TestADaemonWhoseDirectoryWasMovedEnds(t *testing.T) {
	p := place(t)
	p.Port = testkit.Port(t)
	d := start(t, config(p))
	if err := os.Rename(p.StateDir, p.StateDir+"-moved"); err != nil {
		t.Fatal(err)
	}
	select {
	case <-d.done:
		close(d.done)
	case <-time.After(10 * time.Second):
		t.Fatal("it runs on")
	}
	again := start(t, config(p))
	if status, _ := again.ask("GET", "/metrics", ""); status != 200 {
		t.Errorf("the next one answers %d", status)
	}
}

// Starts that fail again and again leave a few logs, and tell who waits for them why.
func TestFailedStartsLeaveFewLogs(t *testing.T) {
	t.Setenv("TMPDIR", t.TempDir())
	p := place(t)
	damage(t, p, "run/x", "")
	for range 10 {
		if _, err := p.SaveFailure(errors.New("the token is damaged")); err != nil {
			t.Fatal(err)
		}
	}
	logs, err := filepath.Glob(filepath.Join(os.TempDir(), "*"))
	if err != nil || len(logs) != maxDebugLogs {
		t.Errorf("%d logs (%v)", len(logs), err)
	}
	if err := p.Failed(); err == nil || err.Error() != "the token is damaged" {
		t.Errorf("told %v", err)
	}
}

func TestAStateDirectoryThatCannotBeMadeIsNamed(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	p := Place{StateDir: filepath.Join(file, "state"), Port: testkit.Port(t)}
	if err := Run(t.Context(), config(p)); err == nil || !strings.Contains(err.Error(), p.StateDir) {
		t.Errorf("run: %v", err)
	}
	if err := p.Spawn(); err == nil || !strings.Contains(err.Error(), p.StateDir) {
		t.Errorf("spawn: %v", err)
	}
	if _, err := p.Token(); err == nil || !strings.Contains(err.Error(), file) {
		t.Errorf("token: %v", err)
	}
}

func TestTheDebugLogSaysWhatWasTried(t *testing.T) {
	t.Setenv("TMPDIR", t.TempDir())
	p := place(t)
	f, err := p.openLog()
	if err != nil {
		t.Fatal(err)
	}
	if _, err := f.WriteString(strings.Repeat("old line\n", 5000) + "the last line\n"); err != nil {
		t.Fatal(err)
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	path, err := p.SaveFailure(errors.New("listen: address in use"))
	if err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"listen: address in use", p.StateDir, "the last line"} {
		if !strings.Contains(string(text), want) {
			t.Errorf("no %q", want)
		}
	}
	if len(text) > 10_000 {
		t.Errorf("%d bytes", len(text))
	}
}

// A stop while a daemon is being started ends the start, and the mark goes with the next daemon.
func TestAStopEndsAStart(t *testing.T) {
	p := place(t)
	p.Port = testkit.Port(t)
	cfg := config(p)
	cfg.Spawned = true
	if err := os.MkdirAll(filepath.Join(p.StateDir, "run"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(os.WriteFile(p.markFile(), nil, 0o600), p.MarkStopped("by hand")); err != nil {
		t.Fatal(err)
	}
	if err := Run(t.Context(), cfg); !errors.Is(err, errUnawaited) {
		t.Errorf("it ran: %v", err)
	}
	if how, _, _ := strings.Cut(p.Stopped(), "\n"); how != "by hand" {
		t.Errorf("the mark is %q", p.Stopped())
	}
	d := start(t, config(p))
	if mark := p.Stopped(); mark != "" {
		t.Errorf("a daemon runs, and the mark is %q", mark)
	}
	if code, _ := d.ask("POST", "/shutdown", `{"replaced":true}`); code != 200 {
		t.Error(code)
	}
	<-d.done
	close(d.done)
	if mark := p.Stopped(); mark != "" {
		t.Errorf("it was replaced, and the mark is %q", mark)
	}
}

// A daemon ends whose state directory is gone, also where somebody made another one at its place: nobody would find it.
func TestADaemonWithoutItsPlaceEnds(t *testing.T) {
	for what, take := range map[string]func(p Place) error{
		"the directory": func(p Place) error { return os.RemoveAll(p.StateDir) },
		"a directory in its place": func(p Place) error {
			return errors.Join(os.Rename(p.StateDir, p.StateDir+".old"), os.Mkdir(p.StateDir, 0o700))
		},
		"the lock": func(p Place) error { return os.Remove(p.identityFile()) },
	} {
		t.Run(what, func(t *testing.T) {
			t.Parallel()
			p := place(t)
			p.Port = testkit.Port(t)
			d := start(t, config(p))
			if err := take(p); err != nil {
				t.Fatal(err)
			}
			select {
			case <-d.done:
				close(d.done)
			case <-time.After(20 * time.Second):
				t.Error("it runs on")
			}
		})
	}
}
