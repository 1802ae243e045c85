package browser

import (
	"strings"

	"github.com/brennhill/gasoline/internal/event"
	"github.com/brennhill/gasoline/internal/wire"
)

// The functions here turn one wire value into an event. They return a reason for what is none.

func exchange(w *wire.Exchange) (e event.Exchange, reason string) {
	var b bounded
	if w.URL == "" {
		return e, "url is missing"
	}
	e = event.Exchange{
		Head: b.head(
			&w.Base,
		), RequestID: b.text(w.RequestID, maxID), Method: strings.ToUpper(b.text(w.Method, maxWord)),
		URL: b.text(w.URL, maxURL), Status: count(w.Status, 999), StatusText: b.text(w.StatusText, maxText),
		Started: when(w.Started), TTFB: span(w.TTFB), Duration: span(w.Duration),
		RequestHeaders: headers(
			&b,
			w.RequestHeaders,
		), ResponseHeaders: headers(&b, w.ResponseHeaders), HasAuth: w.HasAuth,
		RequestBody: w.RequestBody, ResponseBody: w.ResponseBody,
		RequestSize: size(w.RequestSize), ResponseSize: size(w.ResponseSize), TransferSize: size(w.TransferSize),
		RequestBodyNote: b.text(w.RequestBodyNote, maxWord), ResponseBodyNote: b.text(w.ResponseBodyNote, maxWord), ContentType: b.text(w.ContentType, maxText),
		Initiator: event.Initiator{Type: b.text(w.Initiator.Type, maxWord), Stack: stackOf(&b, w.Initiator.Stack)},
		Outcome:   b.text(w.Outcome, maxWord), Error: b.text(w.Error, maxText), Protocol: b.text(w.Protocol, maxWord),
		FromCache: w.FromCache, Redirects: urls(&b, w.Redirects), ServerTiming: b.text(w.ServerTiming, maxData),
		RemoteAddress: b.text(w.RemoteAddress, maxID),
	}
	if e.Method == "" {
		e.Method = "GET"
	}
	if e.Outcome == "" {
		e.Outcome = outcome(e.Status)
	}
	if b.cut || e.RequestBodyNote == "truncated" || e.ResponseBodyNote == "truncated" {
		e.Flags |= event.Truncated
	}
	return e, ""
}

// outcome is what a status says when the sender does not.
func outcome(status int) string {
	switch {
	case status == 0:
		return "network_error"
	case status >= 400:
		return "http_error"
	}
	return "ok"
}

func headers(b *bounded, ws []wire.Header) []event.Header {
	if len(ws) == 0 {
		return nil
	}
	ws = most(b, ws, maxHeaders)
	out := make([]event.Header, len(ws))
	for i, w := range ws {
		out[i] = event.Header{Name: b.text(w.Name, maxText), Value: b.text(w.Value, maxURL)}
	}
	return out
}

func urls(b *bounded, ws []string) []string {
	ws = most(b, ws, maxRedirects)
	for i := range ws {
		ws[i] = b.text(ws[i], maxURL)
	}
	return ws
}

func resource(w *wire.ResourceTiming) (e event.ResourceTiming, reason string) {
	var b bounded
	if w.URL == "" {
		return e, "url is missing"
	}
	e = event.ResourceTiming{
		Head: b.head(&w.Base), URL: b.text(w.URL, maxURL), InitiatorType: b.text(w.InitiatorType, maxWord),
		Start: milliseconds(
			w.Start,
		), Duration: milliseconds(w.Duration), DNS: milliseconds(w.DNS), Connect: milliseconds(w.Connect),
		TLS: milliseconds(w.TLS), Wait: milliseconds(w.Wait), Receive: milliseconds(w.Receive),
		TransferSize: size(w.TransferSize), EncodedSize: size(w.EncodedSize), DecodedSize: size(w.DecodedSize),
		Status: count(
			w.Status,
			999,
		), RenderBlocking: w.RenderBlocking, FromCache: w.FromCache, Protocol: b.text(w.Protocol, maxWord),
	}
	b.mark(&e.Head)
	return e, ""
}

func message(w *wire.Message) (e event.Message, reason string) {
	var b bounded
	switch w.Event {
	case "open", "message", "close", "error":
	case "":
		return e, "event is missing"
	default:
		return e, "event is not open, message, close or error"
	}
	e = event.Message{
		Head: b.head(
			&w.Base,
		), Connection: b.text(w.Connection, maxID), Protocol: b.text(w.Protocol, maxWord), URL: b.text(w.URL, maxURL),
		Event: w.Event, Direction: b.text(w.Direction, maxWord), Order: w.Order, Type: b.text(w.Type, maxText),
		Size: size(w.Size),
		Data: b.text(w.Data, maxData), Code: count(w.Code, 65535), Reason: b.text(w.Reason, maxText),
		Skipped: count(w.Skipped, maxCount), Rate: max(0, number(w.Rate)),
	}
	if e.Protocol == "" {
		e.Protocol = "websocket"
	}
	b.mark(&e.Head)
	return e, ""
}

func action(w *wire.Action) (e event.Action, reason string) {
	var b bounded
	if w.Type == "" {
		return e, "type is missing"
	}
	e = event.Action{
		Head: b.head(
			&w.Base,
		), Type: b.text(w.Type, maxWord), By: b.text(w.By, maxWord), Client: b.text(w.Client, maxID),
		Role: b.text(
			w.Role,
			maxWord,
		), Name: b.text(w.Name, maxText), Text: b.text(w.Text, maxText), Value: b.text(w.Value, maxData),
		Key: b.text(w.Key, maxWord), FromURL: b.text(w.FromURL, maxURL), ToURL: b.text(w.ToURL, maxURL),
		X: number(w.X), Y: number(w.Y), Outcome: b.text(w.Outcome, maxWord),
	}
	if e.By == "" {
		e.By = "user"
	}
	for _, l := range most(&b, w.Locators, maxLocators) {
		e.Locators = append(e.Locators, event.Locator{
			Kind: b.text(
				l.Kind,
				maxWord,
			), Value: b.text(l.Value, maxText), Matches: count(l.Matches, maxCount), Score: count(l.Score, maxCount)})
	}
	b.mark(&e.Head)
	return e, ""
}

func dom(w *wire.DOM) (e event.DOM, reason string) {
	var b bounded
	if w.Type == "" {
		return e, "type is missing"
	}
	e = event.DOM{
		Head: b.head(
			&w.Base,
		), Type: b.text(w.Type, maxWord), Added: count(w.Added, maxCount), Removed: count(w.Removed, maxCount),
		Changed: count(
			w.Changed,
			maxCount,
		), Changes: most(&b, w.Changes, maxChanges), Selector: b.text(w.Selector, maxText),
		Class: b.text(
			w.Class,
			maxWord,
		), Role: b.text(w.Role, maxWord), Text: b.text(w.Text, maxText), Shown: span(w.ShownMS),
	}
	for i := range e.Changes {
		e.Changes[i] = b.text(e.Changes[i], maxText)
	}
	b.mark(&e.Head)
	return e, ""
}

func lifecycle(w *wire.Lifecycle) (e event.Lifecycle, reason string) {
	var b bounded
	if w.State == "" {
		return e, "state is missing"
	}
	e = event.Lifecycle{
		Head: b.head(&w.Base), State: b.text(w.State, maxWord), Trigger: b.text(w.Trigger, maxWord),
		FromURL: b.text(
			w.FromURL,
			maxURL,
		), ToURL: b.text(w.ToURL, maxURL), Title: b.text(w.Title, maxText), Persisted: w.Persisted,
	}
	b.mark(&e.Head)
	return e, ""
}

func performance(w *wire.Performance) (e event.Performance, reason string) {
	var b bounded
	if w.URL == "" {
		return e, "url is missing"
	}
	e = event.Performance{
		Head: b.head(&w.Base), URL: b.text(w.URL, maxURL), NavigationType: b.text(w.NavigationType, maxWord),
		DOMContentLoaded: milliseconds(w.DOMContentLoaded), Load: milliseconds(w.Load),
		LCP: vital(
			&b,
			w.LCP,
		), CLS: vital(&b, w.CLS), INP: vital(&b, w.INP), FCP: vital(&b, w.FCP), TTFB: vital(&b, w.TTFB),
		Soft: w.Soft,
	}
	for _, t := range most(&b, w.LongTasks, maxTasks) {
		e.LongTasks = append(
			e.LongTasks,
			event.LongTask{
				Start:    milliseconds(t.Start),
				Duration: milliseconds(t.Duration),
				Script:   b.text(t.Script, maxURL),
			},
		)
	}
	for _, s := range most(&b, w.Resources, maxSums) {
		e.Resources = append(
			e.Resources,
			event.ResourceSum{
				Type:  b.text(s.Type, maxWord),
				Count: count(s.Count, maxCount),
				Bytes: max(0, size(s.Bytes)),
			},
		)
	}
	b.mark(&e.Head)
	return e, ""
}

func vital(b *bounded, w *wire.Vital) event.Vital {
	if w == nil {
		return event.Vital{}
	}
	const maxAttribution = 2 << 10
	return event.Vital{
		Value: max(
			0,
			number(w.Value),
		), Rating: b.text(w.Rating, maxWord), Final: w.Final, Attribution: b.json(w.Attribution, maxAttribution),
	}
}

func extensionLog(w *wire.ExtensionLog) (e event.ExtensionLog, reason string) {
	var b bounded
	e = event.ExtensionLog{
		Head: b.head(&w.Base), Level: b.text(w.Level, maxWord), Message: b.text(w.Message, maxMessage),
		Category: b.text(w.Category, maxWord), Data: b.json(w.Data, maxMessage),
	}
	b.mark(&e.Head)
	return e, ""
}

func mark(w *wire.Mark) (e event.Mark, reason string) {
	var b bounded
	if w.Type == "" {
		return e, "type is missing"
	}
	e = event.Mark{
		Head: b.head(&w.Base), Type: b.text(w.Type, maxWord), Label: b.text(w.Label, maxText),
		Detail: b.json(w.Detail, maxDetail), Picture: b.picture(w.Picture),
	}
	b.mark(&e.Head)
	return e, ""
}

// mark flags an event that had to be cut.
func (b *bounded) mark(h *event.Head) {
	if b.cut {
		h.Flags |= event.Truncated
	}
}
