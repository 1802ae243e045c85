// Package command holds the queue of commands that agents send to the browser's extension, and declares
// every kind of command with its params and its result.
//
// [Queue.Do] queues a command and waits. The extension takes the command with [Queue.Take] (a long poll),
// acknowledges it with its next poll, and answers with [Queue.Answer]. Delivery is at least once: the queue
// hands a command out again when the extension does not acknowledge it within [leaseFor]. The extension
// executes each command at most once. Every command ends in exactly one terminal state. An ended command
// stays readable for [keepFor], within bounds of count and bytes.
//
// The browser may have carried out a command that it took, even when no answer came. [Queue.Do] reports
// unknown_outcome for such a command when its kind has the trait [Mutates], and timeout when it has not.
// When the caller of a command is gone, Take lists the command in [Work] for the browser to cancel.
//
// One [Queue] serves all sessions (browser profiles). A session gets its own commands only. Answer redacts
// results before it keeps them. The package does no HTTP and starts no goroutine.
package command
