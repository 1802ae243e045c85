package drive_test

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/brennhill/gasoline/internal/command"
	"github.com/brennhill/gasoline/internal/drive"
	"github.com/brennhill/gasoline/internal/problem"
	"github.com/brennhill/gasoline/internal/testkit"
)

func click(ctx context.Context, h *testkit.Daemon, left time.Duration, detached bool) (waited, took time.Duration, err error) {
	call := within(left)
	call.Detached = detached
	begun := time.Now()
	out, err := drive.Do(ctx, h.Driver(), call, command.Click, 12, command.ClickParams{})
	return out.Waited, time.Since(begun), err
}

func TestActsAreDelayedAtRandom(t *testing.T) {
	driven(t, func(ctx context.Context, h *testkit.Daemon) {
		if waited, _, err := click(ctx, h, 10*time.Second, false); waited != 0 || err != nil {
			t.Errorf("without a setting: %v %v", waited, err)
		}
		h.Registry.SetJitter("c", 400*time.Millisecond)
		h.Registry.SetJitter("other", 5*time.Second)
		seen := map[time.Duration]bool{}
		longest := time.Duration(0)
		for range 200 {
			waited, took, err := click(ctx, h, 10*time.Second, false)
			if err != nil || waited > 400*time.Millisecond || took < waited {
				t.Fatalf("waited %v, took %v: %v", waited, took, err)
			}
			seen[waited], longest = true, max(longest, waited)
		}
		if len(seen) < 100 || longest < 300*time.Millisecond {
			t.Errorf("%d different delays, the longest %v", len(seen), longest)
		}

		// A call that has little time is delayed by a quarter of it at most, one in the background not at all.
		h.Registry.SetJitter("c", 5*time.Second)
		for range 100 {
			if waited, _, err := click(ctx, h, 200*time.Millisecond, false); err != nil || waited > 50*time.Millisecond {
				t.Fatalf("%v %v", waited, err)
			}
		}
		if waited, took, err := click(ctx, h, 10*time.Second, true); err != nil || waited+took != 0 {
			t.Errorf("in the background: %v %v %v", waited, took, err)
		}

		// Reading is not acting.
		begun := time.Now()
		_, err := drive.Do(ctx, h.Driver(), within(20*time.Millisecond), command.GetText, 12, command.TextParams{})
		if time.Since(begun) > 20*time.Millisecond {
			t.Errorf("reading took %v: %v", time.Since(begun), err)
		}

		h.Registry.SetJitter("c", 0)
		if waited, _, err := click(ctx, h, 10*time.Second, false); waited != 0 || err != nil {
			t.Errorf("switched off: %v %v", waited, err)
		}
	})
}

func TestADelayEndsWithItsCall(t *testing.T) {
	taken := driven(t, func(ctx context.Context, h *testkit.Daemon) {
		h.Registry.SetJitter("c", 5*time.Second)
		for range 50 {
			ctx, cancel := context.WithCancel(ctx)
			cancel()
			_, took, err := click(ctx, h, time.Hour, false)
			if p := problem.From(err); p == nil || p.Code != problem.Cancelled || took != 0 {
				t.Fatalf("%v after %v", err, took)
			}
		}
	})
	if len(taken) != 0 {
		t.Errorf("the browser was given %d acts of calls that were cancelled", len(taken))
	}
}

func TestWhatChangesInADelayCounts(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := testkit.NewDaemon(t, 0)
		if err := h.Sync([]byte(browser)); err != nil {
			t.Fatal(err)
		}
		h.Registry.SetJitter("c", 5*time.Second)
		time.AfterFunc(1, func() { // the user switches acting off
			if err := h.Sync([]byte(`{"v":1,"session":"s1","version":"1","capture_version":"1","settings":{"pilot":false,"bodies":false,"grants":[],"script_hosts":[],"user_scripts":false},"tabs":[]}`)); err != nil {
				t.Error(err)
			}
		})
		_, _, err := click(t.Context(), h, time.Hour, false)
		if p := problem.From(err); p == nil || p.Code != problem.TabGone && p.Code != problem.PilotOff {
			t.Error(err)
		}
	})
}
