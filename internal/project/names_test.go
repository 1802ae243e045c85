package project

import "testing"

// The names of a path without its volume decide the same on each system.
func TestProjectsByTheirNames(t *testing.T) {
	for path, want := range map[string]string{
		"": "is the whole disk", "/": "is the whole disk", "/Users": "holds what is of many", "/users.": "holds what is of many", "/Windows/Temp": "is the system's",
		"/WINDOWS ": "is the system's", "/Windows./x": "is the system's", "/Program Files/App": "is the system's", "/PROGRA~1/App": "is the system's",
		"/Program Files (x86)": "is the system's", "/ProgramData/x": "is the system's", "/$Recycle.Bin/S-1": "is the system's", "/usr/lib/x": "is the system's",
		"/Users/me/.ssh": "is in .ssh, where secrets are", "/Users/me/.SSH./x": "is in .SSH., where secrets are",
		"/Users/me/.aws::$INDEX_ALLOCATION": "is in .aws::$INDEX_ALLOCATION, where secrets are", "/srv/share/.kube": "is in .kube, where secrets are",
		"/Users/me/shop": "", "/home/me/Windows": "", "/code": "", "/usr/local/src": "", "/var/www/shop": "",
	} {
		if got := byName(path); got != want {
			t.Errorf("%q: %q, want %q", path, got, want)
		}
	}
}
