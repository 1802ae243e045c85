package outbound

import (
	"net/netip"
	"net/url"
)

// Refuses is why a connection is refused, for the tests of addresses.
func Refuses(public, private, loopback bool, a netip.Addr) string {
	return reach{public: public, private: private, loopback: loopback}.refuses(a)
}

// LanesOf deals links to lanes.
var LanesOf = lanesOf

// Reach is which addresses a URL may have, and whether it may be asked for.
func Reach(list []string, shown bool, raw string) (public, private, loopback, allowed bool) {
	k := &checker{shown: func(string) bool { return shown }}
	for _, text := range list {
		e, err := entryOf(text)
		if err != nil {
			panic(err)
		}
		k.entries = append(k.entries, e)
	}
	u, err := url.Parse(raw)
	if err != nil {
		panic(err)
	}
	o, err := originOf(u)
	if err != nil {
		panic(err)
	}
	may, ok := k.allows(o)
	return may.public, may.private, may.loopback, ok
}
