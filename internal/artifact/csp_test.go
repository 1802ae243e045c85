package artifact_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/brennhill/gasoline/internal/artifact"
)

const pageOrigin = "http://app.example:3000"

func TestAPolicyLetsThroughWhatWasSeen(t *testing.T) {
	seen := artifact.CSPInput{
		Origin: pageOrigin,
		Code:   [][2]string{{"script", "b"}, {"script", "a"}, {"handler", "c"}, {"javascript", "d"}, {"style", "e"}, {"attribute", "f"}},
		Loads: [][2]string{
			{"script-src", "https://cdn.example/a.js?x=1"}, {"script-src", pageOrigin + "/own.js"}, {"img-src", "data:image/gif;base64,x"},
			{"img-src", "http://APP.example:3000/x"}, {"connect-src", "ws://app.example:3000/s"}, {"worker-src", "blob:http://app.example:3000/1"},
			{"frame-src", "about:blank"}, {"font-src", "chrome-extension://abc/f.woff"}, {"media-src", "http://[::1]:80/a"}, {"font-src", "https://"},
			{"form-action", "https://pay.example/x"}, {"base-uri", pageOrigin + "/"}, {"style-src", "https://cdn.example/b.css"},
		},
		Eval: true, WASM: true, Report: "/r",
	}
	for _, c := range []struct {
		name   string
		change func(*artifact.CSPInput)
		want   string
	}{
		{"moderate", func(*artifact.CSPInput) {}, `default-src 'self'
script-src 'self' 'unsafe-eval' 'unsafe-hashes' 'wasm-unsafe-eval' https://cdn.example 'sha256-a' 'sha256-b' 'sha256-c' 'sha256-d'
style-src 'self' 'unsafe-inline' https://cdn.example
img-src 'self' data:
connect-src 'self' ws://app.example:3000
worker-src 'self' blob:
object-src 'none'
base-uri 'self'
form-action 'self' https://pay.example
frame-ancestors 'self'
report-uri /r`},
		{"strict", func(in *artifact.CSPInput) { in.Strict, in.Eval, in.Report = true, false, "" }, `default-src 'none'
script-src 'self' 'unsafe-hashes' 'wasm-unsafe-eval' https://cdn.example 'sha256-a' 'sha256-b' 'sha256-c' 'sha256-d'
style-src 'unsafe-hashes' https://cdn.example 'sha256-e' 'sha256-f'
img-src 'self' data:
connect-src ws://app.example:3000
worker-src blob:
base-uri 'self'
form-action https://pay.example
frame-ancestors 'none'`},
		{"nothing", func(in *artifact.CSPInput) { *in = artifact.CSPInput{Origin: pageOrigin} }, `default-src 'self'
script-src 'self'
object-src 'none'
base-uri 'self'
form-action 'self'
frame-ancestors 'self'`},
		{"nothing, strict", func(in *artifact.CSPInput) { *in = artifact.CSPInput{Origin: pageOrigin, Strict: true, Framed: true} }, `default-src 'none'
script-src 'none'
base-uri 'none'
form-action 'none'
frame-ancestors 'self'`},
		{"only its own, and objects", func(in *artifact.CSPInput) {
			*in = artifact.CSPInput{Origin: pageOrigin, Loads: [][2]string{
				{"img-src", pageOrigin}, {"object-src", pageOrigin}, {"font-src", "https://f.example/a"},
			}, Exclude: []string{"https://f.example"}}
		}, `default-src 'self'
script-src 'self'
object-src 'self'
base-uri 'self'
form-action 'self'
frame-ancestors 'self'`},
		{"nonces", func(in *artifact.CSPInput) {
			*in = artifact.CSPInput{Origin: pageOrigin, Code: [][2]string{{"script", "nonce"}, {"style", "nonce"}}, Strict: true}
		}, `default-src 'none'
script-src 'nonce-{NONCE}'
style-src 'nonce-{NONCE}'
base-uri 'none'
form-action 'none'
frame-ancestors 'none'`},
	} {
		in := seen
		c.change(&in)
		made := artifact.NewCSP(in)
		if want := strings.ReplaceAll(c.want, "\n", "; "); made.Policy() != want {
			t.Errorf("%s:\n%s\nwant\n%s", c.name, made.Policy(), want)
		}
		warned := strings.Join(made.Warnings, "\n")
		if strings.Contains(c.name, "nonces") != strings.Contains(warned, "nonce") ||
			slices.ContainsFunc(in.Loads, func(l [2]string) bool { return strings.Contains(l[1], "[") }) != strings.Contains(warned, "media-src of http://[::1]:80/a") {
			t.Errorf("%s: warnings %q", c.name, made.Warnings)
		}
		if excluded := fmt.Sprint(made.Excluded); excluded != fmt.Sprint(in.Exclude) {
			t.Errorf("%s: excluded %s", c.name, excluded)
		}
	}
}

// A field of the header that servers refuse is warned of.
func TestALongPolicyIsWarnedOf(t *testing.T) {
	for n, want := range map[int]int{10: 0, 400: 1} {
		in := artifact.CSPInput{Origin: pageOrigin}
		for i := range n {
			in.Code = append(in.Code, [2]string{"script", fmt.Sprintf("%044d", i)})
		}
		if got := artifact.NewCSP(in).Warnings; len(got) != want {
			t.Errorf("%d hashes: %q", n, got)
		}
	}
}

func TestWhichDirectiveALoadIsAskedBy(t *testing.T) {
	for want, loads := range map[string][][3]string{
		"connect-src":      {{"fetch", "/a.js", ""}, {"xhr"}, {"xmlhttprequest"}, {"beacon"}, {"ping"}, {"eventsource"}, {"websocket"}},
		"img-src":          {{"img", "/a"}, {"image"}, {"input"}, {"icon"}, {"css", "/a.png?x.css"}, {"css", "/a", "image/png"}, {"other", "/favicon.ico"}, {"link", "/a.SVG"}},
		"media-src":        {{"video"}, {"audio"}, {"track"}, {"source"}, {"media"}, {"other", "/a.vtt"}, {"other", "/a", "video/mp4"}, {"other", "/a", "Audio/ogg"}},
		"frame-src":        {{"iframe", "/a.js"}, {"frame"}, {"sub_frame"}, {"subframe"}},
		"object-src":       {{"embed"}, {"object"}},
		"worker-src":       {{"worker"}, {"sharedworker"}, {"serviceworker"}},
		"script-src":       {{"script", "/a"}, {"other", "/a.mjs"}, {"link", "/a.ts"}, {"other", "/a", "text/javascript"}, {"early-hints", "/a", "application/javascript"}},
		"style-src":        {{"stylesheet"}, {"css", "/a.css"}, {"link", "/a.css"}, {"css", "/a", "text/css; charset=utf-8"}},
		"font-src":         {{"font"}, {"css", "/a.woff2"}, {"css", "/a", "font/woff2"}, {"css", "/a", "application/font-woff"}},
		"font-src,img-src": {{"css", "/a"}, {"css", "http://[/x.css"}},
		"manifest-src":     {{"other", "/app.webmanifest"}, {"link", "/a", "application/manifest+json"}},
		"":                 {{"link", "/a"}, {"other", "/"}, {"preflight"}, {""}},
	} {
		for _, l := range loads {
			if got := strings.Join(artifact.CSPDirectives(l[0], l[1], l[2]), ","); got != want {
				t.Errorf("%q: %q, want %q", l, got, want)
			}
		}
	}
	for want, elements := range map[string][][4]string{
		"form-action":  {{"form", "action"}, {"button", "formaction"}, {"input", "formaction"}},
		"img-src":      {{"img", "src"}, {"img", "srcset"}, {"source", "srcset"}, {"link", "imagesrcset"}, {"video", "poster"}, {"body", "background"}, {"input", "src"}, {"use", "href"}, {"image", "xlink:href"}, {"link", "href", "Shortcut ICON"}, {"link", "href", "preload", "image"}},
		"connect-src":  {{"a", "ping"}, {"link", "href", "preload", "FETCH"}},
		"base-uri":     {{"base", "href"}},
		"script-src":   {{"script", "src"}, {"script", "xlink:href"}, {"link", "href", "modulepreload"}, {"link", "href", "preload", "script"}},
		"style-src":    {{"link", "href", "alternate stylesheet"}, {"link", "href", "modulepreload", "style"}, {"link", "href", "preload", "style"}},
		"media-src":    {{"video", "src"}, {"audio", "src"}, {"source", "src"}, {"track", "src"}, {"link", "href", "preload", "track"}},
		"frame-src":    {{"iframe", "src"}, {"frame", "src"}},
		"object-src":   {{"embed", "src"}, {"object", "data"}},
		"font-src":     {{"link", "href", "preload", "font"}},
		"worker-src":   {{"link", "href", "preload", "worker"}},
		"manifest-src": {{"link", "href", "manifest"}},
		"":             {{"a", "href"}, {"link", "href", "canonical"}, {"link", "href", "preload"}, {"div", "data"}, {"link", "href"}},
	} {
		for _, e := range elements {
			if got := artifact.CSPElement(e[0], e[1], e[2], e[3]); got != want {
				t.Errorf("%q: %q, want %q", e, got, want)
			}
		}
	}
}
