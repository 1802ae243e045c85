package generate_test

import (
	"testing"

	"github.com/brennhill/gasoline/internal/catalog"
	"github.com/brennhill/gasoline/internal/outbound"
	"github.com/brennhill/gasoline/internal/testkit"
	"github.com/brennhill/gasoline/internal/tools/generate"
)

func TestModes(t *testing.T) {
	links := &outbound.Client{Allowed: func() ([]string, error) { return nil, nil }} // so that nothing is asked for
	testkit.RunModes(t, generate.Tool, func(h *testkit.Daemon, c catalog.Call) generate.Env {
		return generate.Env{View: h.View(c), Dir: h.Dir, Version: "1.0.0", Drive: h.Driver(), Links: links}
	}, "testdata")
}
