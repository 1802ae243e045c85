// Package command is the return path: a queue of commands from agents to the browser's extension.
//
// [Queue.Do] puts a command in and waits; the extension takes it with [Queue.Take] (a long poll),
// acknowledges it with its next poll, and answers with [Queue.Answer]. Delivery is at least once: a
// command that was taken and not acknowledged within [Lease] is handed out again. The extension
// executes at most once. Every command ends in exactly one terminal state, and what ended stays
// readable for [Keep].
//
// There is one queue for each session (browser profile); two profiles never mix. The package knows
// no HTTP and starts no goroutine.
package command
