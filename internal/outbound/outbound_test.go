package outbound_test

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/brennhill/gasoline/internal/outbound"
	"github.com/brennhill/gasoline/internal/problem"
)

func TestOnlyAllowedOriginsAreFetched(t *testing.T) {
	secret := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		t.Error("a server that is not allowed was asked")
	}))
	defer secret.Close()
	seen := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/away":
			http.Redirect(w, r, secret.URL, http.StatusFound)
		case "/loop":
			http.Redirect(w, r, "/loop", http.StatusFound)
		case "/big":
			w.Write(make([]byte, outbound.MaxBody+10))
		default:
			w.Write([]byte("hello"))
		}
	}))
	defer seen.Close()
	f := outbound.Fetcher{
		Allowed: func(o string) bool { return o == seen.URL || o == "http://10.1.2.3" || o == "http://169.254.169.254" },
	}

	res, err := f.Get(t.Context(), seen.URL+"/x")
	if err != nil || string(res.Body) != "hello" || res.Status != 200 {
		t.Errorf("allowed origin: %+v %v", res, err)
	}
	if res, err := f.Get(t.Context(), seen.URL+"/big"); err != nil || len(res.Body) != outbound.MaxBody ||
		!res.Truncated {
		t.Errorf("large answer: %v", err)
	}
	for what, c := range map[string]struct {
		url  string
		code problem.Code
	}{
		"other origin":         {secret.URL, problem.OriginNotAllowed},
		"redirect away":        {seen.URL + "/away", problem.OriginNotAllowed},
		"redirect for ever":    {seen.URL + "/loop", problem.NoData},
		"private address":      {"http://10.1.2.3/", problem.OriginNotAllowed},
		"metadata service":     {"http://169.254.169.254/latest", problem.OriginNotAllowed},
		"file":                 {"file:///etc/passwd", problem.InvalidParam},
		"no address":           {"hello", problem.InvalidParam},
		"other port of a host": {strings.TrimSuffix(seen.URL, "0") + "1", problem.OriginNotAllowed},
	} {
		if _, err := f.Get(t.Context(), c.url); problem.From(err) == nil || problem.From(err).Code != c.code {
			t.Errorf("%s: %v, want %s", what, err, c.code)
		}
	}
	if _, err := (outbound.Fetcher{}).Get(t.Context(), seen.URL); problem.From(err).Code != problem.OriginNotAllowed {
		t.Errorf("without a list: %v", err)
	}
}
