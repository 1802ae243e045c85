package gasoline

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/sha256"
	"crypto/x509"
	"encoding/base64"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// secure returns a daemon that speaks HTTPS, its host, and the pin of its key.
func secure(t *testing.T) (d *daemon, host, pin string) {
	d = &daemon{t: t}
	d.server = httptest.NewTLSServer(http.HandlerFunc(d.serve))
	d.server.Config.ErrorLog = slog.NewLogLogger(slog.NewTextHandler(io.Discard, nil), slog.LevelInfo)
	t.Cleanup(d.server.Close)
	hash := sha256.Sum256(d.server.Certificate().RawSubjectPublicKeyInfo)
	return d, strings.TrimPrefix(d.server.URL, "https://"), base64.RawURLEncoding.EncodeToString(hash[:])
}

// stderrOf returns what is written to stderr meanwhile.
func stderrOf(t *testing.T, do func()) string {
	t.Helper()
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	before := os.Stderr
	os.Stderr = w
	do()
	os.Stderr = before
	w.Close()
	text, err := io.ReadAll(r)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func TestAPairingStringIsEnough(t *testing.T) {
	for _, by := range []string{"environment", "configuration"} {
		d, host, pin := secure(t)
		address := "https://secret@" + host + "/?pin=" + pin
		cfg := Config{Interval: time.Hour}
		if by == "environment" {
			t.Setenv("GASOLINE_URL", address)
		} else {
			t.Setenv("GASOLINE_URL", "http://127.0.0.1:1")
			cfg.URL = address
		}
		said := stderrOf(t, func() {
			c := Start(cfg)
			slog.New(c.Slog(nil)).Info("paired")
			d.flush(c)
			if s := c.Stats(); s.Sent != 1 || s.Problem != "" {
				t.Errorf("%s: %+v", by, s)
			}
			_ = c.Close(context.Background())
		})
		if logs := d.logs(); len(logs) != 1 || said != "" {
			t.Errorf("%s: %d %q", by, len(logs), said)
		}
		for _, body := range d.bodies {
			if strings.Contains(string(body), pin) || strings.Contains(string(body), "secret") {
				t.Errorf("%s: %s", by, body)
			}
		}
	}
}

// A chain that the program trusts does not help a foreign key.
func TestAnotherKeyGetsNothing(t *testing.T) {
	d, host, _ := secure(t)
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	public, err := x509.MarshalPKIXPublicKey(&key.PublicKey)
	if err != nil {
		t.Fatal(err)
	}
	hash := sha256.Sum256(public)
	other := base64.RawURLEncoding.EncodeToString(hash[:])
	var asked atomic.Int64
	d.refuse(func(http.ResponseWriter, *http.Request, []byte) bool { asked.Add(1); return false })
	trusting := d.server.Client().Transport.(*http.Transport).TLSClientConfig
	c := (*Client)(nil)
	said := stderrOf(t, func() {
		c = Start(Config{URL: "https://secret@" + host + "/?pin=" + other, Interval: time.Hour, TLS: trusting, MaxRecords: 10})
		log := slog.New(c.Slog(nil))
		for i := range [30]int{} {
			log.Info("private", "i", i)
			if i == 0 || i > 27 {
				d.flush(c)
			}
		}
		_ = c.Close(context.Background())
	})
	s := c.Stats()
	if asked.Load() != 0 || s.Sent != 0 || s.Dropped < 10 || !strings.Contains(s.Problem, "another key") {
		t.Errorf("%d requests, %+v", asked.Load(), s)
	}
	if strings.Count(said, "\n") != 1 || !strings.HasPrefix(said, "gasoline: ") || strings.Contains(said, "secret") ||
		strings.Contains(said, other) {
		t.Errorf("%q", said)
	}
}

func TestAWrongAddressIsToldAndSendsNothing(t *testing.T) {
	d, host, pin := secure(t)
	for address, want := range map[string]string{
		"http://TOKEN@" + host + "/?pin=" + pin:                  "a pin needs https://",
		"https://TOKEN@" + host + "/?pin=":                       "32 bytes in base64url",
		"https://TOKEN@" + host + "/?pin=" + pin[:42]:            "32 bytes in base64url",
		"https://TOKEN@" + host + "/?pin=" + pin + "A":           "32 bytes in base64url",
		"https://TOKEN@" + host + "/?pin=" + pin + "=":           "32 bytes in base64url",
		"https://TOKEN@" + host + "/?pin=" + pin[:42] + "%2B":    "32 bytes in base64url",
		"https://TOKEN@" + host + "/?pin=" + pin + "&pin=" + pin: "32 bytes in base64url",
		"https://TOKEN@" + host + "/?pin=" + pin + ";x=%zz":      "not an address",
		"https://TOKEN@":                           "not an address",
		"ftp://TOKEN@" + host:                      "not an address",
		"https://TOKEN@" + host + ":x/?pin=" + pin: "not an address",
		"\x00https://TOKEN@" + host:                "not an address",
	} {
		said := stderrOf(t, func() {
			c := Start(Config{URL: address, Interval: time.Hour})
			slog.New(c.Slog(nil)).Error("private")
			if c.on() {
				t.Errorf("%s: it is on", address)
			}
			_ = c.Close(context.Background())
		})
		if !strings.Contains(said, want) || strings.Count(said, "\n") != 1 || strings.Contains(said, "TOKEN") ||
			strings.Contains(said, pin) {
			t.Errorf("%s: %q", address, said)
		}
	}
	if len(d.logs()) != 0 {
		t.Error("something was sent")
	}
}

func TestWhichTokenWins(t *testing.T) {
	parse := func(address string) *url.URL {
		p, err := readPairing(address)
		if err != nil {
			t.Fatal(err)
		}
		if p.base.User != nil || p.base.RawQuery != "" || p.base.Fragment != "" {
			t.Error(p.base)
		}
		return p.base
	}
	p, err := readPairing("https://a%2Fb:ignored@[::1]:7890/at?x=1#y")
	if err != nil || p.token != "a/b" || p.pin != nil || p.base.String() != "https://[::1]:7890/at" {
		t.Errorf("%+v %v", p, err)
	}
	for _, k := range []struct{ configured, env, address, want string }{
		{"c", "e", "a", "c"}, {"", " e\n", "a", "e"}, {"", " ", "a", "a"}, {"", "", "", ""},
	} {
		t.Setenv("GASOLINE_TOKEN", k.env)
		if got := givenToken(k.configured, k.address); got != k.want {
			t.Errorf("%+v: %q", k, got)
		}
		token, prove := tokens(k.want, parse("http://192.0.2.1"))()
		if token != k.want || prove {
			t.Errorf("%+v: %q %v", k, token, prove)
		}
	}
}

func TestATokenInTheAddressIsOneThatWasSet(t *testing.T) {
	t.Setenv("APP_ENV", "production")
	t.Setenv("GASOLINE_TOKEN", "")
	with, without := Start(Config{URL: "http://token@127.0.0.1:1"}), Start(Config{URL: "http://127.0.0.1:1"})
	if !with.on() || without.on() {
		t.Error(with.on(), without.on())
	}
	if token, _ := with.token(); token != "token" {
		t.Error(token)
	}
	_ = with.Close(context.Background())
}

// Whoever holds the port when the daemon is gone gets a challenge, whichever token the file has.
func TestAStrangerAtThePortGetsAChallengeOnly(t *testing.T) {
	for _, token := range []string{"secret", "gasoline_ingest_0123456789abcdef_" + strings.Repeat("5", 64)} {
		file := filepath.Join(t.TempDir(), "token")
		if err := os.WriteFile(file, []byte(token+"\n"), 0o600); err != nil {
			t.Fatal(err)
		}
		t.Setenv("GASOLINE_TOKEN_FILE", file)
		t.Setenv("GASOLINE_TOKEN", "")
		var mu sync.Mutex
		got := map[string]bool{}
		stranger := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			mu.Lock()
			got[r.URL.Path+r.Header.Get("Authorization")] = true
			mu.Unlock()
			_, _ = io.WriteString(w, `{"server":{"run":"r"},"boot":"b","proof":"p"}`)
		}))
		c := Start(Config{URL: stranger.URL})
		slog.New(c.Slog(nil)).Error("private")
		ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
		if err := c.Flush(ctx); err != nil {
			t.Error(err)
		}
		if err := c.Close(ctx); err != nil {
			t.Error(err)
		}
		cancel()
		stranger.Close()
		if len(got) != 1 || !got["/prove"] {
			t.Errorf("with %.16s… it got %v", token, got)
		}
	}
}
