package daemon

import (
	"crypto/sha256"
	"crypto/tls"
	"crypto/x509"
	"encoding/base64"
	"errors"
	"io"
	"net"
	"net/http"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/brennhill/gasoline/internal/certificate"
	"github.com/brennhill/gasoline/internal/state"
	"github.com/brennhill/gasoline/internal/testkit"
)

// startForTLS starts a daemon and returns it with the certificates that it uses.
func startForTLS(t *testing.T) (*running, *certificate.Store) {
	t.Helper()
	place := Place{StateDir: t.TempDir(), Port: testkit.Port(t)}
	d := start(t, config(place))
	dir, err := state.Open(place.StateDir)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { dir.Close() })
	return d, certificate.New(dir, time.Now)
}

func (d *running) address() string { return strings.TrimPrefix(d.url, "http://") }

// trusting returns a client that knows the authority and nothing else.
func trusting(t *testing.T, certs *certificate.Store, http2 bool) *http.Client {
	t.Helper()
	authority, err := certs.Authority()
	if err != nil {
		t.Fatal(err)
	}
	roots := x509.NewCertPool()
	roots.AddCert(authority)
	protocols := new(http.Protocols)
	protocols.SetHTTP1(!http2)
	protocols.SetHTTP2(http2)
	transport := &http.Transport{TLSClientConfig: &tls.Config{RootCAs: roots}, Protocols: protocols}
	t.Cleanup(transport.CloseIdleConnections)
	return &http.Client{Transport: transport}
}

func TestBothProtocolsOnOnePort(t *testing.T) {
	d, certs := startForTLS(t)
	if code, _ := d.ask("GET", "/doctor", ""); code != http.StatusOK {
		t.Errorf("plain: %d", code)
	}
	for _, http2 := range []bool{false, true} {
		client := trusting(t, certs, http2)
		for _, host := range []string{"127.0.0.1", "localhost"} {
			_, port, _ := net.SplitHostPort(d.address())
			ask := func(token, origin string) *http.Response {
				req, err := http.NewRequestWithContext(t.Context(), "GET", "https://"+net.JoinHostPort(host, port)+"/doctor", nil)
				if err != nil {
					t.Fatal(err)
				}
				req.Header.Set("Authorization", "Bearer "+token)
				if origin != "" {
					req.Header.Set("Origin", origin)
				}
				res, err := client.Do(req)
				if err != nil {
					t.Fatal(err)
				}
				defer res.Body.Close()
				if _, err := io.Copy(io.Discard, res.Body); err != nil {
					t.Fatal(err)
				}
				return res
			}
			if res := ask(d.token, ""); res.StatusCode != http.StatusOK || (res.ProtoMajor == 2) != http2 {
				t.Errorf("%s: %s by %s", host, res.Status, res.Proto)
			}
			if res := ask("wrong", ""); res.StatusCode != http.StatusUnauthorized {
				t.Errorf("%s without the token: %s", host, res.Status)
			}
			if res := ask(d.token, "https://evil.example"); res.StatusCode != http.StatusForbidden {
				t.Errorf("%s from a page: %s", host, res.Status)
			}
		}
	}
}

// A client that pins the key needs no authority; a wrong pin ends the handshake.
func TestAPinIsEnough(t *testing.T) {
	d, certs := startForTLS(t)
	pin, err := certs.Pin()
	if err != nil {
		t.Fatal(err)
	}
	errPin := errors.New("another key")
	dial := func(pin string) error {
		c, err := tls.Dial("tcp", d.address(), &tls.Config{
			InsecureSkipVerify: true, // the pin stands in
			VerifyConnection: func(s tls.ConnectionState) error {
				if pinOf(s.PeerCertificates[0]) != pin {
					return errPin
				}
				return nil
			},
		})
		if err == nil {
			defer c.Close()
		}
		return err
	}
	if err := dial(pin); err != nil {
		t.Error(err)
	}
	if err := dial("A" + pin); !errors.Is(err, errPin) {
		t.Errorf("a wrong pin: %v", err)
	}
	if _, err := tls.Dial("tcp", d.address(), &tls.Config{}); err == nil {
		t.Error("the authority is trusted by the system")
	}
}

// pinOf is a pin as RFC 7469 defines it.
func pinOf(c *x509.Certificate) string {
	sum := sha256.Sum256(c.RawSubjectPublicKeyInfo)
	return base64.StdEncoding.EncodeToString(sum[:])
}

func TestHostsOfHTTPSAreChecked(t *testing.T) {
	d, certs := startForTLS(t)
	client := trusting(t, certs, false)
	for host, want := range map[string]int{
		d.address(): http.StatusOK, "127.0.0.1": http.StatusForbidden, "evil.example:443": http.StatusForbidden,
	} {
		req, err := http.NewRequestWithContext(t.Context(), "GET", "https://"+d.address()+"/health", nil)
		if err != nil {
			t.Fatal(err)
		}
		req.Host = host
		res, err := client.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		_ = res.Body.Close()
		if res.StatusCode != want {
			t.Errorf("host %s: %s", host, res.Status)
		}
	}
}

// What is no handshake, half of one, or nothing at all holds nobody else up.
func TestClientsThatDoNotFinish(t *testing.T) {
	d, certs := startForTLS(t)
	var open []net.Conn
	for i := range maxUndecided + 50 {
		c, err := net.Dial("tcp", d.address())
		if err != nil {
			t.Fatal(err)
		}
		defer c.Close()
		switch i % 3 {
		case 1:
			_, err = c.Write([]byte{tlsRecord, 3, 1, 2, 0, 1, 0}) // half of a ClientHello
		case 2:
			_, err = c.Write([]byte("\x16garbage that is no handshake at all"))
		}
		if err != nil {
			t.Fatal(err)
		}
		open = append(open, c)
	}
	began := time.Now()
	if code, _ := d.ask("GET", "/health", ""); code != http.StatusOK {
		t.Errorf("plain: %d", code)
	}
	res, err := trusting(t, certs, true).Get("https://" + d.address() + "/health")
	if err != nil {
		t.Fatal(err)
	}
	_ = res.Body.Close()
	if took := time.Since(began); took > firstByte/2 {
		t.Errorf("others waited %s", took)
	}
	// Garbage is answered with an alert at once, and nothing is kept longer than its time.
	if err := open[2].SetReadDeadline(time.Now().Add(firstByte)); err != nil {
		t.Fatal(err)
	}
	if answer, err := io.ReadAll(open[2]); err != nil && !isReset(err) || len(answer) > 0 && answer[0] != 0x15 {
		t.Errorf("garbage is answered %q, %v", answer, err)
	}
	for _, i := range []int{len(open) - 1, len(open) - 2, len(open) - 3, 0, 1} {
		if err := open[i].SetReadDeadline(time.Now().Add(2 * firstByte)); err != nil {
			t.Fatal(err)
		}
		if _, err := io.ReadAll(open[i]); err != nil && !isReset(err) {
			t.Errorf("connection %d stays open: %v", i, err)
		}
	}
}

func isReset(err error) bool {
	var op *net.OpError
	return errors.As(err, &op) && !op.Timeout()
}

func TestStoppingEndsWhoHasSentNothing(t *testing.T) {
	d, _ := startForTLS(t)
	c, err := net.Dial("tcp", d.address())
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	if code, _ := d.ask("GET", "/health", ""); code != http.StatusOK { // c was accepted before
		t.Fatal(code)
	}
	began := time.Now()
	if err := d.stop(); err != nil {
		t.Error(err)
	}
	if took := time.Since(began); took > firstByte/2 {
		t.Errorf("stopping took %s", took)
	}
	if err := c.SetReadDeadline(time.Now().Add(firstByte)); err != nil {
		t.Fatal(err)
	}
	if _, err := c.Read(make([]byte, 1)); err == nil || errors.Is(err, os.ErrDeadlineExceeded) {
		t.Errorf("the connection is still open: %v", err)
	}
}
