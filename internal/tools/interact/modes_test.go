package interact_test

import (
	"testing"

	"github.com/brennhill/gasoline/internal/catalog"
	"github.com/brennhill/gasoline/internal/testkit"
	"github.com/brennhill/gasoline/internal/tools/interact"
)

func TestModes(t *testing.T) {
	testkit.RunModes(t, interact.Tool, func(h *testkit.Daemon, c catalog.Call) interact.Env {
		return interact.Env{
			Drive: h.Driver(), Registry: h.Registry, Reader: h.Reader, Dir: h.Dir, Version: "1.2.3", Clean: h.Redact, Call: c,
			Films: h.Films, Flows: h.Flows,
		}
	}, "testdata")
}
