package outbound

import (
	"errors"
	"fmt"
	"net/netip"
	"net/url"
	"slices"
	"strings"

	"github.com/brennhill/gasoline/internal/problem"
)

var errCredential = errors.New("it has a credential")

// origin is where a URL leads: scheme, host and port, as browsers compare them.
type origin struct{ scheme, host, port string }

func originOf(u *url.URL) (origin, error) {
	o := origin{strings.ToLower(u.Scheme), strings.TrimSuffix(strings.ToLower(u.Hostname()), "."), u.Port()}
	switch {
	case o.scheme != "http" && o.scheme != "https":
		return o, fmt.Errorf("it is no http or https URL")
	case o.host == "":
		return o, fmt.Errorf("it has no host")
	case u.User != nil:
		return o, errCredential
	}
	if o.port == "" {
		o.port = map[string]string{"http": "80", "https": "443"}[o.scheme]
	}
	return o, nil
}

func (o origin) String() string {
	host := o.host
	if strings.Contains(host, ":") {
		host = "[" + host + "]"
	}
	if o.scheme == "http" && o.port == "80" || o.scheme == "https" && o.port == "443" {
		return o.scheme + "://" + host
	}
	return o.scheme + "://" + host + ":" + o.port
}

// here reports whether the origin is this machine by its name or address.
func (o origin) here() bool {
	if a, err := netip.ParseAddr(o.host); err == nil {
		return a.Unmap().IsLoopback()
	}
	return o.host == "localhost" || strings.HasSuffix(o.host, ".localhost")
}

// entry is one line of the user's list: an origin, or a host for both schemes; "*." before a host stands for all below it.
type entry struct {
	schemes []string
	host    string
	below   bool
	port    string // "" the scheme's own
}

func entryOf(text string) (e entry, _ error) {
	scheme, rest, ok := strings.Cut(strings.TrimSpace(text), "://")
	if !ok {
		e.schemes, rest = []string{"http", "https"}, scheme
	} else {
		e.schemes = []string{strings.ToLower(scheme)}
	}
	rest, e.below = strings.CutPrefix(strings.TrimSuffix(rest, "/"), "*.")
	u, err := url.Parse(e.schemes[0] + "://" + rest)
	if err == nil {
		_, err = originOf(u)
	}
	if err == nil && (u.Path != "" || u.RawQuery != "" || u.Fragment != "" || strings.Contains(u.Host, "*")) {
		err = fmt.Errorf("it is more than an origin")
	}
	if err == nil && e.below && !strings.Contains(u.Hostname(), ".") {
		err = fmt.Errorf("it stands for too much")
	}
	if err != nil {
		return e, problem.New(problem.InvalidParam, `Ask the user to correct "fetch" in settings.json.`,
			"%.100q is no origin such as https://docs.example.com: %v.", text, err)
	}
	e.host, e.port = strings.TrimSuffix(strings.ToLower(u.Hostname()), "."), u.Port()
	return e, nil
}

func (e entry) allows(o origin) bool {
	port := e.port
	if port == "" {
		port = map[string]string{"http": "80", "https": "443"}[o.scheme]
	}
	return slices.Contains(e.schemes, o.scheme) && port == o.port && (!e.below && o.host == e.host || e.below && strings.HasSuffix(o.host, "."+e.host))
}

// reach is which addresses a connection to an origin may have.
type reach struct {
	public   bool
	private  bool // of the user's networks
	loopback bool
}

var (
	never = prefixes("0.0.0.0/8", "169.254.0.0/16", "224.0.0.0/4", "240.0.0.0/4", "192.0.0.0/24", "::/128", "fe80::/10", "fec0::/10", "ff00::/8",
		"100::/64", "2001::/23", "2001:db8::/32", "192.0.2.0/24", "198.51.100.0/24", "203.0.113.0/24")
	private = prefixes("10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16", "100.64.0.0/10", "198.18.0.0/15", "fc00::/7")
	nat64   = netip.MustParsePrefix("64:ff9b::/96")
	sixTo4  = netip.MustParsePrefix("2002::/16")
)

func prefixes(list ...string) (out []netip.Prefix) {
	for _, p := range list {
		out = append(out, netip.MustParsePrefix(p))
	}
	return out
}

// refuses says why a connection to an address is refused, "" when it is not.
func (r reach) refuses(a netip.Addr) string {
	a = a.Unmap().WithZone("")
	if bytes := a.As16(); nat64.Contains(a) { // they lead to an address of the other sort
		a = netip.AddrFrom4([4]byte(bytes[12:]))
	} else if sixTo4.Contains(a) {
		a = netip.AddrFrom4([4]byte(bytes[2:6]))
	}
	in := func(p netip.Prefix) bool { return p.Contains(a) }
	switch {
	case !a.IsValid() || slices.ContainsFunc(never, in):
		return "no server of a site has such an address"
	case a.IsLoopback():
		if !r.loopback {
			return "it is an address of this machine, and no page of this origin was captured"
		}
	case slices.ContainsFunc(private, in):
		if !r.private {
			return "it is an address of a private network, and no page of this origin was captured"
		}
	case !r.public:
		return "it is no address of this machine"
	}
	return ""
}
