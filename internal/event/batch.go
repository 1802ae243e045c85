package event

import "iter"

// Heads yields every event's kind and head, kind after kind in wire order and each kind in the
// order of its slice. The heads are the batch's own: what is written to them stays.
func (b *Batch) Heads() iter.Seq2[Kind, *Head] {
	return func(yield func(Kind, *Head) bool) {
		for i := range b.Logs {
			if !yield(KindLog, &b.Logs[i].Head) {
				return
			}
		}
		for i := range b.Exceptions {
			if !yield(KindException, &b.Exceptions[i].Head) {
				return
			}
		}
		for i := range b.Exchanges {
			if !yield(KindExchange, &b.Exchanges[i].Head) {
				return
			}
		}
		for i := range b.Resources {
			if !yield(KindResource, &b.Resources[i].Head) {
				return
			}
		}
		for i := range b.Frames {
			if !yield(KindFrame, &b.Frames[i].Head) {
				return
			}
		}
		for i := range b.Actions {
			if !yield(KindAction, &b.Actions[i].Head) {
				return
			}
		}
		for i := range b.DOM {
			if !yield(KindDOM, &b.DOM[i].Head) {
				return
			}
		}
		for i := range b.Lifecycle {
			if !yield(KindLifecycle, &b.Lifecycle[i].Head) {
				return
			}
		}
		for i := range b.Performance {
			if !yield(KindPerformance, &b.Performance[i].Head) {
				return
			}
		}
		for i := range b.ExtensionLogs {
			if !yield(KindExtensionLog, &b.ExtensionLogs[i].Head) {
				return
			}
		}
		for i := range b.Marks {
			if !yield(KindMark, &b.Marks[i].Head) {
				return
			}
		}
	}
}
