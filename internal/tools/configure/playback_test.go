package configure_test

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/brennhill/gasoline/internal/catalog"
	"github.com/brennhill/gasoline/internal/command"
	"github.com/brennhill/gasoline/internal/problem"
	"github.com/brennhill/gasoline/internal/recording"
	"github.com/brennhill/gasoline/internal/testkit"
	"github.com/brennhill/gasoline/internal/tools/configure"
)

// clicks is a recording of n clicks.
func clicks(n int) []byte {
	var steps []string
	for i := range n {
		steps = append(steps, fmt.Sprintf(
			`{"type":"click","timestamp_ms":%d,"by":"user","url":"http://localhost:3000/","locators":[{"kind":"css","value":"#b%d","matches":1,"score":1}]}`,
			i, i))
	}
	return []byte(`{"version":1,"id":"rec-20260301-110000","name":"clicks","state":"complete","run":"old",
		"created":"2026-03-01T11:00:00Z","ended":"2026-03-01T11:00:09Z","start_url":"http://localhost:3000/","summary":{},
		"steps":[` + strings.Join(steps, ",") + `]}`)
}

// slow is a click that takes a second.
var slow = testkit.Scripted{Result: json.RawMessage(`{"match_count":1,"match_strategy":"css"}`), DelayMS: 1000}

// playing plays clicks in a browser, and returns what the browser was sent.
func playing(t *testing.T, click testkit.Scripted, test func(t *testing.T, h *testkit.Daemon, play func(context.Context, string, catalog.Call) error)) []string {
	var kinds []string
	synctest.Test(t, func(t *testing.T) {
		time.Sleep(time.Until(testkit.Begin))
		h := testkit.NewDaemon(t, 0)
		browser := `{"v":1,"capture_version":"1","session":"s1","version":"1","settings":{"pilot":true,"bodies":false,"grants":[],"name":"Work"},
			"tabs":[{"id":12,"url":"http://localhost:3000/","active":true,"focused":true,"granted":true,"window":1}]}`
		if err := h.Sync([]byte(browser)); err != nil {
			t.Fatal(err)
		}
		if err := h.Dir.Write("recordings/rec-20260301-110000.json", clicks(5)); err != nil {
			t.Fatal(err)
		}
		e := &testkit.Extension{Session: "s1", Answers: map[string]testkit.Scripted{
			"navigate":  {Result: json.RawMessage(`{"tab":12,"final_url":"http://localhost:3000/"}`)},
			"locate":    {Result: json.RawMessage(`{"index":0,"frame":"main","counts":[1]}`)},
			"click":     click,
			"waterfall": {Result: json.RawMessage(`{"frames":1}`)},
		}}
		ctx, cancel := context.WithCancel(t.Context())
		served := make(chan error, 1)
		go func() { served <- e.Serve(ctx, h) }()
		synctest.Wait()
		tool := catalog.Bind(configure.Tool, func(c catalog.Call) configure.Env { return env(t, configure.Limits{})(h, c) }, nil)
		test(t, h, func(ctx context.Context, args string, c catalog.Call) error {
			c.Client, c.Name = "agent", "agent"
			_, err := tool.Call(ctx, c, json.RawMessage(args))
			return err
		})
		time.Sleep(10 * time.Second)
		cancel()
		if err := <-served; err != nil {
			t.Error(err)
		}
		for _, c := range e.Taken {
			kinds = append(kinds, c.Kind)
		}
	})
	return kinds
}

const playClicks = `{"action":"playback","recording_id":"clicks"}`

func last(t *testing.T, h *testkit.Daemon) *recording.Playback {
	t.Helper()
	rec, err := h.Recorder.LastPlayback("rec-20260301-110000")
	if err != nil {
		t.Fatal(err)
	}
	return rec.Playback
}

func clicked(kinds []string) int {
	return len(slices.DeleteFunc(slices.Clone(kinds), func(k string) bool { return k != command.Click.Name }))
}

// Each step is done once, and the caller hears how far it is.
func TestAPlaybackTellsItsSteps(t *testing.T) {
	var told []string
	kinds := playing(t, slow, func(t *testing.T, h *testkit.Daemon, play func(context.Context, string, catalog.Call) error) {
		call := catalog.Call{Progress: func(m string) { told = append(told, m) }}
		if err := play(t.Context(), playClicks, call); err != nil {
			t.Fatal(err)
		}
		if p := last(t, h); p.Status != "complete" || p.Executed != 5 || p.Failed != 0 {
			t.Errorf("%+v", p)
		}
	})
	if clicked(kinds) != 5 {
		t.Errorf("the browser was sent %v", kinds)
	}
	if len(told) != 5 || told[4] != "step 5 of 5: click" {
		t.Errorf("told %v", told)
	}
}

// A playback that is cancelled does nothing more, and what it did is kept.
func TestAPlaybackThatIsCancelled(t *testing.T) {
	kinds := playing(t, slow, func(t *testing.T, h *testkit.Daemon, play func(context.Context, string, catalog.Call) error) {
		ctx, cancel := context.WithTimeout(t.Context(), 2500*time.Millisecond)
		defer cancel()
		if err := play(ctx, playClicks, catalog.Call{}); err == nil {
			t.Error("no error")
		}
		p := last(t, h)
		if p.Status != "cancelled" || p.Executed != 3 || p.Failed != 1 || p.Total != 5 || p.Results[2].Status != "failed" {
			t.Errorf("%+v", p)
		}
	})
	if clicked(kinds) != 3 {
		t.Errorf("the browser was sent %v", kinds)
	}
}

// One deadline holds for all steps; what it cut off is told as begun and as not begun.
func TestAPlaybackHasOneDeadline(t *testing.T) {
	kinds := playing(t, slow, func(t *testing.T, h *testkit.Daemon, play func(context.Context, string, catalog.Call) error) {
		began := time.Now()
		if err := play(t.Context(), strings.Replace(playClicks, "}", `,"timeout_ms":2500}`, 1), catalog.Call{}); err != nil {
			t.Fatal(err)
		}
		if took := time.Since(began); took > 2600*time.Millisecond {
			t.Errorf("it took %v", took)
		}
		p := last(t, h)
		if p.Status != "timeout" || p.Executed != 3 || p.Failed != 1 || p.Results[2].Error != string(problem.Timeout) {
			t.Errorf("%+v", p)
		}
	})
	if clicked(kinds) != 3 {
		t.Errorf("the browser was sent %v", kinds)
	}
}

// Where no step can be done any more, the rest is not tried.
func TestAPlaybackEndsWhereItsTabIsGone(t *testing.T) {
	gone := testkit.Scripted{Error: &command.Failure{Code: "tab_not_found", Message: "closed"}}
	kinds := playing(t, gone, func(t *testing.T, h *testkit.Daemon, play func(context.Context, string, catalog.Call) error) {
		if err := play(t.Context(), playClicks, catalog.Call{}); err != nil {
			t.Fatal(err)
		}
		if p := last(t, h); p.Status != "failed" || p.Executed != 1 || p.Results[0].Error != string(problem.TabGone) {
			t.Errorf("%+v", p)
		}
	})
	if clicked(kinds) != 1 {
		t.Errorf("the browser was sent %v", kinds)
	}
}
