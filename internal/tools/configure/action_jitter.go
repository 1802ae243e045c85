package configure

import (
	"context"
	"time"

	"github.com/brennhill/gasoline/internal/answer"
	"github.com/brennhill/gasoline/internal/catalog"
)

var _ = catalog.Add(Tool, catalog.Spec{
	Name: "action_jitter", Doc: "Delay each of this session's acts at random, by up to so many milliseconds; never beyond a quarter of " +
		"what a call has left, and not those in the background. Without a number it tells the present one.",
	Aliases: []string{"jitter"}, Example: `{"action_jitter_ms":300}`,
}, actionJitter)

type jitterParams struct {
	MS *int `json:"action_jitter_ms,omitempty" alias:"ms" min:"0" max:"5000" doc:"milliseconds, 0-5000; 0 ends it"`
}

type jitterResult struct {
	Status string `json:"status"`
	MS     int64  `json:"action_jitter_ms"`
}

func actionJitter(_ context.Context, env Env, p jitterParams) (*jitterResult, error) {
	if p.MS != nil {
		env.Registry.SetJitter(env.Call.Client, time.Duration(*p.MS)*time.Millisecond)
	}
	return &jitterResult{"ok", env.Registry.Jitter(env.Call.Client).Milliseconds()}, nil
}

// Text writes the result for a reader.
func (j *jitterResult) Text(w *answer.Writer) {
	if j.MS == 0 {
		w.Head("action_jitter: none")
		return
	}
	w.Head("action_jitter: each act of this session is delayed by up to %d ms", j.MS)
}
