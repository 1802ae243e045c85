// Package artifact makes documents from events, each by its standard. Its functions depend on their
// arguments only and write what they make; which events go in is the caller's question.
package artifact

import (
	"bufio"
	"bytes"
	"encoding/json"
	"io"
	"maps"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/brennhill/gasoline/internal/event"
	"github.com/brennhill/gasoline/internal/redact"
)

// HAR is an HTTP Archive, version 1.2 (http://www.softwareishard.com/blog/har-12-spec/). Fields that
// begin with _ are ours, as the specification allows.
type HAR struct {
	Log HARLog `json:"log"`
}

// HARLog is the archive's root.
type HARLog struct {
	Version string     `json:"version"`
	Creator HARCreator `json:"creator"`
	Pages   []HARPage  `json:"pages"`
	Entries []HAREntry `json:"entries"`
	Comment string     `json:"comment,omitempty"`
}

// HARCreator names the program that wrote the archive.
type HARCreator struct {
	Name    string `json:"name"`
	Version string `json:"version"`
}

// HARPage is one visited document.
type HARPage struct {
	Started string         `json:"startedDateTime"`
	ID      string         `json:"id"`
	Title   string         `json:"title"`
	Timings HARPageTimings `json:"pageTimings"`
}

// HARPageTimings are ms since the page's start; -1 unknown.
type HARPageTimings struct {
	OnContentLoad float64 `json:"onContentLoad"`
	OnLoad        float64 `json:"onLoad"`
}

// HAREntry is one exchange.
type HAREntry struct {
	PageRef       string      `json:"pageref,omitempty"`
	Started       string      `json:"startedDateTime"`
	Time          float64     `json:"time"` // ms
	Request       HARRequest  `json:"request"`
	Response      HARResponse `json:"response"`
	Cache         struct{}    `json:"cache"`
	Timings       HARTimings  `json:"timings"`
	ServerIP      string      `json:"serverIPAddress,omitempty"`
	Comment       string      `json:"comment,omitempty"`
	ResourceType  string      `json:"_resourceType,omitempty"`
	Error         string      `json:"_error,omitempty"`
	FromCache     string      `json:"_fromCache,omitempty"`
	TraceID       string      `json:"_traceId,omitempty"`
	GasolineFlags []string    `json:"_flags,omitempty"`
	Replayable    bool        `json:"_replayable"`              // a player that goes by the archive gets what the page got
	Unreplayable  string      `json:"_notReplayable,omitempty"` // why not
}

// HARRequest is what was sent.
type HARRequest struct {
	Method      string       `json:"method"`
	URL         string       `json:"url"`
	HTTPVersion string       `json:"httpVersion"`
	Cookies     []HARPair    `json:"cookies"`
	Headers     []HARPair    `json:"headers"`
	QueryString []HARPair    `json:"queryString"`
	PostData    *HARPostData `json:"postData,omitempty"`
	HeadersSize int64        `json:"headersSize"`
	BodySize    int64        `json:"bodySize"`
}

// HARPostData is a request's body.
type HARPostData struct {
	MIMEType string    `json:"mimeType"`
	Params   []HARPair `json:"params,omitempty"`
	Text     string    `json:"text"`
	Comment  string    `json:"comment,omitempty"`
}

// noAnswer is the status of a response that did not come, as Playwright writes it. Its player makes an empty answer of success of
// the status 0, which the specification does not know either.
const noAnswer = -1

// HARResponse is what came back. Status -1 means that nothing did, 0 that nobody may know it: of opaque answers.
type HARResponse struct {
	Status       int        `json:"status"`
	StatusText   string     `json:"statusText"`
	HTTPVersion  string     `json:"httpVersion"`
	Cookies      []HARPair  `json:"cookies"`
	Headers      []HARPair  `json:"headers"`
	Content      HARContent `json:"content"`
	RedirectURL  string     `json:"redirectURL"`
	HeadersSize  int64      `json:"headersSize"`
	BodySize     int64      `json:"bodySize"`
	TransferSize int64      `json:"_transferSize"`
	Error        string     `json:"_error,omitempty"`
}

// HARContent is a response's body.
type HARContent struct {
	Size     int64  `json:"size"`
	MIMEType string `json:"mimeType"`
	Text     string `json:"text,omitempty"`
	Comment  string `json:"comment,omitempty"`
}

// HARPair is a name with a value.
type HARPair struct {
	Name  string `json:"name"`
	Value string `json:"value"`
}

// HARTimings are phases in ms; -1 for those that are not known.
type HARTimings struct {
	Blocked float64 `json:"blocked"`
	DNS     float64 `json:"dns"`
	Connect float64 `json:"connect"`
	SSL     float64 `json:"ssl"`
	Send    float64 `json:"send"`
	Wait    float64 `json:"wait"`
	Receive float64 `json:"receive"`
}

// HARInput is what an archive is made of.
type HARInput struct {
	Version   string // of Gasoline
	Exchanges []event.Exchange
	Resources []event.ResourceTiming               // give phases to exchanges of the same document and URL; others are entries, too
	Known     map[HARLoad]int                      // exchanges that there were, and that are not entries
	Fits      func(method string, status int) bool // which loads of those others are entries; nil: all
	Pages     []event.Performance                  // give load times
	Lost      string                               // what is not in the archive, in words; "" when nothing is known to be
}

// HARLoad is where something was loaded.
type HARLoad struct {
	Session string
	Tab     int
	URL     string
}

// NewHAR makes the archive. Entries are in the order of their start, pages in the order of their first entry; but where a
// request was made again after it had failed, the good one is first: players take the first that fits.
func NewHAR(in HARInput) *HAR {
	out := &HAR{
		Log: HARLog{
			Version: "1.2",
			Creator: HARCreator{"Gasoline", in.Version},
			Pages:   []HARPage{},
			Entries: []HAREntry{},
			Comment: in.Lost,
		},
	}
	exchanges := append(slices.Clone(in.Exchanges), onlyTimed(in)...)
	slices.SortStableFunc(exchanges, func(a, b event.Exchange) int { return a.Started.Compare(b.Started) })
	type resourceKey struct{ session, document, url string }
	phases := map[resourceKey][]event.ResourceTiming{}
	for _, r := range in.Resources {
		k := resourceKey{r.Session, r.Document, r.URL}
		phases[k] = append(phases[k], r)
	}
	pages := map[string]bool{}
	loads := loadsOf(in)
	for i := range exchanges {
		e := &exchanges[i]
		if e.Initiator.Type == "navigation" {
			// The browser made it for a document that was not there yet.
			if d := loads.of(e); d != "" {
				e.Document = d
			}
		}
		var timing *event.ResourceTiming
		// Several loads of one URL keep their order on both sides.
		if k := (resourceKey{e.Session, e.Document, e.URL}); len(phases[k]) > 0 {
			timing = &phases[k][0]
			phases[k] = phases[k][1:]
		}
		entry := harEntry(e, timing)
		if e.Document != "" {
			entry.PageRef = "page_" + e.Document
			if !pages[entry.PageRef] {
				pages[entry.PageRef] = true
				out.Log.Pages = append(out.Log.Pages, harPage(entry.PageRef, e, in.Pages))
			}
		}
		out.Log.Entries = append(out.Log.Entries, entry)
	}
	goodFirst(out.Log.Entries)
	return out
}

// onlyTimed are the loads that nothing but the browser's own timing tells of, as exchanges. Each exchange that is known has
// one timing.
func onlyTimed(in HARInput) (out []event.Exchange) {
	known := maps.Clone(in.Known)
	if known == nil {
		known = map[HARLoad]int{}
	}
	for i := range in.Exchanges {
		e := &in.Exchanges[i]
		for _, at := range append([]string{e.URL}, e.Redirects...) {
			known[HARLoad{e.Session, e.Tab, at}]++
		}
	}
	for i := range in.Resources {
		r := &in.Resources[i]
		if at := (HARLoad{r.Session, r.Tab, r.URL}); known[at] > 0 {
			known[at]--
			continue
		}
		if in.Fits != nil && !in.Fits("GET", r.Status) {
			continue
		}
		took := time.Duration(r.Duration * float64(time.Millisecond))
		e := event.Exchange{
			Head: r.Head, Method: "GET", URL: r.URL, Status: r.Status, Started: r.Time.Add(-took), Duration: took, Protocol: r.Protocol,
			FromCache: r.FromCache, TransferSize: r.TransferSize, ResponseSize: r.DecodedSize, RequestSize: -1, Outcome: "ok",
			Initiator: event.Initiator{Type: r.InitiatorType}, ResponseBodyNote: timedOnly,
		}
		e.Flags |= event.Partial
		out = append(out, e)
	}
	return out
}

// timedOnly is said of the body of a load whose timing alone is known.
const timedOnly = "not captured: only the timing of this load is known"

// goodFirst puts answers before failures of the same request, into the places that they have together.
func goodFirst(entries []HAREntry) {
	type request struct{ method, url, body string }
	at := map[request][]int{}
	for i := range entries {
		r := request{method: entries[i].Request.Method, url: entries[i].Request.URL}
		if p := entries[i].Request.PostData; p != nil {
			r.body = p.Text
		}
		at[r] = append(at[r], i)
	}
	for _, places := range at {
		sorted := make([]HAREntry, 0, len(places))
		for _, failed := range []bool{false, true} {
			for _, i := range places {
				if (entries[i].Response.Status <= 0 || entries[i].Response.Status >= 400) == failed {
					sorted = append(sorted, entries[i])
				}
			}
		}
		for n, i := range places {
			entries[i] = sorted[n]
		}
	}
}

// unreplayable says why a player cannot give a page what it got, "" when it can. Players compare addresses, and bodies of
// requests that are in the archive.
func unreplayable(e *event.Exchange) string {
	switch {
	case redact.Marked(e.URL):
		return "its address has a secret, which is left out"
	case e.ResponseBodyNote == timedOnly:
		return "only its timing is known"
	case e.Status == 0:
		return "no answer came"
	case e.ResponseBody == "" && e.ResponseBodyNote != "" && e.ResponseSize != 0 && e.Method != "HEAD" && e.Status != 204 && e.Status != 304:
		return "its body is not kept: " + e.ResponseBodyNote
	case e.ResponseBodyNote != "" && e.ResponseBody != "":
		return "its body is not whole: " + e.ResponseBodyNote
	case redact.Marked(e.ResponseBody):
		return "its body has a secret, which is left out"
	}
	return ""
}

// loads are the documents that were loaded, by where.
type loads map[loadKey][]load

type loadKey struct {
	session string
	tab     int
	url     string
}

type load struct {
	document string
	at       time.Time // something of it is known from then on
}

func loadsOf(in HARInput) loads {
	out := loads{}
	add := func(h *event.Head) {
		k := loadKey{h.Session, h.Tab, pageOf(h.PageURL)}
		if i := slices.IndexFunc(out[k], func(l load) bool { return l.document == h.Document }); i < 0 {
			out[k] = append(out[k], load{h.Document, h.Time})
		} else if h.Time.Before(out[k][i].at) {
			out[k][i].at = h.Time
		}
	}
	for i := range in.Exchanges {
		if in.Exchanges[i].Initiator.Type != "navigation" {
			add(&in.Exchanges[i].Head)
		}
	}
	for i := range in.Resources {
		add(&in.Resources[i].Head)
	}
	for i := range in.Pages {
		add(&in.Pages[i].Head)
	}
	return out
}

// of returns the document that a navigation led to: the first that is known of after its start.
func (l loads) of(e *event.Exchange) string {
	best := load{}
	for _, x := range l[loadKey{e.Session, e.Tab, pageOf(e.URL)}] {
		if !x.at.Before(e.Started) && (best.document == "" || x.at.Before(best.at)) {
			best = x
		}
	}
	return best.document
}

func pageOf(url string) string {
	page, _, _ := strings.Cut(url, "#")
	return page
}

func harPage(id string, e *event.Exchange, snapshots []event.Performance) HARPage {
	page := HARPage{Started: harTime(e.Started), ID: id, Title: e.PageURL, Timings: HARPageTimings{-1, -1}}
	for _, s := range snapshots {
		if s.Document == e.Document && s.Session == e.Session {
			if s.DOMContentLoaded > 0 {
				page.Timings.OnContentLoad = s.DOMContentLoaded
			}
			if s.Load > 0 {
				page.Timings.OnLoad = s.Load
			}
		}
	}
	return page
}

func harEntry(e *event.Exchange, timing *event.ResourceTiming) HAREntry {
	ms := func(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }
	version := httpVersion(e.Protocol)
	entry := HAREntry{
		Started: harTime(
			e.Started,
		), Time: ms(e.Duration), ResourceType: e.Initiator.Type, Error: e.Error, TraceID: e.TraceID,
		GasolineFlags: e.Flags.Names(), ServerIP: e.RemoteAddress,
		Request: HARRequest{
			Method: e.Method, URL: e.URL, HTTPVersion: version, Cookies: []HARPair{}, Headers: harHeaders(e.RequestHeaders),
			QueryString: harQuery(e.URL), HeadersSize: -1, BodySize: e.RequestSize,
		},
		Response: HARResponse{
			Status: e.Status, StatusText: e.StatusText, HTTPVersion: version,
			Cookies: []HARPair{}, Headers: harHeaders(e.ResponseHeaders),
			Content:     HARContent{Size: max(e.ResponseSize, 0), MIMEType: e.ContentType, Text: e.ResponseBody},
			HeadersSize: -1, BodySize: e.TransferSize, TransferSize: e.TransferSize, Error: e.Error,
		},
	}
	if e.Status == 0 && e.Outcome != "ok" { // else it came, and nobody may know how
		entry.Response.Status = noAnswer
	}
	if e.FromCache {
		entry.FromCache = "disk"
	}
	if e.Status >= 300 && e.Status < 400 {
		entry.Response.RedirectURL = headerValue(e.ResponseHeaders, "location")
	}
	entry.Unreplayable = unreplayable(e)
	entry.Replayable = entry.Unreplayable == ""
	if e.ResponseBody != "" { // it is decoded, and may be cut
		entry.Response.Headers = slices.DeleteFunc(entry.Response.Headers, func(h HARPair) bool {
			return slices.Contains([]string{"content-encoding", "content-length", "transfer-encoding"}, strings.ToLower(h.Name))
		})
	}
	// A player would compare the body, and a body without its secrets is no page's.
	if note := e.RequestBodyNote; !redact.Marked(e.RequestBody) && (e.RequestBody != "" || note != "" && note != "off") {
		entry.Request.PostData = &HARPostData{
			MIMEType: headerValue(e.RequestHeaders, "content-type"),
			Text:     e.RequestBody,
		}
		if note != "" {
			entry.Request.PostData.Comment = "body: " + note
		}
	}
	if e.ResponseBodyNote != "" {
		entry.Response.Content.Comment = "body: " + e.ResponseBodyNote
	}
	if e.ContentType == "" {
		entry.Response.Content.MIMEType = "x-unknown"
	}
	wait, receive := ms(e.TTFB), 0.0
	if e.TTFB > 0 && e.Duration > e.TTFB {
		receive = ms(e.Duration - e.TTFB)
	} else if e.TTFB == 0 {
		wait = ms(e.Duration)
	}
	entry.Timings = HARTimings{Blocked: -1, DNS: -1, Connect: -1, SSL: -1, Wait: wait, Receive: receive}
	if timing != nil && timing.Duration > 0 && timing.Wait+timing.Receive > 0 {
		entry.Timings = HARTimings{
			Blocked: -1, DNS: unknownZero(timing.DNS), Connect: unknownZero(timing.Connect),
			SSL: unknownZero(timing.TLS), Wait: timing.Wait, Receive: timing.Receive,
		}
		// The specification wants time to be the sum of the phases; ssl is part of connect.
		entry.Time = max(0, timing.DNS) + max(0, timing.Connect) + timing.Wait + timing.Receive
	} else {
		entry.Time = wait + receive
	}
	return entry
}

func unknownZero(v float64) float64 {
	if v <= 0 {
		return -1
	}
	return v
}

func harTime(t time.Time) string { return t.UTC().Format("2006-01-02T15:04:05.000Z") }

func httpVersion(protocol string) string {
	switch strings.ToLower(protocol) {
	case "":
		return "unknown"
	case "h2":
		return "HTTP/2.0"
	case "h3", "h3-29":
		return "HTTP/3.0"
	}
	return strings.ToUpper(protocol)
}

func harHeaders(hs []event.Header) []HARPair {
	out := make([]HARPair, 0, len(hs))
	for _, h := range hs {
		if !strings.HasPrefix(h.Name, ":") { // of HTTP/2, and no header
			out = append(out, HARPair(h))
		}
	}
	return out
}

// Write writes the archive, an entry a line.
func (h *HAR) Write(w io.Writer) error {
	begin := *h
	begin.Log.Entries = []HAREntry{}
	head, err := json.Marshal(begin)
	if err != nil {
		return err
	}
	const empty = `"entries":[]`
	at := bytes.LastIndex(head, []byte(empty)) + len(empty) - 1
	out := bufio.NewWriterSize(w, 1<<16)
	_, _ = out.Write(head[:at]) // Flush tells
	enc := json.NewEncoder(out)
	for i := range h.Log.Entries {
		if i > 0 {
			_ = out.WriteByte(',')
		}
		_ = out.WriteByte('\n')
		if err := enc.Encode(&h.Log.Entries[i]); err != nil {
			return err
		}
	}
	_, _ = out.Write(head[at:])
	_ = out.WriteByte('\n')
	return out.Flush()
}

// harQuery lists the parameters in the order of the URL, which url.Values would lose.
func harQuery(raw string) []HARPair {
	out := []HARPair{}
	_, query, _ := strings.Cut(raw, "?")
	query, _, _ = strings.Cut(query, "#")
	for query != "" {
		var part string
		part, query, _ = strings.Cut(query, "&")
		if part == "" {
			continue
		}
		name, value, _ := strings.Cut(part, "=")
		out = append(out, HARPair{unescape(name), unescape(value)})
	}
	return out
}

func unescape(s string) string {
	if u, err := url.QueryUnescape(s); err == nil {
		return u
	}
	return s
}

func headerValue(hs []event.Header, name string) string {
	for _, h := range hs {
		if strings.EqualFold(h.Name, name) {
			return h.Value
		}
	}
	return ""
}
