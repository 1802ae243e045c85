package analysis

// RouteOf is the path of an address with the parts that name one thing left out.
func RouteOf(raw string) string {
	t, _ := hosts{}.target(raw)
	return t.route()
}

// For the tests of what has no other reader outside of the package.
var (
	Site          = siteOf
	Loopback      = loopback
	SecurityRules = securityRules
)
