package launch

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/brennhill/gasoline/internal/follow"
	"github.com/brennhill/gasoline/internal/wire"
)

// daemon is the other end of a sender.
type daemon struct {
	mu    sync.Mutex
	got   []wire.Lines
	fault error
}

// fails sets what posts answer from now on.
func (d *daemon) fails(err error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.fault = err
}

func (d *daemon) taken() []wire.Lines {
	d.mu.Lock()
	defer d.mu.Unlock()
	return slices.Clone(d.got)
}

func (d *daemon) post(_ context.Context, l wire.Lines) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.fault != nil {
		return d.fault
	}
	d.got = append(d.got, l)
	return nil
}

func (d *daemon) texts() (out []string) {
	for _, b := range d.taken() {
		for _, l := range b.Lines {
			out = append(out, l.Text)
		}
	}
	return out
}

func TestSenderCollectsAndCounts(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := &daemon{}
		s := NewSender(wire.Lines{Service: "api"}, d.post)
		for range 450 {
			s.Add(wire.Line{Text: "x"})
		}
		done := make(chan struct{})
		go func() { defer close(done); s.run(t.Context()) }()
		time.Sleep(40 * time.Millisecond)
		synctest.Wait()
		sizes := func() (out []int) {
			for _, b := range d.taken() {
				out = append(out, len(b.Lines))
			}
			return out
		}
		if got := sizes(); !slices.Equal(got, []int{200, 200}) { // the rest is not yet so old that it is sent alone
			t.Errorf("%v", got)
		}
		time.Sleep(60 * time.Millisecond)
		synctest.Wait()
		if got := sizes(); !slices.Equal(got, []int{200, 200, 50}) {
			t.Errorf("%v", got)
		}
		s.finish("exit status 3")
		<-done
		for i, b := range d.taken() {
			if b.Batch != uint64(i+1) || b.Service != "api" || b.Finished != (i == len(d.taken())-1) ||
				(b.Ended == "exit status 3") != b.Finished {
				t.Errorf("%d: %+v", i, b.Batch)
			}
		}
		if s.Report() != "" {
			t.Error(s.Report())
		}
	})
}

func TestSenderDropsTheOldest(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := &daemon{fault: errors.New("it is not there")}
		s := NewSender(wire.Lines{}, d.post)
		done := make(chan struct{})
		go func() { defer close(done); s.run(t.Context()) }()
		s.Add(wire.Line{Text: "first"}) // is under way
		time.Sleep(time.Second)
		synctest.Wait()
		text := strings.Repeat("x", 1<<20-overhead)
		for range 9 {
			s.Add(wire.Line{Text: text})
		}
		if n, _ := s.waiting(); n != 5 {
			t.Errorf("%d lines wait", n)
		}
		s.Add(wire.Line{Text: "last"})
		d.fails(nil)
		time.Sleep(3 * time.Second)
		s.finish("")
		<-done
		got := d.texts()
		dropped := 0
		for _, b := range d.taken() {
			dropped += b.Dropped
		}
		if got[0] != "first" || got[len(got)-1] != "last" || dropped != 11-len(got) ||
			!strings.HasPrefix(s.Report(), "5 of 11 lines did not reach the daemon") {
			t.Errorf("%d lines, %d dropped, %s", len(got), dropped, s.Report())
		}
	})
}

func TestSenderWaitsAsAsked(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := &daemon{fault: &Later{After: 7 * time.Second}}
		s := NewSender(wire.Lines{}, d.post)
		done := make(chan struct{})
		go func() { defer close(done); s.run(t.Context()) }()
		s.Add(wire.Line{Text: "x"})
		time.Sleep(time.Second)
		d.fails(nil)
		time.Sleep(5 * time.Second)
		if len(d.taken()) != 0 {
			t.Error("it did not wait")
		}
		time.Sleep(2 * time.Second)
		synctest.Wait()
		d.fails(ErrRefused)
		s.Add(wire.Line{Text: "never taken"})
		time.Sleep(time.Second)
		d.fails(nil)
		s.finish("")
		<-done
		if !slices.Equal(d.texts(), []string{"x"}) || d.got[1].Batch != 3 || d.got[1].Dropped != 1 {
			t.Errorf("%+v", d.got)
		}
	})
}

func TestEnvironmentKeepsWhatIsSet(t *testing.T) {
	id := Identity{Service: "api", Instance: "i 1", URL: "http://127.0.0.1:1", Token: "secret", TokenFile: "/t"}
	env := Environment([]string{"OTEL_SERVICE_NAME=mine", "OTEL_RESOURCE_ATTRIBUTES=service.instance.id=x", "PATH=/bin"}, id)
	text := strings.Join(env, "\n")
	if strings.Contains(text, "OTEL_SERVICE_NAME=api") || strings.Count(text, "service.instance.id") != 1 ||
		!strings.Contains(text, "OTEL_EXPORTER_OTLP_HEADERS=authorization=Bearer%20secret") {
		t.Error(text)
	}
	whole := []string{
		"OTEL_EXPORTER_OTLP_ENDPOINT=http://127.0.0.1:1", "OTEL_EXPORTER_OTLP_PROTOCOL=http/protobuf",
		"OTEL_EXPORTER_OTLP_HEADERS=authorization=Bearer%20secret", "OTEL_SERVICE_NAME=api",
		"OTEL_RESOURCE_ATTRIBUTES=service.instance.id=i%201", "OTEL_BSP_SCHEDULE_DELAY=200", "OTEL_BLRP_SCHEDULE_DELAY=200",
		"OTEL_LOGS_EXPORTER=otlp", "OTEL_METRICS_EXPORTER=none", "OTEL_TRACES_SAMPLER=parentbased_always_on",
		"GASOLINE_URL=http://127.0.0.1:1", "GASOLINE_TOKEN_FILE=/t", "GASOLINE_SESSION=i 1",
	}
	if env := Environment(nil, id); !slices.Equal(env, whole) {
		t.Errorf("%q", env)
	}
	without := slices.DeleteFunc(slices.Clone(whole), func(e string) bool {
		return strings.Contains(e, "HEADERS") || strings.Contains(e, "TOKEN_FILE")
	})
	if env := Environment(nil, Identity{Service: "api", Instance: "i 1", URL: "http://127.0.0.1:1"}); !slices.Equal(env, without) {
		t.Errorf("without a token: %q", env)
	}
	env = Environment([]string{"OTEL_RESOURCE_ATTRIBUTES=a=b", "OTEL_EXPORTER_OTLP_ENDPOINT="}, id)
	if !slices.Contains(env, "OTEL_RESOURCE_ATTRIBUTES=a=b,service.instance.id=i%201") || !slices.Contains(env, whole[2]) {
		t.Errorf("%q", env)
	}
	for _, other := range []string{"OTEL_EXPORTER_OTLP_ENDPOINT=http://x", "OTEL_EXPORTER_OTLP_LOGS_ENDPOINT=http://x"} {
		if text := strings.Join(Environment([]string{other}, id), "\n"); strings.Contains(text, "secret") {
			t.Errorf("%s gets the token", other)
		}
	}
	if InstanceOf([]string{"OTEL_RESOURCE_ATTRIBUTES=a=b, service.instance.id=x%20y"}) != "x y" {
		t.Error("the instance is not found")
	}
	if got := InstanceOf([]string{"OTEL_RESOURCE_ATTRIBUTES=service.instance.id=100%"}); got != "100%" {
		t.Errorf("an instance that is not escaped is %q", got)
	}
	if got := InstanceOf([]string{"PATH=/bin", "OTEL_RESOURCE_ATTRIBUTES=a=b"}); got != "" {
		t.Errorf("there is the instance %q", got)
	}
}

// Links come with a repository: to a device without an end, to a terminal that is waited for, to what is another's.
func TestWhatAProjectDeclaresIsReadInItOnly(t *testing.T) {
	base := t.TempDir()
	dir, outside := filepath.Join(base, "shop"), filepath.Join(base, "package.json")
	if err := os.Mkdir(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	large := filepath.Join(dir, "large.json")
	for path, text := range map[string]string{
		outside: `{"name":"theirs","scripts":{"dev":"x"}}`,
		large:   `{"name":"large","scripts":{"dev":"x"},"x":"` + strings.Repeat("x", 5<<20) + `"}`,
	} {
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for _, to := range []string{outside, filepath.Join("..", "package.json"), "large.json", dir} {
		for _, name := range []string{"package.json", "go.mod", "Procfile", "Makefile", "compose.yaml"} {
			link := filepath.Join(dir, name)
			if err := os.Symlink(to, link); err != nil {
				t.Skip("no links:", err)
			}
			if found, err := Detect(dir); err == nil {
				t.Errorf("%s, a link to %s, declares %v", name, to, found)
			}
			if got := ServiceOf(dir); got != "shop" {
				t.Errorf("%s, a link to %s, names the service %s", name, to, got)
			}
			if err := os.Remove(link); err != nil {
				t.Fatal(err)
			}
		}
	}
}

func TestDetect(t *testing.T) {
	dir := t.TempDir()
	write := func(name, text string) {
		t.Helper()
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	lines := func() (out []string) {
		all, err := Detect(dir)
		if err != nil {
			return []string{err.Error()}
		}
		for _, c := range all {
			out = append(out, c.Line())
		}
		return out
	}
	if got := lines(); len(got) != 1 || !strings.HasPrefix(got[0], "there is no command to run") {
		t.Errorf("%q", got)
	}
	write("package.json", `{"name":"shop","scripts":{"start":"x"}}`)
	if got := lines(); !slices.Equal(got, []string{"gasoline run -- npm run start"}) || ServiceOf(dir) != "shop" {
		t.Errorf("%q", got)
	}
	write("package.json", `{"scripts":{"start":"x","dev":"y"}}`)
	write("pnpm-lock.yaml", "")
	write("compose.yaml", "services: {}")
	write("Procfile", "# comment\nweb: bundle exec 'puma'\n")
	write("Makefile", "run: build\n\tx\n")
	if got := lines(); !slices.Equal(got, []string{
		"gasoline run -- pnpm run dev", "gasoline run -- docker compose up",
		`gasoline run --name web -- sh -c 'bundle exec '\''puma'\'''`, "gasoline run -- make run",
	}) {
		t.Errorf("%q", got)
	}
	all, err := Detect(dir)
	if err != nil {
		t.Fatal(err)
	}
	var found []string
	for _, c := range all {
		found = append(found, c.Found)
	}
	if !slices.Equal(found, []string{
		"package.json has the script dev", "compose.yaml", "Procfile has web", "Makefile has the target run",
	}) {
		t.Errorf("%q", found)
	}
	if got := ServiceOf(dir); got != filepath.Base(dir) {
		t.Errorf("a manifest without a name: %s", got)
	}
	write("go.mod", "module example.com/team/orders\n\ngo 1.25\n")
	if got := ServiceOf(dir); got != "orders" {
		t.Errorf("a module: %s", got)
	}
	for lock, want := range map[string]string{"yarn.lock": "yarn", "bun.lock": "bun", "bun.lockb": "bun"} {
		other := t.TempDir()
		if err := os.WriteFile(filepath.Join(other, lock), nil, 0o600); err != nil {
			t.Fatal(err)
		}
		if got := manager(other); got != want {
			t.Errorf("%s: %s", lock, got)
		}
	}
	if err := os.Rename(filepath.Join(dir, "Makefile"), filepath.Join(dir, "makefile")); err != nil {
		t.Fatal(err)
	}
	write("Procfile", "# a: b\n: x\na b: c\nno command\nworker:   run it\n")
	if got := lines(); !slices.Equal(got[2:], []string{"gasoline run --name worker -- sh -c 'run it'", "gasoline run -- make run"}) {
		t.Errorf("%q", got)
	}
	write("package.json", `{`)
	if got := lines(); len(got) != 1 || !strings.HasPrefix(got[0], "package.json: ") {
		t.Errorf("%q", got)
	}
}

func TestInstrument(t *testing.T) {
	dir := t.TempDir()
	kept := ""
	keep := func(name string, data []byte) (string, error) { kept = string(data); return "/state/" + name, nil }
	p := &Project{Dir: filepath.Join(dir, "packages", "api"), Command: []string{"npm", "run", "dev"}, Keep: keep,
		Env: []string{"NODE_OPTIONS=--inspect"}}
	if err := Instrument(p); err == nil || !strings.Contains(err.Error(), "npm install") {
		t.Errorf("%v", err)
	}
	at := filepath.Join(dir, "node_modules", "@opentelemetry", "auto-instrumentations-node")
	if err := os.MkdirAll(at, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(at, "package.json"), []byte("{}"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := Instrument(p); err != nil {
		t.Fatal(err)
	}
	if p.setting("NODE_OPTIONS") != `--inspect --require "/state/preload/node-otel.cjs"` || kept == "" ||
		p.setting("GASOLINE_OTEL_NODE") != at {
		t.Errorf("%q", p.Env)
	}
	venv := t.TempDir()
	program := filepath.Join(venv, "bin", "opentelemetry-instrument")
	if err := os.MkdirAll(filepath.Dir(program), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(program, []byte("#!/bin/sh\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	p = &Project{Dir: dir, Command: []string{"python3.11", "app.py"}, Env: []string{"VIRTUAL_ENV=" + venv}}
	if err := Instrument(p); err != nil || !slices.Equal(p.Command, []string{program, "python3.11", "app.py"}) {
		t.Errorf("%v %q", err, p.Command)
	}
	beside := filepath.Join(venv, "bin", "python3.11") // the one of an environment that is not active
	p = &Project{Dir: dir, Command: []string{beside, "app.py"}}
	if err := Instrument(p); err != nil || !slices.Equal(p.Command, []string{program, beside, "app.py"}) {
		t.Errorf("%v %q", err, p.Command)
	}
	if err := Instrument(p); err != nil || len(p.Command) != 3 {
		t.Errorf("twice: %v %q", err, p.Command)
	}
	p = &Project{Dir: filepath.Dir(venv), Command: []string{"python", "app.py"}}
	if err := os.Rename(venv, filepath.Join(p.Dir, ".venv")); err != nil {
		t.Fatal(err)
	}
	program = filepath.Join(p.Dir, ".venv", "bin", "opentelemetry-instrument")
	if err := Instrument(p); err != nil || !slices.Equal(p.Command, []string{program, "python", "app.py"}) {
		t.Errorf("the project's environment: %v %q", err, p.Command)
	}
	t.Setenv("PATH", "")
	p = &Project{Dir: t.TempDir(), Command: []string{"python", "app.py"}}
	if err := Instrument(p); err == nil || !strings.Contains(err.Error(), "pip install opentelemetry-distro") {
		t.Errorf("%v", err)
	}
	p = &Project{Dir: t.TempDir(), Command: []string{"./server"}}
	if err := Instrument(p); err == nil || !strings.Contains(err.Error(), "neither") {
		t.Errorf("%v", err)
	}
}

func TestLoad(t *testing.T) {
	dir := t.TempDir()
	kept := ""
	keep := func(name string, data []byte) (string, error) { kept = string(data); return "/state/" + name, nil }
	p := &Project{Dir: dir, Command: []string{"npm", "run", "dev"}, Keep: keep, Env: []string{"NODE_OPTIONS=--inspect"}}
	if ok, err := Load(p); !ok || err != nil {
		t.Fatal(ok, err)
	}
	if p.setting("NODE_OPTIONS") != `--inspect --require "/state/preload/node-gasoline.cjs"` || kept != string(nodeSDK) {
		t.Errorf("%q", p.Env)
	}
	if len(nodeSDK) > 60_000 {
		t.Errorf("the SDK for Node has %d bytes", len(nodeSDK))
	}
	p = &Project{Dir: dir, Command: []string{"node", "x.js"}, Keep: keep, Env: []string{"GASOLINE=off"}}
	if ok, err := Load(p); ok || err != nil || p.setting("NODE_OPTIONS") != "" {
		t.Errorf("%v %v %q", ok, err, p.Env)
	}
	p = &Project{Dir: dir, Command: []string{"ruby", "x.rb"}, Keep: keep}
	if ok, err := Load(p); ok || err != nil || len(p.Env) != 0 {
		t.Errorf("%v %v %q", ok, err, p.Env)
	}
}

func TestLoadPython(t *testing.T) {
	dir, state := t.TempDir(), t.TempDir()
	keep := func(name string, data []byte) (string, error) {
		path := filepath.Join(state, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			return "", err
		}
		return path, os.WriteFile(path, data, 0o600)
	}
	list := string(filepath.ListSeparator)
	var shim string
	for _, command := range []string{"python3.12", "/x/bin/gunicorn", "./manage.py", "pytest"} {
		p := &Project{Dir: dir, Command: []string{command}, Keep: keep, Env: []string{"PYTHONPATH=/a" + list + "/b"}}
		for range 2 { // a run within a run
			if ok, err := Load(p); !ok || err != nil {
				t.Fatal(command, ok, err)
			}
		}
		got := filepath.SplitList(p.setting("PYTHONPATH"))
		if len(got) != 3 || !slices.Equal(got[1:], []string{"/a", "/b"}) || p.setting("NODE_OPTIONS") != "" {
			t.Fatalf("%q", p.Env)
		}
		shim = got[0]
	}
	found := map[string]bool{}
	if err := filepath.WalkDir(state, func(path string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			found[filepath.Base(path)] = true
		}
		return err
	}); err != nil {
		t.Fatal(err)
	}
	here, err := filepath.Glob("../../sdk/python/gasoline_sdk/*.py")
	if err != nil || len(here) < 10 {
		t.Fatal(here, err)
	}
	for _, path := range here {
		if !found[filepath.Base(path)] {
			t.Errorf("%s is not laid", path)
		}
	}
	if _, err := os.Stat(filepath.Join(shim, "sitecustomize.py")); err != nil {
		t.Error(err)
	}
	for _, p := range []*Project{
		{Dir: dir, Command: []string{"opentelemetry-instrument", "python", "x.py"}, Keep: keep},
		{Dir: dir, Command: []string{"python", "x.py"}, Keep: keep, Env: []string{"GASOLINE=OFF"}},
		{Dir: dir, Command: []string{"make", "dev"}, Keep: keep},
	} {
		if ok, err := Load(p); ok || err != nil || p.setting("PYTHONPATH") != "" {
			t.Errorf("%q: %v %v", p.Command, ok, err)
		}
	}
	for _, name := range []string{"package.json", "pyproject.toml"} { // what make starts may be either
		if err := os.WriteFile(filepath.Join(dir, name), nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	p := &Project{Dir: dir, Command: []string{"make", "dev"}, Keep: keep}
	if ok, err := Load(p); !ok || err != nil || p.setting("PYTHONPATH") != shim || p.setting("NODE_OPTIONS") == "" {
		t.Errorf("%v %v %q", ok, err, p.Env)
	}
	p = &Project{Dir: dir, Command: []string{"python"}, Keep: func(string, []byte) (string, error) { return "", fs.ErrPermission }}
	if _, err := Load(p); !errors.Is(err, fs.ErrPermission) || p.setting("PYTHONPATH") != "" {
		t.Errorf("%v %q", err, p.Env)
	}
}

func TestSeveral(t *testing.T) {
	for line, want := range map[string]bool{
		"docker compose up":                      true,
		"docker --context x compose -f c.yml up": true,
		"/usr/bin/docker-compose up":             true,
		"sh -c foreman start":                    true,
		"overmind s":                             true,
		"docker run compose-api":                 false,
		"compose docker":                         false,
		"docker.exe compose up":                  true,
		"node server.js":                         false,
		"go run ./cmd/compose":                   false,
	} {
		if got := Several(strings.Fields(line)); got != want {
			t.Errorf("%s: %v", line, got)
		}
	}
	if !Several([]string{"sh", "-c", "cd deploy && docker compose up"}) {
		t.Error("a command of a shell")
	}
}

// slow is a terminal that takes its time.
type slow struct{}

func (slow) Write(p []byte) (int, error) {
	time.Sleep(5 * time.Second)
	return len(p), nil
}

// While a slow terminal holds up the child, its line is not a prompt.
func TestASlowTerminalDoesNotCutLines(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := &daemon{}
		r := &running{config: Config{Sender: NewSender(wire.Lines{}, d.post)}}
		read, write := io.Pipe()
		var copying sync.WaitGroup
		copying.Go(func() { r.copy(read, slow{}, "stdout") })
		for _, part := range []string{"one ", "li", "ne\nPassword: "} {
			if _, err := io.WriteString(write, part); err != nil {
				t.Fatal(err)
			}
		}
		time.Sleep(10 * time.Second) // the last part is written; then the prompt stands
		synctest.Wait()
		var texts []string
		for _, l := range r.config.Sender.queue {
			texts = append(texts, l.Text)
		}
		if !slices.Equal(texts, []string{"one line", "Password: "}) {
			t.Errorf("%q", texts)
		}
		_ = write.Close()
		copying.Wait()
	})
}

// Files of versions that nobody used for a month are removed, and no others.
func TestFilesOfOldVersionsAreRemoved(t *testing.T) {
	state := t.TempDir()
	now := time.Now()
	for name, age := range map[string]time.Duration{"python-old": 31, "python-young": 29, "node-old": 31, "python-new": 31} {
		folder := filepath.Join(state, name)
		if err := os.MkdirAll(filepath.Join(folder, "gasoline_sdk"), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.Chtimes(folder, now, now.Add(-age*24*time.Hour)); err != nil {
			t.Fatal(err)
		}
	}
	forgetUnused(filepath.Join(state, "python-new"), now)
	forgetUnused(filepath.Join(state, "python-young"), now) // the one before is in use
	left, err := os.ReadDir(state)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, e := range left {
		names = append(names, e.Name())
	}
	if !slices.Equal(names, []string{"node-old", "python-new", "python-young"}) {
		t.Errorf("%q", names)
	}
}

// What a batch is made of: at most so many lines and bytes, and its number is not given again when it was not taken.
func TestBatchesAreBounded(t *testing.T) {
	d := &daemon{}
	s := NewSender(wire.Lines{}, d.post)
	half := strings.Repeat("x", perBytes/2-overhead)
	for range 3 {
		s.Add(wire.Line{Text: half})
	}
	s.Add(wire.Line{Text: strings.Repeat("y", 2*perBytes)})
	for _, want := range []int{2, 1, 1} {
		if b, last, ok := s.next(); len(b.Lines) != want || last || b.Finished || !ok {
			t.Errorf("%d lines, want %d", len(b.Lines), want)
		}
	}
	if _, _, ok := s.next(); ok || s.bytes != 0 {
		t.Errorf("there is a batch of nothing; %d bytes wait", s.bytes)
	}
	s.count(3) // of a batch that was lost: the daemon is told even when no line follows
	if b, _, ok := s.next(); !ok || b.Dropped != 3 {
		t.Errorf("%+v %v", b, ok)
	}
	s.finish("")
	if b, last, ok := s.next(); !ok || !last || !b.Finished || b.Dropped != 0 {
		t.Errorf("%+v %v %v", b, last, ok)
	}
	for range maxQueue + 1 {
		s.Add(wire.Line{})
	}
	if n, over := s.waiting(); n != maxQueue || !over || s.dropped != 1 || s.bytes != maxQueue*overhead {
		t.Errorf("%d lines of %d bytes wait, %d are dropped", n, s.bytes, s.dropped)
	}
}

// The daemon is told of the first binary output, the user of all.
func TestBinaryOutputIsCounted(t *testing.T) {
	s := NewSender(wire.Lines{}, (&daemon{}).post)
	at := time.UnixMilli(1000)
	s.add("stdout", follow.Piece{Time: at, Text: []byte("abcdefg\xff")})
	s.add("stderr", follow.Piece{Time: at, Text: []byte("\x00\x01\x02\x00"), Size: 100})
	s.add("stderr", follow.Piece{Time: at, Text: []byte("\x00\x01\x02\x00")})
	s.add("stderr", follow.Piece{Time: at, Text: []byte("x"), Size: 7})
	b, _, _ := s.next()
	last := 999.9999
	for i, l := range b.Lines {
		if l.T <= last || l.T > 1000.01 {
			t.Errorf("line %d is at %f, behind %f", i, l.T, last)
		}
		last, b.Lines[i].T = l.T, 0
	}
	if fmt.Sprintf("%+v", b.Lines) != fmt.Sprintf("%+v", []wire.Line{
		{Stream: "stdout", Text: "abcdefg\ufffd"}, {Stream: "stderr", Binary: 100, Size: 100}, {Stream: "stderr", Text: "x", Size: 7},
	}) {
		t.Errorf("%+v", b.Lines)
	}
	if got := s.Report(); got != "104 bytes of binary output were not kept" {
		t.Error(got)
	}
	s.failure = errors.New("it is not there")
	s.count(2)
	if got := s.Report(); got != "2 of 4 lines did not reach the daemon (it is not there); 104 bytes of binary output were not kept" {
		t.Error(got)
	}
}

// When there is no daemon to the end, the lines are given up and told.
func TestLinesAreGivenUp(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := &daemon{fault: errors.New("it is not there")}
		s := NewSender(wire.Lines{}, d.post)
		ctx, stop := context.WithCancel(t.Context())
		for range perBatch + 5 {
			s.Add(wire.Line{Text: "x"})
		}
		done := make(chan struct{})
		go func() { defer close(done); s.run(ctx) }()
		s.finish("")
		time.Sleep(time.Minute)
		stop()
		<-done
		if got := s.Report(); got != "205 of 205 lines did not reach the daemon (it is not there)" || s.bytes != 0 {
			t.Errorf("%s; %d bytes wait", got, s.bytes)
		}
	})
}

// Who asks when a request has failed finds what it wrote: the first lines after a pause leave at once, those of a burst
// together.
func TestTheFirstLinesAfterAPauseLeaveAtOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := &daemon{}
		s := NewSender(wire.Lines{}, d.post)
		done := make(chan struct{})
		go func() { defer close(done); s.run(t.Context()) }()
		for range 3 {
			before := len(d.taken())
			for range 20 {
				s.Add(wire.Line{Text: "x"})
				time.Sleep(5 * time.Millisecond)
				synctest.Wait()
				if len(d.taken()) == before {
					t.Error("the first line waits for others")
				}
			}
			if n := len(d.taken()) - before; n > 3 {
				t.Errorf("%d batches in 100 ms", n)
			}
			time.Sleep(time.Second)
		}
		s.finish("")
		<-done
	})
}
