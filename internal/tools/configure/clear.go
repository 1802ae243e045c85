package configure

import (
	"context"
	"fmt"

	"github.com/brennhill/gasoline/internal/answer"
	"github.com/brennhill/gasoline/internal/catalog"
	"github.com/brennhill/gasoline/internal/event"
	"github.com/brennhill/gasoline/internal/problem"
)

var _ = catalog.Add(Tool, catalog.Spec{
	Name: "clear", Doc: "Empty the buffers, all or one group of them, of one tab or of all.",
	Aliases: []string{"reset", "empty"}, Example: `{"buffer":"logs"}`,
}, clearBuffers)

type clearParams struct {
	Buffer  string `json:"buffer,omitempty" enum:"all,logs,network,websocket,actions,inbox" doc:"which buffer; default all"`
	Tab     int    `json:"tab,omitempty" doc:"only this tab's"`
	Session string `json:"session,omitempty" length:"64" doc:"whose tab: the beginning of the browser's name, where several have one of this id"`
}

type clearResult struct {
	Status  string `json:"status"`
	Buffer  string `json:"buffer"`
	Tab     int    `json:"tab,omitempty"`
	Cleared int    `json:"cleared"`             // events
	Ended   int    `json:"cancelled,omitempty"` // commands under way
}

// groups are the kinds of each buffer; nil is every kind.
var groups = map[string][]event.Kind{
	"all":       nil,
	"logs":      {event.KindLog, event.KindException, event.KindExtensionLog},
	"network":   {event.KindExchange, event.KindResource},
	"websocket": {event.KindMessage},
	"actions":   {event.KindAction},
	"inbox":     {event.KindMark},
}

func clearBuffers(_ context.Context, env Env, p clearParams) (*clearResult, error) {
	if p.Buffer == "" {
		p.Buffer = "all"
	}
	if p.Session != "" && p.Tab == 0 {
		return nil, problem.New(
			problem.InvalidParam,
			"Give the tab too.",
			"session says whose tab, and no tab is given.",
		)
	}
	session := ""
	if p.Tab != 0 {
		var err error
		if session, err = env.Registry.Owner(env.Call.Client, p.Session, p.Tab); err != nil {
			return nil, err
		}
	}
	out := &clearResult{
		Status:  "ok",
		Buffer:  p.Buffer,
		Tab:     p.Tab,
		Cleared: env.Daemon.Clear(groups[p.Buffer], session, p.Tab),
	}
	if p.Buffer == "all" && p.Tab == 0 {
		out.Ended = env.Queue.Cancel("")
	}
	return out, nil
}

// Text writes the result for a reader.
func (c *clearResult) Text(w *answer.Writer) {
	where := ""
	if c.Tab != 0 {
		where = fmt.Sprintf(", tab %d", c.Tab)
	}
	w.Head(
		"clear: %d entries removed, %s%s",
		c.Cleared,
		map[bool]string{true: "all buffers", false: c.Buffer}[c.Buffer == "all"],
		where,
	)
	if c.Ended > 0 {
		w.Note("%d commands under way were cancelled", c.Ended)
	}
}
