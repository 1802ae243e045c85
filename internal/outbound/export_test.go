package outbound

import "net/netip"

// Refuses is why a connection is refused, for the tests of addresses.
func Refuses(public, private, loopback bool, a netip.Addr) string {
	return reach{public: public, private: private, loopback: loopback}.refuses(a)
}
