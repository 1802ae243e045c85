package analysis

import (
	_ "embed" // the list
	"strings"
	"sync"
)

// Service is who a host belongs to, and what it is for.
type Service struct {
	Name string `json:"name"`
	For  string `json:"category"` // ad, analytics, cdn, social, …
}

// KnownBy names the list of services.
const KnownBy = "third-party-web 0.30.0"

// services.tsv is written by scripts/services.mjs.
//
//go:embed services.tsv
var listOfServices string

// servicesByHost are the services by their hosts, and by .host for one with all that is below it.
var servicesByHost = sync.OnceValue(func() map[string]Service {
	out := map[string]Service{}
	for line := range strings.Lines(listOfServices) {
		parts := strings.Split(strings.TrimSpace(line), "\t")
		if strings.HasPrefix(line, "#") || len(parts) != 3 {
			continue
		}
		for host := range strings.FieldsSeq(parts[2]) {
			out[strings.TrimPrefix(host, "*")] = Service{parts[0], parts[1]}
		}
	}
	return out
})

// serviceOf returns whose a host is, by the list: the entry that names it best.
func serviceOf(host string) (Service, bool) {
	known := servicesByHost()
	if s, ok := known[host]; ok {
		return s, true
	}
	for at := "." + host; at != ""; {
		if s, ok := known[at]; ok {
			return s, true
		}
		_, rest, ok := strings.Cut(at[1:], ".")
		if !ok {
			break
		}
		at = "." + rest
	}
	return Service{}, false
}
