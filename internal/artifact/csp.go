package artifact

import (
	"cmp"
	"fmt"
	"net/url"
	"path"
	"slices"
	"strings"

	"github.com/brennhill/gasoline/internal/page"
)

// CSP is a Content Security Policy (https://www.w3.org/TR/CSP3/).
type CSP struct {
	Directives []CSPDirective
	Excluded   []string // origins that were seen and left out, sorted
	Warnings   []string // what somebody has to do or to know before it is sent, in sentences
}

// CSPDirective is a directive with its words.
type CSPDirective struct {
	Name  string
	Words []string
}

// CSPInput is what a policy is made of.
type CSPInput struct {
	Strict  bool        // nothing by default; styles by hashes
	Origin  string      // of the page
	Framed  bool        // pages of the origin are shown in frames of its own pages
	Code    [][2]string // sort and hash of the code in documents; the hash nonce: it is named by one
	Loads   [][2]string // directive and URL, or scheme with its colon, of what was loaded
	Eval    bool        // code makes code out of text
	WASM    bool        // code runs WebAssembly
	Exclude []string    // origins that the policy is not to name
	Report  string      // where reports go; "" nowhere
}

// cspNonce stands where the server has to write a nonce of its own for each answer.
const cspNonce = "{NONCE}"

// longPolicy is how many bytes of one header field common servers and proxies take.
const longPolicy = 8 << 10

// cspLoads are the directives that say from where something is loaded, in the order of a policy.
var cspLoads = []string{
	"script-src", "style-src", "img-src", "font-src", "connect-src", "media-src", "frame-src", "worker-src", "manifest-src", "object-src",
}

// NewCSP makes the policy that lets through what was seen.
func NewCSP(in CSPInput) *CSP {
	out := &CSP{}
	seen := map[string][]string{}
	add := func(directive, word string) {
		if word != "" && !slices.Contains(seen[directive], word) {
			seen[directive] = append(seen[directive], word)
		}
	}
	for _, l := range in.Loads {
		word, why := cspSource(l[1], in.Origin)
		if why != "" {
			out.warn("%s of %s cannot be named in a policy: %s.", l[0], l[1], why)
		}
		if slices.Contains(in.Exclude, word) {
			if !slices.Contains(out.Excluded, word) {
				out.Excluded = append(out.Excluded, word)
			}
			continue
		}
		add(l[0], word)
	}
	slices.Sort(out.Excluded)
	out.code(in, add)
	deny := func(name string) []string {
		if words := seen[name]; len(words) > 0 {
			return words
		}
		return []string{"'none'"}
	}
	with := func(name string) []string {
		return append([]string{"'self'"}, slices.DeleteFunc(seen[name], func(w string) bool { return w == "'self'" })...)
	}
	list := with
	if in.Strict {
		list = deny
		out.set("default-src", "'none'")
	} else {
		out.set("default-src", "'self'")
	}
	for _, name := range cspLoads {
		switch {
		case name == "object-src":
			if !in.Strict || len(seen[name]) > 0 {
				out.set(name, deny(name)...)
			}
		case name == "script-src", in.Strict && len(seen[name]) > 0, len(seen[name]) > 1 || len(seen[name]) == 1 && seen[name][0] != "'self'":
			out.set(name, list(name)...)
		}
	}
	out.set("base-uri", list("base-uri")...)
	out.set("form-action", list("form-action")...)
	if in.Strict && !in.Framed {
		out.set("frame-ancestors", "'none'")
	} else {
		out.set("frame-ancestors", "'self'")
	}
	if in.Report != "" {
		out.set("report-uri", in.Report)
	}
	if n := len(out.Policy()); n > longPolicy {
		out.warn("The policy has %d bytes, and many servers refuse more than %d in a field: move code of the documents into files.", n, longPolicy)
	}
	return out
}

// code adds what lets the code in documents run.
func (c *CSP) code(in CSPInput, add func(directive, word string)) {
	for _, code := range in.Code {
		directive := "script-src"
		if code[0] == "style" || code[0] == "attribute" {
			directive = "style-src"
		}
		switch {
		case directive == "style-src" && !in.Strict:
			add(directive, "'unsafe-inline'") // styles change while a page runs, and a hash would switch this off
			continue
		case code[1] == "nonce":
			add(directive, "'nonce-"+cspNonce+"'")
			continue
		case code[0] == "handler" || code[0] == "javascript" || code[0] == "attribute":
			add(directive, "'unsafe-hashes'")
		}
		add(directive, "'sha256-"+code[1]+"'")
	}
	if in.Eval {
		add("script-src", "'unsafe-eval'")
	}
	if in.WASM {
		add("script-src", "'wasm-unsafe-eval'")
	}
	if slices.ContainsFunc(in.Code, func(c [2]string) bool { return c[1] == "nonce" }) {
		c.warn("The server has to write a new nonce in the place of %s for each answer, into the policy and into its elements; one that stands in a file protects nothing.", cspNonce)
	}
}

func (c *CSP) set(name string, words ...string) {
	words = slices.Clone(words)
	slices.SortStableFunc(words, func(a, b string) int { return cmp.Or(rankOf(a)-rankOf(b), strings.Compare(a, b)) })
	c.Directives = append(c.Directives, CSPDirective{name, words})
}

// rankOf puts keywords first, then origins, and hashes last.
func rankOf(word string) int {
	switch {
	case word == "'self'" || word == "'none'":
		return 0
	case strings.HasPrefix(word, "'sha") || strings.HasPrefix(word, "'nonce"):
		return 3
	case strings.HasPrefix(word, "'"):
		return 1
	}
	return 2
}

func (c *CSP) warn(format string, args ...any) {
	if text := fmt.Sprintf(format, args...); !slices.Contains(c.Warnings, text) {
		c.Warnings = append(c.Warnings, text)
	}
}

// Policy is the value of the header field.
func (c *CSP) Policy() string {
	var out []string
	for _, d := range c.Directives {
		out = append(out, strings.Join(append([]string{d.Name}, d.Words...), " "))
	}
	return strings.Join(out, "; ")
}

// cspSource is the word of a policy for an address, or scheme; "" for one that no policy is asked about, or with why where
// no word of a policy means it.
func cspSource(raw, self string) (word, why string) {
	u, err := page.ParseURL(raw)
	if err != nil {
		return "", "it is no address"
	}
	switch scheme := strings.ToLower(u.Scheme); scheme {
	case "data", "blob", "filesystem", "mediastream":
		return scheme + ":", ""
	case "http", "https", "ws", "wss":
		host := strings.ToLower(u.Host)
		switch word = scheme + "://" + host; {
		case word == self:
			return "'self'", ""
		case host == "" || strings.ContainsAny(host, "[]<>;,' "):
			return "", "policies have no word for such a host"
		}
		return word, ""
	}
	return "", "" // of the browser itself, and of its extensions
}

// CSPDirectives returns the directives that browsers ask about a load by: of what loaded it, as Resource Timing and the
// network stack name it, its address and its media type, which may be "".
func CSPDirectives(initiator, raw, media string) []string {
	kind := kindOf(raw, media)
	switch initiator {
	case "fetch", "xhr", "xmlhttprequest", "beacon", "ping", "eventsource", "websocket":
		return []string{"connect-src"}
	case "img", "image", "input", "icon":
		return []string{"img-src"}
	case "video", "audio", "track", "source", "media":
		return []string{"media-src"}
	case "iframe", "frame", "sub_frame", "subframe":
		return []string{"frame-src"}
	case "embed", "object":
		return []string{"object-src"}
	case "worker", "sharedworker", "serviceworker":
		return []string{"worker-src"}
	case "script":
		return []string{"script-src"}
	case "stylesheet":
		return []string{"style-src"}
	case "font":
		return []string{"font-src"}
	case "css":
		if kind == "" {
			return []string{"font-src", "img-src"}
		}
		return []string{kind}
	case "link", "other", "early-hints":
		if kind != "" {
			return []string{kind}
		}
	}
	return nil
}

// kindOf is the directive for what an address holds, by its media type, else by its name; "" unknown.
func kindOf(raw, media string) string {
	for prefix, kind := range map[string]string{
		"text/css": "style-src", "font/": "font-src", "application/font": "font-src", "image/": "img-src", "text/javascript": "script-src",
		"application/javascript": "script-src", "application/manifest": "manifest-src", "audio/": "media-src", "video/": "media-src",
	} {
		if strings.HasPrefix(strings.ToLower(media), prefix) {
			return kind
		}
	}
	u, err := url.Parse(raw)
	if err != nil {
		return ""
	}
	switch strings.ToLower(path.Ext(u.Path)) {
	case ".css":
		return "style-src"
	case ".js", ".mjs", ".cjs", ".jsx", ".ts", ".tsx", ".vue", ".svelte":
		return "script-src"
	case ".woff", ".woff2", ".ttf", ".otf", ".eot":
		return "font-src"
	case ".png", ".jpg", ".jpeg", ".gif", ".webp", ".avif", ".svg", ".ico", ".bmp", ".apng", ".cur":
		return "img-src"
	case ".mp4", ".webm", ".mp3", ".ogg", ".wav", ".m4a", ".vtt":
		return "media-src"
	case ".webmanifest":
		return "manifest-src"
	}
	return ""
}

// CSPElement returns the directive for what an element loads by an attribute; "" for what no policy is asked about. rel and as
// are a link's.
func CSPElement(tag, name, rel, as string) string {
	switch {
	case name == "action" || name == "formaction":
		return "form-action"
	case name == "poster" || name == "background" || strings.HasSuffix(name, "srcset"):
		return "img-src"
	case name == "ping":
		return "connect-src"
	case tag == "link":
		return cspLink(strings.Fields(strings.ToLower(rel)), strings.ToLower(as))
	}
	return map[string]string{
		"base href": "base-uri", "script src": "script-src", "script href": "script-src", "script xlink:href": "script-src",
		"img src": "img-src", "input src": "img-src", "image href": "img-src", "image xlink:href": "img-src",
		"feImage href": "img-src", "feImage xlink:href": "img-src", "use href": "img-src", "use xlink:href": "img-src",
		"video src": "media-src", "audio src": "media-src", "source src": "media-src", "track src": "media-src",
		"iframe src": "frame-src", "frame src": "frame-src", "embed src": "object-src", "object data": "object-src",
	}[tag+" "+name]
}

func cspLink(rel []string, as string) string {
	for _, r := range rel {
		switch r {
		case "stylesheet":
			return "style-src"
		case "icon", "apple-touch-icon":
			return "img-src"
		case "manifest":
			return "manifest-src"
		case "modulepreload":
			if as == "style" {
				return "style-src"
			}
			return "script-src"
		case "preload":
			return map[string]string{
				"script": "script-src", "style": "style-src", "image": "img-src", "font": "font-src", "fetch": "connect-src", "track": "media-src",
				"audio": "media-src", "video": "media-src", "worker": "worker-src",
			}[as]
		}
	}
	return ""
}
