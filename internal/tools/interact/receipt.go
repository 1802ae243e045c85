package interact

import (
	"context"
	"encoding/json"
	"fmt"
	"net/url"
	"slices"
	"strings"
	"time"
	"unicode"

	"github.com/brennhill/gasoline/internal/answer"
	"github.com/brennhill/gasoline/internal/command"
	"github.com/brennhill/gasoline/internal/event"
	"github.com/brennhill/gasoline/internal/query"
)

// room is the bounds of a receipt. bytes is of its JSON; what is above it goes, the least telling first.
type room struct {
	bytes, errors, calls, messages, stored int
}

// roomOf is how much a receipt tells: everything is asked for, or nothing is said.
func roomOf(receipt string) room {
	if receipt == "full" {
		return room{bytes: 8000, errors: 20, calls: 40, messages: 20, stored: 40}
	}
	return room{bytes: 1500, errors: 3, calls: 5, messages: 3, stored: 6}
}

// Bounds of what a receipt tells of one thing, in characters.
const (
	errorText   = 160
	pathText    = 100
	bodyText    = 160
	messageText = 80
	placeText   = 80
	looked      = 200 // events of a kind that one act led to and that are looked at
)

// receiptIn returns where the receipt stands in a command's result; nil for a result that has none.
func receiptIn(result any) **command.Receipt {
	switch r := result.(type) {
	case *command.ActResult:
		return &r.Receipt
	case *command.PageResult:
		return &r.Receipt
	case *command.ScriptResult:
		return &r.Receipt
	case *command.TabResult:
		return &r.Receipt
	}
	return nil
}

// receiptOf returns the receipt within a command's result; nil for a result that has none.
func receiptOf(result any) *command.Receipt {
	if at := receiptIn(result); at != nil {
		return *at
	}
	return nil
}

// complete adds to a receipt what is stored of the errors and requests that the action led to, of what came since began.
// The extension has sent it before it answered. A call that ends meanwhile leaves the rest out.
func complete(ctx context.Context, env Env, r *command.Receipt, session, action string, began time.Time) {
	most := roomOf(env.receipt)
	r.Errors, r.Requests, r.Messages, r.Service, r.Unlisted = nil, nil, nil, nil, nil
	r.Stored = r.Stored[:min(len(r.Stored), most.stored)]
	f := query.Filter{Session: session, Action: action, Arrived: began}
	p := query.Page{Limit: looked}
	var errors []caused
	if list, _, err := query.Read[event.Exception](ctx, env.Reader, f, p, nil); err == nil {
		for _, e := range list.Items {
			errors = append(errors, caused{e.Time, command.CausedError{
				Handle: query.Handle(event.KindException, e.Seq), Text: e.Type + ": " + e.Message,
				At: answer.Cut(codePlace(e.Stack), placeText), Inferred: inferred(e.Flags),
			}})
		}
	}
	isError := func(l *event.Log) bool { return l.Severity >= event.SeverityError }
	if list, _, err := query.Read(ctx, env.Reader, f, p, isError); err == nil {
		for _, l := range list.Items {
			errors = append(errors, caused{l.Time, command.CausedError{
				Handle: query.Handle(event.KindLog, l.Seq), Text: "console: " + l.Message,
				At: answer.Cut(codePlace(l.Stack), placeText), Inferred: inferred(l.Flags),
			}})
		}
	}
	slices.SortStableFunc(errors, func(a, b caused) int { return a.at.Compare(b.at) })
	for i, e := range errors {
		if i == most.errors {
			unlisted(r).Errors += len(errors) - i
			break
		}
		e.Text = answer.Cut(e.Text, errorText)
		r.Errors = append(r.Errors, e.CausedError)
	}
	if list, _, err := query.ReadBodies(ctx, env.Reader, f, p, nil); err == nil {
		calls := list.Items
		slices.SortStableFunc(calls, func(a, b event.Exchange) int { return rank(&a) - rank(&b) })
		for i := range calls {
			if i == most.calls {
				unlisted(r).Requests += len(calls) - i
				break
			}
			r.Requests = append(r.Requests, call(&calls[i]))
		}
	}
	for _, c := range r.Requests {
		if c.Status >= 500 || c.Status == 0 && c.Outcome != "" && c.Outcome != "pending" {
			r.Service = serviceCause(ctx, env, c.Handle)
			break
		}
	}
	isData := func(m *event.Message) bool { return m.Event == "message" }
	if list, _, err := query.Read(ctx, env.Reader, f, p, isData); err == nil {
		for i, m := range list.Items {
			if i == most.messages {
				unlisted(r).Messages += len(list.Items) - i
				break
			}
			r.Messages = append(r.Messages, message(&m))
		}
	}
	bound(r, most.bytes)
}

// How long a receipt waits for services to tell why a request failed. They send what they did in batches.
const (
	servicesWithin = 400 * time.Millisecond
	servicesEvery  = 40 * time.Millisecond
)

// unlisted is where a receipt counts what it has no room for.
func unlisted(r *command.Receipt) *command.Unlisted {
	if r.Unlisted == nil {
		r.Unlisted = &command.Unlisted{}
	}
	return r.Unlisted
}

// serviceCause returns what services tell of a failed request; nil when none does within a moment. Where no service has
// sent anything so far, none is waited for.
func serviceCause(ctx context.Context, env Env, request string) *command.CausedService {
	if list, others := env.Reader.Services(); len(list) == 0 && !others {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, servicesWithin)
	defer cancel()
	for {
		f, err := env.Flows.Read(ctx, request)
		if err != nil {
			return nil // the time is over, or the request was evicted
		}
		if c := f.Cause; c != nil && c.Node.Service != "" {
			return &command.CausedService{
				Handle: c.Node.ID(), Service: answer.Cut(c.Node.Service, 60), Text: answer.Cut(c.Node.Message(), errorText),
				Score: c.Score, Trace: request,
			}
		}
		timer := time.NewTimer(servicesEvery)
		select {
		case <-timer.C:
		case <-ctx.Done():
			timer.Stop()
			return nil
		}
	}
}

// codePlace is where in the page's own code an error came from; "" when the stack does not say.
func codePlace(stack []event.StackFrame) string {
	for _, f := range stack {
		switch {
		case f.Source != "" && f.InApp:
			return fmt.Sprintf("%s:%d", f.Source, f.SourceLine)
		case f.InApp && f.URL != "":
			return fmt.Sprintf("%s:%d", path(f.URL), f.Line)
		}
	}
	return ""
}

func message(m *event.Message) command.CausedMessage {
	return command.CausedMessage{
		Handle: query.Handle(event.KindMessage, m.Seq), Direction: m.Direction, Path: answer.Cut(path(m.URL), pathText),
		Size: m.Size, Text: answer.Cut(m.Data, messageText), Inferred: inferred(m.Flags),
	}
}

type caused struct {
	at time.Time
	command.CausedError
}

// rank puts what failed first, and what belongs to the act by time alone last.
func rank(x *event.Exchange) int {
	n := 2
	if x.Failed() {
		n = 0
	}
	if inferred(x.Flags) {
		n++
	}
	return n
}

func call(x *event.Exchange) command.CausedCall {
	c := command.CausedCall{
		Handle: query.Handle(event.KindExchange, x.Seq), Method: x.Method, Path: answer.Cut(path(x.URL), pathText),
		Status: x.Status, Duration: float64(x.Duration.Round(time.Millisecond).Milliseconds()), Streams: x.Streams(), Inferred: inferred(x.Flags),
	}
	if x.Outcome != "ok" && x.Outcome != "http_error" {
		c.Outcome = x.Outcome
	}
	if x.Failed() {
		c.Body = answer.Cut(x.ResponseBody, bodyText)
		if c.Body == "" {
			c.Body = answer.Cut(x.Error, bodyText)
		}
	}
	return c
}

func path(raw string) string {
	u, err := url.Parse(raw)
	if err != nil || u.Path == "" {
		return raw
	}
	return u.Path
}

func inferred(f event.Flags) bool { return f&event.Inferred != 0 }

// bound makes a receipt fit so many bytes: requests that went well go first, then changes, errors, and last what failed.
func bound(r *command.Receipt, most int) {
	size := func() int {
		text, _ := json.Marshal(r) // of strings and numbers: it cannot fail
		return len(text)
	}
	// A control character takes six bytes of JSON and says nothing.
	cut := func(text *string, n int) { *text = answer.Cut(strings.Map(printable, *text), n) }
	for _, text := range []*string{&r.From, &r.To} {
		cut(text, 200)
	}
	for i := range r.Stored {
		cut(&r.Stored[i], 100)
	}
	for size() > most {
		switch last := len(r.Requests) - 1; {
		case last > 0:
			r.Requests = r.Requests[:last]
			unlisted(r).Requests++
		case len(r.Messages) > 1:
			r.Messages = r.Messages[:len(r.Messages)-1]
			unlisted(r).Messages++
		case len(r.Stored) > 2:
			r.Stored = r.Stored[:len(r.Stored)-1]
		case len(r.Changes) > 2:
			r.Changes = r.Changes[:len(r.Changes)-1]
		case len(r.Errors) > 1:
			r.Errors = r.Errors[:len(r.Errors)-1]
			unlisted(r).Errors++
		case len(r.Busy) > 1:
			r.Busy = r.Busy[:len(r.Busy)-1]
		default:
			for i := range r.Changes {
				cut(&r.Changes[i], 60)
			}
			for i := range r.Busy {
				cut(&r.Busy[i], 60)
			}
			for i := range r.Stored {
				cut(&r.Stored[i], 60)
			}
			for i := range r.Errors {
				cut(&r.Errors[i].Text, 60)
				cut(&r.Errors[i].At, 40)
			}
			for i := range r.Messages {
				cut(&r.Messages[i].Text, 30)
				cut(&r.Messages[i].Path, 30)
			}
			for i := range r.Requests {
				cut(&r.Requests[i].Body, 60)
				cut(&r.Requests[i].Path, 60)
				cut(&r.Requests[i].Method, 10)
			}
			if r.Service != nil {
				cut(&r.Service.Text, 80)
				cut(&r.Service.Service, 30)
			}
			cut(&r.From, 70)
			cut(&r.To, 70)
			return
		}
	}
}

func printable(r rune) rune {
	if unicode.IsControl(r) {
		return ' '
	}
	return r
}

// receiptLines says a receipt in lines, which hold text of the page. told: where the act led is said already.
func receiptLines(r *command.Receipt, told bool) (out []string) {
	if r == nil {
		return nil
	}
	if r.To != "" && !told {
		out = append(out, "went from "+answer.Short(r.From, 100)+" to "+answer.Short(r.To, 100))
	}
	for _, c := range r.Changes {
		out = append(out, "then: "+answer.Clean(c))
	}
	for _, e := range r.Errors {
		line := fmt.Sprintf("error %s%s %s", e.Handle, sameTime(e.Inferred), answer.Clean(e.Text))
		if e.At != "" {
			line += " at " + answer.Clean(e.At)
		}
		out = append(out, line)
	}
	for _, c := range r.Requests {
		out = append(out, callLine(c))
	}
	if s := r.Service; s != nil {
		out = append(out, fmt.Sprintf(`service %s (%.2f): %s %s; observe {"what":"timeline","trace":%q} tells all`,
			answer.Clean(s.Service), s.Score, s.Handle, answer.Clean(s.Text), s.Trace))
	}
	for _, m := range r.Messages {
		out = append(out, messageLine(m))
	}
	for _, entry := range r.Stored {
		out = append(out, "stored meanwhile: "+answer.Clean(entry))
	}
	if u := r.Unlisted; u != nil {
		out = append(out, "and "+strings.Join(slices.Concat(more(u.Errors, "error"), more(u.Requests, "request"), more(u.Messages, "message")), ", "))
	}
	if len(r.Busy) > 0 {
		out = append(out, "still busy: "+answer.Clean(strings.Join(r.Busy, ", ")))
	}
	return out
}

// more says how many there are besides; nothing for none.
func more(n int, what string) []string {
	switch n {
	case 0:
		return nil
	case 1:
		return []string{"1 more " + what}
	}
	return []string{fmt.Sprintf("%d more %ss", n, what)}
}

// quiet says whether nothing of an act was seen.
func quiet(r *command.Receipt) bool {
	return r != nil && r.To == "" && r.Unlisted == nil &&
		len(r.Changes)+len(r.Errors)+len(r.Requests)+len(r.Messages)+len(r.Stored)+len(r.Busy)+len(r.Refused) == 0
}

// refusable is what browsers give a page only when a user has just acted.
var refusable = []string{"file chooser", "picker", "window", "full screen"}

// refusals says what of it the browser refused while a command ran; "" for nothing.
func refusals(r *command.Receipt) string {
	if r == nil {
		return ""
	}
	return strings.Join(slices.DeleteFunc(slices.Clone(refusable), func(what string) bool {
		return !slices.Contains(r.Refused, what)
	}), ", ")
}

func callLine(c command.CausedCall) string {
	status := c.Outcome
	if c.Status != 0 {
		status = strings.TrimSpace(fmt.Sprint(c.Status, " ", c.Outcome))
	}
	lasted := fmt.Sprintf("%.0f ms", c.Duration)
	if c.Streams {
		lasted = "still streaming"
	}
	line := fmt.Sprintf(
		"request %s%s %s %s %s, %s", c.Handle, sameTime(c.Inferred), answer.Clean(c.Method), answer.Clean(c.Path), answer.Clean(status), lasted,
	)
	if c.Body != "" {
		line += ": " + answer.Clean(c.Body)
	}
	return line
}

func messageLine(m command.CausedMessage) string {
	line := fmt.Sprintf(
		"message %s%s %s, %s, %s", m.Handle, sameTime(m.Inferred), m.Direction, answer.Clean(m.Path), answer.Bytes(m.Size),
	)
	if m.Text != "" {
		line += ": " + answer.Clean(m.Text)
	}
	return line
}

func sameTime(inferred bool) string {
	if inferred {
		return " (in the same time)"
	}
	return ""
}
