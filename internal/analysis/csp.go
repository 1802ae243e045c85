package analysis

import (
	"regexp"
	"slices"
	"strings"
	"sync"
)

// policy is one Content Security Policy as browsers read it: of directives with one name the first counts.
type policy map[string][]string

// policiesOf reads the values of header fields, each of which may have several policies.
func policiesOf(values []string) (out []policy) {
	for _, value := range values {
		for _, text := range strings.Split(value, ",") {
			p := policy{}
			for _, directive := range strings.Split(text, ";") {
				words := strings.Fields(directive)
				if len(words) == 0 {
					continue
				}
				if name := strings.ToLower(words[0]); p[name] == nil {
					p[name] = append([]string{}, words[1:]...)
				}
			}
			if len(p) > 0 {
				out = append(out, p)
			}
		}
	}
	return out
}

// sources returns the list that decides about a directive, and whether there is one.
func (p policy) sources(names ...string) ([]string, bool) {
	for _, name := range names {
		if list, ok := p[name]; ok {
			return list, true
		}
	}
	return nil, false
}

// scripts is the list for scripts of the page: script-src-elem, script-src or default-src.
func (p policy) scripts() ([]string, bool) {
	return p.sources("script-src-elem", "script-src", "default-src")
}

var (
	nonceForm = form(`^(?i:'nonce-)[A-Za-z0-9+/_-]+={0,2}'$`)
	hashForm  = form(`^'(?i:sha-?(?:256|384|512))-([A-Za-z0-9+/_-]+)(={0,2})'$`)
)

// form compiles an expression when it is first used: nobody waits for it when the program starts.
func form(expression string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(expression) })
}

// isHash reports whether browsers take a word for a hash: they decode it, so its length counts.
func isHash(word string) bool {
	m := hashForm().FindStringSubmatch(word)
	if m == nil || m[2] != "" && (len(m[1])+len(m[2]))%4 != 0 {
		return false
	}
	return len(m[1])%4 != 1
}

func has(list []string, keyword string) bool {
	return slices.ContainsFunc(list, func(w string) bool { return strings.EqualFold(w, keyword) })
}

// named reports whether a list names single scripts: by a nonce or a hash that browsers take, or by 'strict-dynamic'.
func named(list []string) bool {
	return has(list, "'strict-dynamic'") || slices.ContainsFunc(list, func(w string) bool { return nonceForm().MatchString(w) || isHash(w) })
}

// inline reports whether scripts in the document run: 'unsafe-inline' counts only where nothing names single scripts.
func (p policy) inline() bool {
	list, ok := p.scripts()
	return !ok || has(list, "'unsafe-inline'") && !named(list)
}

// anywhere returns the word that lets in scripts of every server; "" when there is none.
func (p policy) anywhere() string {
	list, ok := p.scripts()
	if !ok || has(list, "'strict-dynamic'") {
		return ""
	}
	if i := slices.IndexFunc(list, func(w string) bool { return isAnywhere(w) || strings.EqualFold(w, "data:") }); i >= 0 {
		return list[i]
	}
	return ""
}

// isAnywhere reports whether a word stands for every server.
func isAnywhere(word string) bool {
	w := strings.ToLower(word)
	if scheme := strings.TrimSuffix(w, ":"); scheme == "http" || scheme == "https" {
		return w != scheme
	}
	host, port, _ := strings.Cut(strings.TrimPrefix(strings.TrimPrefix(w, "http://"), "https://"), ":")
	return host == "*" && (port == "" || port == "*" || port == "80" || port == "443")
}

func (p policy) eval() bool {
	list, ok := p.sources("script-src", "default-src")
	return ok && has(list, "'unsafe-eval'")
}

// keywords are the words in quotes that browsers know.
var keywords = []string{
	"'self'", "'none'", "'unsafe-inline'", "'unsafe-eval'", "'unsafe-hashes'", "'strict-dynamic'", "'report-sample'",
	"'wasm-unsafe-eval'", "'inline-speculation-rules'", "'trusted-types-eval'", "'script'", "'allow-duplicates'",
	"'unsafe-webtransport-hashes'", "'report-sha256'", "'report-sha384'", "'report-sha512'",
}

// ignored returns words of the lists that decide about scripts which browsers leave out: what should be a keyword, a nonce or
// a hash and is none.
func (p policy) ignored() (out []string) {
	for _, name := range []string{"script-src-elem", "script-src", "default-src"} {
		for _, w := range p[name] {
			low := strings.ToLower(strings.Trim(w, `'"‘’“”`))
			quoted := strings.HasPrefix(w, "'") && strings.HasSuffix(w, "'") && len(w) > 1
			word := slices.Contains(keywords, "'"+low+"'") || strings.HasPrefix(low, "nonce-") || strings.HasPrefix(low, "sha")
			switch {
			case quoted && (slices.Contains(keywords, strings.ToLower(w)) || nonceForm().MatchString(w) || isHash(w)):
			case quoted, word && !strings.ContainsAny(low, ".:"), strings.ContainsAny(w, `"‘’“”`):
				out = append(out, w)
			}
		}
	}
	return out
}

// framed says of some policies whether they let any site show the page in a frame, and whether they say anything of it:
// browsers do not look at X-Frame-Options then.
func framed(policies []policy) (open, told bool) {
	for _, p := range policies {
		if list, ok := p["frame-ancestors"]; ok {
			open, told = (open || !told) && slices.ContainsFunc(list, isAnywhere), true
		}
	}
	return open, told
}

// all reports whether each of the policies has a weakness: one that has not keeps it out.
func all(policies []policy, weak func(policy) bool) bool {
	return len(policies) > 0 && !slices.ContainsFunc(policies, func(p policy) bool { return !weak(p) })
}
