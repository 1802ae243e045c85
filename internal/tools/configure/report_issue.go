package configure

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os/exec"
	"regexp"
	"runtime"
	"strings"
	"sync"
	"time"

	"github.com/brennhill/gasoline/internal/answer"
	"github.com/brennhill/gasoline/internal/catalog"
	"github.com/brennhill/gasoline/internal/child"
	"github.com/brennhill/gasoline/internal/page"
	"github.com/brennhill/gasoline/internal/problem"
	"github.com/brennhill/gasoline/internal/save"
)

var _ = catalog.Add(Tool, catalog.Spec{
	Name: "report_issue", Doc: "Report a fault of Gasoline or a wish: preview shows all that would be sent, submit with confirm:true sends exactly " +
		"that by the user's own gh, or writes it to save_to.",
	Aliases: []string{"issue", "bug_report"}, Wait: 30 * time.Second,
	Example: `{"operation":"preview","template":"bug","title":"The daemon ends at night","user_context":"It was idle for hours."}`,
	Errors:  []problem.Code{problem.MissingParam, problem.NoData, problem.PathNotAllowed, problem.Conflict},
}, reportIssue)

// The place that issues go to.
const repository = "brennhill/gasoline"

// Bounds of issues.
const (
	maxDrafts = 50      // previews of as many callers; the oldest makes room
	maxURL    = 2 << 10 // bytes of what gh prints
)

type issueParams struct {
	Operation string `json:"operation" alias:"op" required:"true" enum:"list_templates,preview,submit" doc:"list_templates, preview or submit"`
	Template  string `json:"template,omitempty" enum:"bug,feature,question" doc:"bug, feature or question; default bug"`
	Title     string `json:"title,omitempty" length:"200" doc:"of the issue"`
	Context   string `json:"user_context,omitempty" length:"20000" doc:"what happened, in words; say nothing of pages that the user would not publish"`
	Details   bool   `json:"details,omitempty" doc:"with what doctor says in full: origins of tabs, paths"`
	Confirm   bool   `json:"confirm,omitempty" doc:"submit: the user has seen the preview and agrees"`
	SaveTo    string `json:"save_to,omitempty" length:"4096" doc:"submit: a new .md file instead of gh"`
}

type issueTemplate struct {
	Name     string   `json:"name"`
	Doc      string   `json:"doc"`
	Sections []string `json:"sections"`
}

var issueTemplates = []issueTemplate{
	{"bug", "Something does not do what its text says.", []string{"What happened", "Environment", "Checks"}},
	{"feature", "Something is missing.", []string{"What is wanted", "Environment"}},
	{"question", "Something is not clear.", []string{"Question", "Environment"}},
}

// Drafts are the previews of callers, which submit sends as they are. Safe for concurrent use. The zero value is empty.
type Drafts struct {
	mu    sync.Mutex
	all   map[string]draft
	order []string // callers, the oldest first
}

type draft struct{ title, body string }

// put keeps a caller's draft in place of the one before.
func (d *Drafts) put(client string, it draft) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.all == nil {
		d.all = map[string]draft{}
	}
	d.dropLocked(client)
	if len(d.order) == maxDrafts {
		d.dropLocked(d.order[0])
	}
	d.all[client] = it
	d.order = append(d.order, client)
}

func (d *Drafts) get(client string) (draft, bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	it, ok := d.all[client]
	return it, ok
}

// Drop forgets a caller's draft.
func (d *Drafts) Drop(client string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.dropLocked(client)
}

func (d *Drafts) dropLocked(client string) {
	delete(d.all, client)
	for i, c := range d.order {
		if c == client {
			d.order = append(d.order[:i:i], d.order[i+1:]...)
			return
		}
	}
}

type issueResult struct {
	Status    string          `json:"status"` // templates, preview, submitted, saved
	Templates []issueTemplate `json:"templates,omitempty"`
	Title     string          `json:"title,omitempty"`
	Body      string          `json:"body,omitempty"`
	URL       string          `json:"url,omitempty"`
	Path      string          `json:"path,omitempty"`
}

func reportIssue(ctx context.Context, env Env, p issueParams) (*issueResult, error) {
	client := env.Call.Client
	switch p.Operation {
	case "list_templates":
		return &issueResult{Status: "templates", Templates: issueTemplates}, nil
	case "preview":
		it, err := env.draft(ctx, p)
		if err != nil {
			return nil, err
		}
		env.Drafts.put(client, it)
		return &issueResult{Status: "preview", Title: it.title, Body: it.body}, nil
	}
	it, ok := env.Drafts.get(client)
	if !ok {
		return nil, problem.New(problem.NoData, `Begin with {"operation":"preview","title":"…"}; what it shows is what is sent.`,
			"there is no preview that could be submitted.")
	}
	if p.Title != "" || p.Context != "" || p.Template != "" || p.Details {
		return nil, problem.New(problem.InvalidParam, "Leave them out, or preview again with them.",
			"submit sends the preview as it is: title, user_context, template and details belong to preview.")
	}
	if !p.Confirm {
		return nil, problem.New(problem.MissingParam, `Once the preview is agreed to, add confirm:true.`,
			"an issue is public, and nothing was sent.")
	}
	out := &issueResult{Title: it.title}
	var err error
	if p.SaveTo != "" {
		out.Status = "saved"
		out.Path, err = env.saveIssue(p.SaveTo, it)
	} else {
		out.Status = "submitted"
		out.URL, err = env.submitIssue(ctx, it)
	}
	if err != nil {
		return nil, err
	}
	env.Drafts.Drop(client) // a second submit would be a second issue
	return out, nil
}

// draft writes an issue: the caller's words, and facts of this installation. Nothing of it is of a page, unless the caller
// wrote it or asked for details. Secrets are replaced.
func (env Env) draft(ctx context.Context, p issueParams) (draft, error) {
	title := answer.Clean(strings.Join(strings.Fields(p.Title), " "))
	if title == "" {
		return draft{}, problem.New(problem.MissingParam, `Give "title": what is wrong, in one line.`, "an issue needs a title.")
	}
	checks, err := doctor(ctx, env, none{})
	if err != nil {
		return draft{}, err
	}
	template := issueTemplates[0]
	for _, t := range issueTemplates {
		if t.Name == p.Template {
			template = t
		}
	}
	d := env.Daemon
	var body strings.Builder
	for _, section := range template.Sections {
		fmt.Fprintf(&body, "## %s\n\n", section)
		switch section {
		case "Environment":
			panics, bugs, _ := d.Faults()
			fmt.Fprintf(&body, "- Gasoline %s, %s/%s, %s\n", d.Version, runtime.GOOS, runtime.GOARCH, runtime.Version())
			fmt.Fprintf(&body, "- doctor: %s\n", checks.Status)
			fmt.Fprintf(&body, "- caught in the daemon: %d panics, %d bugs\n", panics, bugs)
			if name := answer.Cut(answer.Clean(env.Call.Name), 60); name != "" {
				fmt.Fprintf(&body, "- client: %s\n", name)
			}
		case "Checks":
			for _, c := range checks.Checks {
				fmt.Fprintf(&body, "- %s: %s", c.Name, c.Status)
				if p.Details {
					fmt.Fprintf(&body, " (%s)", answer.Cut(answer.Clean(c.Detail), 300))
				}
				body.WriteByte('\n')
			}
		default:
			text := strings.TrimSpace(p.Context)
			if text == "" {
				text = "_Nothing was written here._"
			}
			for line := range strings.Lines(text) { // what nobody sees in the preview is not sent either
				body.WriteString(answer.Clean(strings.TrimRight(line, "\r\n")) + "\n")
			}
		}
		body.WriteByte('\n')
	}
	hidden := func(s string) string { return pseudonym.ReplaceAllString(d.Redact(s), "[$1]") }
	return draft{hidden(title), strings.TrimSpace(hidden(body.String())) + "\n"}, nil
}

// pseudonym is what stands where a secret was. In Markdown it would be a tag, which nobody sees.
var pseudonym = regexp.MustCompile(`<([a-z_]+#\w+)>`)

// saveIssue writes an issue into a new file.
func (env Env) saveIssue(path string, it draft) (string, error) {
	file, err := save.Of(env.Call, env.Dir).Check(path, false, ".md")
	if err != nil {
		return "", err
	}
	return file.Path, file.Write([]byte("# " + it.title + "\n\n" + it.body))
}

// submitIssue has the user's own gh make the issue, and returns its address. gh gets the body by its standard input; no
// shell reads any of it. Problems: no_data without gh, internal with gh's own words, cancelled, timeout.
func (env Env) submitIssue(ctx context.Context, it draft) (string, error) {
	const instead = `Or write it to a file: {"operation":"submit","confirm":true,"save_to":"issue.md"}, for the user to paste at ` +
		"https://github.com/" + repository + "/issues/new."
	gh, err := exec.LookPath("gh")
	if err != nil {
		return "", problem.New(problem.NoData, "Ask the user to install it (https://cli.github.com). "+instead, "gh is not installed, or not in the daemon's PATH.")
	}
	ctx, end := context.WithDeadline(ctx, env.Call.Deadline)
	defer end()
	cmd := exec.CommandContext(ctx, gh, "issue", "create", "--repo", repository, "--title="+it.title, "--body-file=-")
	cmd.Stdin = strings.NewReader(it.body)
	cmd.Env = append(cmd.Environ(), "GH_PROMPT_DISABLED=1", "GH_NO_UPDATE_NOTIFIER=1", "NO_COLOR=1")
	cmd.Dir = env.Dir.Path("") // no repository of the user's is meant
	cmd.WaitDelay = time.Second
	var said, failed kept
	cmd.Stdout, cmd.Stderr = &said, &failed
	runtime.LockOSThread() // see child.Start
	defer runtime.UnlockOSThread()
	if err = child.Start(cmd); err == nil {
		err = cmd.Wait()
	}
	switch {
	case errors.Is(ctx.Err(), context.DeadlineExceeded):
		return "", problem.New(problem.Timeout, "Look at the repository before you repeat it: the issue may be there.", "gh did not end in time.")
	case ctx.Err() != nil:
		return "", problem.New(problem.Cancelled, "", "the call was cancelled; look at the repository, the issue may be there.")
	case err != nil:
		p := problem.New(problem.Internal, `The user can run "gh auth status" in a terminal. `+instead, "gh could not make the issue (%v).", err)
		p.From = "gh"
		for _, line := range strings.Split(strings.TrimSpace(env.Daemon.Redact(failed.String())), "\n")[:1] {
			p.Page = append(p.Page, page.Wrote(line))
		}
		return "", p
	}
	address := strings.TrimSpace(said.String())
	if i := strings.LastIndex(address, "\n"); i >= 0 {
		address = address[i+1:]
	}
	if !strings.HasPrefix(address, "https://") || strings.ContainsFunc(address, func(r rune) bool { return r <= ' ' || r > '~' }) {
		return "", problem.New(problem.Internal, "Look at https://github.com/"+repository+"/issues before you repeat it.",
			"gh ended well and told no address.")
	}
	return address, nil
}

// kept holds the first bytes that a program writes and takes the rest without keeping it.
type kept struct{ bytes.Buffer }

func (k *kept) Write(p []byte) (int, error) {
	if room := maxURL - k.Len(); room > 0 {
		k.Buffer.Write(p[:min(len(p), room)])
	}
	return len(p), nil
}

// Text writes the result for a reader.
func (r *issueResult) Text(w *answer.Writer) {
	switch r.Status {
	case "templates":
		w.Head("report_issue: %d templates", len(r.Templates))
		var entries []answer.Entry
		for _, t := range r.Templates {
			entries = append(entries, answer.Entry{Text: fmt.Sprintf("%s: %s %s", t.Name, t.Doc, strings.Join(t.Sections, ", "))})
		}
		w.Own()
		w.Entries(answer.Oldest, entries)
	case "preview":
		w.Head("report_issue: nothing is sent yet; this would be public, at github.com/%s", repository)
		w.Page("the caller")
		entries := []answer.Entry{{Text: r.Title}}
		for line := range strings.Lines(r.Body) {
			entries = append(entries, answer.Entry{Text: answer.Clean(strings.TrimRight(line, "\n"))})
		}
		if from, to := w.Entries(answer.Oldest, entries); to-from < len(entries) {
			w.Note("cut to %d of %d lines; a larger budget shows all", to-from, len(entries))
		}
		w.Note(`when the user agrees: {"action":"report_issue","operation":"submit","confirm":true}`)
	case "saved":
		w.Head("report_issue: written to %s; nothing was sent", r.Path)
	default:
		w.Head("report_issue: %s", r.URL)
	}
}
