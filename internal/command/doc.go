// Package command is the return path: a queue of commands from agents to the browser's extension, and
// the declarations of what can be asked of it.
//
// [Queue.Do] puts a command in and waits; the extension takes it with [Queue.Take] (a long poll),
// acknowledges it with its next poll, and answers with [Queue.Answer]. Delivery is at least once: a
// command that was taken and not acknowledged within [Lease] is handed out again. The extension
// executes at most once. Every command ends in exactly one terminal state, and what ended stays
// readable for [Keep].
//
// A command that was taken may have been carried out, whatever becomes of its answer. Where that is
// not known, callers are told so (problem unknown_outcome); they are never told that nothing happened.
// A command whose caller is gone is cancelled in the browser, by the list that Take returns.
//
// There is one queue for each session (browser profile); two profiles never mix. Results are redacted
// on their way in. The package knows no HTTP and starts no goroutine.
package command
