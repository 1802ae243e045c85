package correlate

import "strings"

// pageURL returns a page's URL in one spelling: scheme and host in lower case, no default port, no
// user, "/" for the empty path, and no fragment unless it is a route of a single-page app ("#/…",
// "#!…"). What is no URL with a host comes back as it is.
func pageURL(u string) string {
	scheme, rest, ok := strings.Cut(u, "://")
	if !ok || scheme == "" {
		return u
	}
	end := strings.IndexAny(rest, "/?#")
	if end < 0 {
		end = len(rest)
	}
	host, tail := rest[:end], rest[end:]
	if i := strings.LastIndexByte(host, '@'); i >= 0 {
		host = host[i+1:]
	}
	lowScheme, lowHost := strings.ToLower(scheme), strings.ToLower(host)
	switch lowScheme {
	case "http":
		lowHost = strings.TrimSuffix(lowHost, ":80")
	case "https":
		lowHost = strings.TrimSuffix(lowHost, ":443")
	}
	if i := strings.IndexByte(tail, '#'); i >= 0 && !strings.HasPrefix(tail[i:], "#/") &&
		!strings.HasPrefix(tail[i:], "#!") {
		tail = tail[:i]
	}
	if tail == "" || tail[0] != '/' {
		tail = "/" + tail
	}
	return lowScheme + "://" + lowHost + tail
}
