package httpapi

import (
	"encoding/json"

	"github.com/brennhill/gasoline/internal/event"
	"github.com/brennhill/gasoline/internal/wire"
)

// The way out: events as the wire names them.

func baseOut(h *event.Head) wire.Base {
	return wire.Base{
		Seq:     uint64(h.Seq),
		T:       epoch(h.Time),
		Mono:    h.Mono,
		TestID:  h.TestID,
		Worker:  h.Worker,
		TraceID: h.TraceID,
		SpanID:  h.SpanID,
		Flags:   h.Flags.Names(),
	}
}

func stackOut(stack []event.StackFrame) []wire.StackFrame {
	var out []wire.StackFrame
	for _, f := range stack {
		out = append(out, wire.StackFrame(f))
	}
	return out
}

func snapshotLog(l *event.Log) wire.SnapshotLog {
	return wire.SnapshotLog{PageURL: l.PageURL, Source: l.Source, LogEntry: wire.LogEntry{Log: wire.Log{
		Base: baseOut(
			&l.Head,
		), Level: l.Level, Message: l.Message, Args: json.RawMessage(l.Args), Logger: l.Logger, URL: l.URL,
		Line: l.Line, Column: l.Column, Stack: stackOut(l.Stack), Count: l.Count,
	}}}
}

func snapshotException(e *event.Exception) wire.SnapshotLog {
	out := wire.SnapshotLog{PageURL: e.PageURL, Source: e.Source, LogEntry: wire.LogEntry{
		Log: wire.Log{
			Base:    baseOut(&e.Head),
			Level:   "error",
			Message: e.Message,
			URL:     e.URL,
			Line:    e.Line,
			Column:  e.Column,
			Stack:   stackOut(e.Stack),
			Count:   e.Count,
		},
		Type: e.Type, RawStack: e.RawStack, Handled: e.Handled, Mechanism: e.Mechanism, Element: e.Element,
	}}
	for _, c := range e.Causes {
		out.Causes = append(out.Causes, wire.Cause{Type: c.Type, Message: c.Message, Stack: stackOut(c.Stack)})
	}
	return out
}

func messageOut(f *event.Message) wire.Message {
	return wire.Message{
		Base: baseOut(
			&f.Head,
		), Connection: f.Connection, Protocol: f.Protocol, URL: f.URL, Event: f.Event, Direction: f.Direction, Order: f.Order,
		Type: f.Type, Size: f.Size, Data: f.Data, Code: f.Code, Reason: f.Reason, Skipped: f.Skipped, Rate: f.Rate,
	}
}

func headersOut(hs []event.Header) []wire.Header {
	var out []wire.Header
	for _, h := range hs {
		out = append(out, wire.Header(h))
	}
	return out
}

func exchangeOut(e *event.Exchange) wire.Exchange {
	return wire.Exchange{
		Base: baseOut(
			&e.Head,
		), RequestID: e.RequestID, Method: e.Method, URL: e.URL, Status: e.Status, StatusText: e.StatusText,
		Started: epoch(e.Started),
		TTFB:    float64(e.TTFB.Microseconds()) / 1000, Duration: float64(e.Duration.Microseconds()) / 1000,
		RequestHeaders: headersOut(
			e.RequestHeaders,
		), ResponseHeaders: headersOut(e.ResponseHeaders), HasAuth: e.HasAuth,
		RequestBody: e.RequestBody, ResponseBody: e.ResponseBody, RequestSize: e.RequestSize,
		ResponseSize: e.ResponseSize, TransferSize: e.TransferSize,
		RequestBodyNote: e.RequestBodyNote, ResponseBodyNote: e.ResponseBodyNote, ContentType: e.ContentType,
		Initiator: wire.Initiator{Type: e.Initiator.Type, Stack: stackOut(e.Initiator.Stack)},
		Outcome:   e.Outcome, Error: e.Error, Protocol: e.Protocol, FromCache: e.FromCache, Redirects: e.Redirects,
		ServerTiming: e.ServerTiming, RemoteAddress: e.RemoteAddress,
	}
}

func actionOut(a *event.Action) wire.Action {
	out := wire.Action{
		Base: baseOut(
			&a.Head,
		), Type: a.Type, By: a.By, Client: a.Client, Role: a.Role, Name: a.Name, Text: a.Text, Value: a.Value,
		Key: a.Key, FromURL: a.FromURL, ToURL: a.ToURL, X: a.X, Y: a.Y, Outcome: a.Outcome,
	}
	for _, l := range a.Locators {
		out.Locators = append(out.Locators, wire.Locator(l))
	}
	return out
}
