package httpapi_test

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/brennhill/gasoline/internal/pairing"
)

var jsonHeader = http.Header{"Content-Type": {"application/json"}}

const oneLog = `{"resourceLogs":[{"resource":{"attributes":[{"key":"service.name","value":{"stringValue":"liar"}}]},
"scopeLogs":[{"logRecords":[{"severityNumber":17,"body":{"stringValue":"%s"}}]}]}]}`

func (r *rig) grantOf(t pairing.Token) string {
	r.t.Helper()
	text, _, err := pairing.NewToken(r.dir, t, time.Hour)
	if err != nil {
		r.t.Fatal(err)
	}
	return text
}

func TestWhatATokenSendsIsItsServices(t *testing.T) {
	r := newRig(t)
	token := r.grantOf(pairing.Token{
		Scope: pairing.Ingest, Service: "api", Environment: "staging", Events: 100, Bytes: 1 << 20,
	})
	if w := r.do(request{
		method: "POST", path: "/v1/logs", body: fmt.Sprintf(oneLog, "by otlp"), token: token, header: jsonHeader,
	}); w.Code != http.StatusOK {
		t.Fatalf("%d %s", w.Code, w.Body)
	}
	if w := r.do(request{
		method: "POST", path: "/lines", token: token, header: jsonHeader,
		body: `{"v":1,"service":"liar","source":"tail","client":"c","batch":1,"finished":true,` +
			`"lines":[{"t":1,"stream":"","text":"by lines"}]}`,
	}); w.Code != http.StatusOK {
		t.Fatalf("%d %s", w.Code, w.Body)
	}
	w := r.do(request{method: "GET", path: "/query?kinds=log&select=service,message,attributes"})
	for _, want := range []string{"by otlp", "by lines", "staging", `"api"`} {
		if !strings.Contains(w.Body.String(), want) {
			t.Errorf("there is no %s: %s", want, w.Body)
		}
	}
	if strings.Contains(w.Body.String(), "liar") {
		t.Errorf("the sender's own name was taken: %s", w.Body)
	}
}

func TestATokenOfAnotherScopeIsRefused(t *testing.T) {
	r := newRig(t)
	ingest, query := r.grant(pairing.Ingest), r.grant(pairing.Query)
	for _, c := range []struct {
		token, method, path, body string
		want                      int
	}{
		{ingest, "GET", "/query", "", http.StatusForbidden},
		{ingest, "GET", "/snapshot", "", http.StatusForbidden},
		{ingest, "POST", "/tools/observe", `{"what":"who"}`, http.StatusForbidden},
		{ingest, "POST", "/mcp", "{}", http.StatusForbidden},
		{ingest, "POST", "/pair/code", "", http.StatusForbidden},
		{query, "POST", "/v1/logs", fmt.Sprintf(oneLog, "x"), http.StatusForbidden},
		{query, "POST", "/tools/observe", `{"what":"who"}`, http.StatusOK},
		{query, "POST", "/tools/observe", `{"what":"who","save_to":"/tmp/x"}`, http.StatusForbidden},
		{query, "POST", "/tools/observe", `{"what":"who","SAVE_TO":"/tmp/x"}`, http.StatusForbidden},
		{query, "POST", "/tools/observe", `{"what":"who"," Save-to":"/tmp/x"}`, http.StatusForbidden},
		{query, "POST", "/tools/interact", `{"action":"click"}`, http.StatusForbidden},
		{query, "POST", "/tools/configure", `{}`, http.StatusForbidden},
		{query, "POST", "/tools/observe/", `{}`, http.StatusForbidden},
		{query, "POST", "/generate/har", `{}`, http.StatusForbidden},
		{query, "POST", "/clear", `{}`, http.StatusForbidden},
		{query, "POST", "/shutdown", "", http.StatusForbidden},
		{query, "GET", "/query", "", http.StatusOK},
		{query, "GET", "/buffers/timeline", "", http.StatusOK},
	} {
		w := r.do(request{method: c.method, path: c.path, body: c.body, token: c.token, header: jsonHeader})
		if w.Code != c.want {
			t.Errorf("%s %s %s: %d %s", c.method, c.path, c.body, w.Code, w.Body)
		}
	}
	if r.stopped.Load() != 0 {
		t.Error("a token that only reads stopped the daemon")
	}
}

func TestATokenOverItsLimitsIsToldWhenToComeAgain(t *testing.T) {
	r := newRig(t)
	token := r.grantOf(pairing.Token{Scope: pairing.Ingest, Events: 1, Bytes: 1 << 20})
	send := func(n int) (int, string) {
		w := r.do(request{
			method: "POST", path: "/v1/logs", body: fmt.Sprintf(oneLog, fmt.Sprint(n)), token: token, header: jsonHeader,
		})
		return w.Code, w.Header().Get("Retry-After")
	}
	for n := range 10 {
		if code, _ := send(n); code != http.StatusOK {
			t.Fatalf("request %d: %d", n, code)
		}
	}
	if code, after := send(10); code != http.StatusTooManyRequests || after != "1" {
		t.Errorf("%d, Retry-After %q", code, after)
	}
	lines := strings.Repeat(`{"t":1,"stream":"","text":"x"},`, 30)
	w := r.do(request{
		method: "POST", path: "/lines", token: token, header: jsonHeader,
		body: `{"v":1,"service":"s","source":"tail","client":"c","batch":1,"lines":[` + lines[:len(lines)-1] + `]}`,
	})
	if w.Code != http.StatusTooManyRequests || w.Header().Get("Retry-After") == "" {
		t.Errorf("%d %v", w.Code, w.Header())
	}
	if w := r.do(request{method: "POST", path: "/v1/logs", body: fmt.Sprintf(oneLog, "mine"), header: jsonHeader}); w.Code != 200 {
		t.Errorf("the user's own programs share the token's limits: %d", w.Code)
	}
}

// stalled posts bodies that unpack to some megabytes each and do not end, and returns the refusals among them.
func stalled(t *testing.T, h http.Handler, path, token string, n int) (refused int) {
	t.Helper()
	head := packedRun(t, "", ' ', 5<<20)
	answers := make(chan int)
	stop := make(chan struct{})
	var waiting atomic.Int64
	var work sync.WaitGroup
	for range n {
		work.Go(func() {
			body := io.MultiReader(strings.NewReader(head[:len(head)-100]), readerFunc(func([]byte) (int, error) {
				waiting.Add(1)
				<-stop
				return 0, io.ErrUnexpectedEOF
			}))
			req := httptest.NewRequest(http.MethodPost, path, body)
			req.Host = "127.0.0.1:7890"
			req.Header = http.Header{
				"Authorization": {"Bearer " + token}, "Content-Type": {"application/json"}, "Content-Encoding": {"gzip"},
			}
			w := httptest.NewRecorder()
			h.ServeHTTP(w, req)
			select {
			case <-stop:
			case answers <- w.Code:
			}
		})
	}
	synctest.Wait()
	t.Cleanup(func() { close(stop); work.Wait() })
	for refused+int(waiting.Load()) < n {
		if code := <-answers; code != http.StatusTooManyRequests {
			t.Errorf("%s: %d", path, code)
		}
		refused++
	}
	return refused
}

type readerFunc func([]byte) (int, error)

func (f readerFunc) Read(p []byte) (int, error) { return f(p) }

// Bodies that do not end take a bounded part of the memory, and those of other machines keep nobody here waiting.
func TestBodiesUnderWayOfOtherMachinesAreBounded(t *testing.T) {
	for _, path := range []string{"/lines", "/v1/logs"} {
		t.Run(path[1:], func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				r := newRig(t)
				if n := stalled(t, r.api.IngestOnly().Handler, path, r.grant(pairing.Ingest), 60); n < 20 {
					t.Errorf("%d of 60 were refused", n)
				}
				w := r.do(request{method: "POST", path: "/v1/logs", body: fmt.Sprintf(oneLog, "mine"), header: jsonHeader})
				if w.Code != http.StatusOK {
					t.Errorf("the user's own programs: %d %s", w.Code, w.Body)
				}
				w = r.do(request{method: "POST", path: "/lines", token: r.grant(pairing.Ingest), header: jsonHeader,
					body: `{"v":1,"service":"s","source":"tail","client":"c","batch":1,"lines":[{"t":1,"text":"x"}]}`})
				if w.Code != http.StatusOK {
					t.Errorf("a program of gasoline run: %d %s", w.Code, w.Body)
				}
			})
		})
	}
}
