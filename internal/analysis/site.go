package analysis

import (
	"net/netip"
	"net/url"
	"strings"

	"golang.org/x/net/publicsuffix"

	"github.com/brennhill/gasoline/internal/page"
)

// siteOf returns what browsers take for one site: the part of a host's name that somebody registered. An address, the
// names of this machine and a public suffix itself are sites of their own.
func siteOf(host string) string {
	host = strings.TrimSuffix(strings.ToLower(host), ".")
	if _, err := netip.ParseAddr(host); err == nil {
		return host
	}
	if host == "localhost" || strings.HasSuffix(host, ".localhost") {
		return "localhost"
	}
	if site, err := publicsuffix.EffectiveTLDPlusOne(host); err == nil {
		return site
	}
	return host
}

// SameSite reports whether two addresses are of one site, as browsers take it; every name of this machine is one. What is no
// address with a host is of no site.
func SameSite(a, b string) bool {
	x, err := page.ParseURL(a)
	y, other := page.ParseURL(b)
	if err != nil || other != nil || x.Host == "" || y.Host == "" {
		return false
	}
	return siteOf(x.Hostname()) == siteOf(y.Hostname()) || loopback(x.Hostname()) && loopback(y.Hostname())
}

// loopback reports whether a host is this machine by its name or address.
func loopback(host string) bool {
	if a, err := netip.ParseAddr(host); err == nil {
		return a.Unmap().IsLoopback()
	}
	return siteOf(host) == "localhost"
}

// isSuffix reports whether a host is a public suffix, for which browsers take no cookie.
func isSuffix(host string) bool {
	suffix, _ := publicsuffix.PublicSuffix(host)
	return suffix == host
}

// target is an address that was taken apart.
type target struct {
	*url.URL
	origin, site string
	here         bool // this machine
}

// hosts remembers what names of hosts mean, of at most maxHosts.
type hosts map[string]target

const maxHosts = 5000

// target takes an address apart; ok says that it is one of a host. Pseudonyms of its user part do not matter.
func (known hosts) target(raw string) (t target, ok bool) {
	u, err := page.ParseURL(raw)
	if err != nil || u.Host == "" {
		return target{}, false
	}
	u.Scheme = strings.ToLower(u.Scheme)
	key := u.Scheme + "://" + u.Host
	t, ok = known[key]
	if !ok {
		t = target{origin: strings.ToLower(key), site: siteOf(u.Hostname()), here: loopback(u.Hostname())}
		if len(known) < maxHosts {
			known[strings.Clone(key)] = t
		}
	}
	t.URL = u
	return t, true
}

// sealed reports whether what is sent there is encrypted.
func (t target) sealed() bool { return t.Scheme == "https" || t.Scheme == "wss" }

// route is the path with the parts that name one thing, such as numbers and ids, left out.
func (t target) route() string {
	parts := strings.Split(t.Path, "/")
	if len(parts) > 12 {
		parts = append(parts[:12], "…")
	}
	for i, part := range parts {
		digits := 0
		for _, c := range []byte(part) {
			if c >= '0' && c <= '9' {
				digits++
			}
		}
		id := digits > 0 && (digits == len(part) || len(part) >= 8 && digits*4 >= len(part))
		if id || len(part) > 40 || strings.Contains(part, "<") {
			parts[i] = "*"
		}
	}
	return strings.Join(parts, "/")
}
