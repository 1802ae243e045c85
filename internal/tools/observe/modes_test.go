package observe_test

import (
	"testing"

	"github.com/brennhill/gasoline/internal/catalog"
	"github.com/brennhill/gasoline/internal/testkit"
	"github.com/brennhill/gasoline/internal/tools/observe"
)

func TestModes(t *testing.T) {
	testkit.RunModes(t, observe.Tool, func(h *testkit.Daemon, c catalog.Call) observe.Env {
		return observe.Env{View: h.View(c), Drive: h.Driver(), Queue: h.Queue, Dir: h.Dir, Recorder: h.Recorder, Films: h.Films, Flows: h.Flows}
	}, "testdata")
}
