package httpapi_test

import (
	"fmt"
	"io"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/brennhill/gasoline/internal/pairing"
)

// whenRead calls before at the first read.
type whenRead struct {
	io.Reader
	before func()
}

func (w *whenRead) Read(p []byte) (int, error) {
	if w.before != nil {
		w.before()
		w.before = nil
	}
	return w.Reader.Read(p)
}

// A token that ends while a body is on its way still says whose the events are.
func TestATokenThatEndsWhileItSends(t *testing.T) { synctest.Test(t, tokenEndsWhileItSends) }

func tokenEndsWhileItSends(t *testing.T) {
	r := newRig(t)
	for path, body := range map[string]string{
		"/v1/logs": fmt.Sprintf(oneLog, "late"),
		"/lines": `{"v":1,"service":"liar","source":"tail","client":"c","batch":1,"finished":true,` +
			`"lines":[{"t":1,"stream":"","text":"late"}]}`,
	} {
		text, made, err := pairing.NewToken(r.dir, pairing.Token{
			Scope: pairing.Ingest, Service: "api", Events: 100, Bytes: 1 << 20,
		}, time.Hour)
		if err != nil {
			t.Fatal(err)
		}
		req := httptest.NewRequest("POST", path, &whenRead{strings.NewReader(body), func() {
			if err := pairing.RevokeToken(r.dir, made.ID); err != nil {
				t.Error(err)
			}
			time.Sleep(1100 * time.Millisecond) // what a daemon knows of a token is a second old at most
		}})
		req.Host = fmt.Sprintf("127.0.0.1:%d", r.port)
		req.Header.Set("Content-Type", "application/json")
		req.Header.Set("Authorization", "Bearer "+text)
		r.api.ServeHTTP(httptest.NewRecorder(), req)
		if w := r.get("/query?kinds=log&select=service,message"); strings.Contains(w.Body.String(), "liar") {
			t.Errorf("%s: what was sent by a token of api is another's: %s", path, w.Body)
		}
	}
}
