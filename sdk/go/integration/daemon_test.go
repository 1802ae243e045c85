package integration_test

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"math/rand/v2"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	gasoline "github.com/brennhill/gasoline/sdk/go"
)

// daemon is the built program in a process and a state directory of its own.
type daemon struct{ url, token, state string }

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

// builtProgram is the path of the program that "make build" makes, unless GASOLINE_PROGRAM names another.
func builtProgram(t *testing.T) string {
	t.Helper()
	if path := os.Getenv("GASOLINE_PROGRAM"); path != "" {
		return path
	}
	path, err := filepath.Abs("../../../bin/gasoline")
	if err != nil {
		t.Fatal(err)
	}
	return path
}

// program runs the daemon on a port until the test or stop ends it.
func program(t *testing.T, port int, state string) (d daemon, stop func()) {
	t.Helper()
	path := builtProgram(t)
	ctx, end := context.WithCancel(context.Background())
	cmd := exec.CommandContext(ctx, path, "serve", "--port", strconv.Itoa(port), "--state-dir", state)
	cmd.WaitDelay = 10 * time.Second
	cmd.Env = append(os.Environ(), "HOME="+t.TempDir()) // it introduces itself to browsers there
	out, err := cmd.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatalf("%v; make build makes it", err)
	}
	lines := bufio.NewScanner(out)
	ended := make(chan struct{})
	stop = func() {
		end()
		<-ended
	}
	for lines.Scan() && !strings.Contains(lines.Text(), " listens on ") {
	}
	go func() {
		defer close(ended)
		_, _ = io.Copy(io.Discard, out)
		_ = cmd.Wait()
	}()
	t.Cleanup(stop)
	token, err := os.ReadFile(filepath.Join(state, "token"))
	if err != nil {
		t.Fatal(err)
	}
	return daemon{"http://127.0.0.1:" + strconv.Itoa(port), strings.TrimSpace(string(token)), state}, stop
}

// messages returns the logs of a service that the daemon has.
func (d daemon) messages(t *testing.T, service string) (out []string) {
	t.Helper()
	req, err := http.NewRequest("GET", d.url+"/buffers/timeline?limit=1000&kinds=log&service="+service, nil)
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer "+d.token)
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	var answer struct{ Events []struct{ Summary string } }
	if err := json.NewDecoder(res.Body).Decode(&answer); err != nil {
		t.Fatal(err)
	}
	for _, e := range answer.Events {
		out = append(out, e.Summary)
	}
	return out
}

type node struct {
	Depth   int
	Kind    string
	Service string
	Summary string
	Failed  bool
}

// tree returns a trace as indented lines, and its cause.
func (d daemon) tree(t *testing.T, traceID string) (lines []string, cause string) {
	t.Helper()
	req, _ := http.NewRequest("GET", d.url+"/trace/"+traceID, nil)
	req.Header.Set("Authorization", "Bearer "+d.token)
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	var out struct {
		Nodes []node
		Cause *struct{ Service, Message string }
	}
	if err := json.NewDecoder(res.Body).Decode(&out); err != nil || res.StatusCode != 200 {
		t.Fatal(res.Status, err)
	}
	for _, n := range out.Nodes {
		lines = append(lines, fmt.Sprintf("%s%s %s %s %v", strings.Repeat("  ", n.Depth), n.Kind, n.Service, n.Summary, n.Failed))
	}
	if out.Cause != nil {
		cause = out.Cause.Service + ": " + out.Cause.Message
	}
	return lines, cause
}

// A shop asks a stock service, whose query fails. The token is the install's, read from its file; the daemon proves
// itself to both before they send.
func TestTheTreeInTheDaemon(t *testing.T) {
	d, _ := program(t, freePort(t), filepath.Join(t.TempDir(), "state"))
	t.Setenv("GASOLINE_STATE_DIR", d.state)
	t.Setenv("GASOLINE_URL", d.url)
	shop := gasoline.Start(gasoline.Config{Service: "shop"})
	stock := gasoline.Start(gasoline.Config{Service: "stock"})
	db, err := stock.Open("sqlite", filepath.Join(t.TempDir(), "stock.db"))
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	log := slog.New(stock.Slog(nil))
	mux := http.NewServeMux()
	mux.HandleFunc("GET /stock/{id}", func(w http.ResponseWriter, r *http.Request) {
		var n int
		if err := db.QueryRowContext(r.Context(), "SELECT count FROM stock WHERE id = ?", r.PathValue("id")).Scan(&n); err != nil {
			log.ErrorContext(r.Context(), "cannot count", "error", err)
			http.Error(w, "broken", http.StatusInternalServerError)
		}
	})
	back := httptest.NewServer(stock.Handler(mux))
	defer back.Close()
	client := &http.Client{Transport: shop.Transport(nil)}
	front := httptest.NewServer(shop.Handler(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		req, _ := http.NewRequestWithContext(r.Context(), "GET", back.URL+"/stock/42", nil)
		res, err := client.Do(req)
		if err != nil {
			t.Error(err)
			return
		}
		res.Body.Close()
		w.WriteHeader(http.StatusBadGateway)
	})))
	defer front.Close()
	res, err := http.Get(front.URL + "/buy")
	if err != nil {
		t.Fatal(err)
	}
	res.Body.Close()
	tp, ok := gasoline.ParseTraceparent(res.Header.Get("Traceresponse"))
	if !ok {
		t.Fatal(res.Header)
	}
	for _, c := range []*gasoline.Client{shop, stock} {
		if err := c.Close(context.Background()); err != nil {
			t.Errorf("%v, %+v", err, c.Stats())
		}
	}
	lines, cause := d.tree(t, tp.TraceID.String())
	got := strings.Join(lines, "\n")
	at := 0
	for depth, part := range []string{
		"span shop server GET /buy error", "span shop client GET /stock/42 error", "span stock server GET /stock/{id} error",
		"span stock client SELECT stock error",
	} {
		i := strings.Index(got[at:], strings.Repeat("  ", depth)+part)
		if i < 0 {
			t.Fatalf("no %q at depth %d in\n%s", part, depth, got)
		}
		at += i
	}
	if !strings.Contains(got, "log stock") || !strings.Contains(got, "cannot count") || !strings.HasPrefix(cause, "stock: ") ||
		!strings.Contains(cause, "no such table") {
		t.Errorf("%s\ncause: %s", got, cause)
	}
}

// A program that has the port and does not know the token gets a challenge, and neither token nor records.
func TestAForeignListenerGetsNothing(t *testing.T) {
	got := ""
	foreign := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		got += r.URL.Path + r.Header.Get("Authorization") + " "
		fmt.Fprint(w, `{"server":{"name":"gasoline","run":"x"},"boot":"y","proof":"00"}`)
	}))
	defer foreign.Close()
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "token"), []byte("secret\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	t.Setenv("GASOLINE_STATE_DIR", dir)
	c := gasoline.Start(gasoline.Config{URL: foreign.URL})
	slog.New(c.Slog(nil)).Error("private")
	_ = c.Flush(context.Background())
	if strings.ReplaceAll(got, "/prove ", "") != "" || got == "" || !strings.Contains(c.Stats().Problem, "did not prove") {
		t.Errorf("%q %+v", got, c.Stats())
	}
	_ = c.Close(context.Background())
}

// The daemon is killed and comes back: what was not taken arrives, once.
func TestADaemonThatIsKilledComesBack(t *testing.T) {
	port, state := freePort(t), filepath.Join(t.TempDir(), "state")
	d, stop := program(t, port, state)
	c := gasoline.Start(gasoline.Config{URL: d.url, Token: d.token, Service: "shop", Interval: time.Hour})
	log := slog.New(c.Slog(nil))
	log.Info("before")
	if err := c.Flush(context.Background()); err != nil || c.Stats().Sent != 1 {
		t.Fatal(err, c.Stats())
	}
	stop()
	for i := 0; i < 300; i++ {
		log.Warn("meanwhile " + strconv.Itoa(i))
	}
	_ = c.Flush(context.Background())
	if s := c.Stats(); s.Sent != 1 || s.Problem == "" || s.Dropped != 0 {
		t.Fatalf("%+v", s)
	}
	d, _ = program(t, port, state)
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	if err := c.Flush(ctx); err != nil {
		t.Fatal(err)
	}
	if s := c.Stats(); s.Sent != 301 || s.Dropped != 0 {
		t.Fatalf("%+v", s)
	}
	if got := d.messages(t, "shop"); len(got) != 300 {
		t.Errorf("%d events", len(got))
	}
	_ = c.Close(context.Background())
}

// The string that "gasoline token create" prints is enough: HTTPS by the daemon's pinned key, without a trusted authority.
func TestThePairingStringOfTheProgram(t *testing.T) {
	port, state := freePort(t), filepath.Join(t.TempDir(), "state")
	d, _ := program(t, port, state)
	cmd := exec.Command(builtProgram(t), "--port", strconv.Itoa(port), "--state-dir", state,
		"token", "create", "--service", "shop", "--json")
	cmd.Env = append(os.Environ(), "HOME="+t.TempDir())
	text, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	var made struct{ Pairing, Pin string }
	if err := json.Unmarshal(text, &made); err != nil {
		t.Fatal(err)
	}
	t.Setenv("GASOLINE_URL", made.Pairing)
	c := gasoline.Start(gasoline.Config{Service: "shop", Interval: time.Hour})
	slog.New(c.Slog(nil)).Info("by HTTPS")
	_ = c.Flush(context.Background())
	if s := c.Stats(); s.Sent != 1 || s.Refused != 0 || s.Problem != "" {
		t.Errorf("%+v", s)
	}
	if got := d.messages(t, "shop"); len(got) != 1 || !strings.Contains(got[0], "by HTTPS") {
		t.Errorf("%q", got)
	}
	_ = c.Close(context.Background())
	last := len(made.Pairing) - 2
	t.Setenv("GASOLINE_URL", made.Pairing[:last]+map[bool]string{true: "B", false: "A"}[made.Pairing[last] != 'B']+made.Pairing[last+1:])
	c = gasoline.Start(gasoline.Config{Service: "shop", Interval: time.Hour})
	slog.New(c.Slog(nil)).Info("private")
	_ = c.Flush(context.Background())
	if s := c.Stats(); s.Sent != 0 || !strings.Contains(s.Problem, "another key") {
		t.Errorf("%+v", s)
	}
	_ = c.Close(context.Background())
}

// The answer to a request that the daemon took is lost on its way, so the request comes again. It counts once.
func TestARequestThatComesTwiceCountsOnce(t *testing.T) {
	port, state := freePort(t), filepath.Join(t.TempDir(), "state")
	d, _ := program(t, port, state)
	asked := 0
	between := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		asked++
		r.URL.Scheme, r.URL.Host, r.Host, r.RequestURI = "http", strings.TrimPrefix(d.url, "http://"), "", ""
		res, err := http.DefaultTransport.RoundTrip(r)
		if err != nil || res.StatusCode != http.StatusOK {
			t.Error(err, res)
			return
		}
		defer res.Body.Close()
		if asked == 1 {
			panic(http.ErrAbortHandler) // it was taken: now the line breaks
		}
		_, _ = io.Copy(w, res.Body)
	}))
	defer between.Close()
	c := gasoline.Start(gasoline.Config{URL: between.URL, Token: d.token, Service: "shop", Interval: time.Hour})
	slog.New(c.Slog(nil)).Info("once")
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	for c.Stats().Sent == 0 && ctx.Err() == nil {
		_ = c.Flush(ctx)
	}
	if asked != 2 || c.Stats().Sent != 1 {
		t.Errorf("%d requests, %+v", asked, c.Stats())
	}
	if got := d.messages(t, "shop"); len(got) != 1 {
		t.Errorf("%q", got)
	}
	_ = c.Close(context.Background())
}
