package daemon

import (
	"context"
	"crypto/tls"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/brennhill/gasoline/internal/pairing"
	"github.com/brennhill/gasoline/internal/state"
	"github.com/brennhill/gasoline/internal/testkit"
	"github.com/brennhill/gasoline/internal/wire"
)

func tokenOf(t *testing.T, stateDir string, scope pairing.Scope, life time.Duration) string {
	t.Helper()
	dir, err := state.Open(stateDir)
	if err != nil {
		t.Fatal(err)
	}
	defer dir.Close()
	text, _, err := pairing.NewToken(dir, pairing.Token{Scope: scope, Events: 1000, Bytes: 1 << 20}, life)
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// ingest asks for the port for services of other machines.
func (d *running) ingest(wanted, seconds int) int {
	d.t.Helper()
	code, body := d.ask("POST", "/ingest-port", fmt.Sprintf(`{"port":%d,"seconds":%d}`, wanted, seconds))
	var answer wire.IngestPortAnswer
	if err := json.Unmarshal([]byte(body), &answer); err != nil || code != http.StatusOK {
		d.t.Fatalf("%d %s %v", code, body, err)
	}
	return answer.Port
}

// from asks at a port as a program of another machine does, which has its own port in Host.
func (d *running) from(port int, method, path, token string, header ...string) int {
	d.t.Helper()
	req, err := http.NewRequestWithContext(
		d.t.Context(), method, fmt.Sprintf("http://127.0.0.1:%d%s", port, path), strings.NewReader("{}"),
	)
	if err != nil {
		d.t.Fatal(err)
	}
	req.Host = "127.0.0.1:7890"
	req.Header.Set("Content-Type", "application/json")
	if token != "" {
		req.Header.Set("Authorization", "Bearer "+token)
	}
	for i := 0; i < len(header); i += 2 {
		if header[i] == "Host" {
			req.Host = header[i+1]
		} else {
			req.Header.Set(header[i], header[i+1])
		}
	}
	res, err := d.client.Do(req)
	if err != nil {
		return 0
	}
	defer res.Body.Close()
	_, _ = io.Copy(io.Discard, res.Body)
	return res.StatusCode
}

func TestWhatComesFromOtherMachines(t *testing.T) {
	place := Place{StateDir: t.TempDir(), Port: testkit.Port(t)}
	d := start(t, config(place))
	port := d.ingest(0, 60)
	ingest := tokenOf(t, place.StateDir, pairing.Ingest, time.Hour)
	query, admin := tokenOf(t, place.StateDir, pairing.Query, time.Hour), tokenOf(t, place.StateDir, pairing.Admin, time.Hour)
	ended := tokenOf(t, place.StateDir, pairing.Ingest, time.Nanosecond)
	for _, c := range []struct {
		method, path, token string
		header              []string
		want                int
	}{
		{"POST", "/v1/logs", ingest, nil, 200},
		{"POST", "/v1/traces", ingest, []string{"Host", "localhost"}, 200},
		{"POST", "/lines", ingest, nil, 400}, // it arrives, and is no batch
		{"POST", "/v1/logs", "", nil, 401},   // the same user without a token
		{"POST", "/v1/logs", ended, nil, 401},
		{"POST", "/v1/logs", "gasoline_ingest_0123456789abcdef_00", nil, 401},
		{"POST", "/v1/logs", d.token, nil, 403},
		{"POST", "/v1/logs", query, nil, 403},
		{"POST", "/v1/logs", admin, nil, 403},
		{"POST", "/v1/logs", ingest, []string{"Origin", "http://localhost:3000"}, 403},
		{"POST", "/v1/logs", ingest, []string{"Sec-Fetch-Site", "none"}, 403},
		{"POST", "/v1/logs", ingest, []string{"Host", "evil.example:7890"}, 403},
		{"POST", "/pair", ingest, nil, 404},
		{"POST", "/prove", ingest, nil, 404},
		{"GET", "/health", ingest, nil, 404},
		{"GET", "/query", ingest, nil, 404},
		{"POST", "/logs", ingest, nil, 404},
		{"POST", "/shutdown", ingest, nil, 404},
		{"POST", "/mcp", ingest, nil, 404},
	} {
		if got := d.from(port, c.method, c.path, c.token, c.header...); got != c.want {
			t.Errorf("%s %s %v: %d, want %d", c.method, c.path, c.header, got, c.want)
		}
	}
}

func TestThePortForOtherMachinesIsOpenWhileItIsWanted(t *testing.T) {
	place := Place{StateDir: t.TempDir(), Port: testkit.Port(t)}
	d := start(t, config(place))
	token := tokenOf(t, place.StateDir, pairing.Ingest, time.Hour)
	wanted := testkit.Port(t)
	port := d.ingest(wanted, 1)
	if again := d.ingest(0, 3); port != wanted || again != port {
		t.Errorf("%d, then %d, want %d", port, again, wanted)
	}
	if got := d.from(port, "POST", "/v1/logs", token); got != 200 {
		t.Fatal(got)
	}
	for end := time.Now().Add(10 * time.Second); d.from(port, "POST", "/v1/logs", token) != 0; {
		if time.Now().After(end) {
			t.Fatal("it stays open")
		}
		time.Sleep(50 * time.Millisecond)
	}
	if again := d.ingest(port, 60); again != port {
		t.Errorf("the port was free and %d is another than %d", again, port)
	}
	if code, body := d.ask("POST", "/ingest-port", `{"seconds":100000}`); code != http.StatusBadRequest {
		t.Errorf("%d %s", code, body)
	}
	if err := d.stop(); err != nil {
		t.Error(err)
	}
	if c, err := net.Dial("tcp4", fmt.Sprintf("127.0.0.1:%d", port)); err == nil {
		_ = c.Close()
		t.Error("it outlives the daemon")
	}
}

func TestAFixedPortForOtherMachines(t *testing.T) {
	place := Place{StateDir: t.TempDir(), Port: testkit.Port(t)}
	cfg := config(place)
	cfg.IngestPort = testkit.Port(t)
	d := start(t, cfg)
	if port := d.ingest(0, 1); port != cfg.IngestPort {
		t.Errorf("a tunnel gets %d, and %d is open", port, cfg.IngestPort)
	}
	if got := d.from(cfg.IngestPort, "POST", "/v1/logs", tokenOf(t, place.StateDir, pairing.Ingest, time.Hour)); got != 200 {
		t.Error(got)
	}
}

// A server that ended by itself holds no port: whoever asks next gets an open one.
func TestThePortForOtherMachinesIsOpenedAgainAfterItsServerFailed(t *testing.T) {
	// Serve fails at once with this: it is told of HTTP/2 without the ciphers that HTTP/2 needs.
	broken := &http.Server{TLSConfig: &tls.Config{
		MinVersion: tls.VersionTLS12, NextProtos: []string{"h2"}, CipherSuites: []uint16{tls.TLS_ECDHE_RSA_WITH_AES_128_CBC_SHA},
	}}
	servers := []*http.Server{broken, {Handler: http.NotFoundHandler()}}
	p := &ingestPort{log: slog.New(slog.DiscardHandler), serve: func() *http.Server {
		next := servers[0]
		servers = servers[1:]
		return next
	}}
	t.Cleanup(func() { p.stop(context.Background()) })
	if _, err := p.open(t.Context(), 0, time.Minute); err != nil {
		t.Fatal(err)
	}
	p.work.Wait()
	port, err := p.open(t.Context(), 0, time.Minute)
	if err != nil {
		t.Fatal(err)
	}
	c, err := net.Dial("tcp4", fmt.Sprintf("127.0.0.1:%d", port))
	if err != nil {
		t.Fatalf("the port is said to be open: %v", err)
	}
	_ = c.Close()
}
