package generate_test

import (
	"testing"

	"github.com/brennhill/gasoline/internal/catalog"
	"github.com/brennhill/gasoline/internal/outbound"
	"github.com/brennhill/gasoline/internal/testkit"
	"github.com/brennhill/gasoline/internal/tools/analyze"
	"github.com/brennhill/gasoline/internal/tools/generate"
)

func TestModes(t *testing.T) {
	testkit.RunModes(t, generate.Tool, func(h *testkit.Daemon, c catalog.Call) generate.Env { return over(h)(c) }, "testdata")
}

// over returns what the modes reach in a daemon of the tests, for each call.
func over(h *testkit.Daemon) func(catalog.Call) generate.Env {
	links := &outbound.Client{Allowed: func() ([]string, error) { return nil, nil }} // so that nothing is asked for
	analyzing := catalog.Bind(analyze.Tool, func(c catalog.Call) analyze.Env {
		return analyze.Env{View: h.View(c), Drive: h.Driver(), Dir: h.Dir, Version: "1.0.0", Links: links}
	}, nil)
	return func(c catalog.Call) generate.Env {
		return generate.Env{View: h.View(c), Dir: h.Dir, Version: "1.0.0", Drive: h.Driver(), Links: links, Analyze: analyzing,
			Recorder: h.Recorder, Noise: h.Noise, Queue: h.Queue}
	}
}
