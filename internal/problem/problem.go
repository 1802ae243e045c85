// Package problem is how the daemon refuses: a code for machines, a sentence that says what is
// wrong, and a fix that says what to do next. MCP, HTTP and the CLI print the same problem, each in its form.
package problem

import (
	"errors"
	"fmt"
	"io/fs"
	"strings"
	"syscall"

	"github.com/brennhill/gasoline/internal/page"
)

// Code is a problem's word for machines. Codes are API: they are never renamed.
type Code string

// The codes that the daemon gives. Commands may also pass on the codes of the page (package command).
const (
	InvalidParam     Code = "invalid_param"
	MissingParam     Code = "missing_param"
	UnknownMode      Code = "unknown_mode"
	NoData           Code = "no_data"
	NoTab            Code = "no_tab"
	ExtensionOffline Code = "extension_offline"
	PilotOff         Code = "pilot_off"
	TabGone          Code = "tab_gone"
	TabInUse         Code = "tab_in_use"
	NotFound         Code = "element_not_found"
	Ambiguous        Code = "ambiguous_target"
	Blocked          Code = "blocked_by_overlay"
	NotActionable    Code = "not_actionable"
	CSPBlocked       Code = "csp_blocked"
	NavigationFailed Code = "navigation_failed"
	Timeout          Code = "timeout"
	QueueFull        Code = "queue_full"
	RateLimited      Code = "rate_limited"
	CursorExpired    Code = "cursor_expired"
	PathNotAllowed   Code = "path_not_allowed"
	OriginNotAllowed Code = "origin_not_allowed"
	Unauthorized     Code = "unauthorized"
	Forbidden        Code = "forbidden"
	TooLarge         Code = "too_large"
	Conflict         Code = "conflict"
	Cancelled        Code = "cancelled"
	Stopping         Code = "stopping"
	Stopped          Code = "stopped" // by a person; what ends for another reason is stopping
	Interrupted      Code = "interrupted"
	UnknownOutcome   Code = "unknown_outcome" // it may have been done; look before it is repeated
	Internal         Code = "internal"
)

// Retry tells a caller when the same call may work.
type Retry string

// The answers to "should I try again?".
const (
	Never           Retry = "never"             // the same call will fail again; change it
	Now             Retry = "now"               // the same call may work at once
	Later           Retry = "later"             // wait a little first
	AfterUserAction Retry = "after_user_action" // the user has to do something
	LookFirst       Retry = "look_first"        // it may have been done; look before the call is repeated
)

// Problem is one refusal. It is an error; wrap it freely, [From] finds it again.
type Problem struct {
	Code    Code
	Message string   // what is wrong, one sentence
	Fix     string   // what to do next, imperative; "" when there is nothing to do
	Details []string // further lines in the daemon's words

	// Page are lines with a page's words, such as what is in the way; From is the page's origin, "" unknown.
	Page []page.Text
	From string
}

// New returns a problem with this code, fix and formatted sentence.
func New(code Code, fix, format string, args ...any) *Problem {
	return &Problem{Code: code, Fix: fix, Message: fmt.Sprintf(format, args...)}
}

// Error returns "code: sentence".
func (p *Problem) Error() string { return string(p.Code) + ": " + p.Message }

// Retry says when the same call may work.
func (p *Problem) Retry() Retry {
	switch p.Code {
	case ExtensionOffline, PilotOff, OriginNotAllowed, Unauthorized, CSPBlocked, Stopped:
		return AfterUserAction
	case NavigationFailed, Timeout, QueueFull, RateLimited, Blocked, NotActionable, TabInUse:
		return Later
	case Stopping, CursorExpired, Cancelled:
		return Now
	case Interrupted, UnknownOutcome:
		return LookFirst
	default:
		return Never
	}
}

// Text returns the problem as agents read it, without the page's lines: one line for machines, then the
// sentence, the way out and the details. Package answer adds the page's lines in their fence.
func (p *Problem) Text() string {
	var b strings.Builder
	fmt.Fprintf(&b, "error=%s retry=%s\n%s", p.Code, p.Retry(), p.Message)
	if p.Fix != "" {
		b.WriteByte(' ')
		b.WriteString(p.Fix)
	}
	for _, d := range p.Details {
		b.WriteByte('\n')
		b.WriteString(d)
	}
	return b.String()
}

// From returns the problem that err wraps. An error that is none becomes an internal problem with
// its text, and nil stays nil.
func From(err error) *Problem {
	if err == nil {
		return nil
	}
	var p *Problem
	if errors.As(err, &p) {
		return p
	}
	fix := `Run "gasoline doctor" and report this if it persists.`
	switch {
	case errors.Is(err, syscall.ENOSPC), errors.Is(err, syscall.EDQUOT):
		fix = "Ask the user to free room on that disk, then repeat the call."
	case errors.Is(err, syscall.EROFS), errors.Is(err, fs.ErrPermission):
		fix = "Ask the user to let the account that runs Gasoline write there, then repeat the call."
	}
	return &Problem{Code: Internal, Message: err.Error(), Fix: fix}
}
