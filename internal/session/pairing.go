package session

import (
	"crypto/rand"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"sync"
	"time"

	"github.com/brennhill/gasoline/internal/problem"
)

const (
	pairingsFile = "pairings.json"
	codeLife     = 5 * time.Minute
	maxCodes     = 5  // requests that wait for the user at once
	maxWrong     = 10 // wrong codes before all waiting requests are dropped
	maxPairings  = 50
)

// Pairings are the browsers that may talk to this daemon. Tokens are kept as hashes only. The first
// browser of a state directory is paired without a question; every further one shows a code that the
// user confirms. Safe for concurrent use.
type Pairings struct {
	dir   *Dir
	token [32]byte // hash of the install's token

	mu      sync.Mutex
	paired  []pairing
	waiting []pairRequest
	wrong   int
}

type pairing struct {
	Hash    string    `json:"hash"` // sha256 of the token, hexadecimal
	Name    string    `json:"name"`
	Session string    `json:"session"`
	Created time.Time `json:"created"`
}

type pairRequest struct {
	session, name, code string
	until               time.Time
	confirmed           bool
}

// Who says what a token opens.
type Who int

// The bearers. Local is the token file: CLI, bridge, SDKs. Browser is a paired extension.
const (
	Nobody Who = iota
	Local
	Browsers
)

// OpenPairings reads the pairings of a state directory.
func OpenPairings(dir *Dir) (*Pairings, error) {
	token, err := dir.Token()
	if err != nil {
		return nil, err
	}
	p := &Pairings{dir: dir, token: sha256.Sum256([]byte(token))}
	data, err := dir.Read(pairingsFile)
	if errors.Is(err, fs.ErrNotExist) {
		return p, nil
	}
	if err != nil {
		return nil, fmt.Errorf("read pairings: %w", err)
	}
	if err := json.Unmarshal(data, &p.paired); err != nil {
		return nil, fmt.Errorf("read %s (delete it to pair anew): %w", dir.Path(pairingsFile), err)
	}
	return p, nil
}

// Bearer says whose token it is. It compares in constant time.
func (p *Pairings) Bearer(token string) Who {
	if token == "" {
		return Nobody
	}
	hash := sha256.Sum256([]byte(token))
	who := Nobody
	if subtle.ConstantTimeCompare(hash[:], p.token[:]) == 1 {
		who = Local
	}
	hexed := []byte(hex.EncodeToString(hash[:]))
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, known := range p.paired {
		if subtle.ConstantTimeCompare(hexed, []byte(known.Hash)) == 1 && who == Nobody {
			who = Browsers
		}
	}
	return who
}

// Request pairs a browser, or returns the code that the user has to confirm. Asking again with the same session gives the
// same code, and after the confirmation the token.
func (p *Pairings) Request(session, name string) (token, code string, err error) {
	if session == "" || len(session) > 64 {
		return "", "", problem.New(problem.InvalidParam, "Send the browser profile's session id.", "session must have 1–64 characters.")
	}
	if len(name) > 100 {
		name = name[:100]
	}
	now := time.Now()
	p.mu.Lock()
	defer p.mu.Unlock()
	p.expireLocked(now)
	if len(p.paired) == 0 {
		token, err = p.grantLocked(session, name, now)
		return token, "", err
	}
	for i, r := range p.waiting {
		if r.session != session {
			continue
		}
		if !r.confirmed {
			return "", r.code, nil
		}
		p.waiting = append(p.waiting[:i], p.waiting[i+1:]...)
		token, err = p.grantLocked(session, name, now)
		return token, "", err
	}
	if len(p.waiting) >= maxCodes {
		return "", "", problem.New(problem.RateLimited, "Confirm or wait five minutes.", "%d browsers already wait to be paired.", len(p.waiting))
	}
	code = pairCode()
	p.waiting = append(p.waiting, pairRequest{session: session, name: name, code: code, until: now.Add(codeLife)})
	return "", code, nil
}

// Confirm lets the browser that shows code be paired, and returns its name.
func (p *Pairings) Confirm(code string) (name string, err error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.expireLocked(time.Now())
	for i, r := range p.waiting {
		if subtle.ConstantTimeCompare([]byte(r.code), []byte(code)) == 1 {
			p.waiting[i].confirmed = true
			p.wrong = 0
			return r.name, nil
		}
	}
	if p.wrong++; p.wrong >= maxWrong {
		p.waiting, p.wrong = nil, 0
	}
	return "", problem.New(problem.InvalidParam, "Read the code in the extension's popup; it is valid for five minutes.", "no browser waits with the code %q.", code)
}

// Count returns how many browsers are paired.
func (p *Pairings) Count() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return len(p.paired)
}

func (p *Pairings) expireLocked(now time.Time) {
	kept := p.waiting[:0]
	for _, r := range p.waiting {
		if now.Before(r.until) {
			kept = append(kept, r)
		}
	}
	p.waiting = kept
}

func (p *Pairings) grantLocked(session, name string, now time.Time) (string, error) {
	token := randomHex(32)
	hash := sha256.Sum256([]byte(token))
	paired := append(p.paired, pairing{Hash: hex.EncodeToString(hash[:]), Name: name, Session: session, Created: now.UTC().Truncate(time.Second)})
	if len(paired) > maxPairings {
		paired = paired[1:]
	}
	data, err := json.MarshalIndent(paired, "", "  ")
	if err != nil {
		return "", fmt.Errorf("encode pairings: %w", err)
	}
	if err := p.dir.Write(pairingsFile, append(data, '\n')); err != nil {
		return "", err
	}
	p.paired = paired
	return token, nil
}

// pairCode makes a code that is easy to read aloud: six characters without those that look alike.
func pairCode() string {
	const letters = "ABCDEFGHJKMNPQRSTUVWXYZ23456789" // 31
	b := make([]byte, 12)
	_, _ = rand.Read(b) // never fails; see crypto/rand
	out := make([]byte, 6)
	for i := range out {
		out[i] = letters[(int(b[2*i])<<8|int(b[2*i+1]))%len(letters)]
	}
	return string(out)
}
