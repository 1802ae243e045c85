package daemon

import (
	"context"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/brennhill/gasoline/internal/redact"
	"github.com/brennhill/gasoline/internal/source"
)

// talkative refuses with words that have a secret.
type talkative struct{}

const apiKey = "AKIAIOSFODNN7EXAMPLE"

func (talkative) Search(context.Context, source.Query, string) (source.Page, error) {
	return source.Page{}, &source.Fault{Kind: source.Unavailable, Text: "platform answers 500: no line " + apiKey}
}

// What a place says in its own words goes to agents in the answers to questions for a trace too: without secrets.
func TestWhatIsSaidOfATraceHasNoSecret(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		runner := source.New(source.Config{}, []source.Spec{{Name: "api/made", Opened: source.Opened{Search: talkative{}}}})
		s := sources{clean: redact.New(redact.Rules{}).Text}
		s.now.Store(&reading{runner: runner})
		ctx, cancel := context.WithCancel(t.Context())
		for _, job := range runner.Jobs() {
			go job(ctx)
		}
		defer synctest.Wait()
		defer cancel()
		begin, traces := time.Now(), []string{"4bf92f3577b34da6a3ce929d0e0e4736"}
		for _, wait := range []time.Duration{0, 3 * time.Second, time.Hour} { // it begins, is tried again, has ended
			time.Sleep(wait)
			pending, unread := s.ask(traces, begin, begin)
			text := strings.Join(append(pending, unread...), "\n")
			if strings.Contains(text, apiKey) || strings.Contains(text, "answers 500") != (wait > 0) {
				t.Errorf("after %s it says %q", wait, text)
			}
		}
	})
}
