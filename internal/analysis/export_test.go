package analysis

// For the tests of what has no other reader outside of the package.
var (
	Site          = siteOf
	Loopback      = loopback
	SecurityRules = securityRules
)
