package pairing

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/brennhill/gasoline/internal/problem"
	"github.com/brennhill/gasoline/internal/proof"
	"github.com/brennhill/gasoline/internal/state"
)

// Scope is what a token opens.
type Scope string

// The scopes of tokens.
const (
	Ingest Scope = "ingest" // give logs and spans of services
	Query  Scope = "query"  // read what was captured
	Admin  Scope = "admin"  // everything, as the install's token
)

// Limits of tokens.
const (
	DefaultLife   = 24 * time.Hour
	maxLife       = 366 * 24 * time.Hour
	DefaultEvents = 2000    // per second
	DefaultBytes  = 4 << 20 // per second
	maxRate       = 1 << 30
	burst         = 10 // seconds' worth that may come at once
	maxTokens     = 200
	maxTokenName  = 100 // bytes of a service's and an environment's name
	tokenFolder   = "tokens"
	tokenPrefix   = "gasoline_"
	tokenName     = "token-" // before a token's id, where a key id is wanted
	tokenID       = 16       // hexadecimal digits
	lookAgain     = time.Second
)

// Token is what is known of a token. Its text is kept nowhere.
type Token struct {
	ID          string    `json:"id"`
	Hash        string    `json:"hash"` // SHA-256 of the secret, hexadecimal
	Scope       Scope     `json:"scope"`
	Service     string    `json:"service,omitempty"`     // what is sent by it is this service's
	Environment string    `json:"environment,omitempty"` // and of this environment
	Created     time.Time `json:"created"`
	Expires     time.Time `json:"expires"`
	Events      int       `json:"events"` // per second
	Bytes       int       `json:"bytes"`  // per second
}

// NewToken makes a token, for a scope, names and limits as t has them, and returns its text, which cannot be had
// again. A token is a file of the state directory, so that no daemon needs to run; those that ended are removed.
func NewToken(dir *state.Dir, t Token, life time.Duration) (text string, made Token, err error) {
	if !slices.Contains([]Scope{Ingest, Query, Admin}, t.Scope) {
		return "", t, problem.New(problem.InvalidParam, "Give ingest, query or admin.", "there is no scope %q.", t.Scope)
	}
	if t.Scope != Ingest && (t.Service != "" || t.Environment != "") {
		return "", t, problem.New(problem.InvalidParam, "Leave service and environment out, or give the scope ingest.",
			"only what is sent has a service.")
	}
	if len(t.Service) > maxTokenName || len(t.Environment) > maxTokenName {
		return "", t, problem.New(problem.InvalidParam, "Give shorter names.",
			"a service's and an environment's name may have %d bytes.", maxTokenName)
	}
	if life <= 0 || life > maxLife {
		return "", t, problem.New(problem.InvalidParam, "Give a duration such as 24h.",
			"a token lasts at most %d days.", int(maxLife/(24*time.Hour)))
	}
	if t.Events <= 0 || t.Events > maxRate || t.Bytes <= 0 || t.Bytes > maxRate {
		return "", t, problem.New(problem.InvalidParam, "Give a number from 1 on.", "the rate is none.")
	}
	now := time.Now()
	left, err := SweepTokens(dir)
	if err != nil {
		return "", t, err
	}
	if left >= maxTokens {
		return "", t, problem.New(problem.Conflict, `"gasoline token list" shows them; revoke some.`, "there are %d tokens.", left)
	}
	secret := proof.Nonce()
	t.ID, t.Hash = proof.Nonce()[:tokenID], hashOf(secret)
	t.Created = now.UTC().Truncate(time.Second)
	t.Expires = now.Add(life).UTC().Truncate(time.Second)
	data, err := json.MarshalIndent(t, "", "  ")
	if err != nil {
		return "", t, fmt.Errorf("encode a token: %w", err)
	}
	if err := dir.Place(tokenFile(t.ID), append(data, '\n')); err != nil {
		return "", t, fmt.Errorf("keep a token: %w", err)
	}
	return tokenPrefix + string(t.Scope) + "_" + t.ID + "_" + secret, t, nil
}

// SweepTokens removes the tokens that expired, and those whose holder was killed. It returns how many are left.
func SweepTokens(dir *state.Dir) (left int, err error) {
	all, err := Tokens(dir)
	if err != nil {
		return 0, err
	}
	for _, t := range all {
		if time.Now().Before(t.Expires) && !abandoned(dir, t.ID) {
			left++
		} else if err := removeToken(dir, t.ID); err != nil {
			return 0, fmt.Errorf("remove a token that ended: %w", err)
		}
	}
	return left, nil
}

// HoldToken binds a token to this process until let is called: of one that was killed, [SweepTokens] removes the token.
func HoldToken(dir *state.Dir, id string) (let func(), err error) {
	f, err := state.Lock(dir.Path(holdFile(id)))
	if err != nil {
		return func() {}, fmt.Errorf("hold a token: %w", err)
	}
	let = func() { _ = f.Close() } // which is all that it was for
	if _, err := f.WriteString("held\n"); err != nil {
		return let, fmt.Errorf("hold a token: %w", err)
	}
	return let, nil
}

// abandoned reports whether a token was held and is no more. A file without a word in it is about to be locked.
func abandoned(dir *state.Dir, id string) bool {
	if word, err := dir.Read(holdFile(id)); err != nil || len(word) == 0 {
		return false
	}
	held, err := state.Locked(dir.Path(holdFile(id)))
	return err == nil && !held
}

// Tokens returns the tokens of a state directory, the newest first. Files that are damaged open nothing and are left
// out.
func Tokens(dir *state.Dir) ([]Token, error) {
	files, err := dir.Files(tokenFolder)
	if err != nil {
		return nil, fmt.Errorf("list the tokens: %w", err)
	}
	var out []Token
	for _, f := range files {
		id, named := strings.CutSuffix(f.Name(), ".json")
		if t, err := readToken(dir, id); named && err == nil {
			out = append(out, t)
		}
	}
	slices.SortStableFunc(out, func(a, b Token) int { return b.Created.Compare(a.Created) })
	return out, nil
}

// RevokeToken removes a token. A daemon refuses it after a second at most.
func RevokeToken(dir *state.Dir, id string) error {
	if !isTokenID(id) {
		return problem.New(problem.InvalidParam, `"gasoline token list" shows the ids.`, "there is no token %q.", id)
	}
	if _, err := dir.Read(tokenFile(id)); errors.Is(err, fs.ErrNotExist) {
		return problem.New(problem.NotFound, `"gasoline token list" shows the ids.`, "there is no token %q.", id)
	}
	return removeToken(dir, id)
}

// ExtendToken lets a token last for life from now on. One that was revoked is an error.
func ExtendToken(dir *state.Dir, id string, life time.Duration) error {
	t, err := readToken(dir, id)
	if err != nil {
		return fmt.Errorf("extend a token: %w", err)
	}
	t.Expires = time.Now().Add(life).UTC().Truncate(time.Second)
	data, err := json.MarshalIndent(t, "", "  ")
	if err != nil {
		return fmt.Errorf("encode a token: %w", err)
	}
	return dir.Write(tokenFile(id), append(data, '\n'))
}

// KeepText writes a token's text into a file for a program that reads it from one, and returns its path. The file ends
// with the token.
func KeepText(dir *state.Dir, id, text string) (path string, err error) {
	if err := dir.Write(textFile(id), []byte(text+"\n")); err != nil {
		return "", err
	}
	return dir.Path(textFile(id)), nil
}

func removeToken(dir *state.Dir, id string) error {
	return errors.Join(dir.Remove(tokenFile(id)), dir.Remove(textFile(id)), dir.Remove(holdFile(id)))
}

func holdFile(id string) string { return tokenFolder + "/" + id + ".held" }

func textFile(id string) string { return tokenFolder + "/" + id + ".text" }

func tokenFile(id string) string { return tokenFolder + "/" + id + ".json" }

func isTokenID(id string) bool {
	_, err := hex.DecodeString(id)
	return err == nil && len(id) == tokenID && strings.ToLower(id) == id
}

func hashOf(secret string) string {
	sum := sha256.Sum256([]byte(secret))
	return hex.EncodeToString(sum[:])
}

func readToken(dir *state.Dir, id string) (t Token, err error) {
	if !isTokenID(id) {
		return t, fs.ErrNotExist
	}
	data, err := dir.Read(tokenFile(id))
	if err != nil {
		return t, err
	}
	if err := json.Unmarshal(data, &t); err != nil {
		return t, err
	}
	if t.ID != id || len(t.Hash) != 2*sha256.Size || t.Events <= 0 || t.Bytes <= 0 {
		return t, errors.New("it is no token")
	}
	return t, nil
}

// Grant is a token that a request showed, with what is left of its limits. It may be used by many goroutines.
type Grant struct {
	Token

	until time.Time // with the reading of the clock that nobody sets
	seen  time.Time // when the file was read

	mu            sync.Mutex
	events, bytes float64 // that may come now; below zero after a large batch
	at            time.Time
}

// Allow takes events and bytes from the limits. It returns zero when they may come, else when to try again.
func (g *Grant) Allow(events, bytes int) (wait time.Duration) {
	g.mu.Lock()
	defer g.mu.Unlock()
	now := time.Now()
	passed := now.Sub(g.at).Seconds()
	g.at = now
	g.events = min(float64(burst*g.Events), g.events+passed*float64(g.Events))
	g.bytes = min(float64(burst*g.Bytes), g.bytes+passed*float64(g.Bytes))
	for _, one := range []struct {
		left float64
		rate int
		want int
	}{{g.events, g.Events, events}, {g.bytes, g.Bytes, bytes}} {
		// One batch that is larger than the burst waits for all of it, then for what it owes.
		if short := float64(min(one.want, burst*one.rate)) - one.left; one.want > 0 && short > 0 {
			wait = max(wait, time.Duration(short/float64(one.rate)*float64(time.Second)))
		}
	}
	if wait > 0 {
		return max(wait, time.Millisecond)
	}
	g.events -= float64(events)
	g.bytes -= float64(bytes)
	return 0
}

// newGrant returns the grant of a token. What is left of its limits goes on from an earlier grant of the same secret,
// whose file was changed since; nil begins a burst.
func newGrant(t Token, before *Grant, now time.Time) *Grant {
	g := &Grant{
		Token: t, until: now.Add(t.Expires.Sub(now)), at: now,
		events: float64(burst * t.Events), bytes: float64(burst * t.Bytes),
	}
	if before != nil && before.Hash == t.Hash {
		before.mu.Lock()
		defer before.mu.Unlock()
		g.events, g.bytes, g.at = min(g.events, before.events), min(g.bytes, before.bytes), before.at
	}
	return g
}

// grants are the tokens that were shown, by id. What is kept of one is what its file said a second ago at most.
type grants struct {
	mu   sync.Mutex
	byID map[string]*Grant // ≤ maxTokens
}

// grant returns the grant of a token's text, or nil.
func (p *Pairings) grant(text string) *Grant {
	rest, ok := strings.CutPrefix(text, tokenPrefix)
	if !ok || len(text) > 200 {
		return nil
	}
	parts := strings.Split(rest, "_")
	if len(parts) != 3 {
		return nil
	}
	now := time.Now()
	p.grants.mu.Lock()
	defer p.grants.mu.Unlock()
	g := p.grants.byID[parts[1]]
	if g == nil || now.Sub(g.seen) >= lookAgain {
		kept, err := readToken(p.dir, parts[1])
		if err != nil {
			if errors.Is(err, fs.ErrNotExist) { // else it may be half written: what was used stays used
				delete(p.grants.byID, parts[1])
			}
			return nil
		}
		if g == nil || g.Token != kept {
			g = newGrant(kept, g, now)
			for id := range p.grants.byID {
				if len(p.grants.byID) < maxTokens {
					break
				}
				delete(p.grants.byID, id)
			}
			p.grants.byID[parts[1]] = g
		}
		g.seen = now
	}
	// A clock that was set back does not make it last longer: until goes by the one that nobody sets.
	if !now.Before(g.until) || !now.Round(0).Before(g.Expires) {
		return nil
	}
	if !proof.Same(g.Hash, hashOf(parts[2])) || parts[0] != string(g.Scope) {
		return nil
	}
	return g
}
