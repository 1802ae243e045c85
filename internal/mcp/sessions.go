package mcp

import (
	"encoding/json"
	"net/http"
	"sync"
	"time"

	"github.com/brennhill/gasoline/internal/problem"
	"github.com/brennhill/gasoline/internal/wire"
)

// Bounds of sessions over HTTP. A client that ends without a word leaves its session behind.
const (
	maxSessions = 100
	sessionIdle = 30 * time.Minute // without a request
)

const sessionHeader = "Mcp-Session-Id"

// sessions bounds the sessions over HTTP: when there are many, the one that was used least recently makes
// room for the next. Safe for concurrent use.
type sessions struct {
	server *Server
	next   http.Handler // makes and serves them

	mu     sync.Mutex
	open   map[string]*session
	making int // that are about to be open
}

type session struct {
	used    time.Time
	calls   int // posts under way
	streams int // other requests under way: the client listens
}

// ServeHTTP serves a request of a session, or one that makes a session.
func (s *sessions) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	id := r.Header.Get(sessionHeader)
	if id == "" && r.Method == http.MethodPost {
		if !s.makeRoom() {
			refuse(w)
			return
		}
		s.next.ServeHTTP(w, r)
		s.mu.Lock()
		s.making--
		if made := w.Header().Get(sessionHeader); made != "" {
			s.open[made] = &session{used: time.Now()}
		}
		s.mu.Unlock()
		return
	}
	if end := s.begin(id, r.Method); end != nil {
		defer end()
	}
	s.next.ServeHTTP(w, r)
	if r.Method == http.MethodDelete {
		s.sweep()
	}
}

// begin notes a request of a session; nil when there is no such session.
func (s *sessions) begin(id, method string) (end func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	se := s.open[id]
	if se == nil {
		return nil
	}
	count := &se.streams
	if method == http.MethodPost {
		count = &se.calls
	}
	*count++
	se.used = time.Now()
	return func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		*count--
		se.used = time.Now()
	}
}

// makeRoom sees to it that one more session may be opened, and counts it; false when all have calls
// under way.
func (s *sessions) makeRoom() bool {
	s.sweep()
	s.mu.Lock()
	if len(s.open)+s.making < maxSessions {
		s.making++
		s.mu.Unlock()
		return true
	}
	worst := ""
	for id, se := range s.open {
		if se.calls > 0 {
			continue
		}
		if w := s.open[worst]; w == nil || se.streams == 0 && w.streams > 0 ||
			(se.streams == 0) == (w.streams == 0) && se.used.Before(w.used) {
			worst = id
		}
	}
	if worst == "" {
		s.mu.Unlock()
		return false
	}
	delete(s.open, worst)
	s.making++
	s.mu.Unlock()
	s.server.end(worst)
	return true
}

// sweep forgets sessions that have ended: by their client, or after a time without a request.
func (s *sessions) sweep() {
	live := map[string]bool{}
	for se := range s.server.sdk.Sessions() {
		live[se.ID()] = true
	}
	var gone []string
	s.mu.Lock()
	for id := range s.open {
		if !live[id] {
			gone = append(gone, id)
			delete(s.open, id)
		}
	}
	s.mu.Unlock()
	for _, id := range gone {
		s.server.end(id)
	}
}

// end closes a session over HTTP, where it is open, and forgets its client.
func (s *Server) end(id string) {
	for se := range s.sdk.Sessions() {
		if se.ID() == id {
			if err := se.Close(); err != nil {
				s.cfg.Log.Debug("close session", "error", err.Error())
			}
		}
	}
	s.forgetRoots(id)
	s.unheard(httpClient(id))
	if s.cfg.Gone != nil {
		s.cfg.Gone(httpClient(id))
	}
}

// httpClient names the client of a session over HTTP.
func httpClient(id string) string { return "http-" + id }

// refuse answers a request for a session when there are too many that are busy.
func refuse(w http.ResponseWriter) {
	p := problem.New(problem.RateLimited, "Repeat in a few seconds, and end sessions with DELETE.",
		"%d sessions have calls under way, which is the most.", maxSessions)
	var out wire.Problem
	out.Error.Code, out.Error.Message, out.Error.Fix = string(p.Code), p.Message, p.Fix
	text, err := json.Marshal(out)
	if err != nil {
		http.Error(w, p.Message, http.StatusServiceUnavailable)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Retry-After", "5")
	w.WriteHeader(http.StatusServiceUnavailable)
	_, _ = w.Write(append(text, '\n')) // the status says enough
}
