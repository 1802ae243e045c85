package export_test

import (
	"bufio"
	"context"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/brennhill/gasoline/internal/export"
)

// store answers with one after the other of its answers.
type store struct {
	answers []func(w http.ResponseWriter)
	bodies  []string
	header  http.Header
}

func (s *store) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(r.Body) // what arrived is compared
	s.bodies, s.header = append(s.bodies, r.URL.Path+" "+string(body)), r.Header
	if r.Method != http.MethodPost || r.Header.Get("Content-Type") != "application/json" {
		w.WriteHeader(http.StatusUnsupportedMediaType)
		return
	}
	n := min(len(s.bodies), len(s.answers)) - 1
	s.answers[n](w)
}

func target(t *testing.T, s *store) (*export.Target, *[]time.Duration) {
	t.Helper()
	server := httptest.NewServer(s)
	t.Cleanup(server.Close)
	to, err := export.NewTarget(server.URL+"/base/", http.Header{"X-Key": {"secret"}}, &http.Client{
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	})
	if err != nil {
		t.Fatal(err)
	}
	waits := &[]time.Duration{}
	to.Wait = func(ctx context.Context, d time.Duration) error {
		*waits = append(*waits, d)
		return ctx.Err()
	}
	return to, waits
}

func status(code int, header, value, body string) func(http.ResponseWriter) {
	return func(w http.ResponseWriter) {
		if header != "" {
			w.Header().Set(header, value)
		}
		w.WriteHeader(code)
		_, _ = io.WriteString(w, body)
	}
}

func TestAStoreThatIsBusyIsAskedAgain(t *testing.T) {
	s := &store{answers: []func(http.ResponseWriter){
		status(429, "Retry-After", "7", ""), status(503, "Retry-After", "-1", ""), status(200, "", "", `{"partialSuccess":{}}`),
	}}
	to, waits := target(t, s)
	var told []string
	to.Again = func(err error, after time.Duration) { told = append(told, err.Error()+" "+after.String()) }
	refused, _, err := to.Post(t.Context(), to.Logs, []byte("{}"))
	if len(told) != 2 || !strings.HasSuffix(told[0], "answers 429 Too Many Requests 7s") || !strings.HasSuffix(told[1], " 1s") {
		t.Errorf("told %q", told)
	}
	if err != nil || refused != 0 || len(s.bodies) != 3 || s.bodies[2] != "/base/v1/logs {}" || s.header.Get("X-Key") != "secret" {
		t.Errorf("%d %v %q", refused, err, s.bodies)
	}
	if len(*waits) != 2 || (*waits)[0] != 7*time.Second || (*waits)[1] != time.Second {
		t.Errorf("it waited %v", *waits)
	}
}

func TestWhatAStoreRefusesIsCounted(t *testing.T) {
	s := &store{answers: []func(http.ResponseWriter){
		status(200, "", "", `{"partialSuccess":{"rejectedSpans":"3","errorMessage":"too old\u001b[31m\u007f\u0080\u009f\u00a0é"}}`),
	}}
	to, _ := target(t, s)
	if refused, reason, err := to.Post(t.Context(), to.Traces, nil); err != nil || refused != 3 || reason != "too old[31m\u00a0é" {
		t.Errorf("%d %q %v", refused, reason, err)
	}
	for said, want := range map[string]int{
		`"rejectedSpans":-3`: 0, `"rejectedSpans":"-3","rejectedLogRecords":2`: 2, `"rejectedSpans":9223372036854775807,"rejectedLogRecords":"1"`: 1,
		`"rejectedSpans":1e3`: 0, `"rejectedSpans":2147483647,"rejectedLogRecords":2147483647`: 2 * 2147483647,
	} {
		to, _ := target(t, &store{answers: []func(http.ResponseWriter){status(200, "", "", `{"partialSuccess":{`+said+`}}`)}})
		if refused, _, err := to.Post(t.Context(), to.Traces, nil); err != nil || refused != want {
			t.Errorf("%s: %d %v", said, refused, err)
		}
	}
	for name, answer := range map[string]func(http.ResponseWriter){
		"400":        status(400, "", "", "no such field"),
		"a redirect": status(307, "Location", "http://127.0.0.1:1/", ""),
	} {
		s := &store{answers: []func(http.ResponseWriter){answer}}
		to, _ := target(t, s)
		_, _, err := to.Post(t.Context(), to.Logs, nil)
		if err == nil || len(s.bodies) != 1 || !strings.HasPrefix(err.Error(), to.Logs+" answers ") {
			t.Fatalf("%s: %v after %d requests", name, err, len(s.bodies))
		}
		if name == "400" && !strings.HasSuffix(err.Error(), "400 Bad Request: no such field") {
			t.Errorf("%v", err)
		}
	}
}

func TestAStoreThatNeverAnswersIsGivenUp(t *testing.T) {
	s := &store{answers: []func(http.ResponseWriter){status(503, "", "", "")}}
	to, waits := target(t, s)
	if _, _, err := to.Post(t.Context(), to.Logs, nil); err == nil ||
		!strings.Contains(err.Error(), to.Logs+" answers 503 Service Unavailable") || len(*waits) != 5 {
		t.Errorf("%v after %d waits", err, len(*waits))
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, _, err := to.Post(ctx, to.Logs, nil); err == nil {
		t.Error("a call that was ended goes on")
	}
	for _, bad := range []string{"", "127.0.0.1:4318", "ftp://x", "http://", "http://x/?a=b"} {
		if _, err := export.NewTarget(bad, nil, nil); err == nil {
			t.Errorf("%q is an address", bad)
		}
	}
}

// The pause before a request is sent again is one that a caller can end.
func TestPausesCanBeEnded(t *testing.T) {
	to, err := export.NewTarget("http://127.0.0.1:1", nil, nil)
	if err != nil || to.Logs != "http://127.0.0.1:1/v1/logs" || to.Traces != "http://127.0.0.1:1/v1/traces" {
		t.Fatalf("%+v %v", to, err)
	}
	synctest.Test(t, func(t *testing.T) {
		began := time.Now()
		if err := to.Wait(t.Context(), time.Minute); err != nil || time.Since(began) != time.Minute {
			t.Errorf("%v after %s", err, time.Since(began))
		}
		ctx, cancel := context.WithCancel(t.Context())
		time.AfterFunc(time.Second, cancel)
		if err := to.Wait(ctx, time.Minute); err == nil || time.Since(began) != time.Minute+time.Second {
			t.Errorf("%v after %s", err, time.Since(began))
		}
	})
	if _, err := export.NewTarget("ftp://x", nil, nil); err == nil || !strings.Contains(err.Error(), `"ftp://x"`) {
		t.Errorf("%v", err)
	}
}

// A secret goes to another machine by https only; what is no secret may go as it likes.
func TestSecretsGoToOtherMachinesEncrypted(t *testing.T) {
	for _, c := range []struct {
		base, name, value string
		want              string
	}{
		{"http://store.example:4318", "Authorization", "Bearer tops3cret", "Authorization is a secret"},
		{"http://10.0.0.7:4318", "X-Api-Key", "5cd0a7f1", "X-Api-Key is a secret, which would go to 10.0.0.7:4318"},
		{"http://me:hunter2@store.example", "", "", "password, which would go to store.example"},
		{"http://store.example:4318", "X-Scope-OrgID", "shop", ""},
		{"https://store.example", "Authorization", "Bearer tops3cret", ""},
		{"https://me:hunter2@store.example", "", "", ""},
		{"http://localhost:4318", "Authorization", "Bearer tops3cret", ""},
		{"http://127.0.0.1:4318", "X-Api-Key", "5cd0a7f1", ""},
		{"http://[::1]:4318", "X-Api-Key", "5cd0a7f1", ""},
	} {
		header := http.Header{}
		if c.name != "" {
			header.Set(c.name, c.value)
		}
		_, err := export.NewTarget(c.base, header, nil)
		if (err == nil) != (c.want == "") {
			t.Errorf("%s with %q: %v", c.base, c.name, err)
		}
		if err != nil && (!strings.Contains(err.Error(), c.want) || !strings.Contains(err.Error(), "use https") ||
			strings.Contains(err.Error(), "s3cret") || strings.Contains(err.Error(), "hunter2")) {
			t.Errorf("%s with %q: %v", c.base, c.name, err)
		}
	}
}

// Who takes OTLP in protobuf only cannot be told so by a status alone: the error says what helps.
func TestAStoreThatTakesNoJSON(t *testing.T) {
	for _, c := range []struct {
		code int
		said string
		hint bool
	}{
		{400, "json encoding isn't supported for opentelemetry format. Use protobuf encoding", true}, {415, "", true}, {400, "no such tenant", false},
	} {
		to, _ := target(t, &store{answers: []func(http.ResponseWriter){status(c.code, "", "", c.said)}})
		_, _, err := to.Post(t.Context(), to.Logs, []byte("{}"))
		if err == nil || strings.Contains(err.Error(), "put an OpenTelemetry Collector between") != c.hint {
			t.Errorf("%+v: %v", c, err)
		}
	}
}

// What is told of an answer has no control characters of the other side, and no password.
func TestWhatAnAnswerSaysIsShownSafely(t *testing.T) {
	for _, code := range []string{"400", "503"} {
		l, err := net.Listen("tcp4", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		var serving sync.WaitGroup
		serving.Go(func() {
			for {
				c, err := l.Accept()
				if err != nil {
					return
				}
				_, _ = http.ReadRequest(bufio.NewReader(c))
				_, _ = io.WriteString(c, "HTTP/1.1 "+code+" \x1b]0;owned\x07\u009b2J\r\nContent-Length: 0\r\nConnection: close\r\n\r\n")
				_ = c.Close()
			}
		})
		to, err := export.NewTarget("http://me:hunter2@"+l.Addr().String(), nil, &http.Client{})
		if err != nil {
			t.Fatal(err)
		}
		to.Wait = func(context.Context, time.Duration) error { return nil }
		_, _, err = to.Post(t.Context(), to.Logs, []byte("{}"))
		if err == nil || strings.ContainsAny(err.Error(), "\x1b\x07\u009b") || strings.Contains(err.Error(), "hunter2") ||
			!strings.Contains(err.Error(), "answers "+code) {
			t.Errorf("%q", err)
		}
		_ = l.Close()
		serving.Wait()
	}
}

// doer sends by a function.
type doer func(*http.Request) (*http.Response, error)

func (d doer) Do(r *http.Request) (*http.Response, error) { return d(r) }

// A receiver that takes a request and says nothing is given up after a time that a person waits.
func TestAReceiverThatIsSilentIsGivenUp(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		asked := 0
		to, err := export.NewTarget("https://me:hunter2@store.example", nil, doer(func(r *http.Request) (*http.Response, error) {
			asked++
			<-r.Context().Done()
			return nil, &url.Error{Op: "Post", URL: r.URL.String(), Err: r.Context().Err()}
		}))
		if err != nil {
			t.Fatal(err)
		}
		var told []string
		to.Again = func(err error, _ time.Duration) { told = append(told, err.Error()) }
		began := time.Now()
		_, _, err = to.Post(t.Context(), to.Logs, []byte("{}"))
		if err == nil || err.Error() != "https://…@store.example/v1/logs: no answer within 20s" || asked != 2 || len(told) != 1 ||
			time.Since(began) > 45*time.Second {
			t.Errorf("%v after %s and %d requests, told %q", err, time.Since(began), asked, told)
		}
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		if _, _, err := to.Post(ctx, to.Logs, nil); err == nil || strings.Contains(err.Error(), "no answer within") {
			t.Errorf("a call that was ended: %v", err)
		}
	})
}

// An address may have a password or a key, also one that is no address.
func TestNothingSecretOfAnAddressIsShown(t *testing.T) {
	refuse := doer(func(r *http.Request) (*http.Response, error) {
		return nil, &url.Error{Op: "Post", URL: r.URL.String(), Err: io.ErrUnexpectedEOF}
	})
	for _, address := range []string{
		"https://user:s3cretpass@host/?x", "https://user:s3cretpass@host:port", "user:s3cretpass@host", "ftp://s3cretpass@host/",
		"https://host/?api-key=s3cretpass", "https://host/#s3cretpass", "https://us er:s3cretpass@host", "https://a@b:s3cretpass@host\x7f/",
		"https://s3cretpass@host", "https://user:s3cretpass@host",
	} {
		to, err := export.NewTarget(address, nil, refuse)
		if err == nil {
			to.Wait = func(context.Context, time.Duration) error { return nil }
			_, _, err = to.Post(t.Context(), to.Logs, nil)
		}
		if err == nil || strings.Contains(err.Error(), "s3cretpass") || !strings.Contains(err.Error(), "host") {
			t.Errorf("of %q is shown: %v", address, err)
		}
	}
}
