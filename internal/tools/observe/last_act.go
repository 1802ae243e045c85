package observe

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/brennhill/gasoline/internal/answer"
	"github.com/brennhill/gasoline/internal/event"
	"github.com/brennhill/gasoline/internal/query"
)

// What a page catches is no error of its own: a login that was answered 401, an answer of 200 that says success: false, a
// socket that was closed by a code. A cold agent asks why the last act failed, so these are told as its errors.

const (
	actExchanges = 40              // requests of one act that are looked at
	slow         = 3 * time.Second // an answer that took longer is told
)

// lastAct returns the newest act in scope; nil: none.
func lastAct(ctx context.Context, env Env, o opened) (*event.Action, error) {
	f := o.scope
	f.Severity, f.URL = 0, ""
	list, _, err := query.Read(ctx, env.Reader, f, query.Page{Limit: 1}, func(a *event.Action) bool {
		return slices.Contains(acts, a.Type)
	})
	if err != nil || len(list.Items) == 0 {
		return nil, err
	}
	return &list.Items[0], nil
}

// beforeAct is how long before an act, as its event has it, the first request can be that belongs to it: while an agent's act
// waits for its element, the page hears of the pointer.
const beforeAct = 30 * time.Second

// quietFaults returns what went wrong after an act without an error, the worst first.
func quietFaults(ctx context.Context, env Env, a *event.Action) ([]query.Item, error) {
	end := a.Time.Add(ledTo)
	own := func(h *event.Head) bool { return led(h, a, end) }
	f := query.Filter{Session: a.Session, Tab: a.Tab}
	page := query.Page{Limit: actExchanges}
	asked := f
	asked.Since = a.Time.Add(-beforeAct)
	exchanges, _, err := query.ReadBodies(ctx, env.Reader, asked, page, func(x *event.Exchange) bool { return own(&x.Head) })
	if err != nil {
		return nil, err
	}
	opened := map[string]bool{} // connections
	messages, _, err := query.Read(ctx, env.Reader, f, page, func(m *event.Message) bool {
		// The server ends a connection when it likes: that has no cause, though an act of an agent has an id.
		caused := m.Cause.Action != "" && own(&m.Head) || m.Cause.Action == "" && during(&m.Head, a, end)
		opened[m.Connection] = opened[m.Connection] || m.Event == "open"
		return caused && (brokenOff(m) || says(m) || m.Protocol == "eventsource" && m.Event == "error")
	})
	if err != nil {
		return nil, err
	}
	shown, err := env.DocumentNow(ctx, a.Session, a.Tab)
	if err != nil {
		return nil, err
	}
	var ranked [6][]query.Item // failed, said so, connections, not what was asked for, slow, given up
	for i := range exchanges.Items {
		rank := 0
		switch x := &exchanges.Items[i]; {
		case x.Failed() && x.Outcome != "aborted":
		case saysFailed(x.ResponseBody) != "":
			rank = 1
		case unlike(x) != "":
			rank = 3
		case x.Duration >= slow && x.Outcome != "aborted" && !x.Streams():
			rank = 4
		case givenUp(x, a, shown.Document, exchanges.Items):
			rank = 5
		default:
			continue
		}
		if it, err := query.BySeq(env.Reader, exchanges.Items[i].Seq); err == nil { // else it was evicted in between
			ranked[rank] = append(ranked[rank], it)
		}
	}
	for i := range messages.Items {
		m := &messages.Items[i]
		if m.Event == "error" && opened[m.Connection] { // it connects again by itself
			continue
		}
		if it, err := query.BySeq(env.Reader, m.Seq); err == nil {
			ranked[2] = append(ranked[2], it)
		}
	}
	return slices.Concat(ranked[:]...), nil
}

// brokenOff reports whether a connection ended by a code that says that something is wrong, or as no event stream. 1000,
// 1001 and 1005 are ends as they should be (RFC 6455 section 7.4.1); a stream that the page closes has no reason.
func brokenOff(m *event.Message) bool {
	return m.Event == "close" && (m.Code > 1001 && m.Code != 1005 || m.Protocol == "eventsource" && m.Reason != "")
}

// says reports whether a message that came tells of a failure, as the last event of a stream does.
func says(m *event.Message) bool {
	return m.Event == "message" && m.Direction == "incoming" && (m.Type == "error" || saysFailed(m.Data) != "")
}

// givenUp reports whether the page that is shown gave up a request of an act, and asked in no other way with success.
func givenUp(x *event.Exchange, a *event.Action, shown string, all []event.Exchange) bool {
	return x.Outcome == "aborted" && !x.Started.Before(a.Time) && (shown == "" || shown == x.Document) &&
		!slices.ContainsFunc(all, func(o event.Exchange) bool {
			return o.Outcome == "ok" && o.Method == x.Method && pathOf(o.URL) == pathOf(x.URL)
		})
}

// pathOf is an address without what is asked of it.
func pathOf(address string) string {
	path, _, _ := strings.Cut(address, "?")
	return path
}

// unlike says what a good answer to a script is in place of JSON, which fails where it is read: Chromium tells no page of
// the rejection of json() that nobody handles. "" where nothing is odd.
func unlike(x *event.Exchange) string {
	media := mediaForScript(x)
	body := strings.TrimSpace(x.ResponseBody)
	switch {
	case media == "application/json" || strings.HasSuffix(media, "+json"):
		switch {
		case x.ResponseBodyNote != "":
		case body == "" && x.ResponseSize == 0 && x.Status == 200:
			return "it is empty, and not JSON"
		case body != "" && !json.Valid([]byte(body)) && body[0] != ')': // )]}' is a guard that scripts take off
			return "it is not JSON"
		}
	case !isPageForScript(x):
	case x.ResponseBodyNote == "off":
		return "HTML for a script: JSON was expected?"
	default:
		start := strings.ToLower(body[:min(len(body), 14)])
		if start == "<!doctype html" || strings.HasPrefix(start, "<html") { // else a part of one, to be put into the page
			return "a whole HTML page for a script: JSON was expected?"
		}
	}
	return ""
}

// mediaForScript is the type of a good answer to a script, in small letters and without parameters; "" of any other.
func mediaForScript(x *event.Exchange) string {
	if !slices.Contains([]string{"fetch", "xhr"}, x.Initiator.Type) || x.Outcome != "ok" || x.Method == "HEAD" {
		return ""
	}
	media, _, _ := strings.Cut(strings.ToLower(x.ContentType), ";")
	return strings.TrimSpace(media)
}

// isPageForScript reports whether a script got HTML that it did not ask for.
func isPageForScript(x *event.Exchange) bool {
	return mediaForScript(x) == "text/html" && !slices.ContainsFunc(x.RequestHeaders, forHTML)
}

// forHTML reports whether a header of a request says that it asks for HTML, as those of libraries do that put it into the
// page.
func forHTML(h event.Header) bool {
	return strings.EqualFold(h.Name, "accept") && strings.Contains(h.Value, "html") ||
		slices.Contains([]string{"hx-request", "x-pjax", "turbo-frame", "x-up-version"}, strings.ToLower(h.Name))
}

// What is looked at of a body: values of a batch or a stream, and operations of one answer of GraphQL.
const saidParts = 50

// saysFailed returns what a JSON body says of a failure, as `success: false`, `error: "…"` or GraphQL's errors do, also one
// of a batch or of the lines of a stream; "" where it says none.
func saysFailed(body string) string {
	values := json.NewDecoder(strings.NewReader(body))
	for range saidParts {
		var value json.RawMessage
		if values.Decode(&value) != nil {
			return ""
		}
		list := []json.RawMessage{value}
		if value[0] == '[' && json.Unmarshal(value, &list) != nil {
			return ""
		}
		for _, one := range list[:min(len(list), saidParts)] {
			if said := failureIn(one); said != "" {
				return said
			}
		}
	}
	return ""
}

// failureIn returns what one JSON value says of a failure. Its members may be of any type: false is 0 or a text elsewhere.
func failureIn(value json.RawMessage) string {
	var said struct{ Success, OK, Error, Errors, Status, Message, Data json.RawMessage }
	if value[0] != '{' || json.Unmarshal(value, &said) != nil {
		return ""
	}
	no := func(raw json.RawMessage) bool {
		return slices.Contains([]string{"false", "0", `"false"`}, string(raw))
	}
	status := strings.Trim(string(said.Status), `"`)
	code, _ := strconv.Atoi(status)
	switch {
	case no(said.Success):
		return "success: false"
	case no(said.OK):
		return "ok: false"
	case !saysNothing(said.Errors):
		return "errors"
	case !saysNothing(said.Error):
		return "error"
	case slices.Contains([]string{"error", "fail", "failed", "failure"}, status),
		code >= 400 && code < 600 && !saysNothing(said.Message):
		return "status: " + status
	}
	// What a mutation of GraphQL refused it says in its own part.
	var parts map[string]json.RawMessage
	if json.Unmarshal(said.Data, &parts) != nil {
		return ""
	}
	for _, name := range slices.Sorted(maps.Keys(parts))[:min(len(parts), saidParts)] {
		var part struct{ Errors, UserErrors []json.RawMessage }
		if json.Unmarshal(parts[name], &part) == nil && len(part.Errors)+len(part.UserErrors) > 0 {
			return "errors"
		}
	}
	return ""
}

// saysNothing reports whether a member that would tell of a failure is there for none.
func saysNothing(raw json.RawMessage) bool {
	return slices.Contains([]string{"", "null", "false", `""`, "[]", "{}", "0"}, string(raw))
}

// faultOf is the error that an exchange or the end of a connection is, in words.
func faultOf(it *query.Item) (message, source string) {
	switch e := it.Event.(type) {
	case *event.Exchange:
		x := newExchangeEntry(e)
		message = x.brief() + part("→ %s", x.head(headOfFailed))
		switch said := saysFailed(e.ResponseBody); {
		case e.Failed():
			if e.Status == 0 && answer.Origin(e.URL) != answer.Origin(e.PageURL) && !named(e.Error) {
				message += " (another origin: not reached, or refused to this page by CORS)"
			}
		case said != "":
			message += " (it says " + said + ")"
		case unlike(e) != "":
			message += " (" + unlike(e) + ")"
		case e.Outcome == "aborted":
			message += " (the page gave it up)"
		default:
			message += " (slow)"
		}
		return message, "request"
	case *event.Message:
		address := answer.Local("http"+strings.TrimPrefix(e.URL, "ws"), e.PageURL, 120)
		if e.Protocol != "websocket" {
			address = answer.Local(e.URL, e.PageURL, 120)
		}
		switch {
		case says(e):
			return fmt.Sprintf("%s %s told of a failure", e.Protocol, address) +
				part("→ %s", answer.Cut(flat(e.Data), headOfFailed)), "connection"
		case e.Protocol == "eventsource":
			return fmt.Sprintf("%s %s broke off", e.Protocol, address) + part("(%s)", answer.Clean(e.Reason)), "connection"
		}
		message = fmt.Sprintf("%s %s closed by code %d", e.Protocol, address, e.Code)
		return message + part("%s", e.Reason), "connection"
	}
	return "", ""
}

// named reports whether the browser's own name of an error says why there was no answer. ERR_FAILED says nothing.
func named(text string) bool {
	return strings.HasPrefix(text, "net::ERR_") && !strings.HasPrefix(text, "net::ERR_FAILED")
}
