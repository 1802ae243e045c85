// Package pairing keeps the keys between this daemon and the browsers that may talk to it.
//
// A browser gets its key from the native messaging host, which it starts itself as this user, or by a code that
// the user carries from a terminal to the popup. Neither side ever sends the key: each proves that it has it.
package pairing

import (
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"strings"
	"sync"
	"time"

	"github.com/brennhill/gasoline/internal/problem"
	"github.com/brennhill/gasoline/internal/proof"
	"github.com/brennhill/gasoline/internal/state"
)

const (
	pairingsFile = "pairings.json"
	maxPairings  = 50
)

// Bounds of codes. Only who has the token can have one made.
const (
	CodeLife = 5 * time.Minute
	maxCodes = 5 // that wait to be used; the oldest ends when there are more
	codeID   = 8 // characters of a code that name it
	codeSize = 32
	codeName = "code-" // before a code's id, where a key id is wanted
)

// Pairings are the browsers that may talk to this daemon. The file holds their key ids; a key is
// derived from the id and the install's token. A key is given to the native messaging host, which the
// browser itself starts for the pinned extension only, or to who knows a code that this daemon made
// for a program with the token. Safe for concurrent use.
type Pairings struct {
	dir   *state.Dir
	token string
	boot  string

	mu     sync.Mutex
	paired []pairing
	codes  []code
	fault  *state.Fault

	grants grants
}

type pairing struct {
	ID      string    `json:"id"`
	Name    string    `json:"name"`
	Session string    `json:"session"`
	Created time.Time `json:"created"`

	key    []byte
	bearer string
}

type code struct {
	id, secret string
	until      time.Time // by the clock that nobody sets, which stands still while the machine sleeps
	wall       time.Time // by the other one: the code is good until the earlier of the two
}

// Who says what a bearer opens.
type Who int

// The bearers. Local is the token file: CLI, bridge. Browsers is a paired extension. Granted is a token with a scope.
const (
	Nobody Who = iota
	Local
	Browsers
	Granted
)

// Bearer is who sent a request.
type Bearer struct {
	Who   Who
	Grant *Grant // of Granted
	key   []byte // of a browser
	boot  string
}

// Answer returns the proof that stands beside an answer to a browser: its nonce, under its key. It is
// "" for everybody else, and for what is no nonce.
func (b Bearer) Answer(nonce string) string {
	if b.Who != Browsers || !proof.IsNonce(nonce) {
		return ""
	}
	return proof.Of(b.key, proof.Answer, nonce, b.boot)
}

// Open reads the pairings of a state directory. A file that cannot be read pairs nobody: see Fault.
func Open(dir *state.Dir) (*Pairings, error) {
	token, err := dir.Token()
	if err != nil {
		return nil, err
	}
	p := &Pairings{dir: dir, token: token, boot: proof.Nonce(), grants: grants{byID: map[string]*Grant{}}}
	data, err := dir.Read(pairingsFile)
	if errors.Is(err, fs.ErrNotExist) {
		return p, nil
	}
	var read []pairing
	if err == nil {
		err = json.Unmarshal(data, &read)
	}
	if err != nil {
		p.fault = &state.Fault{File: dir.Path(pairingsFile), Line: state.LineOf(data, err), Error: err.Error(),
			Effect: "no browser is paired", Fix: "Delete it; every browser then pairs anew."}
		return p, nil
	}
	for _, one := range read {
		if one.ID != "" {
			p.paired = append(p.paired, p.complete(one))
		}
	}
	p.paired = p.paired[max(0, len(p.paired)-maxPairings):]
	return p, nil
}

// Fault returns what is wrong with the file, or nil. It ends when the file is written anew.
func (p *Pairings) Fault() *state.Fault {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.fault
}

func (p *Pairings) complete(one pairing) pairing {
	one.key = proof.KeyOf(p.token, one.ID)
	one.bearer = one.ID + "." + proof.Of(one.key, proof.Bearer, p.boot)
	return one
}

// Boot returns what tells this run from every other; it is no secret.
func (p *Pairings) Boot() string { return p.boot }

// Key returns the key that an id names: "" is the install's token, else a browser's key, a code, or the hash of a token
// with a scope, of which nothing else is kept.
func (p *Pairings) Key(id string) ([]byte, bool) {
	if id == "" {
		return []byte(p.token), true
	}
	if name, ok := strings.CutPrefix(id, tokenName); ok {
		t, err := readToken(p.dir, name)
		return []byte(t.Hash), err == nil && time.Now().Before(t.Expires)
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if name, ok := strings.CutPrefix(id, codeName); ok {
		if at := p.codeLocked(name); at >= 0 {
			return []byte(p.codes[at].secret), true
		}
		return nil, false
	}
	for _, one := range p.paired {
		if one.ID == id {
			return one.key, true
		}
	}
	return nil, false
}

// Bearer says whose token it is. It compares in constant time.
func (p *Pairings) Bearer(token string) Bearer {
	if proof.Same(token, p.token) {
		return Bearer{Who: Local}
	}
	if g := p.grant(token); g != nil {
		return Bearer{Who: Granted, Grant: g}
	}
	id, _, dotted := strings.Cut(token, ".")
	if !dotted {
		return Bearer{}
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, one := range p.paired {
		if one.ID == id && proof.Same(token, one.bearer) {
			return Bearer{Who: Browsers, key: one.key, boot: p.boot}
		}
	}
	return Bearer{}
}

// Grant pairs a browser and returns its key. Who calls it has made sure that the user wants it.
func (p *Pairings) Grant(b Paired) (id string, key []byte, err error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.grantLocked(b)
}

// NewCode makes a code for the user to paste into the extension's popup. It is good once, for CodeLife.
func (p *Pairings) NewCode() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.expireLocked()
	if len(p.codes) >= maxCodes {
		p.codes = p.codes[1:]
	}
	text := randomCode()
	until := time.Now().Add(CodeLife)
	p.codes = append(p.codes, code{text[:codeID], text[codeID:], until, until.Round(0)})
	return text
}

// Redeem pairs a browser that knows a code. The key is sealed by the code, so that nobody else can
// read it.
func (p *Pairings) Redeem(id, nonce, mac string, b Paired) (keyID, ours, sealed, ourMAC string, err error) {
	if !proof.IsNonce(nonce) {
		return "", "", "", "", problem.New(problem.InvalidParam, "Send 64 hexadecimal digits.", "nonce is not one.")
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	at := p.codeLocked(id)
	if at < 0 || !proof.Same(mac, proof.Of([]byte(p.codes[at].secret), proof.Pair, nonce)) {
		return "", "", "", "", unknownCode()
	}
	secret := []byte(p.codes[at].secret)
	keyID, key, err := p.grantLocked(b)
	if err != nil {
		return "", "", "", "", err
	}
	p.codes = append(p.codes[:at:at], p.codes[at+1:]...)
	ours = proof.Nonce()
	sealed, ourMAC = proof.SealKey(secret, key, nonce, ours, keyID)
	return keyID, ours, sealed, ourMAC, nil
}

func unknownCode() error {
	return problem.New(
		problem.InvalidParam,
		`Run "gasoline pair" again; a code is good once, for five minutes.`,
		"the code is not known.",
	)
}

// Count returns how many browsers are paired.
func (p *Pairings) Count() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return len(p.paired)
}

// codeLocked returns the index of a code that is still good, or -1.
func (p *Pairings) codeLocked(id string) int {
	p.expireLocked()
	for i, c := range p.codes {
		if c.id == id {
			return i
		}
	}
	return -1
}

func (p *Pairings) expireLocked() {
	now := time.Now()
	kept := p.codes[:0]
	for _, c := range p.codes {
		if now.Before(c.until) && now.Round(0).Before(c.wall) {
			kept = append(kept, c)
		}
	}
	p.codes = kept
}

// Paired is a browser that is to be paired: its profile's session, what the user calls it, and the id
// of the key that it had before, if any.
type Paired struct{ Session, Name, KeyID string }

const maxBrowserName = 100 // bytes

func (p *Pairings) grantLocked(b Paired) (string, []byte, error) {
	if b.Session == "" || len(b.Session) > 64 {
		return "", nil, problem.New(
			problem.InvalidParam,
			"Send the browser profile's session id.",
			"session must have 1–64 characters.",
		)
	}
	if len(b.Name) > maxBrowserName {
		b.Name = strings.ToValidUTF8(b.Name[:maxBrowserName], "")
	}
	one := p.complete(
		pairing{
			ID:      proof.Nonce()[:2*8],
			Name:    b.Name,
			Session: b.Session,
			Created: time.Now().UTC().Truncate(time.Second),
		},
	)
	var paired []pairing
	for _, known := range p.paired {
		if known.ID != b.KeyID {
			paired = append(paired, known)
		}
	}
	paired = append(paired, one)
	paired = paired[max(0, len(paired)-maxPairings):]
	data, err := json.MarshalIndent(paired, "", "  ")
	if err != nil {
		return "", nil, fmt.Errorf("encode pairings: %w", err)
	}
	if err := p.dir.Write(pairingsFile, append(data, '\n')); err != nil {
		return "", nil, err
	}
	p.paired, p.fault = paired, nil
	return one.ID, one.key, nil
}

// randomCode makes a code of codeSize characters, without those that look alike: five bits in each.
func randomCode() string {
	const letters = "0123456789abcdefghjkmnpqrstvwxyz"
	b, _ := hex.DecodeString(proof.Nonce()) // it is hexadecimal
	for i := range b {
		b[i] = letters[b[i]%byte(len(letters))]
	}
	return string(b)
}
