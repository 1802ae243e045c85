package export

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/brennhill/gasoline/internal/event"
	"github.com/brennhill/gasoline/internal/redact"
)

const (
	attempts   = 6
	oneAttempt = 20 * time.Second
	silences   = 2 // attempts without any answer in their time
	firstWait  = 500 * time.Millisecond
	maxWait    = 30 * time.Second
	maxAnswer  = 64 << 10 // bytes of an answer that are read
)

// Target is where requests go.
type Target struct {
	Logs, Traces string // URLs; "" for what the target does not take
	Header       http.Header
	Client       Doer
	Wait         func(context.Context, time.Duration) error
	// Again is told why a request was not taken, and when it is sent again. It may be nil.
	Again func(err error, after time.Duration)
}

// Doer sends a request. It is the command's: the daemon, which uses this package to write, connects to nothing.
type Doer interface {
	Do(*http.Request) (*http.Response, error)
}

// NewTarget returns the target of a base URL, as OTEL_EXPORTER_OTLP_ENDPOINT has it. The client must not
// follow redirects: a header may have a secret. A secret goes over plain http to this machine only.
func NewTarget(base string, header http.Header, client Doer) (*Target, error) {
	u, err := url.Parse(base)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" || u.RawQuery != "" {
		return nil, fmt.Errorf("%q is no address such as http://127.0.0.1:4318", withoutSecrets(base))
	}
	if u.Scheme == "http" && !loopback(u.Hostname()) {
		if u.User != nil {
			return nil, fmt.Errorf("the address has a password, which would go to %s unencrypted: use https", u.Host)
		}
		secrets := redact.New(redact.Rules{})
		for name, values := range header {
			for _, value := range values {
				if secrets.Headers([]event.Header{{Name: name, Value: value}}) {
					return nil, fmt.Errorf("the header %s is a secret, which would go to %s unencrypted: use https", name, u.Host)
				}
			}
		}
	}
	base = strings.TrimSuffix(u.String(), "/")
	return &Target{
		Logs: base + "/v1/logs", Traces: base + "/v1/traces", Header: header,
		Client: client,
		Wait: func(ctx context.Context, d time.Duration) error {
			timer := time.NewTimer(d)
			defer timer.Stop()
			select {
			case <-timer.C:
				return nil
			case <-ctx.Done():
				return ctx.Err()
			}
		},
	}, nil
}

// withoutSecrets returns what may be shown of an address, also of one that is none: neither what is before @, which is a
// user with a password or a key, nor what is behind the path.
func withoutSecrets(address string) string {
	address, _, _ = strings.Cut(address, "#")
	address, _, _ = strings.Cut(address, "?")
	scheme, rest, ok := strings.Cut(address, "://")
	if !ok {
		scheme, rest = "", address
	}
	if i := strings.LastIndexByte(rest, '@'); i >= 0 {
		rest = "…@" + rest[i+1:]
	}
	if !ok {
		return rest
	}
	return scheme + "://" + rest
}

func loopback(host string) bool {
	ip := net.ParseIP(host)
	return host == "localhost" || ip != nil && ip.IsLoopback()
}

// Post hands one request over. What is answered with 429, 502, 503 or 504, or not at all, is sent again, after the time
// that the answer asks for. It returns how many records were refused of those that arrived; its error says that none did.
func (t *Target) Post(ctx context.Context, to string, body []byte) (refused int, reason string, err error) {
	wait, silent := firstWait, 0
	for n := 1; ; n++ {
		var after time.Duration
		refused, reason, after, err = t.once(ctx, to, body)
		var again retriable
		if errors.Is(err, errSilent) && ctx.Err() == nil {
			if silent++; silent == silences {
				return 0, "", err
			}
		}
		if err == nil || !errors.As(err, &again) || n == attempts || ctx.Err() != nil {
			return refused, reason, err
		}
		if t.Again != nil {
			t.Again(err, max(after, wait))
		}
		if err := t.Wait(ctx, max(after, wait)); err != nil {
			return 0, "", err
		}
		wait = min(2*wait, maxWait)
	}
}

// errSilent is in the error of a request that had no answer in its time.
var errSilent = errors.New("no answer within " + oneAttempt.String())

// retriable is the error of a request that may be sent again.
type retriable struct{ error }

func (r retriable) Unwrap() error { return r.error }

func (t *Target) once(ctx context.Context, to string, body []byte) (
	refused int, reason string, after time.Duration, err error,
) {
	ctx, cancel := context.WithTimeoutCause(ctx, oneAttempt, errSilent)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, to, bytes.NewReader(body))
	if err != nil {
		return 0, "", 0, err
	}
	for k, v := range t.Header {
		req.Header[k] = v
	}
	req.Header.Set("Content-Type", "application/json")
	res, err := t.Client.Do(req)
	unanswered := func(err error) error {
		var failed *url.Error // its text has the address
		if errors.As(err, &failed) {
			err = failed.Err
		}
		if ctx.Err() != nil {
			err = context.Cause(ctx)
		}
		return retriable{fmt.Errorf("%s: %w", withoutSecrets(to), err)}
	}
	if err != nil {
		return 0, "", 0, unanswered(err)
	}
	defer res.Body.Close()
	answer, err := io.ReadAll(io.LimitReader(res.Body, maxAnswer))
	if err != nil {
		return 0, "", 0, unanswered(err)
	}
	switch res.StatusCode {
	case http.StatusTooManyRequests, http.StatusBadGateway, http.StatusServiceUnavailable, http.StatusGatewayTimeout:
		if seconds, err := strconv.Atoi(res.Header.Get("Retry-After")); err == nil && seconds > 0 {
			after = min(time.Duration(seconds)*time.Second, 10*maxWait)
		}
		return 0, "", after, retriable{fmt.Errorf("%s answers %s", withoutSecrets(to), clip([]byte(res.Status)))}
	}
	if res.StatusCode/100 != 2 {
		hint := ""
		if said := strings.ToLower(string(answer)); strings.Contains(said, "json") && strings.Contains(said, "protobuf") ||
			res.StatusCode == http.StatusUnsupportedMediaType {
			hint = "; it takes no OTLP in JSON: put an OpenTelemetry Collector between, which writes protobuf"
		}
		return 0, "", 0, fmt.Errorf("%s answers %s: %s%s", withoutSecrets(to), clip([]byte(res.Status)), clip(answer), hint)
	}
	var partial struct {
		Partial struct {
			Logs    json.Number `json:"rejectedLogRecords"`
			Spans   json.Number `json:"rejectedSpans"`
			Message string      `json:"errorMessage"`
		} `json:"partialSuccess"`
	}
	if json.Unmarshal(answer, &partial) == nil { // an answer of another form refuses nothing
		refused, reason = counted(partial.Partial.Logs)+counted(partial.Partial.Spans), clip([]byte(partial.Partial.Message))
	}
	return refused, reason, 0, nil
}

// counted reads a count that another program gave: what is none, or too large, is 0.
func counted(n json.Number) int {
	count, err := strconv.ParseUint(n.String(), 10, 31)
	if err != nil {
		return 0
	}
	return int(count)
}

// clip bounds what another program said before it is shown.
func clip(b []byte) string {
	text := strings.Map(func(r rune) rune {
		if r < ' ' || r >= 0x7f && r < 0xa0 {
			return -1
		}
		return r
	}, strings.ToValidUTF8(string(b[:min(len(b), 200)]), ""))
	return strings.TrimSpace(text)
}
