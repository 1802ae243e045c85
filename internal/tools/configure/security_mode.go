package configure

import (
	"context"
	"time"

	"github.com/brennhill/gasoline/internal/answer"
	"github.com/brennhill/gasoline/internal/catalog"
	"github.com/brennhill/gasoline/internal/problem"
)

var _ = catalog.Add(Tool, catalog.Spec{
	Name: "security_mode", Doc: "normal, or insecure_proxy with confirm:true: shows a server of this machine without its content security " +
		"policy, at an address of its own, for half an hour. Without a mode it tells the present one.",
	Example: `{"mode":"insecure_proxy","url":"http://localhost:3000","confirm":true}`,
	Errors:  []problem.Code{problem.MissingParam, problem.InvalidParam, problem.OriginNotAllowed},
}, securityMode)

type securityParams struct {
	Mode    string `json:"mode,omitempty" doc:"normal or insecure_proxy"`
	URL     string `json:"url,omitempty" length:"2000" doc:"insecure_proxy: a page of the server"`
	Confirm bool   `json:"confirm,omitempty" doc:"the user knows what is relaxed, and agrees"`
}

// Insecure is a proxy that is open.
type Insecure struct {
	Target string    `json:"target"` // origin of the server
	URL    string    `json:"url"`    // where it is shown
	Until  time.Time `json:"until"`
}

// Security opens and closes the insecure proxy.
type Security struct {
	Open  func(ctx context.Context, url string) (Insecure, error)
	Close func()
	Now   func() (Insecure, bool)
}

type securityResult struct {
	Status   string    `json:"status"`
	Mode     string    `json:"security_mode"`
	Parity   bool      `json:"production_parity"` // what is seen is what users get
	Rewrites []string  `json:"insecure_rewrites_applied"`
	Warning  string    `json:"warning,omitempty"`
	Proxy    *Insecure `json:"proxy,omitempty"`
}

func securityMode(ctx context.Context, env Env, p securityParams) (*securityResult, error) {
	s := env.Daemon.Security
	switch p.Mode {
	case "":
		if p.URL != "" || p.Confirm {
			return nil, problem.New(problem.MissingParam, `Give "mode":"insecure_proxy", or leave them out.`, "url and confirm belong to insecure_proxy.")
		}
	case "normal":
		s.Close()
	case "insecure_proxy":
		if !p.Confirm {
			return nil, problem.New(problem.MissingParam, `Once that is agreed to, add confirm:true.`,
				"insecure_proxy takes the content security policy away: what works there may not work for users, and nothing was changed.")
		}
		if _, err := s.Open(ctx, p.URL); err != nil {
			return nil, err
		}
	default:
		return nil, problem.New(problem.InvalidParam, "Use normal or insecure_proxy.", "there is no security mode %.40q.", p.Mode)
	}
	out := &securityResult{Status: "ok", Mode: "normal", Parity: true, Rewrites: []string{}}
	if now, open := s.Now(); open {
		out.Mode, out.Parity, out.Proxy = "insecure_proxy", false, &now
		out.Rewrites = []string{"content-security-policy", "content-security-policy-report-only", "referrer-policy"}
		out.Warning = "What works there may not work for users. Policies in meta elements stay; cookies and storage are the proxy's own."
	}
	return out, nil
}

// Text writes the result for a reader.
func (r *securityResult) Text(w *answer.Writer) {
	if r.Proxy == nil {
		w.Head("security_mode: normal")
		return
	}
	w.Head("security_mode: insecure_proxy until %s: open %s for %s", r.Proxy.Until.Format("15:04:05"), r.Proxy.URL, r.Proxy.Target)
	w.Note("%s", r.Warning)
}
