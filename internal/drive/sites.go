package drive

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/brennhill/gasoline/internal/answer"
	"github.com/brennhill/gasoline/internal/catalog"
	"github.com/brennhill/gasoline/internal/command"
	"github.com/brennhill/gasoline/internal/session"
)

// gives reports whether a call gives the page that is there what may be meant for another one, or takes away what it has.
func gives(kind *command.Declaration, params any) bool {
	says, ok := params.(interface{ Says() bool })
	return kind.Needs(command.Acts) && (!kind.Needs(command.Follows) || ok && says.Says())
}

// asksWithin is how long a tab is asked at most which page it shows.
const asksWithin = time.Second

// siteOf returns the origin of the page that a call of a series is for: the one at the first of its calls in the tab, or
// the one that the series named since. "" for any: the call is alone, gives nothing, or names refs, which are of a document.
func siteOf(
	ctx context.Context, d Driver, call catalog.Call, kind *command.Declaration, at session.Target, params any,
) string {
	if call.Sites == nil || at.Tab.ID == 0 || !kind.Needs(command.Tab) || kind.Needs(command.Leaves) {
		return ""
	}
	key := placeOf(at.Browser.Session, at.Tab.ID)
	if call.Sites[key] == "" {
		alone := call
		alone.Sites, alone.Detached, alone.Progress = nil, false, nil
		if end := time.Now().Add(asksWithin); end.Before(alone.Deadline) {
			alone.Deadline = end
		}
		url := at.Tab.URL // of the last time that the browser told of it
		query := command.QueryParams{Selector: "head", Frame: "main"}
		if o, err := Do(ctx, d, alone, command.Query, at.Tab.ID, query); err == nil && o.Result.URL != "" {
			url = o.Result.URL
		}
		call.Sites[key] = answer.Origin(url)
	}
	aims, ok := params.(interface{ Aims() []command.Aim })
	refs := ok && !slices.ContainsFunc(aims.Aims(), func(a command.Aim) bool { return *a.Ref == "" })
	if !gives(kind, params) || refs && len(aims.Aims()) > 0 {
		return ""
	}
	return call.Sites[key]
}

// led notes where the caller's own call led: navigate to its page, and wait_for to one whose origin it names.
func led(call catalog.Call, at session.Target, params, result any) {
	if call.Sites == nil {
		return
	}
	switch r := result.(type) {
	case command.PageResult:
		if _, ok := params.(command.NavigateParams); ok {
			call.Sites[placeOf(at.Browser.Session, r.Tab)] = answer.Origin(r.FinalURL)
		}
	case command.WaitResult:
		p, ok := params.(command.WaitParams)
		origin := answer.Origin(p.URLContains)
		if ok && !p.Absent && (p.Frame == "" || p.Frame == "main") && origin != "" && strings.EqualFold(origin, answer.Origin(r.Value)) {
			call.Sites[placeOf(at.Browser.Session, at.Tab.ID)] = answer.Origin(r.Value)
		}
	}
}

func placeOf(session string, tab int) string { return fmt.Sprintf("%s %d", session, tab) }
