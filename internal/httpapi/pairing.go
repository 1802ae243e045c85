package httpapi

import (
	"net/http"
	"sync"
	"time"

	"github.com/brennhill/gasoline/internal/pairing"
	"github.com/brennhill/gasoline/internal/problem"
	"github.com/brennhill/gasoline/internal/proof"
	"github.com/brennhill/gasoline/internal/wire"
)

// prove answers a challenge. It tells nobody anything but that this daemon knows a key; the port in
// the proof is the daemon's own, so that a proof is of no use on another port. Proofs have no limit of their
// own: a loop on this machine could use it up, and browsers would take the daemon for a stranger.
func (s *Server) prove(w http.ResponseWriter, r *http.Request) error {
	var in wire.ProveRequest
	if err := s.decode(r, &in); err != nil {
		return err
	}
	if !proof.IsNonce(in.Nonce) {
		return problem.New(problem.InvalidParam, "Send 64 hexadecimal digits.", "nonce is not one.")
	}
	browser := r.Header.Get("Origin") != ""
	if browser {
		endConnection(w)
	}
	if !s.proofs.give(browser) {
		panic(http.ErrAbortHandler) // no answer: programs know by it that the daemon stops, and wait for the next
	}
	out := wire.ProveAnswer{Server: s.server(), Boot: s.cfg.Pairings.Boot()}
	if key, ok := s.cfg.Pairings.Key(in.KeyID); ok { // else the answer has no proof
		out.Proof = proof.OfDaemon(key, in.Nonce, s.cfg.Port, s.cfg.Run, out.Boot, in.KeyID)
	}
	s.json(w, http.StatusOK, out)
	return nil
}

// trustFor is how long a browser may rely on a proof: what it sends on a new connection within this time still
// reaches the daemon that proved itself, and not the next program at the port.
const trustFor = 2 * time.Second

// proofs tells when a browser was last given one, and whether there are any more.
type proofs struct {
	mu    sync.Mutex
	over  bool
	given time.Time
}

// give records a proof for a browser. It reports false when nobody gets one any more.
func (p *proofs) give(browser bool) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if browser && !p.over {
		p.given = time.Now()
	}
	return !p.over
}

// EndProofs proves the daemon to nobody from now on. It returns for how long browsers still rely on an earlier proof, two
// seconds at most: the daemon keeps its port until then.
func (s *Server) EndProofs() time.Duration {
	s.proofs.mu.Lock()
	defer s.proofs.mu.Unlock()
	s.proofs.over = true
	return max(0, time.Until(s.proofs.given.Add(trustFor)))
}

// pair gives a browser its key when it knows a code.
func (s *Server) pair(w http.ResponseWriter, r *http.Request) error {
	var in wire.PairProof
	if err := s.decode(r, &in); err != nil {
		return err
	}
	id, nonce, sealed, mac, err := s.cfg.Pairings.Redeem(
		in.CodeID,
		in.Nonce,
		in.MAC,
		pairing.Paired{Session: in.Session, Name: clip(in.Name), KeyID: in.KeyID},
	)
	if err != nil {
		return err
	}
	s.json(w, http.StatusOK, wire.PairAnswer{KeyID: id, Nonce: nonce, Sealed: sealed, MAC: mac})
	return nil
}

// pairCode makes a code.
func (s *Server) pairCode(w http.ResponseWriter, _ *http.Request) error {
	code := s.cfg.Pairings.NewCode()
	s.cfg.Redact.Learn(code)
	s.json(w, http.StatusOK, wire.PairCode{Code: code, Seconds: int(pairing.CodeLife.Seconds())})
	return nil
}

// pairKey gives the native messaging host a key for the browser that started it.
func (s *Server) pairKey(w http.ResponseWriter, r *http.Request) error {
	var in wire.PairRequest
	if err := s.decode(r, &in); err != nil {
		return err
	}
	id, key, err := s.cfg.Pairings.Grant(pairing.Paired{Session: in.Session, Name: clip(in.Name), KeyID: in.KeyID})
	if err != nil {
		return err
	}
	s.json(w, http.StatusOK, wire.PairKey{KeyID: id, Key: proof.Hex(key)})
	return nil
}
