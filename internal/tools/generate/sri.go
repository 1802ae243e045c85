package generate

import (
	"cmp"
	"context"
	"fmt"
	"html"
	"path"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/brennhill/gasoline/internal/answer"
	"github.com/brennhill/gasoline/internal/artifact"
	"github.com/brennhill/gasoline/internal/catalog"
	"github.com/brennhill/gasoline/internal/event"
	"github.com/brennhill/gasoline/internal/outbound"
	"github.com/brennhill/gasoline/internal/page"
	"github.com/brennhill/gasoline/internal/problem"
	"github.com/brennhill/gasoline/internal/query"
	"github.com/brennhill/gasoline/internal/redact"
	"github.com/brennhill/gasoline/internal/save"
	"github.com/brennhill/gasoline/internal/view"
)

var _ = catalog.Add(Tool, catalog.Spec{
	Name: "sri", Needs: asksPage, Reads: true, Wait: 30 * time.Second, MaxWait: 2 * time.Minute, Example: `{"save_to":"sri.json"}`,
	Doc: "Subresource Integrity of the page's scripts, styles, preloads and imported modules: their hashes, and tags to write. The daemon fetches " +
		"them, as link_validation does; an address whose content may change is warned of.",
	Aliases: []string{"integrity"},
	Errors: []problem.Code{
		problem.InvalidParam, problem.NoData, problem.PathNotAllowed, problem.Conflict, problem.Timeout, problem.ExtensionOffline,
		problem.OriginNotAllowed, problem.TabGone, problem.NoTab,
	},
}, sri)

// sriTypes are the words for what may have an integrity.
var sriTypes = []string{"script", "style", "preload", "modulepreload", "import"}

type sriParams struct {
	view.Scoped
	saving
	Types   []string `json:"resource_types,omitempty" length:"10" doc:"script, style, preload, modulepreload, import (modules that scripts load); default all"`
	Origins []string `json:"origins,omitempty" length:"100" doc:"only from these; default all"`
}

type sriResult struct {
	Resources []sriResource `json:"resources"`
	ImportMap string        `json:"import_map,omitempty"` // JSON of an import map with the integrity of imported modules
	Summary   sriSummary    `json:"summary"`
	Warnings  []string      `json:"warnings,omitempty"`
	SavedTo   string        `json:"saved_to,omitempty"`

	url  string
	size int
}

type sriSummary struct {
	Total    int   `json:"total"`
	Hashed   int   `json:"hashed"`
	Tagged   int   `json:"tagged"`          // have a tag to write
	Had      int   `json:"already_has_sri"` // had an integrity
	Wrong    int   `json:"wrong"`           // had another than their content's
	NotRead  int   `json:"not_read"`
	Bytes    int64 `json:"total_bytes"`
	Imported int   `json:"imported"` // by scripts, not by an element
}

// sriResource is something that may have an integrity.
type sriResource struct {
	URL     string `json:"url"`
	Type    string `json:"type"`
	Hash    string `json:"hash,omitempty"`         // sha384-…, of the bytes as the daemon got them
	Cross   string `json:"crossorigin"`            // that the tag needs; "" none
	Tag     string `json:"tag_template,omitempty"` // "" where writing it would be wrong, and for what no element loads
	Size    int64  `json:"size_bytes,omitempty"`
	Had     bool   `json:"already_has_sri"`
	Wrong   bool   `json:"wrong_sri,omitempty"` // what it has is another content's
	Lasting bool   `json:"immutable"`           // its address has a version, or its server says so
	Warning string `json:"warning,omitempty"`

	load    pageLoad
	foreign bool
}

func sri(ctx context.Context, env Env, p sriParams) (*sriResult, error) {
	for i, kind := range p.Types {
		if p.Types[i] = strings.ToLower(strings.TrimSpace(kind)); !slices.Contains(sriTypes, p.Types[i]) {
			return nil, problem.New(problem.InvalidParam, "Use some of: "+strings.Join(sriTypes, ", ")+".", "there is no resource type %.60q.", kind)
		}
	}
	for i, raw := range p.Origins {
		if p.Origins[i] = answer.Origin(strings.TrimSpace(raw)); !strings.Contains(p.Origins[i], "://") {
			return nil, problem.New(problem.InvalidParam, `Give origins, such as "https://cdn.example".`, "origins has %.100q, which is no origin.", raw)
		}
	}
	var file *save.File
	if p.SaveTo != "" { // before the page is asked
		var err error
		if file, err = env.places().Check(p.SaveTo, p.Overwrite, ".json"); err != nil {
			return nil, err
		}
	}
	asked, err := env.askPolicies(ctx, p.Tab, []string{})
	if err != nil {
		return nil, err
	}
	out := &sriResult{Resources: []sriResource{}, url: asked.url, Warnings: asked.lacking}
	sizes, err := out.gather(ctx, env, p, asked)
	if err != nil {
		return nil, err
	}
	if len(out.Resources) == 0 {
		return nil, problem.New(problem.NoData, "Open the page that loads them, or leave out resource_types and origins.",
			"the page loads no script, style or preload that fits.")
	}
	if err := out.hash(ctx, env, sizes); err != nil {
		return nil, err
	}
	if err := out.sum(); err != nil {
		return nil, err
	}
	if err := ctx.Err(); err != nil || file == nil {
		return out, err
	}
	data, err := answer.JSON(out)
	if err != nil {
		return nil, err
	}
	if err := file.Write(data); err != nil {
		return nil, err
	}
	out.SavedTo, out.size = file.Path, len(data)
	return out, nil
}

// sriType is what an element loads, "" what has no integrity.
func sriType(l pageLoad) string {
	rel := strings.Fields(strings.ToLower(l.Rel))
	switch {
	case l.Tag == "script" && l.Name == "src":
		return "script"
	case l.Tag != "link" || l.Name != "href":
		return ""
	case slices.Contains(rel, "stylesheet"):
		return "style"
	case slices.Contains(rel, "modulepreload"):
		return "modulepreload"
	case slices.Contains(rel, "preload") && (strings.EqualFold(l.As, "script") || strings.EqualFold(l.As, "style")):
		return "preload"
	}
	return ""
}

// gather lists what the documents of the page's origin load. It returns how many bytes the browser got, by URL.
func (r *sriResult) gather(ctx context.Context, env Env, p sriParams, asked *policed) (map[string]int64, error) {
	own := answer.Origin(asked.url)
	known := map[string]bool{}
	left := 0
	add := func(kind string, l pageLoad) {
		origin := answer.Origin(l.URL)
		if kind == "" || !strings.Contains(origin, "://") || known[kind+l.URL] ||
			len(p.Types) > 0 && !slices.Contains(p.Types, kind) || len(p.Origins) > 0 && !slices.Contains(p.Origins, origin) {
			return
		}
		known[kind+l.URL] = true
		if len(r.Resources) == mostFiles {
			left++
			return
		}
		x := sriResource{URL: l.URL, Type: kind, Had: l.Integrity != "", load: l, foreign: origin != own}
		if x.Cross = strings.ToLower(l.Cross); x.Cross == "" && x.foreign {
			x.Cross = "anonymous"
		}
		r.Resources = append(r.Resources, x)
	}
	elements := map[string]bool{}
	for _, d := range asked.documents {
		for _, l := range d.Loads {
			kind := sriType(l)
			add(kind, l)
			elements[l.URL] = elements[l.URL] || kind != ""
		}
	}
	selection, err := env.Select(ctx, p.Scoped)
	if err != nil {
		return nil, err
	}
	here, _, _ := strings.Cut(asked.url, "#")
	sizes := map[string]int64{}
	_, _, err = query.Read(ctx, env.Reader, selection.Filter, query.Page{Limit: 1, Look: cspEvents}, func(e *event.ResourceTiming) bool {
		if at, _, _ := strings.Cut(e.PageURL, "#"); at != here {
			return false
		}
		sizes[e.URL] = max(sizes[e.URL], e.DecodedSize)
		directives := artifact.CSPDirectives(e.InitiatorType, e.URL, "")
		if slices.Contains(directives, "script-src") && !elements[e.URL] {
			add("import", pageLoad{URL: e.URL})
		}
		return false
	})
	if left > 0 {
		r.Warnings = append(r.Warnings, fmt.Sprintf("%d more were not looked at: of a page %d are; origins and resource_types name a part", left, mostFiles))
	}
	return sizes, err
}

// hash fetches the resources.
func (r *sriResult) hash(ctx context.Context, env Env, sizes map[string]int64) error {
	own := answer.Origin(r.url)
	at := map[string][]int{}
	var urls []string
	for i := range r.Resources {
		x := &r.Resources[i]
		if redact.Marked(x.URL) {
			x.Warning = "a secret in its address is kept from programs"
			continue
		}
		if at[x.URL] == nil {
			urls = append(urls, x.URL)
		}
		at[x.URL] = append(at[x.URL], i)
	}
	if len(urls) == 0 {
		return nil
	}
	return env.files(ctx, urls, own, 0, func(n int, f outbound.File) {
		for _, i := range at[urls[n]] {
			r.Resources[i].got(f, own, sizes[urls[n]])
		}
	})
}

// got takes what the server gave; seen is how many bytes the browser got, 0 unknown.
func (x *sriResource) got(f outbound.File, own string, seen int64) {
	if f.Verdict != outbound.OK {
		x.Warning = strings.TrimSuffix(string(f.Verdict)+": "+f.Why, ": ")
		return
	}
	x.Hash, x.Size, x.Lasting = f.Integrity, f.Size, f.Lasting || versioned(x.URL)
	x.Wrong = x.Had && strings.Contains(x.load.Integrity, "sha384-") && !strings.Contains(x.load.Integrity, f.Integrity)
	shared := !x.foreign || f.Shared == "*" && x.Cross != "use-credentials" || f.Shared == own
	switch {
	case seen > 0 && seen != f.Size:
		x.Warning = fmt.Sprintf("the browser got %d bytes and the daemon %d: its content depends on who asks, or has changed", seen, f.Size)
	case !shared:
		x.Warning = "its server lets no other origin read it (Access-Control-Allow-Origin), so browsers refuse it with an integrity: serve it from your own origin"
	case x.foreign && !x.Lasting:
		x.Warning = "its address has no version, so its content may change, and browsers would refuse it then: use one with a version"
	case x.Type == "import":
		// No element loads it.
	default:
		x.Tag = x.tag(own)
		if !x.Lasting {
			x.Warning = "its address has no version: write the tag anew whenever the file changes"
		}
	}
}

// tag is the element with its integrity.
func (x *sriResource) tag(own string) string {
	var out strings.Builder
	attribute := func(name, value string) {
		if value != "" {
			fmt.Fprintf(&out, " %s=\"%s\"", name, html.EscapeString(value))
		}
	}
	at := x.URL
	if rest, ok := strings.CutPrefix(at, own+"/"); ok {
		at = "/" + rest
	}
	out.WriteString("<" + x.load.Tag)
	if x.load.Tag == "link" {
		attribute("rel", x.load.Rel)
		attribute("as", x.load.As)
	}
	attribute("type", x.load.Type)
	attribute(x.load.Name, at)
	attribute("integrity", x.Hash)
	attribute("crossorigin", x.Cross)
	out.WriteString(">")
	if x.load.Tag == "script" {
		out.WriteString("</script>")
	}
	return out.String()
}

var (
	version = regexp.MustCompile(`(?:^|[@/_.-])v?\d+\.\d+(?:\.\d+)?(?:[-+][0-9A-Za-z.-]+)?(?:[/_.-]|$)`)
	hashed  = regexp.MustCompile(`(?i)(?:^|[._-])(?:[0-9a-f]{8,64}|[A-Za-z0-9_-]{8,24})(?:[._-][a-z]+)*\.(?:m?js|css)$`)
)

// versioned reports whether an address names one version of what it leads to.
func versioned(raw string) bool {
	u, err := page.ParseURL(raw)
	if err != nil {
		return false
	}
	if version.MatchString(u.Path) {
		return true
	}
	m := hashed.FindString(path.Base(u.Path))
	// The name of a file is no hash: a hash has digits, and letters or many digits.
	digits, letters := 0, 0
	stem, _, _ := strings.Cut(strings.TrimLeft(m, "._-"), ".")
	for _, c := range stem {
		switch {
		case c >= '0' && c <= '9':
			digits++
		case c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z':
			letters++
		}
	}
	return digits > 0 && digits+letters >= 8 && (letters > 0 || digits >= 16) && digits*8 >= len(stem)
}

// sum counts, makes the import map, and says what holds for all.
func (r *sriResult) sum() error {
	own := answer.Origin(r.url)
	integrity := map[string]string{}
	for _, x := range r.Resources {
		r.Summary.Total++
		r.Summary.Bytes += x.Size
		for n, is := range map[*int]bool{
			&r.Summary.Hashed: x.Hash != "", &r.Summary.Tagged: x.Tag != "", &r.Summary.Had: x.Had, &r.Summary.Wrong: x.Wrong,
			&r.Summary.NotRead: x.Hash == "", &r.Summary.Imported: x.Type == "import",
		} {
			if is {
				*n++
			}
		}
		if x.Type == "import" && x.Hash != "" && (x.Lasting || !x.foreign) && x.Warning == "" {
			at := x.URL
			if rest, ok := strings.CutPrefix(at, own+"/"); ok {
				at = "/" + rest
			}
			integrity[at] = x.Hash
		}
	}
	if r.Summary.Imported > 0 {
		r.Warnings = append(r.Warnings, "Scripts loaded some themselves. The integrity of an import map covers those that are modules (Chrome 127, Safari 18, Firefox 138); what the page did not load yet is not among them.")
	}
	if r.Summary.Wrong > 0 {
		r.Warnings = append(r.Warnings, plural(r.Summary.Wrong, "resource")+" had an integrity that is not of its content now.")
	}
	if slices.ContainsFunc(r.Resources, func(x sriResource) bool { return strings.HasPrefix(x.Warning, string(outbound.NotAllowed)) }) {
		r.Warnings = append(r.Warnings, `The daemon fetches from servers of this machine whose pages are open, and from origins that the user lists in settings.json: {"fetch": ["https://cdn.example.com"]}.`)
	}
	slices.SortStableFunc(r.Resources, func(a, b sriResource) int {
		return cmp.Compare(slices.Index(sriTypes, a.Type), slices.Index(sriTypes, b.Type))
	})
	if len(integrity) == 0 {
		return nil
	}
	data, err := answer.JSON(map[string]any{"integrity": integrity})
	r.ImportMap = string(data)
	return err
}

// Text writes the tags for a reader.
func (r *sriResult) Text(w *answer.Writer) {
	s := r.Summary
	w.Head("sri: %s, %d hashed, %d had one, %s", plural(s.Total, "resource"), s.Hashed, s.Had, answer.Bytes(s.Bytes))
	if r.SavedTo != "" {
		w.Head("saved to %s, %s", r.SavedTo, answer.Bytes(int64(r.size)))
	}
	for _, text := range r.Warnings {
		w.Note("%s", text)
	}
	var entries []answer.Entry
	origins := []string{answer.Origin(r.url)}
	for _, x := range r.Resources {
		line := x.Type + " " + cmp.Or(x.Tag, answer.Short(x.URL, 160)+" "+x.Hash)
		if x.Wrong {
			line += "\n  its integrity is of another content"
		}
		if x.Warning != "" {
			line += "\n  ! " + answer.Clean(x.Warning)
		}
		lines := strings.Split(line, "\n")
		for i := range lines {
			lines[i] = answer.Clean(lines[i])
		}
		entries = append(entries, answer.Entry{Text: strings.Join(lines, "\n")})
		origins = append(origins, answer.Origin(x.URL))
	}
	if r.ImportMap != "" {
		entries = append(entries, answer.Entry{Text: `<script type="importmap">` + answer.Clean(r.ImportMap) + `</script>`})
	}
	w.Page(origins...)
	if from, to := w.Entries(answer.Oldest, entries); to-from < len(entries) {
		w.Note("cut to %d of %d: save_to writes all, as does a larger budget", to-from, len(entries))
	}
}
