package trial

import (
	"cmp"
	"fmt"
	"path"
	"regexp"
	"strings"
	"sync"
	"time"

	"github.com/brennhill/gasoline/internal/analysis"
	"github.com/brennhill/gasoline/internal/event"
	"github.com/brennhill/gasoline/internal/page"
	"github.com/brennhill/gasoline/internal/steps"
)

// maxSeen is how many different things of each kind are kept of one run; maxLine how many bytes of each.
const (
	maxSeen = 2000
	maxLine = 300
)

// Seen is what came in one run of the steps.
type Seen struct {
	errors   map[string]string // what they say, by key
	failed   map[string]string // requests that failed, in words, by key with the status
	answered map[string]bool   // requests of scripts that were answered well, by key
	asked    map[string]string // requests of scripts, by key: what was sent with the first, but for what is another in each run
	texts    map[string]string // that the page showed after it was parsed, by what is the same in each run
	cut      bool              // not all texts were told
	pages    map[string]string // that the main frame showed
	opened   map[string]bool   // those of them that are documents of their own, by key
	code     map[string]file   // what the page is made of, by address without query
	lines    map[string]bool   // of the page's text in the end; nil: it was not read
	docs     map[string]bool   // ids of documents
}

// file is a document, script or style sheet as it was loaded.
type file struct {
	url      string
	size     int64  // bytes, decoded; 0 unknown
	tag      string // ETag or Last-Modified; "" unknown
	document bool
	missing  bool   // it was answered with a failure
	hash     string // of its content as it was fetched then; "" unknown
	at       time.Time
}

func newSeen() *Seen {
	return &Seen{
		errors: map[string]string{}, failed: map[string]string{}, answered: map[string]bool{}, asked: map[string]string{},
		texts: map[string]string{}, pages: map[string]string{}, opened: map[string]bool{}, code: map[string]file{}, docs: map[string]bool{},
	}
}

func put[V any](m map[string]V, key string, v V) {
	if _, had := m[key]; had || len(m) < maxSeen {
		m[key] = v
	}
}

// take takes an event of the tab.
func (s *Seen) take(e event.Event) {
	h := e.Base()
	if h.Document != "" {
		put(s.docs, h.Document, true)
	}
	if message, ok := errorOf(e); ok {
		put(s.errors, errorKey(message), message)
		return
	}
	switch e := e.(type) {
	case *event.Exchange:
		s.exchange(e)
	case *event.ResourceTiming:
		if codeType(e.InitiatorType, e.URL) {
			s.load(e.URL, file{url: e.URL, size: e.DecodedSize, missing: e.Status >= 400, at: h.Time})
		}
	case *event.DOM:
		s.dom(e)
	case *event.Lifecycle:
		if h.Frame != 0 {
			return
		}
		switch e.State {
		case "navigate", "document_start":
			if e.ToURL != "" {
				put(s.pages, analysis.Fingerprint(steps.PageOf(e.ToURL)), e.ToURL)
			}
			if e.State == "document_start" {
				put(s.opened, analysis.Fingerprint(steps.PageOf(cmp.Or(e.ToURL, h.PageURL))), true)
			}
		case "dialog_opened":
			s.text(e.Title)
		}
	}
}

func (s *Seen) exchange(e *event.Exchange) {
	if !ended(e) {
		return
	}
	key := requestKey(e.Method, e.URL)
	script := e.Initiator.Type == "fetch" || e.Initiator.Type == "xhr" || e.Initiator.Type == ""
	if script {
		_, query, _ := strings.Cut(e.URL, "?")
		put(s.asked, key, fmt.Sprint(analysis.Fingerprint(query+" "+e.RequestBody), e.RequestSize))
	}
	if e.Failed() {
		put(s.failed, failedKey(e.Method, e.URL, e.Status), (&Failure{Method: e.Method, URL: e.URL, Status: e.Status}).String())
	} else if script {
		put(s.answered, key, true)
	}
	document := e.Initiator.Type == "navigation"
	if script || e.Failed() || !document && !codeType(e.Initiator.Type, e.URL) {
		return
	}
	f := file{url: e.URL, size: max(0, e.ResponseSize), at: e.Time, document: document}
	for _, name := range [...]string{"last-modified", "etag"} {
		for _, header := range e.ResponseHeaders {
			if strings.EqualFold(header.Name, name) {
				f.tag = header.Value
			}
		}
	}
	s.load(e.URL, f)
}

// load keeps the youngest of each file. What one witness does not know stays as another told it.
func (s *Seen) load(address string, f file) {
	key := steps.PageOf(address)
	had, known := s.code[key]
	if known && had.url == f.url {
		if f.size == 0 {
			f.size = had.size
		}
		if f.tag == "" {
			f.tag = had.tag
		}
		f.document = f.document || had.document
	} else if known && f.at.Before(had.at) {
		return
	}
	put(s.code, key, f)
}

// codeType reports whether what was loaded so is a part of the application's code.
func codeType(initiator, address string) bool {
	switch initiator {
	case "script", "link", "css", "other", "navigation", "early-hints", "":
	default:
		return false
	}
	u, err := page.ParseURL(address)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" {
		return false
	}
	if initiator == "script" {
		return true
	}
	ext := path.Ext(u.Path)
	if ext == "" {
		return initiator == "link"
	}
	switch strings.ToLower(ext[1:]) {
	case "js", "mjs", "cjs", "jsx", "ts", "mts", "tsx", "css", "scss", "less", "vue", "svelte", "astro", "wasm", "html":
		return true
	}
	return false
}

// dom takes the texts that came.
func (s *Seen) dom(e *event.DOM) {
	if e.Type == "transient" {
		s.text(e.Text)
		return
	}
	if len(e.Changes) >= 10 { // the page told no more of them
		s.cut = true
	}
	for _, line := range e.Changes {
		sign, rest, _ := strings.Cut(line, " ")
		if sign == "-" {
			continue
		}
		if _, value, ok := strings.Cut(rest, `> "`); ok {
			s.text(strings.TrimSuffix(value, `"`))
		} else if strings.Contains(rest, "> ") { // an attribute: what is shown may change by it
			s.text(rest)
		}
	}
}

func (s *Seen) text(value string) {
	if key := lineKey(value); key != "" {
		put(s.texts, key, value)
	}
}

// clock is a time of day.
var clock = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`\d{1,2}:\d{2}(:\d{2})?`) })

// lineKey is a text without what is another one in each run.
func lineKey(value string) string {
	value = clock().ReplaceAllString(strings.Join(strings.Fields(value), " "), "#:#")
	if len(value) > maxLine {
		value = strings.ToValidUTF8(value[:maxLine], "")
	}
	return value
}

// read keeps the page's text, line by line.
func (s *Seen) read(text string) {
	if strings.TrimSpace(text) == "" {
		return
	}
	s.lines = map[string]bool{}
	for line := range strings.Lines(text) {
		if key := lineKey(line); key != "" {
			put(s.lines, key, true)
		}
	}
}

// wrong are words that a page shows where a value is missing; sorry those by which it says that something failed.
var (
	wrong = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`(^|[^\w.])(undefined|NaN|null|\[object \w+\]|Invalid Date)($|[^\w.(])`)
	})
	sorry = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`(?i)\b(error|failed|failure|fehler|sorry|could ?n.t|could not|can ?not|can.t|unable|went wrong|try again|unavailable|unexpected|invalid)\b`)
	})
)
