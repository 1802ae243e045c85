package outbound_test

import (
	"cmp"
	"context"
	"crypto/sha512"
	"encoding/base64"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/brennhill/gasoline/internal/outbound"
)

func TestWhatAFileCameTo(t *testing.T) {
	const body = "window.a = 1"
	far, hits := server(t, func(w http.ResponseWriter, r *http.Request) { _, _ = io.WriteString(w, body) })
	base, _ := server(t, func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/javascript")
		w.Header().Set("X-Origin", r.Header.Get("Origin"))
		switch r.URL.Path {
		case "/shared.js":
			w.Header().Set("Access-Control-Allow-Origin", cmp.Or(r.Header.Get("Origin"), "nobody"))
			w.Header().Set("Cache-Control", "max-age=1, Immutable")
		case "/to":
			http.Redirect(w, r, "/shared.js", http.StatusFound)
			return
		case "/far":
			http.Redirect(w, r, far+"/x", http.StatusFound)
			return
		case "/round":
			http.Redirect(w, r, "/round", http.StatusFound)
			return
		case "/bad":
			w.Header().Set("Location", "http://[")
			w.WriteHeader(http.StatusFound)
			return
		case "/gone":
			w.WriteHeader(http.StatusNotFound)
		case "/cut":
			w.Header().Set("Content-Length", "100")
		case "/empty":
			return
		case "/large":
			for range 65 {
				_, _ = w.Write(make([]byte, 1<<20))
			}
			return
		}
		_, _ = io.WriteString(w, body)
	})
	sum := sha512.Sum384([]byte(body))
	whole := "sha384-" + base64.StdEncoding.EncodeToString(sum[:])
	c := &outbound.Client{Allowed: func() ([]string, error) { return nil, nil }, Start: func(f func()) { go f() }}
	for path, want := range map[string]string{
		base + "/own.js":    "ok  12 " + whole + " window",
		base + "/shared.js": "ok http://page.example immutable 12 " + whole + " window",
		base + "/to":        "ok http://page.example immutable 12 " + whole + " window",
		base + "/far":       "redirect it was not followed: " + far + " is not allowed",
		base + "/round":     "broken it redirects again and again",
		base + "/bad":       "broken it redirects to what is no URL",
		base + "/gone":      "broken the server answers 404",
		base + "/cut":       "broken its answer broke off",
		base + "/large":     "unsure it has more than 64 MB",
		base + "/empty":     "ok  0 sha384-OLBgp1GsljhM2TJ+sbHjaiH9txEUvgdDTAzHv2P24donTt6/529l+9Ua0vFImLlb ",
		far + "/x":          "not_allowed " + far + " is not allowed",
		"http://[":          "broken it is no URL",
	} {
		got := "nothing"
		err := c.Files(t.Context(), []string{path}, "http://page.example", 6, outbound.Options{Workers: 2, Shown: shown(base)}, func(n int, f outbound.File) {
			if got = fmt.Sprint(f.Verdict, " ", f.Why); f.Verdict == outbound.OK {
				lasting := ""
				if f.Lasting {
					lasting = " immutable"
				}
				got = fmt.Sprintf("ok %s%s %d %s %s", f.Shared, lasting, f.Size, f.Integrity, f.Body)
			}
			if n != 0 || f.Verdict == outbound.OK && !strings.Contains(f.Type, "javascript") {
				t.Errorf("%s: %d, type %q", path, n, f.Type)
			}
		})
		if err != nil || got != want {
			t.Errorf("%s: %s %v\nwant %s", path, got, err, want)
		}
	}
	if hits.Load() != 0 {
		t.Error("a server that nobody allowed was asked")
	}
}

// A page's own server is not told where a request is from, as browsers do not; files that nobody came to say so.
func TestFilesOfThePageItselfAndOfNoTime(t *testing.T) {
	origin := "none"
	base, hits := server(t, func(w http.ResponseWriter, r *http.Request) {
		origin = r.Header.Get("Origin") + r.Header.Get("User-Agent")
	})
	c := &outbound.Client{Allowed: func() ([]string, error) { return nil, nil }, Agent: "a"}
	var got []outbound.File
	take := func(_ int, f outbound.File) { got = append(got, f) }
	if err := c.Files(t.Context(), []string{base + "/x"}, base, 0, outbound.Options{Shown: shown(base)}, take); err != nil || origin != "a" {
		t.Errorf("%v, Origin %q", err, origin)
	}
	ended, end := context.WithCancel(t.Context())
	end()
	if err := c.Files(ended, []string{base + "/x"}, base, 0, outbound.Options{Shown: shown(base)}, take); err != nil || len(got) != 2 ||
		got[1].Verdict != outbound.Unchecked || got[1].Why != "the time was up" || hits.Load() != 1 {
		t.Errorf("%v, %+v, %d requests", err, got, hits.Load())
	}
	c.Allowed = func() ([]string, error) { return []string{"*"}, nil }
	if err := c.Files(t.Context(), nil, base, 0, outbound.Options{}, take); err == nil {
		t.Error("a list that is none is taken")
	}
}
