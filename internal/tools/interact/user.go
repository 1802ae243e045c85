package interact

import (
	"context"
	"fmt"

	"github.com/brennhill/gasoline/internal/answer"
	"github.com/brennhill/gasoline/internal/drive"
	"github.com/brennhill/gasoline/internal/event"
	"github.com/brennhill/gasoline/internal/query"
)

// mostUserActs is how many of the user's acts an answer tells.
const mostUserActs = 5

// userActs says what the user did in the tab of an act since the client acted there before: the page may not be as the
// client left it. At most mostUserActs, the newest, and how many more there were.
func userActs[R any](ctx context.Context, env Env, o *drive.Outcome[R]) (out []string) {
	if o.Since.IsZero() {
		return nil
	}
	f := query.Filter{Session: o.Target.Browser.Session, Tab: o.Target.Tab.ID, Arrived: o.Since}
	mine := func(a *event.Action) bool { return a.By == "user" }
	list, _, err := query.Read(ctx, env.Reader, f, query.Page{Limit: looked}, mine)
	if err != nil || len(list.Items) == 0 {
		return nil
	}
	acts := list.Items[max(0, len(list.Items)-mostUserActs):]
	for i := range acts {
		out = append(out, answer.Cut(answer.Clean(acts[i].Summary()), 100))
	}
	if n := len(list.Items) - len(acts); n > 0 {
		out = append(out, fmt.Sprintf("and %d more", n))
	}
	return out
}
