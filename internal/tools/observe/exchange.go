package observe

import (
	"context"
	"fmt"
	"html"
	"strconv"
	"strings"
	"time"

	"github.com/brennhill/gasoline/internal/answer"
	"github.com/brennhill/gasoline/internal/event"
	"github.com/brennhill/gasoline/internal/query"
	"github.com/brennhill/gasoline/internal/view"
)

// exchangeEntry is one request and its answer.
type exchangeEntry struct {
	ID               string         `json:"id"`
	RequestID        string         `json:"request_id"`
	Method           string         `json:"method"`
	URL              string         `json:"url"`
	Status           int            `json:"status"` // 0: no answer came
	StatusText       string         `json:"status_text,omitempty"`
	Outcome          string         `json:"outcome"`
	Error            string         `json:"error,omitempty"`
	Started          string         `json:"started"`
	Ended            string         `json:"ended"`
	TTFB             float64        `json:"ttfb_ms,omitempty"`
	Duration         float64        `json:"duration_ms"`
	RequestHeaders   []headerEntry  `json:"request_headers,omitempty"`
	ResponseHeaders  []headerEntry  `json:"response_headers,omitempty"`
	HasAuth          bool           `json:"has_auth,omitempty"`
	RequestBody      string         `json:"request_body,omitempty"`
	ResponseBody     any            `json:"response_body,omitempty"`      // text, or the JSON value that body_path selects
	RequestBodyNote  string         `json:"request_body_note,omitempty"`  // why the body is absent or cut
	ResponseBodyNote string         `json:"response_body_note,omitempty"` // why the body is absent or cut
	ContentType      string         `json:"content_type,omitempty"`
	Sizes            exchangeSizes  `json:"sizes"`
	Initiator        initiatorEntry `json:"initiator"`
	Protocol         string         `json:"protocol,omitempty"`
	FromCache        bool           `json:"from_cache,omitempty"`
	Redirects        []string       `json:"redirect_chain,omitempty"`
	ServerTiming     string         `json:"server_timing,omitempty"`
	RemoteAddress    string         `json:"remote_address,omitempty"`
	Tab              int            `json:"tab,omitempty"`
	Frame            int            `json:"frame,omitempty"`
	PageURL          string         `json:"page_url,omitempty"`
	TestID           string         `json:"test_id,omitempty"`
	TraceID          string         `json:"trace_id,omitempty"`
	Flags            []string       `json:"flags,omitempty"`

	clock    string
	took     time.Duration
	streams  bool
	failed   bool
	response string
	selected bool // response is what body_path selected
	bodiless bool // the caller wants no bodies
}

type headerEntry struct {
	Name  string `json:"name"`
	Value string `json:"value"`
}

// exchangeSizes are true sizes in bytes, -1 unknown.
type exchangeSizes struct {
	Request  int64 `json:"request"`
	Response int64 `json:"response"`
	Transfer int64 `json:"transfer"`
}

type initiatorEntry struct {
	Type   string       `json:"type,omitempty"`
	Stack  []view.Frame `json:"stack,omitempty"`
	Action string       `json:"action,omitempty"` // id of the action that led to it
}

func newExchangeEntry(e *event.Exchange) exchangeEntry {
	out := exchangeEntry{
		ID: query.Handle(
			event.KindExchange,
			e.Seq,
		), RequestID: e.RequestID, Method: e.Method, URL: e.URL, Status: e.Status, StatusText: e.StatusText,
		Outcome: e.Outcome, Error: e.Error, Started: view.Stamp(e.Started),
		Ended: view.Stamp(e.Started.Add(e.Duration)), TTFB: milliseconds(e.TTFB), Duration: milliseconds(e.Duration),
		RequestHeaders: headerEntries(
			e.RequestHeaders,
		), ResponseHeaders: headerEntries(e.ResponseHeaders), HasAuth: e.HasAuth,
		RequestBody: e.RequestBody, RequestBodyNote: e.RequestBodyNote, ResponseBodyNote: e.ResponseBodyNote, ContentType: e.ContentType,
		Sizes:     exchangeSizes{e.RequestSize, e.ResponseSize, e.TransferSize},
		Initiator: initiatorEntry{Type: e.Initiator.Type, Stack: view.Stack(e.Initiator.Stack)},
		Protocol:  e.Protocol, FromCache: e.FromCache, Redirects: e.Redirects, ServerTiming: e.ServerTiming,
		RemoteAddress: e.RemoteAddress,
		Tab:           e.Tab, Frame: e.Frame, PageURL: e.PageURL, TestID: e.TestID, TraceID: e.TraceID,
		Flags: e.Flags.Names(),
		clock: answer.Clock(e.Time), took: e.Duration, streams: e.Streams(), failed: e.Failed(), response: e.ResponseBody,
	}
	if e.ResponseBody != "" {
		out.ResponseBody = e.ResponseBody
	}
	out.Initiator.Action = e.Cause.Action
	return out
}

func milliseconds(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }

func headerEntries(hs []event.Header) []headerEntry {
	out := make([]headerEntry, len(hs))
	for i, h := range hs {
		out[i] = headerEntry(h)
	}
	return out
}

// brief is the request without its handle and time: "POST 500 48 ms 25 B /api/pay".
func (e exchangeEntry) brief() string {
	var out strings.Builder
	out.WriteString(answer.Clean(e.Method) + " " + e.ending() + " " + e.lasted())
	if e.Sizes.Response > 0 {
		out.WriteString(" " + answer.Bytes(e.Sizes.Response))
	}
	out.WriteString(" " + answer.Local(e.URL, e.PageURL, 120))
	if e.FromCache {
		out.WriteString(" (cache)")
	}
	if len(e.Redirects) > 0 {
		out.WriteString(" (redirected)")
	}
	return out.String()
}

// lasted is how long it took. A stream that goes on has no duration.
func (e exchangeEntry) lasted() string {
	if e.streams {
		return "still streaming"
	}
	return answer.Took(e.took)
}

// ending is the status, or how it ended without one.
func (e exchangeEntry) ending() string {
	switch {
	case e.Status != 0 && (e.Outcome == "ok" || e.Outcome == "http_error"):
		return strconv.Itoa(e.Status)
	case e.Status != 0:
		return strconv.Itoa(e.Status) + " " + answer.Clean(e.Outcome)
	case e.Error != "":
		return answer.Clean(e.Outcome) + " (" + answer.Cut(answer.Clean(e.Error), 100) + ")"
	default:
		return answer.Clean(e.Outcome)
	}
}

// head is the beginning of the response body for a line, at most n characters, with what it lacks.
func (e exchangeEntry) head(n int) string {
	text := e.response
	if strings.Contains(e.ContentType, "html") {
		text = textOf(text)
	}
	text = flat(text)
	switch missing := e.missing(); {
	case text == "" && missing != "":
		return "(" + missing + ")"
	case text == "":
		return ""
	case missing != "" && len(text) <= n:
		return text + "… (" + missing + ")"
	}
	return answer.Cut(text, n)
}

// missing says why the response's body is absent or cut; "" when it is whole, or when nobody captures bodies,
// which one note tells for all.
func (e exchangeEntry) missing() string {
	return missing(e.ResponseBodyNote, e.Sizes.Response, len(e.response))
}

// missing says what a note means for a body of size bytes, of which kept are there.
func missing(note string, bytes int64, kept int) string {
	size := answer.Bytes(bytes)
	switch note {
	case "", "off":
		return ""
	case "truncated":
		if bytes > int64(kept) {
			return fmt.Sprintf("body cut, %s in all", size)
		}
		if bytes < 0 {
			return "body cut, its size is not known"
		}
		return ""
	case "binary":
		return "binary, " + size
	case "streaming":
		return "" // the line says it
	case "evicted":
		return "body evicted"
	case "opaque":
		return "opaque: another origin without CORS"
	case "unread":
		return "body was not read by the page"
	default:
		return "body " + answer.Clean(note)
	}
}

func exchangeDetail(e exchangeEntry) []string {
	first := fmt.Sprintf("%s %s %s %s", e.ID, e.Started, answer.Clean(e.Method), answer.Clean(e.URL))
	second := "→ " + e.ending() + part("%s", answer.Clean(e.StatusText)) + ", " + e.lasted()
	if e.TTFB > 0 {
		second += fmt.Sprintf(" (first byte %.0f ms)", e.TTFB)
	}
	for _, s := range []string{answer.Clean(e.Protocol), answer.Clean(e.ContentType), answer.Clean(e.RemoteAddress)} {
		if s != "" {
			second += ", " + s
		}
	}
	second += fmt.Sprintf(", sent %s, got %s", answer.Bytes(e.Sizes.Request), answer.Bytes(e.Sizes.Response))
	if e.Sizes.Transfer > 0 && e.Sizes.Transfer != e.Sizes.Response {
		second += ", transferred " + answer.Bytes(e.Sizes.Transfer)
	}
	if e.FromCache {
		second += ", from cache"
	}
	if len(e.Flags) > 0 {
		second += " [" + strings.Join(e.Flags, ",") + "]"
	}
	out := []string{first, second}
	if e.Initiator.Type != "" {
		by := "by " + answer.Clean(e.Initiator.Type)
		if len(e.Initiator.Stack) > 0 {
			by += " at " + view.StackOf(e.Initiator.Stack, e.PageURL, 6)
		}
		out = append(out, by+part("after %s", e.Initiator.Action)+part("on %s", answer.Short(e.PageURL, 120)))
	}
	for _, r := range e.Redirects {
		out = append(out, "redirected from "+answer.Clean(r))
	}
	out = append(out, headerLines("request headers", e.RequestHeaders)...)
	if e.RequestBody != "" {
		out = append(out, "request body: "+flat(e.RequestBody))
	}
	if m := missing(e.RequestBodyNote, e.Sizes.Request, len(e.RequestBody)); m != "" {
		out = append(out, "(request: "+m+")")
	}
	out = append(out, headerLines("response headers", e.ResponseHeaders)...)
	if e.ServerTiming != "" && len(e.ResponseHeaders) == 0 {
		out = append(out, "server timing: "+answer.Clean(e.ServerTiming))
	}
	if e.response != "" {
		title := "response body: "
		if e.selected {
			title = "selected of the response body: "
		}
		out = append(out, title+flat(e.response))
	}
	if m := e.missing(); m != "" {
		out = append(out, "("+m+")")
	} else if e.RequestBodyNote == "off" || e.ResponseBodyNote == "off" {
		out = append(out, "(bodies are not captured; the user can switch them on in the extension's popup)")
	}
	if e.TraceID != "" {
		out = append(out, "trace "+e.TraceID)
	}
	return out
}

func headerLines(title string, hs []headerEntry) []string {
	if len(hs) == 0 {
		return nil
	}
	var out strings.Builder
	out.WriteString(title + ":")
	for _, h := range hs {
		out.WriteString("\n  " + answer.Clean(h.Name) + ": " + answer.Clean(h.Value))
	}
	return []string{out.String()}
}

// textOf returns what a reader sees of an HTML page: error pages hide one sentence behind a screen of
// markup. The page may be cut anywhere.
func textOf(page string) string {
	var out strings.Builder
	for page != "" {
		text, rest, tag := strings.Cut(page, "<")
		out.WriteString(text)
		if !tag {
			break
		}
		name := strings.ToLower(rest[:min(len(rest), 8)])
		for _, hidden := range []string{"style", "script", "title", "!--"} {
			if !strings.HasPrefix(name, hidden) {
				continue
			}
			rest = rest[len(hidden):] // so that a comment's own dashes do not end it
			end := "</" + hidden
			if hidden == "!--" {
				end = "--"
			}
			if i := strings.Index(strings.ToLower(rest), end); i >= 0 {
				rest = rest[i+len(end):]
			} else {
				rest = ""
			}
			break
		}
		if _, page, tag = strings.Cut(rest, ">"); !tag {
			break
		}
		out.WriteByte(' ')
	}
	return html.UnescapeString(out.String())
}

var _ = showInFull(func(ctx context.Context, env Env, e *event.Exchange) exchangeEntry {
	e.ResponseSize = trueSize(ctx, env.Reader, e)
	return newExchangeEntry(e)
}, exchangeDetail)
