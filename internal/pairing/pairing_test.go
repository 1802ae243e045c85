package pairing_test

import (
	"bytes"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/brennhill/gasoline/internal/pairing"
	"github.com/brennhill/gasoline/internal/problem"
	"github.com/brennhill/gasoline/internal/proof"
	"github.com/brennhill/gasoline/internal/state"
)

func open(t *testing.T) *state.Dir {
	t.Helper()
	d, err := state.Open(filepath.Join(t.TempDir(), "state"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { d.Close() })
	return d
}

// bearer is what a browser sends that has a key.
func bearer(p *pairing.Pairings, id string, key []byte) string {
	return id + "." + proof.Of(key, proof.Bearer, p.Boot())
}

func TestPairing(t *testing.T) {
	d := open(t)
	p, err := pairing.Open(d)
	if err != nil {
		t.Fatal(err)
	}
	one, oneKey, err := p.Grant(pairing.Paired{Session: "s1", Name: "Work"})
	if err != nil {
		t.Fatal(err)
	}
	two, twoKey, err := p.Grant(pairing.Paired{Session: "s2", Name: strings.Repeat("é", 300)})
	if err != nil || two == one || bytes.Equal(oneKey, twoKey) {
		t.Fatalf("%s %s %v", one, two, err)
	}
	old := bearer(p, one, oneKey)
	if p.Bearer(old).Who != pairing.Browsers {
		t.Error("its own run does not know the browser")
	}
	p, err = pairing.Open(d)
	if err != nil {
		t.Fatal(err)
	}
	token, _ := d.Token()
	for what, c := range map[string]struct {
		bearer string
		want   pairing.Who
	}{
		"the first": {bearer(p, one, oneKey), pairing.Browsers}, "the second": {bearer(p, two, twoKey), pairing.Browsers},
		"of an earlier run": {old, pairing.Nobody}, "another's id": {bearer(p, one, twoKey), pairing.Nobody},
		"the key itself": {one + "." + proof.Hex(oneKey), pairing.Nobody}, "an id": {one + ".", pairing.Nobody},
		"the token": {token, pairing.Local}, "nothing": {"", pairing.Nobody}, "a dot": {".", pairing.Nobody},
	} {
		if got := p.Bearer(c.bearer).Who; got != c.want {
			t.Errorf("%s is %v, want %v", what, got, c.want)
		}
	}
	data, err := d.Read("pairings.json")
	if err != nil || strings.Contains(string(data), proof.Hex(oneKey)) || len(data) > 1000 {
		t.Errorf("%d bytes, a key is on disk: %v", len(data), err)
	}
	// A browser that pairs again gives up its old key.
	if _, _, err := p.Grant(pairing.Paired{Session: "s1", KeyID: one}); err != nil || p.Count() != 2 {
		t.Errorf("%d paired, %v", p.Count(), err)
	}
	if _, ok := p.Key(one); ok {
		t.Error("the old key is known still")
	}
	for range 60 {
		if _, _, err := p.Grant(pairing.Paired{Session: "s"}); err != nil {
			t.Fatal(err)
		}
	}
	if p.Count() != 50 {
		t.Errorf("%d are paired", p.Count())
	}
}

func TestACodeIsGoodOnceAndNotForLong(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p, err := pairing.Open(open(t))
		if err != nil {
			t.Fatal(err)
		}
		redeem := func(code, secret string) (string, []byte, error) {
			nonce := proof.Nonce()
			id, theirs, sealed, mac, err := p.Redeem(
				code[:8],
				nonce,
				proof.Of([]byte(secret), proof.Pair, nonce),
				pairing.Paired{Session: "s1"},
			)
			if err != nil {
				return "", nil, err
			}
			key, ok := p.Key(id)
			want, wantMAC := proof.SealKey([]byte(code[8:]), key, nonce, theirs, id)
			if !ok || sealed != want || mac != wantMAC {
				t.Error("the key is sealed by something else")
			}
			return id, key, nil
		}
		code := p.NewCode()
		if len(code) != 32 || code == p.NewCode() {
			t.Errorf("code %q", code)
		}
		if _, _, err := redeem(code, strings.Repeat("0", 24)); problem.From(err).Code != problem.InvalidParam {
			t.Errorf("without the secret: %v", err)
		}
		id, key, err := redeem(code, code[8:])
		if err != nil || p.Bearer(bearer(p, id, key)).Who != pairing.Browsers {
			t.Errorf("%s %v", id, err)
		}
		slept := p.NewCode()
		p.SleepFor(pairing.CodeLife + time.Second)
		if _, _, err := redeem(slept, slept[8:]); err == nil {
			t.Error("a code was good after the machine had slept for long")
		}
		if _, _, err := redeem(code, code[8:]); err == nil {
			t.Error("a code was good twice")
		}
		code = p.NewCode()
		time.Sleep(pairing.CodeLife + time.Second)
		if _, _, err := redeem(code, code[8:]); err == nil {
			t.Error("an old code was good")
		}
		if _, ok := p.Key("code-" + code[:8]); ok {
			t.Error("an old code proves the daemon")
		}
		// Many codes end the oldest, never the newest.
		first := p.NewCode()
		var last string
		for range 5 {
			last = p.NewCode()
		}
		if _, _, err := redeem(first, first[8:]); err == nil {
			t.Error("more codes wait than there may")
		}
		if _, _, err := redeem(last, last[8:]); err != nil {
			t.Error(err)
		}
	})
}

func TestBrokenPairingsAreToldAndPairNobody(t *testing.T) {
	d := open(t)
	d.Write("pairings.json", []byte("[\n  {\"id\": 7}\n]"))
	p, err := pairing.Open(d)
	if err != nil {
		t.Fatal(err)
	}
	fault := p.Fault()
	if fault == nil || fault.Line != 2 || fault.File != d.Path("pairings.json") || fault.Fix == "" || p.Count() != 0 {
		t.Errorf("%+v, %d paired", fault, p.Count())
	}
	if _, _, err := p.Grant(pairing.Paired{Session: "s"}); err != nil || p.Fault() != nil {
		t.Errorf("%v %v", err, p.Fault())
	}
}
