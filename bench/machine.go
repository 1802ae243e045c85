package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

// machine is a state directory and a port, and the daemon there.
type machine struct {
	b     *bench
	dir   string
	port  int
	token string
	http  *http.Client
	serve *exec.Cmd // nil when a bridge starts the daemon
}

func (b *bench) machine() (*machine, error) {
	dir, err := os.MkdirTemp(b.dir, "state-")
	if err != nil {
		return nil, err
	}
	l, err := net.Listen("tcp4", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	defer l.Close()
	return &machine{b: b, dir: dir, port: l.Addr().(*net.TCPAddr).Port, http: newHTTP()}, nil
}

func newHTTP() *http.Client {
	return &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: 10, DisableCompression: true}}
}

func (m *machine) command(args ...string) *exec.Cmd {
	cmd := exec.Command(m.b.program, args...)
	cmd.Env = append(os.Environ(), "GASOLINE_PORT="+strconv.Itoa(m.port), "GASOLINE_STATE_DIR="+m.dir)
	return cmd
}

// daemon starts a daemon without limits in the way and waits until it answers.
func (b *bench) daemon(args ...string) (*machine, error) {
	m, err := b.machine()
	if err != nil {
		return nil, err
	}
	m.serve = m.command(append([]string{"serve", "--ingest-rate", "1000000000"}, args...)...)
	m.serve.Stderr = io.Discard
	if err := m.serve.Start(); err != nil {
		return nil, err
	}
	for end := time.Now().Add(10 * time.Second); time.Now().Before(end); time.Sleep(5 * time.Millisecond) {
		if m.readToken() == nil {
			if _, err := m.ask("GET", "/health", nil, nil); err == nil {
				return m, nil
			}
		}
	}
	m.stop()
	return nil, errors.New("the daemon does not start")
}

func (m *machine) readToken() error {
	data, err := os.ReadFile(filepath.Join(m.dir, "token"))
	m.token = strings.TrimSpace(string(data))
	return err
}

func (m *machine) stop() {
	m.http.CloseIdleConnections()
	_ = m.command("stop").Run() // nothing may run
	if m.serve != nil {
		_ = m.serve.Wait() // it was told to stop
	}
}

// ask sends a request and returns the answer's body, which is of status 200.
func (m *machine) ask(method, path string, body []byte, header http.Header) ([]byte, error) {
	return send(m.http, method, "http://127.0.0.1:"+strconv.Itoa(m.port)+path, m.token, body, header)
}

func send(client *http.Client, method, url, token string, body []byte, header http.Header) ([]byte, error) {
	req, err := http.NewRequest(method, url, bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	for k, v := range header {
		req.Header[k] = v
	}
	req.Header.Set("Authorization", "Bearer "+token)
	res, err := client.Do(req)
	if err != nil {
		return nil, err
	}
	defer res.Body.Close()
	out, err := io.ReadAll(res.Body)
	if err != nil {
		return nil, err
	}
	if res.StatusCode != http.StatusOK {
		return nil, fmt.Errorf("%s %s: %s %.300s", method, url, res.Status, out)
	}
	return out, nil
}

func (m *machine) pid() (int, error) {
	data, err := os.ReadFile(filepath.Join(m.dir, "run", "daemon-"+strconv.Itoa(m.port)+".json"))
	if err != nil {
		return 0, err
	}
	var id struct{ PID int }
	return id.PID, json.Unmarshal(data, &id)
}

// rss returns the resident memory of a process in MB.
func rss(pid int) (float64, error) {
	data, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		return 0, err
	}
	for _, line := range strings.Split(string(data), "\n") {
		if fields := strings.Fields(line); len(fields) == 3 && fields[0] == "VmRSS:" {
			kb, err := strconv.ParseFloat(fields[1], 64)
			return kb / 1024, err
		}
	}
	return 0, errors.New("no VmRSS")
}

// cpu returns the processor time that a process has used.
func cpu(pid int) (time.Duration, error) {
	data, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return 0, err
	}
	fields := strings.Fields(string(data[bytes.LastIndexByte(data, ')')+1:]))
	if len(fields) < 13 {
		return 0, fmt.Errorf("no times in %q", data)
	}
	user, err1 := strconv.ParseInt(fields[11], 10, 64)
	system, err2 := strconv.ParseInt(fields[12], 10, 64)
	return time.Duration(user+system) * 10 * time.Millisecond, errors.Join(err1, err2) // a tick is 10 ms
}

// mcp is an MCP client over a bridge's process.
type mcp struct {
	cmd   *exec.Cmd
	stdin io.WriteCloser
	out   *bufio.Reader
}

func (m *machine) bridge() (*mcp, error) {
	cmd := m.command()
	stdin, err := cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	c := &mcp{cmd: cmd, stdin: stdin, out: bufio.NewReaderSize(stdout, 1<<20)}
	return c, cmd.Start()
}

func (c *mcp) close() error {
	return errors.Join(c.stdin.Close(), c.cmd.Wait())
}

// call sends a request and returns the line of the answer.
func (c *mcp) call(id int, method, params string) ([]byte, error) {
	const call = `{"jsonrpc":"2.0","id":%d,"method":%q,"params":%s}` + "\n"
	if _, err := fmt.Fprintf(c.stdin, call, id, method, params); err != nil {
		return nil, err
	}
	line, err := c.out.ReadBytes('\n')
	if err != nil {
		return nil, err
	}
	if !bytes.Contains(line, fmt.Appendf(nil, `"id":%d,`, id)) ||
		bytes.Contains(line[:min(len(line), 200)], []byte(`"error"`)) {
		return nil, fmt.Errorf("%s: answered %.300s", method, line)
	}
	return line, nil
}

func (c *mcp) initialize() error {
	_, err := c.call(
		1,
		"initialize",
		`{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"bench","version":"1"}}`,
	)
	if err == nil {
		_, err = fmt.Fprintln(c.stdin, `{"jsonrpc":"2.0","method":"notifications/initialized"}`)
	}
	return err
}

// bareServer is this program as the least that can answer over HTTP.
type bareServer struct {
	cmd  *exec.Cmd
	url  string
	http *http.Client
}

func startPeer() (*bareServer, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	cmd := exec.Command(self, "-peer")
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	url, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		return nil, err
	}
	return &bareServer{cmd, strings.TrimSpace(url), newHTTP()}, nil
}

func (p *bareServer) stop() {
	_ = p.cmd.Process.Kill() // it holds nothing
	_ = p.cmd.Wait()
}

// ask has the bare server read the body and answer with what it keeps.
func (p *bareServer) ask(body []byte) ([]byte, error) {
	return send(p.http, "POST", p.url+"/", "", body, nil)
}

// keep sets what the bare server answers from now on.
func (p *bareServer) keep(answer []byte) error {
	_, err := send(p.http, "POST", p.url+"/keep", "", answer, nil)
	return err
}

// servePeer serves until it is killed.
func servePeer(tell io.Writer) error {
	l, err := net.Listen("tcp4", "127.0.0.1:0")
	if err != nil {
		return err
	}
	var kept []byte // requests come one after another
	mux := http.NewServeMux()
	mux.HandleFunc("/keep", func(_ http.ResponseWriter, r *http.Request) { kept, _ = io.ReadAll(r.Body) })
	mux.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		_, _ = w.Write(kept)
	})
	fmt.Fprintf(tell, "http://%s\n", l.Addr())
	server := &http.Server{Handler: mux, ReadHeaderTimeout: 10 * time.Second}
	return server.Serve(l)
}
