package ingest

import "github.com/brennhill/gasoline/internal/event"

// sift removes the events from the batch that keep refuses. failed tells of an exchange that ended badly.
func sift(b *event.Batch, keep func(k event.Kind, h *event.Head, failed bool) bool) {
	b.Logs = only(b.Logs, func(e *event.Log) bool { return keep(event.KindLog, &e.Head, false) })
	b.Exceptions = only(b.Exceptions, func(e *event.Exception) bool { return keep(event.KindException, &e.Head, false) })
	b.Exchanges = only(b.Exchanges, func(e *event.Exchange) bool { return keep(event.KindExchange, &e.Head, e.Failed()) })
	b.Resources = only(b.Resources, func(e *event.Resource) bool { return keep(event.KindResource, &e.Head, false) })
	b.Frames = only(b.Frames, func(e *event.Frame) bool { return keep(event.KindFrame, &e.Head, false) })
	b.Actions = only(b.Actions, func(e *event.Action) bool { return keep(event.KindAction, &e.Head, false) })
	b.DOM = only(b.DOM, func(e *event.DOM) bool { return keep(event.KindDOM, &e.Head, false) })
	b.Lifecycle = only(b.Lifecycle, func(e *event.Lifecycle) bool { return keep(event.KindLifecycle, &e.Head, false) })
	b.Performance = only(b.Performance, func(e *event.Performance) bool { return keep(event.KindPerformance, &e.Head, false) })
	b.ExtensionLogs = only(b.ExtensionLogs, func(e *event.ExtensionLog) bool { return keep(event.KindExtensionLog, &e.Head, false) })
	b.Marks = only(b.Marks, func(e *event.Mark) bool { return keep(event.KindMark, &e.Head, false) })
}

// only moves what is kept to the front; events are large, so nothing moves before the first refusal.
func only[T any](xs []T, keep func(*T) bool) []T {
	n := 0
	for i := range xs {
		if !keep(&xs[i]) {
			continue
		}
		if n != i {
			xs[n] = xs[i]
		}
		n++
	}
	return xs[:n]
}
