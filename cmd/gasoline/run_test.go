//go:build unix

package main

import (
	"context"
	"crypto/sha256"
	"crypto/tls"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

// row is an event as GET /query tells it.
type row map[string]any

// rows returns the logs and exceptions of a service, in order of arrival.
func (m *machine) rows(service string) (out []row) {
	m.t.Helper()
	code, text := m.ask(http.MethodGet, "/query?kinds=log,exception&limit=1000&select=kind,source,instance,message,"+
		"type,mechanism,handled,line,logger,trace_id,witnesses,time&where="+url.QueryEscape("service = \""+service+"\""), "")
	var answer struct {
		Columns []string
		Rows    [][]any
	}
	if err := json.Unmarshal([]byte(text), &answer); code != http.StatusOK || err != nil {
		m.t.Fatalf("query: %d %s %v", code, text, err)
	}
	for _, values := range answer.Rows {
		r := row{}
		for i, v := range values {
			r[answer.Columns[i]] = v
		}
		out = append(out, r)
	}
	return out
}

// arrived waits until a service has this many events.
func (m *machine) arrived(service string, n int) (out []row) {
	m.t.Helper()
	m.identity()
	eventually(m.t, fmt.Sprintf("%d events of %s", n, service), func() bool { out = m.rows(service); return len(out) >= n })
	return out
}

func messages(rows []row) (out []string) {
	for _, r := range rows {
		text, _ := r["message"].(string)
		out = append(out, text)
	}
	return out
}

// needs fails the test where a program is missing: every machine that runs the tests has it.
func needs(t *testing.T, program string) string {
	t.Helper()
	path, err := exec.LookPath(program)
	if err != nil {
		t.Fatalf("this test needs %s: %v", program, err)
	}
	return path
}

func TestRunPassesOutputAndExitCode(t *testing.T) {
	m := newMachine(t)
	out, errs, code := m.run("run", "--name", "api", "--", "sh", "-c", "echo hello; echo oops >&2; exit 7")
	if out != "hello\n" || errs != "oops\n" || code != 7 {
		t.Errorf("%q %q %d", out, errs, code)
	}
	rows := m.arrived("api", 3)
	if got := strings.Join(messages(rows), ","); got != "hello,oops,the program ended: exit status 7" &&
		got != "oops,hello,the program ended: exit status 7" {
		t.Errorf("stored: %v", rows)
	}
	for _, r := range rows {
		if r["source"] != "run" || r["instance"] == "" {
			t.Errorf("%v", r)
		}
	}
}

func TestRunPassesStandardInput(t *testing.T) {
	m := newMachine(t)
	cmd := m.command(t.Context(), "run", "--name", "cat", "--", "cat")
	cmd.Stdin = strings.NewReader("over there\n")
	out, err := cmd.Output()
	if err != nil || string(out) != "over there\n" {
		t.Errorf("%q %v", out, err)
	}
}

func TestRunOfWhatIsNotThere(t *testing.T) {
	m := newMachine(t)
	_, errs, code := m.run("run", "--", "no-such-program-here")
	if code != 127 || !strings.Contains(errs, "no-such-program-here") {
		t.Errorf("%q %d", errs, code)
	}
}

func TestRunGivesOpenTelemetryItsVariables(t *testing.T) {
	m := newMachine(t)
	m.env = append(m.env, "OTEL_TRACES_SAMPLER=always_off", "OTEL_RESOURCE_ATTRIBUTES=a=b")
	out, _, _ := m.run("run", "--name", "api", "--", "env")
	token, err := m.place.Token()
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		"OTEL_EXPORTER_OTLP_ENDPOINT=http://127.0.0.1:" + strconv.Itoa(m.place.Port) + "\n",
		"OTEL_EXPORTER_OTLP_HEADERS=authorization=Bearer%20gasoline_ingest_",
		"OTEL_SERVICE_NAME=api\n", "OTEL_TRACES_SAMPLER=always_off\n", "OTEL_RESOURCE_ATTRIBUTES=a=b,service.instance.id=",
		"OTEL_METRICS_EXPORTER=none\n", "GASOLINE_TOKEN_FILE=" + filepath.Join(m.place.StateDir, "tokens"),
	} {
		if !strings.Contains(out, want) {
			t.Errorf("%q is missing in\n%s", want, out)
		}
	}
	if strings.Contains(out, token) || strings.Contains(out, m.place.TokenPath()+"\n") {
		t.Error("the program gets the install's token")
	}
	m.env = append(m.env, "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT=https://collector.example")
	if out, _, _ = m.run("run", "--", "env"); strings.Contains(out, "Bearer") {
		t.Error("another collector would get the token")
	}
}

// What a program gets lets it send while it runs, and nothing else.
func TestWhatRunGivesLetsSendOnly(t *testing.T) {
	needs(t, "curl")
	m := newMachine(t)
	if _, errs, code := m.run("observe", "logs"); code != exitOK { // starts the daemon
		t.Fatal(errs)
	}
	out, errs, code := m.run("run", "--name", "api", "--", "sh", "-c", `
ask() { curl -sS -o /dev/null -w '%{http_code} ' -H "Authorization: Bearer $(cat "$GASOLINE_TOKEN_FILE")" "$@"; }
ask -H 'Content-Type: application/json' -d '{}' "$GASOLINE_URL/v1/logs"
ask "$GASOLINE_URL/query"
ask -X POST "$GASOLINE_URL/shutdown"
echo; cat "$GASOLINE_TOKEN_FILE"`)
	answers, token, _ := strings.Cut(strings.TrimSpace(out), "\n")
	if code != exitOK || strings.TrimSpace(answers) != "200 403 403" || !strings.HasPrefix(token, "gasoline_ingest_") {
		t.Fatalf("%d %q %s", code, out, errs)
	}
	left, err := os.ReadDir(filepath.Join(m.place.StateDir, "tokens"))
	if err != nil || len(left) > 0 {
		t.Errorf("after the program's end there are %v, %v", left, err)
	}
	if out, errs, _ := m.run("token", "list"); !strings.Contains(out, "There are none") {
		t.Errorf("%s %s", out, errs)
	}
}

func TestTokensByTheCommandLine(t *testing.T) {
	m := newMachine(t)
	if _, errs, code := m.run("token", "create", "--scope", "everything"); code != exitUsage ||
		!strings.Contains(errs, "ingest, query or admin") {
		t.Errorf("%d %s", code, errs)
	}
	out, errs, code := m.run("token", "create", "--service", "api", "--env", "staging", "--expires", "1h")
	if code != exitOK || !strings.Contains(out, "GASOLINE_URL=https://gasoline_ingest_") ||
		!strings.Contains(out, "OTEL_EXPORTER_OTLP_HEADERS=authorization=Bearer%20gasoline_ingest_") {
		t.Fatalf("%d %s %s", code, out, errs)
	}
	if out, _, _ := m.run("token", "create", "--scope", "query"); !strings.Contains(out, "GASOLINE_TOKEN=gasoline_query_") ||
		!strings.Contains(out, "sha256//") {
		t.Error(out)
	}
	list, _, _ := m.run("token", "list")
	secret := regexp.MustCompile(`_([0-9a-f]{64})`).FindStringSubmatch(out)
	if !strings.Contains(list, "ingest for service api for environment staging") || len(secret) != 2 ||
		strings.Contains(list, secret[1]) {
		t.Errorf("%s\n%s", out, list)
	}
	id := regexp.MustCompile(`gasoline_ingest_([0-9a-f]{16})_`).FindStringSubmatch(out)[1]
	if out, errs, code := m.run("token", "revoke", id); code != exitOK || !strings.Contains(out, "revoked") {
		t.Errorf("%d %s %s", code, out, errs)
	}
	if _, errs, code := m.run("token", "revoke", id); code != exitError || !strings.Contains(errs, "there is no token") {
		t.Errorf("%d %s", code, errs)
	}
}

// The string of a token is all that a program needs: the address, who it is, and which key the other side must have.
func TestAPairingStringIsEnough(t *testing.T) {
	m := newMachine(t)
	m.run("observe", "logs") // starts the daemon
	out, errs, _ := m.run("token", "create", "--service", "api", "--json")
	var made struct{ Pairing string }
	if err := json.Unmarshal([]byte(out), &made); err != nil {
		t.Fatalf("%v %s %s", err, out, errs)
	}
	u, err := url.Parse(made.Pairing)
	must(t, err)
	pin := u.Query().Get("pin")
	client := http.Client{Transport: &http.Transport{TLSClientConfig: &tls.Config{
		InsecureSkipVerify: true, // the pin decides
		VerifyConnection: func(state tls.ConnectionState) error {
			hash := sha256.Sum256(state.PeerCertificates[0].RawSubjectPublicKeyInfo)
			if got := base64.RawURLEncoding.EncodeToString(hash[:]); got != pin {
				return fmt.Errorf("the key is %s", got)
			}
			return nil
		},
	}}}
	defer client.CloseIdleConnections()
	req, err := http.NewRequest("POST", "https://"+u.Host+"/v1/logs", strings.NewReader(`{"resourceLogs":[{"scopeLogs":[
		{"logRecords":[{"timeUnixNano":"1","severityNumber":9,"body":{"stringValue":"paired"}}]}]}]}`))
	must(t, err)
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Authorization", "Bearer "+u.User.Username())
	res, err := client.Do(req)
	must(t, err)
	must(t, res.Body.Close())
	if rows := m.arrived("api", 1); res.StatusCode != 200 || len(rows) != 1 || rows[0]["message"] != "paired" {
		t.Errorf("%d %v", res.StatusCode, rows)
	}
}

// A program that runs several, as honcho does, gives each one's lines to a service.
func TestRunOfSeveralProcesses(t *testing.T) {
	m := newMachine(t)
	must(t, os.WriteFile(filepath.Join(m.dir, "honcho"),
		[]byte("#!/bin/sh\necho '10:31:02 system | web.1 started'\necho '10:31:02 web.1  | ERROR no price'\necho '10:31:02 db.1   | ready'\n"), 0o755))
	if _, errs, code := m.run("run", "--name", "shop", "--", "./honcho", "start"); code != 0 {
		t.Fatalf("%d %s", code, errs)
	}
	for service, message := range map[string]string{"web": "no price", "db": "ready", "system": "web.1 started"} {
		if rows := m.arrived(service, 1); len(rows) != 1 || rows[0]["message"] != message {
			t.Errorf("%s: %v", service, rows)
		}
	}
}

// Without the SDK, what is known is what the program prints.
func TestRunReadsAnUncaughtErrorOfNode(t *testing.T) {
	needs(t, "node")
	m := newMachine(t)
	m.env = append(m.env, "GASOLINE=off")
	must(t, os.WriteFile(filepath.Join(m.dir, "boom.js"), []byte(`
console.log('{"level":30,"msg":"started","trace_id":"4bf92f3577b34da6a3ce929d0e0e4736"}');
function pay() { throw new TypeError('no price'); }
pay();
`), 0o600))
	_, errs, code := m.run("run", "--name", "shop", "--", "node", "boom.js")
	if code != 1 || !strings.Contains(errs, "TypeError: no price") {
		t.Errorf("%d %s", code, errs)
	}
	rows := m.arrived("shop", 3)
	if len(rows) != 3 || rows[2]["message"] != "the program ended: exit status 1" {
		t.Fatalf("%v", rows)
	}
	for _, r := range rows[:2] {
		switch r["kind"] {
		case "log":
			if r["message"] != "started" || r["trace_id"] != "4bf92f3577b34da6a3ce929d0e0e4736" {
				t.Errorf("%v", r)
			}
		case "exception":
			if r["type"] != "TypeError" || r["message"] != "no price" || r["line"] != 3.0 || r["mechanism"] != "uncaught" {
				t.Errorf("%v", r)
			}
		}
	}
}

// What the SDK sends and what the program prints are the same, and are kept once.
func TestRunLoadsTheSDKForNode(t *testing.T) {
	needs(t, "node")
	m := newMachine(t)
	must(t, os.WriteFile(filepath.Join(m.dir, "boom.js"), []byte(`
console.log('{"level":30,"msg":"started","trace_id":"4bf92f3577b34da6a3ce929d0e0e4736"}');
function pay() { throw new TypeError('no price'); }
pay();
`), 0o600))
	_, errs, code := m.run("run", "--name", "shop", "--", "node", "boom.js")
	if code != 1 || !strings.Contains(errs, "TypeError: no price") {
		t.Errorf("%d %s", code, errs)
	}
	logs, exceptions := 0, 0
	for _, r := range m.arrived("shop", 3) {
		switch {
		case r["message"] == "the program ended: exit status 1":
		case r["kind"] == "log":
			logs++
			if r["message"] != "started" || r["trace_id"] != "4bf92f3577b34da6a3ce929d0e0e4736" {
				t.Errorf("%v", r)
			}
		case r["kind"] == "exception":
			exceptions++
			if r["type"] != "TypeError" || r["message"] != "no price" || r["handled"] != false {
				t.Errorf("%v", r)
			}
		}
	}
	if logs != 1 || exceptions != 1 {
		t.Errorf("%d logs, %d exceptions", logs, exceptions)
	}
}

// Without the SDK, what is known is what the program prints.
func TestRunReadsATracebackOfPython(t *testing.T) {
	needs(t, "python3")
	m := newMachine(t)
	m.env = append(m.env, "GASOLINE=off")
	must(t, os.WriteFile(filepath.Join(m.dir, "boom.py"), []byte(`
import logging
logging.basicConfig(level=logging.INFO)
def pay():
    raise ValueError("no stock")
try:
    pay()
except ValueError:
    logging.exception("could not pay")
logging.info("goes on")
`), 0o600))
	if _, _, code := m.run("run", "--name", "shop", "--", "python3", "boom.py"); code != 0 {
		t.Errorf("%d", code)
	}
	rows := m.arrived("shop", 2)
	if len(rows) != 2 || rows[0]["kind"] != "exception" || rows[0]["type"] != "ValueError" || rows[0]["handled"] != true ||
		rows[1]["message"] != "goes on" || rows[1]["logger"] != "root" {
		t.Errorf("%v", rows)
	}
}

// A line that the SDK sends and the program prints is kept once, and nothing of what the program prints is another.
func TestRunLoadsTheSDKForPython(t *testing.T) {
	needs(t, "python3")
	m := newMachine(t)
	must(t, os.WriteFile(filepath.Join(m.dir, "boom.py"), []byte(`
import logging
logging.basicConfig(level=logging.INFO)
def pay():
    raise ValueError("no stock")
logging.info("goes on")
try:
    pay()
except ValueError:
    logging.exception("could not pay")
pay()
`), 0o600))
	_, errs, code := m.run("run", "--name", "shop", "--", "python3", "boom.py")
	if code != 1 || !strings.HasPrefix(errs, "INFO:root:goes on\nERROR:root:could not pay\nTraceback") ||
		!strings.HasSuffix(errs, "\nValueError: no stock\n") || strings.Contains(errs, "gasoline") {
		t.Errorf("%d %s", code, errs)
	}
	plain := 0
	thrown := false
	eventually(t, "the uncaught error", func() bool {
		plain, thrown = 0, false
		for _, r := range m.rows("shop") {
			thrown = thrown || r["kind"] == "exception" && r["type"] == "ValueError" && r["handled"] == false
			if r["message"] == "goes on" {
				plain++
			}
		}
		return thrown
	})
	if plain != 1 {
		t.Errorf("the line is there %d times", plain)
	}
}

func TestRunOfALongLineAndOfBinaryOutput(t *testing.T) {
	m := newMachine(t)
	out, errs, code := m.run("run", "--name", "big", "--", "sh", "-c",
		`head -c 10485760 /dev/zero | tr '\0' x; echo; printf 'a\000b\n'; printf '\000\001\n'; echo end`)
	if len(out) != 10485760+1+4+3+4 || code != 0 {
		t.Errorf("%d bytes, %d", len(out), code)
	}
	if errs != "gasoline: 5 bytes of binary output were not kept\n" {
		t.Errorf("%q", errs)
	}
	rows := m.arrived("big", 3)
	if len(rows) != 3 {
		t.Fatalf("%d rows: %.500v", len(rows), messages(rows)[1:])
	}
	text := messages(rows)
	if !strings.HasSuffix(text[0], "x … [cut: 10485760 bytes in all]") || len(text[0]) > 257<<10 ||
		!strings.HasPrefix(text[1], "binary output is not kept: 3 bytes") || text[2] != "end" {
		t.Errorf("%d %.50q %q %q", len(text[0]), text[0], text[1], text[2])
	}
}

// background starts a command and returns what ends it.
func (m *machine) background(args ...string) (cmd *exec.Cmd, out *heard) {
	m.t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), within)
	m.t.Cleanup(cancel)
	cmd, out = m.command(ctx, args...), &heard{}
	cmd.Stdout, cmd.Stderr = out, out
	must(m.t, cmd.Start())
	return cmd, out
}

// gone reports whether a process has ended and was waited for.
func gone(pid int) bool { return errors.Is(syscall.Kill(pid, 0), syscall.ESRCH) }

func pidIn(t *testing.T, path string) (pid int) {
	t.Helper()
	eventually(t, path+" has a number", func() bool {
		data, err := os.ReadFile(path)
		if err == nil {
			pid, err = strconv.Atoi(strings.TrimSpace(string(data)))
		}
		return err == nil
	})
	return pid
}

func TestRunPassesSignals(t *testing.T) {
	m := newMachine(t)
	cmd, out := m.background("run", "--name", "s", "--", "sh", "-c",
		`trap 'echo got it; exit 5' TERM; echo $$ > pid; while :; do sleep 0.05; done`)
	pid := pidIn(t, filepath.Join(m.dir, "pid"))
	must(t, cmd.Process.Signal(syscall.SIGTERM))
	_ = cmd.Wait() // the code tells
	if cmd.ProcessState.ExitCode() != 5 || !strings.Contains(out.String(), "got it") || !gone(pid) {
		t.Errorf("%d %s", cmd.ProcessState.ExitCode(), out)
	}
	cmd, _ = m.background("run", "--", "sh", "-c", `echo $$ > pid2; exec sleep 100`)
	pidIn(t, filepath.Join(m.dir, "pid2"))
	must(t, cmd.Process.Signal(syscall.SIGINT))
	_ = cmd.Wait() // the code tells
	if cmd.ProcessState.ExitCode() != 128+2 {
		t.Errorf("%d", cmd.ProcessState.ExitCode())
	}
}

// Behind "| head" the program ends as it would alone, and what it wrote before is kept.
func TestRunEndsWhenNobodyReadsItsOutput(t *testing.T) {
	m := newMachine(t)
	read, write, err := os.Pipe()
	must(t, err)
	ctx, cancel := context.WithTimeout(t.Context(), within)
	defer cancel()
	cmd := m.command(ctx, "run", "--name", "endless", "--", "sh", "-c", "while echo again; do :; done")
	cmd.Stdout = write
	must(t, cmd.Start())
	must(t, write.Close())
	first := make([]byte, 6)
	if _, err := io.ReadFull(read, first); err != nil || string(first) != "again\n" {
		t.Errorf("%q %v", first, err)
	}
	must(t, read.Close())
	_ = cmd.Wait() // the code tells
	if code := cmd.ProcessState.ExitCode(); code != 128+int(syscall.SIGPIPE) {
		t.Error(code)
	}
	if got := messages(m.arrived("endless", 1)); got[0] != "again" || strings.Contains(got[len(got)-1], "the program ended") {
		t.Errorf("%q … %q", got[0], got[len(got)-1])
	}
	if out, _, _ := m.run("token", "list"); strings.Contains(out, "ingest") {
		t.Errorf("its token is left: %s", out)
	}
}

// How a program ended is told where it failed by itself, and not where the user ended it.
func TestRunTellsHowAProgramFailed(t *testing.T) {
	m := newMachine(t)
	if _, _, code := m.run("run", "--name", "killed", "--", "sh", "-c", "kill -9 $$"); code != 128+9 {
		t.Error(code)
	}
	if got := strings.Join(messages(m.arrived("killed", 1)), ","); got != "the program ended: signal: killed" {
		t.Error(got)
	}
	cmd, _ := m.background("run", "--name", "asked", "--", "sh", "-c",
		`trap 'echo ends; exit 5' TERM; echo $$ > pid; while :; do sleep 0.05; done`)
	pidIn(t, filepath.Join(m.dir, "pid"))
	must(t, cmd.Process.Signal(syscall.SIGTERM))
	_ = cmd.Wait() // it fails
	if got := strings.Join(messages(m.arrived("asked", 1)), ","); !strings.Contains(got, "ends") ||
		strings.Contains(got, "the program ended") {
		t.Error(got)
	}
}

// Go's slog, and who logs as it does, gives the error as an attribute.
func TestTheErrorBesideALogIsTold(t *testing.T) {
	m := newMachine(t)
	m.run("run", "--name", "api", "--", "sh", "-c", `
		echo '{"time":"2026-01-02T03:04:05Z","level":"ERROR","msg":"could not pay","err":"db: connection refused","n":1}'
		echo 'time=2026-01-02T03:04:06Z level=ERROR msg="could not book" error="no such table" n=2'
		echo '{"level":"error","msg":"late: no answer","error":"no answer"}'
		echo '{"level":"error","msg":"wrong","error":{"message":"an object"},"err":7}'
		echo '{"level":"warn","msg":"order 17 is late"}'
		echo '{"level":"warn","msg":"order 18 is late"}'`)
	m.arrived("api", 6)
	out, _, _ := m.run("observe", "errors", "--service", "api")
	for _, want := range []string{
		"could not pay [log in api]\n  caused by db: connection refused\n",
		"could not book [log in api]\n  caused by no such table\n",
		"late: no answer [log in api]\nl", // it said so
		"from service api: data",
	} {
		if !strings.Contains(out, want) {
			t.Errorf("%q is not in\n%s", want, out)
		}
	}
	out, _, _ = m.run("observe", "logs", "--service", "api")
	for _, want := range []string{
		"error could not pay: db: connection refused (api)\n", "error could not book: no such table (api)\n", "error late: no answer (api)\n",
	} {
		if !strings.Contains(out, want) {
			t.Errorf("%q is not in\n%s", want, out)
		}
	}
	for _, mode := range [][]string{{"analyze", "error_clusters"}, {"observe", "summarized_logs"}} {
		if out, _, _ = m.run(append(mode, "--service", "api")...); !strings.Contains(out, "from service api: data") {
			t.Error(out)
		}
	}
}

func TestRunKillsWhatIgnoresSignals(t *testing.T) {
	t.Parallel() // it waits for most of its time
	m := newMachine(t)
	cmd, out := m.background("run", "--name", "s", "--", "sh", "-c",
		`trap '' TERM INT; (trap '' TERM INT HUP; echo $$ > /dev/null; sleep 100 & echo $! > grandchild; wait) & echo $$ > pid; wait; sleep 100`)
	pid, grandchild := pidIn(t, filepath.Join(m.dir, "pid")), pidIn(t, filepath.Join(m.dir, "grandchild"))
	start := time.Now()
	must(t, cmd.Process.Signal(syscall.SIGTERM))
	_ = cmd.Wait() // the code tells
	took := time.Since(start)
	if cmd.ProcessState.ExitCode() != 128+9 || took < 4*time.Second {
		t.Errorf("%d after %s: %s", cmd.ProcessState.ExitCode(), took, out)
	}
	eventually(t, "all are gone", func() bool { return gone(pid) && gone(grandchild) })
}

func TestRunLeavesNoOrphan(t *testing.T) {
	m := newMachine(t)
	_, _, code := m.run("run", "--", "sh", "-c", `sleep 100 & echo $! > pid`)
	pid := pidIn(t, filepath.Join(m.dir, "pid"))
	if code != 0 {
		t.Errorf("%d", code)
	}
	eventually(t, "the background process is gone", func() bool { return gone(pid) })
}

// The daemon is killed while a program writes; what it writes meanwhile is there when a daemon is.
func TestRunOutlivesTheDaemon(t *testing.T) {
	m := newMachine(t)
	cmd, _ := m.background("run", "--name", "slow", "--", "sh", "-c",
		`echo one; while [ ! -e two ]; do sleep 0.02; done; echo two; while [ ! -e three ]; do sleep 0.02; done; echo three`)
	m.arrived("slow", 1)
	id := m.identity()
	must(t, m.place.Kill(id.Run))
	must(t, os.WriteFile(filepath.Join(m.dir, "two"), nil, 0o600))
	m.run("configure", "health") // starts a daemon, as agents do
	m.arrived("slow", 1)
	must(t, os.WriteFile(filepath.Join(m.dir, "three"), nil, 0o600))
	must(t, cmd.Wait())
	got := messages(m.arrived("slow", 2))
	if got[0] == "one" { // the daemon that was killed had taken it and not said so: it was sent again
		got = messages(m.arrived("slow", 3))[1:]
	}
	if got := strings.Join(got, ","); got != "two,three" {
		t.Errorf("%s", got)
	}
}

func TestRunTellsWhatDidNotArrive(t *testing.T) {
	m := newMachine(t)
	l, err := net.Listen("tcp4", "127.0.0.1:0") // another program
	must(t, err)
	defer l.Close()
	m.env = append(m.env, "GASOLINE_PORT="+strconv.Itoa(l.Addr().(*net.TCPAddr).Port))
	out, errs, code := m.run("run", "--", "echo", "hello")
	if out != "hello\n" || code != 0 || !strings.HasPrefix(errs, "gasoline: 1 of 1 lines did not reach the daemon") ||
		strings.Count(errs, "\n") != 1 {
		t.Errorf("%q %q %d", out, errs, code)
	}
}

// What a sender of lines lost is no loss of a page.
func TestLostLinesAreTheSenders(t *testing.T) {
	m := newMachine(t)
	m.run("sources") // starts a daemon
	code, text := m.ask(http.MethodPost, "/lines",
		`{"service":"api","source":"run","client":"c","batch":1,"dropped":7,"lines":[{"t":1,"text":"after"}]}`)
	if code != http.StatusOK {
		t.Fatal(code, text)
	}
	if out, _, _ := m.run("observe", "logs", "--service", "api"); !strings.Contains(out, "7 log events (dropped by the sender)") {
		t.Error(out)
	}
}

func TestRunFindsTheProjectsCommand(t *testing.T) {
	m := newMachine(t)
	m.env = append(m.env, "MAKEFLAGS=", "MFLAGS=", "MAKELEVEL=") // these tests may be run by a make of their own
	_, errs, code := m.run("run")
	if code == 0 || !strings.Contains(errs, "gasoline run -- npm run dev") {
		t.Errorf("%d %s", code, errs)
	}
	must(t, os.WriteFile(filepath.Join(m.dir, "Makefile"), []byte("all:\n\ndev:\n\t@echo from make\n"), 0o600))
	out, errs, code := m.run("run")
	if code != 0 || out != "from make\n" || !strings.Contains(errs, "Makefile has the target dev; running make dev") {
		t.Errorf("%d %q %q", code, out, errs)
	}
	must(t, os.WriteFile(filepath.Join(m.dir, "Procfile"), []byte("web: echo web $PORT\nworker: echo w\n"), 0o600))
	_, errs, code = m.run("run")
	if code == 0 || !strings.Contains(errs, "gasoline run --name web -- sh -c 'echo web $PORT'") ||
		!strings.Contains(errs, "gasoline run -- make dev") {
		t.Errorf("%d %q", code, errs)
	}
}

func TestRunSaysWhatToInstall(t *testing.T) {
	m := newMachine(t)
	_, errs, code := m.run("run", "--otel", "--", "node", "-e", "0")
	if code == 0 || !strings.Contains(errs, "npm install --save-dev @opentelemetry/auto-instrumentations-node") {
		t.Errorf("%d %s", code, errs)
	}
	_, errs, code = m.run("run", "--otel", "--", "python3", "-c", "0")
	if code == 0 || !strings.Contains(errs, "pip install opentelemetry-distro") {
		t.Errorf("%d %s", code, errs)
	}
}

func TestTailFollowsAndGoesOn(t *testing.T) {
	m := newMachine(t)
	log := filepath.Join(m.dir, "api.log")
	write := func(text string) {
		f, err := os.OpenFile(log, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
		must(t, err)
		_, err = io.WriteString(f, text)
		must(t, errors.Join(err, f.Close()))
	}
	write("before\n")
	tail := func() (end func()) {
		cmd, out := m.background("tail", "*.log")
		eventually(t, "it follows", func() bool { return strings.Contains(out.String(), "following 1 file") })
		return func() {
			must(t, cmd.Process.Signal(os.Interrupt))
			if err := cmd.Wait(); err != nil {
				t.Errorf("%v %s", err, out)
			}
		}
	}
	end := tail()
	m.identity()
	write("one\n")
	m.arrived("api", 1)
	must(t, os.Rename(log, log+".1"))
	write("two\n")
	eventually(t, "the new file is read", func() bool { return strings.HasSuffix(strings.Join(messages(m.rows("api")), ","), "two") })
	end()
	write("meanwhile\n")
	end = tail()
	eventually(t, "what came meanwhile", func() bool {
		return strings.HasSuffix(strings.Join(messages(m.rows("api")), ","), "one,two,meanwhile")
	})
	end()
	for _, r := range m.rows("api") {
		if r["source"] != "tail" || r["message"] == "before" {
			t.Errorf("%v", r)
		}
	}
}

// A server writes times by UTC and names no zone; who follows its file lives elsewhere.
func TestTailReadsTimesOfAnotherZone(t *testing.T) {
	for _, zone := range []string{"Asia/Kolkata", "Europe/Berlin", "America/Los_Angeles"} {
		m := newMachine(t)
		m.env = append(m.env, "TZ="+zone)
		log := filepath.Join(m.dir, "api.log")
		begin := time.Now().UTC()
		write := func(at time.Time, text string) {
			f, err := os.OpenFile(log, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
			must(t, err)
			_, err = io.WriteString(f, strings.Replace(at.UTC().Format("2006-01-02 15:04:05.000"), ".", ",", 1)+" ERROR shop "+text+"\n")
			must(t, errors.Join(err, f.Close()))
		}
		write(begin.Add(-3*time.Hour), "old")
		write(begin, "before")
		cmd, out := m.background("tail", "--from-start", "*.log")
		eventually(t, "it follows", func() bool { return strings.Contains(out.String(), "following 1 file") })
		m.identity()
		m.arrived("api", 2)
		write(time.Now(), "appended")
		for _, r := range m.arrived("api", 3) {
			at, err := time.Parse(time.RFC3339Nano, fmt.Sprint(r["time"]))
			must(t, err)
			want := begin
			if strings.Contains(fmt.Sprint(r["message"]), "old") {
				want = begin.Add(-3 * time.Hour)
			}
			if d := at.Sub(want); d < -time.Second || d > time.Minute {
				t.Errorf("%s: %v is of %s, want %s", zone, r["message"], at, want)
			}
		}
		must(t, cmd.Process.Signal(os.Interrupt))
		must(t, cmd.Wait())
	}
}

// registers is what OpenTelemetry's package for Node does with signals: it flushes, and the process goes on.
const registers = `
const fs = require('fs');
async function shutdown() {
  await new Promise((resolve) => setTimeout(resolve, 50));
  fs.appendFileSync('flushed', 'x');
}
process.on('SIGTERM', shutdown);
process.once('beforeExit', shutdown);
`

func TestInstrumentedNodeFlushesAndEnds(t *testing.T) {
	needs(t, "node")
	for _, c := range []struct {
		name, program string
		code          int
	}{
		{"a program without handlers", `require('fs').writeFileSync('up', ''); setInterval(() => {}, 1000);`, 143},
		{
			"a program that ends itself",
			`process.on('SIGTERM', () => setTimeout(() => process.exit(7), 200)); require('fs').writeFileSync('up', ''); setInterval(() => {}, 1000);`,
			7,
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			m := newMachine(t)
			at := filepath.Join(m.dir, "node_modules", "@opentelemetry", "auto-instrumentations-node")
			must(t, os.MkdirAll(filepath.Join(at, "build", "src"), 0o700))
			must(t, os.WriteFile(filepath.Join(at, "package.json"), []byte(`{"name":"x"}`), 0o600))
			must(t, os.WriteFile(filepath.Join(at, "build", "src", "register.js"), []byte(registers), 0o600))
			must(t, os.WriteFile(filepath.Join(m.dir, "app.js"), []byte(c.program), 0o600))
			cmd, out := m.background("run", "--otel", "--", "node", "app.js")
			eventually(t, "the program runs", func() bool {
				_, err := os.Stat(filepath.Join(m.dir, "up"))
				return err == nil
			})
			must(t, cmd.Process.Signal(syscall.SIGTERM))
			_ = cmd.Wait() // the code tells
			flushed, err := os.ReadFile(filepath.Join(m.dir, "flushed"))
			if cmd.ProcessState.ExitCode() != c.code || err != nil || string(flushed) != "x" {
				t.Errorf("%d %q %v: %s", cmd.ProcessState.ExitCode(), flushed, err, out)
			}
		})
	}
}

// What is followed has to be there some day: a folder never is, and a name without a file is told.
func TestTailTellsWhatIsNotThere(t *testing.T) {
	m := newMachine(t)
	if _, errs, code := m.run("tail", m.dir); code != exitUsage || !strings.Contains(errs, "is a folder") || !strings.Contains(errs, "*.log") {
		t.Errorf("%d %s", code, errs)
	}
	must(t, os.WriteFile(filepath.Join(m.dir, "old.log.gz"), []byte{0x1f, 0x8b}, 0o600))
	for name, want := range map[string]string{"old.log.gz": "is compressed", os.DevNull: "no regular file"} {
		if _, errs, code := m.run("tail", name); code != exitUsage || !strings.Contains(errs, want) || strings.Contains(errs, "waiting") {
			t.Errorf("%s: %d %s", name, code, errs)
		}
	}
	ctx, cancel := context.WithTimeout(t.Context(), within)
	defer cancel()
	cmd := m.command(ctx, "tail", "nosuch.log")
	said, err := cmd.StderrPipe()
	must(t, err)
	must(t, cmd.Start())
	line := make([]byte, 4096)
	text := ""
	for !strings.Contains(text, "\n") || !strings.Contains(text, "nosuch.log") {
		n, err := said.Read(line)
		if text += string(line[:n]); err != nil {
			break
		}
	}
	if !strings.Contains(text, "no file matches nosuch.log yet") {
		t.Errorf("%s", text)
	}
	_ = cmd.Process.Signal(os.Interrupt)
	_ = cmd.Wait() // it was ended
}

// Names come from files of a project: a terminal gets none of their control characters, and what is to be pasted has
// nothing behind it that a shell without comments would run.
func TestNamesOfAProcfileAreWrittenCleanly(t *testing.T) {
	m := newMachine(t)
	evil := "web\x1b]0;owned\x07\x1b[2K\u202e;touch${IFS}gone"
	must(t, os.WriteFile(filepath.Join(m.dir, "Procfile"), []byte(evil+": true \x1b[8m& evil\napi: true\n"), 0o600))
	_, errs, code := m.run("run")
	if code != exitUsage || !strings.Contains(errs, "api") {
		t.Fatalf("%d %q", code, errs)
	}
	for line := range strings.Lines(errs) {
		if strings.ContainsAny(line, "\x1b\x07\u202e") {
			t.Errorf("the terminal gets %q", line)
		}
		if strings.HasPrefix(line, "  gasoline run ") && strings.Contains(line, "Procfile has") {
			t.Errorf("behind the line to paste is %q", line)
		}
	}
	must(t, os.WriteFile(filepath.Join(m.dir, "Procfile"), []byte(evil+": true \x1b[8m\n"), 0o600))
	if _, errs, _ = m.run("run"); strings.ContainsAny(errs, "\x1b\x07\u202e") || !strings.Contains(errs, "Procfile has web") {
		t.Errorf("the only one: %q", errs)
	}
}

// What stands in a complaint is the name of a file that somebody else made.
func TestComplaintsAreWrittenCleanly(t *testing.T) {
	m := newMachine(t)
	const evil = "x\x1b]0;owned\x07\x1b[2K\u202e"
	clean := func(what, text, want string) {
		t.Helper()
		if strings.ContainsAny(text, "\x1b\x07\u202e") || !strings.Contains(text, want) || !strings.Contains(text, `x\x1b]0;owned`) {
			t.Errorf("%s: the terminal gets %q", what, text)
		}
	}
	must(t, os.Mkdir(filepath.Join(m.dir, evil), 0o700))
	_, errs, _ := m.run("sources", "allow", evil)
	clean("a folder without a file", errs, "is not there")
	_, errs, _ = m.run("sources", "forget", evil)
	clean("a folder that is not followed", errs, "was not allowed")
	_, errs, _ = m.run("run", "--", "./"+evil+"/none")
	clean("a program that is not there", errs, "none")
	must(t, os.Symlink(evil+".log", filepath.Join(m.dir, evil+".log")))
	cmd, out := m.background("tail", "*.log")
	t.Cleanup(func() {
		if t.Failed() {
			t.Logf("tail said %q", out.String())
		}
	})
	eventually(t, "the link is told", func() bool { return strings.Contains(out.String(), "cannot be read") })
	must(t, cmd.Process.Kill())
	_ = cmd.Wait() // it was killed
	clean("a link that leads nowhere", out.String(), "cannot be read")
}
