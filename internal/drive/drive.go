// Package drive sends one command to the browser on behalf of a client and turns what comes back
// into a typed result or a problem with its way out. Modes that act and modes that only look share
// it; which command and which words are theirs.
package drive

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"github.com/brennhill/gasoline/internal/answer"
	"github.com/brennhill/gasoline/internal/catalog"
	"github.com/brennhill/gasoline/internal/command"
	"github.com/brennhill/gasoline/internal/page"
	"github.com/brennhill/gasoline/internal/problem"
	"github.com/brennhill/gasoline/internal/session"
	"github.com/brennhill/gasoline/internal/state"
)

// ComeBack is how long a call waits at most for a browser that is not connected: after a restart of the
// daemon the extension needs a moment to find it.
const ComeBack = 5 * time.Second

// noDeadline is how long a command may take whose call names no deadline.
const noDeadline = 15 * time.Second

// Driver sends commands. The zero value is not usable.
type Driver struct {
	Queue    *command.Queue
	Registry *session.Registry
	Dir      *state.Dir // that no memory of names may be in; may be nil

	// Scripted is called before a client's first script goes to a page; nil tells nobody.
	Scripted func(call catalog.Call)
}

// Outcome is what a command came to. Every mode that sends one answers with it.
type Outcome[R any] struct {
	CorrelationID string
	Status        command.Status // Complete; or Queued, Sent, Running for one that goes on
	Target        session.Target // where it was sent
	Elapsed       time.Duration
	Since         time.Time     // when the client acted in the tab before; zero when it is not known to have, or did not act
	Waited        time.Duration // before it, at random, as the client set; not in Elapsed
	Named         []Named       // elements that the command named by the project's memory, as they were found
	Result        R             // meaningful when Complete
}

// Going reports whether the command has not ended: it was sent in the background, or its deadline passed while it ran.
func (o Outcome[R]) Going() bool { return !o.Status.Final() }

// Do sends a command to the tab that the call means and waits for its end, until the call's deadline.
// Elements that are named by the project's memory are found first, and the memory is brought up to date when the command
// went well. Errors are problems: invalid_selector for one in the language of another tool, those of
// [session.Registry.Await] and [command.Queue.Do], and those of the page under their own codes.
func Do[P, R any](
	ctx context.Context,
	d Driver,
	call catalog.Call,
	kind command.Kind[P, R],
	tab int,
	params P,
) (Outcome[R], error) {
	var out Outcome[R]
	if err := checkSelectors(kind.Name, params); err != nil {
		return out, err
	}
	if call.Deadline.IsZero() {
		call.Deadline = time.Now().Add(noDeadline)
	}
	target, err := d.Registry.Await(ctx, call.Client, tab, kind.Needs(command.Tab), min(ComeBack, call.Left()))
	if err != nil {
		return out, err
	}
	out.Target = target
	if kind.Needs(command.Mutates) && target.Browser.Known && !target.Browser.Settings.Acts() {
		return out, PilotOff(d.Registry, target.Browser)
	}
	if kind.Needs(command.Mutates) {
		if out.Waited, err = hesitate(ctx, call, d.Registry.Jitter(call.Client)); err != nil {
			return out, err
		}
		if out.Waited > 0 { // the tab may have gone meanwhile, or the user have chosen another
			if target, err = d.Registry.Await(ctx, call.Client, tab, kind.Needs(command.Tab), min(ComeBack, call.Left())); err != nil {
				return out, err
			}
			out.Target = target
			if target.Browser.Known && !target.Browser.Settings.Acts() {
				return out, PilotOff(d.Registry, target.Browser)
			}
		}
	}
	if acts(kind, params) && target.Tab.ID != 0 {
		if tab == 0 {
			if moved := d.Registry.Moved(call.Client); moved != "" {
				return out, problem.New(problem.TabGone,
					`Look at that tab first, or name the one that you mean with "tab"; then repeat this call.`,
					"%s. Nothing was done.", moved)
			}
		}
		own, in := target.Browser.Session, target.Tab.ID
		if out.Since, err = d.Registry.Lease(call.Client, own, in); err != nil {
			return out, err
		}
		defer d.Registry.Lease(call.Client, own, in) // whoever took the tab meanwhile keeps it
	}
	if out.Named, err = resolve(ctx, d, call, target, &params); err != nil {
		return out, err
	}
	site := siteOf(ctx, d, call, kind.Declaration, target, &params)
	at := target.Tab.ID
	if p, ok := any(params).(interface{ NamesTab() bool }); ok && tab == 0 && p.NamesTab() {
		at = 0 // the one in use would win over it
	}
	r := command.Request{
		Session: target.Browser.Session, Tab: at, Kind: kind.Name, Params: params, Client: call.Name, Site: site,
		Deadline: call.Deadline, Progress: call.Progress,
	}
	if kind.Name == command.ExecuteJS.Name && d.Scripted != nil && d.Registry.Scripts(call.Client) {
		d.Scripted(call)
	}
	var rec command.Record
	if call.Detached {
		rec, err = d.Queue.Start(r)
	} else {
		rec, err = d.Queue.Do(ctx, r)
	}
	if err != nil {
		return out, err
	}
	out.CorrelationID, out.Status = rec.CorrelationID, rec.Status
	out.Elapsed = time.Since(rec.Created)
	if out.Going() {
		return out, nil
	}
	if rec.Status != command.Complete {
		if rec.Status == command.Interrupted {
			d.Registry.Absent(r.Session)
		}
		return out, Failure(rec, target.Tab.URL)
	}
	if rec.Dropped {
		return out, problem.New(problem.TooLarge, "Ask for less, or for fewer things at once.",
			"the result of %s made room for others before it could be read.", kind.Name)
	}
	if len(rec.Result) > 0 {
		if err := json.Unmarshal(rec.Result, &out.Result); err != nil {
			return out, problem.New(problem.Internal, "Reload the extension; its version may not fit the daemon's.",
				"the browser's answer to %s is not understood: %v.", kind.Name, err)
		}
	}
	if o, ok := any(out.Result).(interface{ Opened() int }); ok && o.Opened() != 0 {
		// No other agent acts first in what this one opened.
		d.Registry.Take(call.Client, target.Browser.Session, o.Opened())
	}
	confirm(d, call, out.Named)
	led(call, target, params, out.Result)
	return out, nil
}

// acts reports whether a command acts in the tab that it is sent to. What opens a tab or chooses one does not.
func acts[P, R any](kind command.Kind[P, R], params P) bool {
	if kind.Name == command.NewTab.Name || kind.Name == command.SwitchTab.Name {
		return false
	}
	p, ok := any(params).(interface{ OpensTab() bool })
	return kind.Needs(command.Mutates) && !(ok && p.OpensTab())
}

// Picture returns the image of a screenshot's result.
func Picture(r command.ScreenshotResult) (answer.Image, error) {
	data, err := base64.StdEncoding.DecodeString(r.Data)
	if err != nil || len(data) == 0 || extensions[r.Format] == nil {
		return answer.Image{}, problem.New(
			problem.Internal,
			"Reload the extension; its version may not fit the daemon's.",
			"the browser's picture is not understood.",
		)
	}
	return answer.Image{MIME: "image/" + r.Format, Data: data}, nil
}

// Gate refuses a mode whose needs are not met, before it runs. patience says how long to wait for a
// browser. Which tab is meant, and so which browser, is in the mode's parameters and is for Do to find: Gate
// refuses only what no connected browser can do.
func Gate(r *session.Registry, patience func() time.Duration) catalog.Gate {
	return func(ctx context.Context, call catalog.Call, needs catalog.Needs) error {
		live, err := r.Present(ctx, min(patience(), call.Left()))
		if err != nil {
			return err
		}
		may := func(b session.Browser) bool { return !b.Known || b.Settings.Acts() }
		if needs&catalog.Pilot == 0 || slices.ContainsFunc(live, may) {
			return nil
		}
		in := live[0]
		current, _, _ := r.Current(call.Client)
		if i := slices.IndexFunc(live, func(b session.Browser) bool { return b.Session == current }); i >= 0 {
			in = live[i]
		}
		return PilotOff(r, in)
	}
}

// PilotOff is the refusal of everything that acts while the user has not allowed it in the browser
// that is meant; another one where it is allowed is named.
func PilotOff(r *session.Registry, b session.Browser) error {
	now := time.Now()
	others := slices.DeleteFunc(
		r.Browsers(),
		func(o session.Browser) bool { return o.Session == b.Session || !o.Connected(now) },
	)
	where := ""
	if len(others) > 0 {
		where = " in " + b.Label()
	}
	p := problem.New(
		problem.PilotOff,
		`Ask the user to switch on "AI Web Pilot" in the extension's popup, then repeat this call.`,
		"Browser control is off%s.",
		where,
	)
	for _, o := range others {
		if o.Settings.Acts() {
			p.Fix += fmt.Sprintf(
				` It is on in %s: a tab of it, which observe {"what":"tabs"} lists, can be used instead.`,
				o.Label(),
			)
			break
		}
	}
	return p
}

// Failure is the problem of a command that ended without completing. The sentence is ours; what the browser
// said of it may be a page's words, and comes as those of the page at from, "" unknown.
func Failure(rec command.Record, from string) *problem.Problem {
	f := rec.Failure
	if f == nil {
		f = &command.Failure{Code: string(rec.Status)}
	}
	code := problem.Code(f.Code)
	switch f.Code {
	case "ai_web_pilot_disabled":
		code = problem.PilotOff
	case "tab_not_found", "missing_tab_target":
		code = problem.TabGone
	case "csp_blocked_page", "csp_blocked_all_worlds":
		code = problem.CSPBlocked
	}
	if !isWord(string(code)) {
		code = problem.Internal
	}
	if rec.Status == command.Interrupted {
		code = problem.Interrupted
	}
	words, known := sentences[code]
	fix := fixes[code]
	if code == elsewhere {
		code = problem.PilotOff
	}
	if !known {
		words = "the browser could not do it"
	}
	p := problem.New(code, fix, "%s: %s.", rec.Kind, words)
	p.From = answer.Origin(from)
	for _, line := range append([]string{f.Message}, f.Details...) {
		if line != "" {
			p.Page = append(p.Page, page.Wrote(line))
		}
	}
	return p
}

// elsewhere is the extension's refusal of what acts in a page beyond the sites that the user chose. Clients know it as
// [problem.PilotOff].
const elsewhere problem.Code = "pilot_elsewhere"

// isWord reports whether a code is one: the browser says it, and it stands outside of fences.
func isWord(s string) bool {
	if s == "" || len(s) > 40 {
		return false
	}
	for _, c := range s {
		if (c < 'a' || c > 'z') && c != '_' {
			return false
		}
	}
	return true
}

// sentences say what the codes of the browser mean.
var sentences = map[problem.Code]string{
	problem.PilotOff:         "browser control is off",
	elsewhere:                "browser control is on for chosen sites only, and not for the page that the tab shows",
	problem.NotFound:         "no element fits",
	"scope_not_found":        "nothing fits within",
	"frame_not_found":        "no iframe fits",
	"nth_out_of_range":       "there are fewer matches than nth says",
	"option_not_found":       "there is no such option",
	"stale_ref":              "the ref's element is gone",
	"dialog_open":            "a native dialog holds the page",
	"missing_target":         "an element has to be named",
	problem.Ambiguous:        "several elements fit",
	problem.Blocked:          "another element lies over it",
	problem.NotActionable:    "the element cannot be acted on",
	"not_typeable":           "the element takes no text",
	"not_select":             "the element has no options",
	"not_checkable":          "the element cannot be checked",
	"not_focusable":          "the element takes no focus",
	"not_interactive":        "the element has no value",
	"new_tab_requires_link":  "only a link can be opened in a new tab",
	"invalid_selector":       "the selector is not understood",
	problem.InvalidParam:     "a parameter is not understood",
	problem.MissingParam:     "a parameter is missing",
	problem.TabGone:          "the tab is closed, or its page was left",
	"page_left":              "the page was left while the command ran",
	"page_crashed":           "the tab's page crashed",
	"page_discarded":         "the browser put the tab to sleep",
	"page_failed":            "the tab shows the browser's error page",
	problem.OriginNotAllowed: "the user has not allowed this site",
	problem.CSPBlocked:       "the page's content security policy forbids it",
	problem.NavigationFailed: "no page came",
	"no_history":             "the history has no such entry",
	"restricted_url":         "agents may not open this address",
	"debugger_refused":       "Chrome's debugger could not be used",
	"execution_error":        "the script failed",
	"execution_timeout":      "the script did not end in time",
	"promise_rejected":       "the script's promise was rejected",
	problem.Timeout:          "it did not happen in time",
	problem.Cancelled:        "it was cancelled",
	problem.Stopping:         "the daemon is stopping",
	problem.Interrupted:      "the browser or its extension went away while it ran",
	"unknown_mode":           "the extension does not know this command",
	"unsupported":            "the browser does not support it",
	"not_uploadable":         "the element takes no files",
	"not_multiple":           "the input takes one file only",
	"network_error":          "the endpoint could not be reached",
	"no_file_chooser":        "the click opened no file chooser",
	"file_access_off":        "Chrome does not let Gasoline read files",
	"frame_not_reachable":    "the frame runs in a process of its own",
	"clipboard_refused":      "the browser gave no access to the clipboard",
	"no_submit":              "nothing sends the form",
	"other_origin":           "that is for another site than the tab's page is of",
	problem.TooLarge:         "there is too much of it",
	"not_available":          "the document may not use it",
	"no_database":            "there is no such database or object store",
}

// fixes say what to do about the page's refusals. Each call that they name works.
var fixes = map[problem.Code]string{
	problem.PilotOff: `Ask the user to switch on "AI Web Pilot" in the extension's popup, then repeat this call.`,
	elsewhere: `Ask the user to choose "This site" below "AI Web Pilot" in the extension's popup on that tab, or work on a chosen site: ` +
		`observe {"what":"pilot"} lists them, interact {"action":"new_tab","url":"…"} opens one.`,
	problem.NotFound:         `interact {"action":"list_interactive"} shows what is there; wait_for waits for what comes later.`,
	"stale_ref":              `interact {"action":"list_interactive"} gives new refs.`,
	"dialog_open":            `Ask the user to answer the dialog, or leave the page with interact {"action":"navigate","url":"…"}.`,
	problem.Ambiguous:        `Repeat with the ref of the one you mean, or with nth or within.`,
	problem.Blocked:          `Deal with the element in the way first, for example click its close button or press Escape with key_press.`,
	problem.NotActionable:    `interact {"action":"list_interactive"} shows the element's state; wait_for waits for a change.`,
	problem.Stopping:         `Repeat the call; a new daemon starts by itself.`,
	problem.Interrupted:      `It may have been done: look at the page before you repeat it.`,
	problem.TabGone:          `observe {"what":"tabs"} lists the tabs.`,
	problem.OriginNotAllowed: `Ask the user to allow this site in the extension's popup, then repeat this call.`,
	"page_crashed":           `interact {"action":"refresh"} loads it anew; then repeat this call.`,
	"page_discarded":         `interact {"action":"refresh"} loads it anew; then repeat this call.`,
	problem.CSPBlocked:       `Ask the user to switch on "Allow user scripts" for the extension at chrome://extensions, then repeat this call.`,
	problem.NavigationFailed: `Is the server running (for a page of this machine, the dev server), and is the address right? Mend that, then repeat this call.`,
	"no_history":             `Use interact {"action":"navigate","url":"…"}.`,
	problem.Timeout:          `Raise timeout_ms, or look at the page with observe {"what":"screenshot"}.`,
	"invalid_selector":       `Use CSS, or text=…, role=button[name="…"], label=…, placeholder=…, testid=….`,
	"not_uploadable":         `Name the file input itself, also a hidden one: selector "input[type=file]".`,
	"not_multiple":           `Upload one file at a time.`,
	"no_file_chooser":        `Name the file input or the drop zone instead: selector "input[type=file]".`,
	"file_access_off":        `Ask the user to switch on "Allow access to file URLs" for the extension at chrome://extensions, or upload files of 2 MB at most into a file input.`,
	"clipboard_refused":      `Bring the tab to the front with interact {"action":"activate_tab"}, then repeat this call.`,
	"other_origin": `Go to a page of that site with interact {"action":"navigate","url":"…"}, or name its tab, then repeat this call. ` +
		`If the page that the tab shows is meant: look at it, then repeat this call. In a batch, a step wait_for with the begin of its address as url_contains names it.`,
	problem.TooLarge: `Ask for less; save_state leaves databases out with storage_type:"local,session,cookies,forms".`,
	"no_database":    `observe {"what":"storage"} lists what is there.`,
	"restricted_url": `Navigate to an http or https page; browsers allow no extension on others.`,
}
