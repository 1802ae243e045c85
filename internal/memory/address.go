package memory

import (
	"net"
	"net/url"
	"regexp"
	"strings"
	"sync"
)

// Pattern returns the pattern of a page's address that is kept: origin and path without user, query and fragment. Parts of
// the path that look like an id or a key are "*", which stands for any one part. It is "" for what is no address with a path.
func Pattern(address string) string {
	u, err := url.Parse(address)
	if err != nil || u.Scheme == "" || u.Opaque != "" {
		return ""
	}
	parts := strings.Split(u.EscapedPath(), "/")
	for i, p := range parts {
		if opaque(p) {
			parts[i] = "*"
		}
	}
	path := strings.Join(parts, "/")
	if path == "" {
		path = "/"
	}
	return strings.ToLower(u.Scheme) + "://" + strings.ToLower(u.Host) + path
}

// Forms of ids and keys, and of what stands where a secret was.
var (
	pseudonym = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`<[a-z_]+[#:][0-9a-z]+>|••••••`) })
	hexed     = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[0-9a-fA-F-]{8,}$`) })
	mixed     = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[0-9A-Za-z_~.=%-]{16,}$`) })
)

// Masked reports whether the daemon or the page's agent left a secret out of a text.
func Masked(text string) bool { return pseudonym().MatchString(text) }

// opaque reports whether a part of a path is an id or a key rather than a word.
func opaque(part string) bool {
	digits := 0
	for _, r := range part {
		if r >= '0' && r <= '9' {
			digits++
		}
	}
	switch {
	case part == "":
		return false
	case digits == len(part), strings.Contains(part, "<"), strings.Contains(part, "%3C"): // a pseudonym stands between them
		return true
	case digits > 0 && hexed().MatchString(part):
		return true
	}
	return digits >= 3 && mixed().MatchString(part)
}

// Fit says how far an address is from the page that an entry was learnt on.
type Fit int

// The distances.
const (
	OtherSite Fit = iota // another origin
	OtherPage            // another page of the site
	SamePage
)

// Fit returns how far an address is from the entry's page. Servers on this machine are one site whatever their ports are:
// colleagues start them on different ones.
func (e Entry) Fit(address string) Fit {
	wanted, err := url.Parse(e.URL)
	given, err2 := url.Parse(address)
	if err != nil || err2 != nil || !sameSite(wanted, given) {
		return OtherSite
	}
	a, b := parts(wanted), parts(given)
	if len(a) != len(b) {
		return OtherPage
	}
	for i := range a {
		if a[i] != "*" && a[i] != b[i] {
			return OtherPage
		}
	}
	return SamePage
}

// parts returns the parts of an address's path, as they are escaped there.
func parts(u *url.URL) []string { return strings.Split(strings.TrimSuffix(u.EscapedPath(), "/"), "/") }

func sameSite(a, b *url.URL) bool {
	return a.Scheme == b.Scheme && strings.EqualFold(a.Host, b.Host) || isLocal(a) && isLocal(b)
}

func isLocal(u *url.URL) bool {
	host := strings.ToLower(u.Hostname())
	ip := net.ParseIP(host)
	web := u.Scheme == "http" || u.Scheme == "https"
	return web && (host == "localhost" || strings.HasSuffix(host, ".localhost") || ip != nil && ip.IsLoopback())
}
