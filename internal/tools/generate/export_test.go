package generate

// Versioned reports whether an address names one version of what it leads to.
var Versioned = versioned
