package configure

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/brennhill/gasoline/internal/answer"
	"github.com/brennhill/gasoline/internal/catalog"
	"github.com/brennhill/gasoline/internal/drive"
	"github.com/brennhill/gasoline/internal/problem"
	"github.com/brennhill/gasoline/internal/recording"
	"github.com/brennhill/gasoline/internal/series"
	"github.com/brennhill/gasoline/internal/steps"
)

var _ = catalog.Add(Tool, catalog.Spec{
	Name: "playback",
	Doc: "Do a recording again in the tab in use, step by step, by the first of each element's locators that finds exactly one. " +
		"The answer says what failed, what was found another way, and what differs.",
	Aliases: []string{"replay", "play_recording"}, Needs: catalog.Extension | catalog.Pilot | catalog.Tab,
	Wait: 2 * time.Minute, MaxWait: 10 * time.Minute,
	Example: `{"recording_id":"checkout","values":{"Password":"…"}}`,
	Errors: []problem.Code{
		problem.NoData, problem.MissingParam, problem.PilotOff, problem.ExtensionOffline, problem.NoTab, problem.TabGone,
		problem.Conflict, problem.TooLarge,
	},
}, playback)

type playbackParams struct {
	ID              string            `json:"recording_id" required:"true" length:"100" alias:"name" doc:"id or name of a recording"`
	URL             string            `json:"url,omitempty" length:"100000" doc:"begin here instead of where the recording began, also on another host or port"`
	Values          map[string]string `json:"values,omitempty" doc:"what to type where a value is masked, by the field's name or the step's number"`
	StepTimeoutMS   int               `json:"step_timeout_ms,omitempty" min:"100" max:"120000" doc:"for each step; default 10000"`
	ContinueOnError *bool             `json:"continue_on_error,omitempty" doc:"false ends it at the first step that fails; default true"`
	Tab             int               `json:"tab,omitempty" doc:"tab id; default the one in use"`
}

// player plays one recording.
type player struct {
	drive.Player
	options series.Options
	out     *recording.Playback
}

func playback(ctx context.Context, env Env, p playbackParams) (*recording.Played, error) {
	rec, err := env.Recorder.Load(p.ID)
	if err != nil {
		return nil, err
	}
	switch {
	case rec.State == recording.Recording:
		return nil, problem.New(problem.Conflict,
			fmt.Sprintf(`Stop it first: configure {"action":"event_recording_stop","recording_id":%q}.`, rec.ID),
			"%s is under way.", rec.ID)
	case len(rec.Steps) == 0:
		return nil, problem.New(problem.NoData, "Record again; what the user and agents do in the tab is recorded.",
			"%s has no steps.", rec.ID)
	case env.Call.Detached:
		return nil, problem.New(problem.InvalidParam,
			"Leave out background; observe playback_results gives the result again.", "a playback is answered when it is over.")
	}
	values, err := valuesFor(rec, p.Values)
	if err != nil {
		return nil, err
	}
	url := p.URL
	if url == "" {
		url = rec.StartURL
	}
	if steps.Masked(url) {
		return nil, problem.New(problem.MissingParam, "Give url: the address to begin at.",
			"a part of the address where %s begins is masked. Nothing was done.", rec.ID)
	}
	target, err := env.Registry.Await(ctx, env.Call.Client, p.Tab, true, min(drive.ComeBack, env.Call.Left()))
	if err != nil {
		return nil, err
	}
	play := player{
		options: series.Options{StepTimeoutMS: p.StepTimeoutMS, ContinueOnError: p.ContinueOnError},
		out:     &recording.Playback{Of: rec.ID, Status: "complete", Total: len(rec.Steps), Results: []steps.Result{}},
	}
	play.Player = drive.Player{
		Driver: env.Drive, Call: env.Call, Tab: target.Tab.ID, Patience: play.options.Patience(), Values: values,
	}
	began := time.Now()
	if err := play.Open(ctx, url); err != nil {
		return nil, err
	}
	// A recording begins on a page that is there, so its first load is not compared.
	own, err := env.Recorder.Start(ctx, recording.Start{
		Name: rec.Name, StartURL: url, Session: target.Browser.Session, Tab: target.Tab.ID, Private: rec.Private, Of: rec.ID,
	})
	if err != nil {
		return nil, err
	}
	play.run(ctx, rec, answer.Origin(url))
	play.out.MS = time.Since(began).Milliseconds()
	// What was done is told and kept also when nobody waits any more.
	kept := context.WithoutCancel(ctx)
	if ctx.Err() == nil {
		env.flush(ctx, play.Tab, "is not compared")
	}
	done, err := env.Recorder.Finish(kept, own.ID, play.out)
	if err != nil {
		return nil, err
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	return &recording.Played{Record: done}, nil
}

// valuesFor returns what is to be typed where the recording holds no value. It is refused before anything is done when a
// value is missing, or one was given that no step takes.
func valuesFor(rec *recording.Record, given map[string]string) (map[int]string, error) {
	out := map[int]string{}
	used := map[string]bool{}
	var lacking []string
	for i, s := range rec.Steps {
		if s.Type != "input" && s.Type != "select" {
			continue
		}
		for name, value := range given {
			if name == strconv.Itoa(i+1) || s.Label() != "" && strings.EqualFold(name, s.Label()) {
				if _, numbered := given[strconv.Itoa(i+1)]; numbered && name != strconv.Itoa(i+1) {
					used[name] = true
					continue // the number wins
				}
				out[i], used[name] = value, true
			}
		}
		if _, known := out[i]; s.Masked && !known {
			lacking = append(lacking, strconv.Itoa(i+1))
		}
	}
	if len(lacking) > 0 {
		return nil, problem.New(problem.MissingParam,
			fmt.Sprintf(`Ask the user to name them, and give values:{%q:"…"}; observe recording_actions shows the steps.`, lacking[0]),
			"what was typed in step %s is masked in the recording. Nothing was done.", strings.Join(lacking, ", "))
	}
	for name := range given {
		if !used[name] {
			return nil, problem.New(problem.InvalidParam,
				"observe recording_actions shows the steps.",
				"values names %.60q, and no step types into a field of this name or number. Nothing was done.", name)
		}
	}
	return out, nil
}

// run does each step, until the first that fails when the caller wants it so. What was recorded on the origin of the first
// page is played on the given one.
func (p *player) run(ctx context.Context, rec *recording.Record, origin string) {
	for i, s := range rec.Steps {
		if ctx.Err() != nil {
			p.out.Status = "cancelled"
			return
		}
		if p.Call.Left() < 100*time.Millisecond {
			p.out.Status = "timeout"
			return
		}
		if p.Call.Progress != nil {
			p.Call.Progress(fmt.Sprintf("step %d of %d: %s", i+1, len(rec.Steps), s.Type))
		}
		done := p.Do(ctx, i, s.Rebased(answer.Origin(rec.StartURL), origin))
		p.out.Results = append(p.out.Results, done)
		p.out.Executed++
		for selector, n := range done.Missed {
			if p.out.Failures == nil {
				p.out.Failures = map[string]int{}
			}
			p.out.Failures[selector] += n
		}
		if done.Failed() {
			p.out.Failed++
			p.out.Status = "failed"
			if p.options.EndsAt() || done.Hopeless() {
				return
			}
		}
	}
}
