// Package collector_test runs the built program with a real OpenTelemetry Collector, Jaeger and Loki, by the configuration
// in examples/export. It is a module of its own: none of what it imports is linked into the program. build.sh builds them.
package collector_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"
)

const (
	root    = "../.."
	configs = root + "/examples/export/"
)

// log is what a process said. It may be used by many goroutines.
type log struct {
	mu  sync.Mutex
	all bytes.Buffer
}

func (l *log) Write(b []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.all.Write(b)
}

func (l *log) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.all.String()
}

// freePort returns a port of loopback that is the test's own until its end. The test holds the UDP port of the same
// number: no two tests get one number, in no process, and TCP's port stays free. It is below the range from which systems
// take ports by themselves.
func freePort(t testing.TB) int {
	t.Helper()
	for range 100 {
		port := 10_000 + rand.IntN(20_000)
		address := net.JoinHostPort("127.0.0.1", strconv.Itoa(port))
		held, err := net.ListenPacket("udp4", address)
		if err != nil {
			continue // another test has it
		}
		l, err := net.Listen("tcp4", address)
		if err != nil {
			_ = held.Close() // nothing came
			continue
		}
		_ = l.Close() // nothing was accepted
		t.Cleanup(func() { _ = held.Close() })
		return port
	}
	t.Fatal("no port is free")
	return 0
}

// address is a free one of loopback.
func address(t testing.TB) string { return "127.0.0.1:" + strconv.Itoa(freePort(t)) }

// process is a program that ends with its test.
type process struct {
	*log
	stop func()
}

// run starts a program. env is added to the environment.
func run(t testing.TB, env []string, program string, args ...string) *process {
	t.Helper()
	cmd := exec.Command(program, args...)
	cmd.Env = append(os.Environ(), env...)
	p := &process{log: &log{}}
	cmd.Stdout, cmd.Stderr = p.log, p.log
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	p.stop = sync.OnceFunc(func() {
		_ = cmd.Process.Signal(os.Interrupt) // it may have ended
		kill := time.AfterFunc(15*time.Second, func() { _ = cmd.Process.Kill() })
		_ = cmd.Wait()
		kill.Stop()
	})
	t.Cleanup(func() {
		p.stop()
		if t.Failed() {
			text := p.String()
			t.Logf("%s said:\n%s", filepath.Base(program), text[max(0, len(text)-3000):])
		}
	})
	return p
}

// built returns a program of build.sh.
func built(t testing.TB, name string) string {
	t.Helper()
	cache, err := os.UserCacheDir()
	if err != nil {
		t.Fatal(err)
	}
	program := filepath.Join(cache, "gasoline-tests", name)
	if _, err := os.Stat(program); err != nil {
		t.Fatalf("%s is not there: run make collector", program)
	}
	return program
}

// until waits for something that other processes do.
func until(t testing.TB, what string, done func() bool) {
	t.Helper()
	for end := time.Now().Add(60 * time.Second); time.Now().Before(end); time.Sleep(100 * time.Millisecond) {
		if done() {
			return
		}
	}
	t.Fatalf("it never came to that: %s", what)
}

func answers(url string) bool {
	res, err := http.Get(url)
	if err != nil {
		return false
	}
	defer res.Body.Close()
	return res.StatusCode == http.StatusOK
}

func listens(address string) bool {
	c, err := net.Dial("tcp4", address)
	if err != nil {
		return false
	}
	return c.Close() == nil
}

// store is a Jaeger or a Loki.
type store struct{ otlp, query string } // base URLs

func jaeger(t testing.TB) store {
	t.Helper()
	in, out := address(t), address(t)
	run(t, []string{"OTLP_ENDPOINT=" + in, "QUERY_ENDPOINT=" + out, "QUERY_GRPC_ENDPOINT=" + address(t)},
		built(t, "jaeger-2.13.0"), "--config="+configs+"jaeger.yaml")
	until(t, "Jaeger is ready", func() bool { return answers("http://"+out+"/api/v3/services") && listens(in) })
	return store{"http://" + in, "http://" + out}
}

func loki(t testing.TB) store {
	t.Helper()
	port := freePort(t)
	run(t, []string{
		"LISTEN_ADDRESS=127.0.0.1", fmt.Sprint("HTTP_PORT=", port), fmt.Sprint("GRPC_PORT=", freePort(t)), "DATA=" + t.TempDir(),
	}, built(t, "loki-3.7.8"), "-config.file="+configs+"loki.yaml", "-config.expand-env=true")
	url := fmt.Sprint("http://127.0.0.1:", port)
	until(t, "Loki is ready", func() bool { return answers(url + "/ready") })
	return store{url + "/otlp", url}
}

// collector starts the OpenTelemetry Collector with one of the files of examples/export, and returns where it takes OTLP.
func collector(t testing.TB, file string, env ...string) (string, *process) {
	t.Helper()
	in := address(t)
	p := run(t, append([]string{"OTLP_ENDPOINT=" + in, "OTLP_GRPC_ENDPOINT=" + address(t)}, env...),
		built(t, "otelcol-0.140.0"), "--config=file:"+configs+file)
	until(t, "the collector is ready", func() bool { return listens(in) })
	return "http://" + in, p
}

// daemon is the built program in a process and a state directory of its own.
type daemon struct {
	t     testing.TB
	port  int
	url   string
	state string
	token string
}

func program(t testing.TB) string {
	t.Helper()
	path, err := filepath.Abs(root + "/bin/gasoline")
	if err != nil {
		t.Fatal(err)
	}
	return path
}

// start starts a daemon; project is its gasoline.json, "" for none.
func start(t testing.TB, project string) *daemon {
	t.Helper()
	d := &daemon{t: t, port: freePort(t), state: filepath.Join(t.TempDir(), "state")}
	d.url = fmt.Sprint("http://127.0.0.1:", d.port)
	p := run(t, []string{"HOME=" + t.TempDir()}, // it introduces itself to browsers there
		program(t), "serve", "--port", strconv.Itoa(d.port), "--state-dir", d.state, "--ingest-rate", "100000")
	until(t, "the daemon listens", func() bool { return strings.Contains(p.String(), " listens on ") })
	token, err := os.ReadFile(filepath.Join(d.state, "token"))
	if err != nil {
		t.Fatal(err)
	}
	d.token = strings.TrimSpace(string(token))
	if project != "" {
		if err := os.WriteFile(filepath.Join(d.state, "gasoline.json"), []byte(project), 0o600); err != nil {
			t.Fatal(err)
		}
		for _, args := range [][]string{{"sources", "allow", "--yes", d.state}, {"sources"}} { // the second waits until it is followed
			if out, err := d.command(t.Context(), args...).CombinedOutput(); err != nil {
				t.Fatalf("%q: %v %s", args, err, out)
			}
		}
	}
	return d
}

// command makes a command of the program that speaks with the daemon.
func (d *daemon) command(ctx context.Context, args ...string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, program(d.t), append(args, "--port", strconv.Itoa(d.port), "--state-dir", d.state)...)
	cmd.Cancel = func() error { return cmd.Process.Signal(os.Interrupt) }
	cmd.WaitDelay = 10 * time.Second
	return cmd
}

// cli runs a command of the program and returns what it prints.
func (d *daemon) cli(args ...string) (string, error) {
	ctx, end := context.WithTimeout(d.t.Context(), 2*time.Minute)
	defer end()
	out, err := d.command(ctx, args...).CombinedOutput()
	return string(out), err
}

// post sends JSON and fails the test when it is not taken.
func (d *daemon) post(path, body string) {
	d.t.Helper()
	if code, answer := d.ask(http.MethodPost, path, body); code != http.StatusOK {
		d.t.Fatalf("%s: %d %s", path, code, answer)
	}
}

func (d *daemon) ask(method, path, body string) (int, string) {
	d.t.Helper()
	req, err := http.NewRequestWithContext(d.t.Context(), method, d.url+path, strings.NewReader(body))
	if err != nil {
		d.t.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer "+d.token)
	req.Header.Set("Content-Type", "application/json")
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		d.t.Fatal(err)
	}
	defer res.Body.Close()
	answer, err := io.ReadAll(res.Body)
	if err != nil {
		d.t.Fatal(err)
	}
	return res.StatusCode, string(answer)
}

// node is one of GET /trace/{id}.
type node struct {
	Depth    int     `json:"depth"`
	Kind     string  `json:"kind"`
	Service  string  `json:"service"`
	Summary  string  `json:"summary"`
	Start    string  `json:"start"`
	Duration float64 `json:"duration_ms"`
	Failed   bool    `json:"failed"`
	Adjusted float64 `json:"adjusted_ms"`
	Bound    float64 `json:"bound_ms"` // the adjusted time is right within this
	SpanID   string  `json:"span_id"`
	Note     string  `json:"note"`
	Times    int     `json:"times"`
	Link     struct {
		Method string  `json:"method"`
		Score  float64 `json:"score"`
	} `json:"link"`
}

type tree struct {
	Nodes    []node   `json:"nodes"`
	Services []string `json:"services"`
	Complete string   `json:"complete"`
	Because  []string `json:"incomplete_because"`
	Cause    *struct {
		Service string  `json:"service"`
		Message string  `json:"message"`
		Score   float64 `json:"score"`
	} `json:"cause"`
}

// trace returns a tree, false when nothing of it is there.
func (d *daemon) trace(id string) (out tree, ok bool) {
	d.t.Helper()
	code, answer := d.ask(http.MethodGet, "/trace/"+id, "")
	if code != http.StatusOK {
		return out, false
	}
	if err := json.Unmarshal([]byte(answer), &out); err != nil {
		d.t.Fatalf("%s: %v", answer, err)
	}
	return out, true
}

// ask returns what a server answers.
func ask(t testing.TB, url string) string {
	t.Helper()
	res, err := http.Get(url)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	text, err := io.ReadAll(res.Body)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// post sends OTLP/JSON to a server.
func post(t testing.TB, url, body string) {
	t.Helper()
	res, err := http.Post(url, "application/json", strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	if res.StatusCode != http.StatusOK {
		t.Fatalf("%s: %s", url, res.Status)
	}
}
