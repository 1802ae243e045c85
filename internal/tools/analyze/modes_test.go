package analyze_test

import (
	"testing"

	"github.com/brennhill/gasoline/internal/catalog"
	"github.com/brennhill/gasoline/internal/outbound"
	"github.com/brennhill/gasoline/internal/testkit"
	"github.com/brennhill/gasoline/internal/tools/analyze"
)

func TestModes(t *testing.T) {
	links := &outbound.Client{Allowed: func() ([]string, error) { return nil, nil }} // so that nothing is asked for
	testkit.RunModes(t, analyze.Tool, func(h *testkit.Daemon, c catalog.Call) analyze.Env {
		return analyze.Env{View: h.View(c), Drive: h.Driver(), Dir: h.Dir, Version: "1.0.0", Links: links}
	}, "testdata")
}

// over returns what the modes reach in a daemon of the tests, for each call.
func over(h *testkit.Daemon) func(catalog.Call) analyze.Env {
	return func(c catalog.Call) analyze.Env {
		return analyze.Env{View: h.View(c), Drive: h.Driver(), Dir: h.Dir, Version: "1.0.0"}
	}
}
