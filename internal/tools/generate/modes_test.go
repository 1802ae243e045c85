package generate_test

import (
	"testing"

	"github.com/brennhill/gasoline/internal/catalog"
	"github.com/brennhill/gasoline/internal/testkit"
	"github.com/brennhill/gasoline/internal/tools/generate"
)

func TestModes(t *testing.T) {
	testkit.RunModes(t, generate.Tool, func(h *testkit.Daemon, c catalog.Call) generate.Env {
		return generate.Env{View: h.View(c), Drive: h.Driver(), Dir: h.Dir, Version: "1.0.0", Recorder: h.Recorder, Noise: h.Noise, Queue: h.Queue}
	}, "testdata")
}
