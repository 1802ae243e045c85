package pairing_test

import (
	"encoding/json"
	"os"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/brennhill/gasoline/internal/pairing"
	"github.com/brennhill/gasoline/internal/state"
)

func openDir(t *testing.T) (*pairing.Pairings, *state.Dir) {
	t.Helper()
	dir, err := state.Open(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { dir.Close() })
	p, err := pairing.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	return p, dir
}

func token(t *testing.T, dir *state.Dir, want pairing.Token, life time.Duration) (string, pairing.Token) {
	t.Helper()
	if want.Events == 0 {
		want.Events, want.Bytes = pairing.DefaultEvents, pairing.DefaultBytes
	}
	text, made, err := pairing.NewToken(dir, want, life)
	if err != nil {
		t.Fatal(err)
	}
	return text, made
}

func TestATokenOpensUntilItsEnd(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p, dir := openDir(t)
		text, _ := token(t, dir, pairing.Token{Scope: pairing.Ingest, Service: "api"}, time.Hour)
		b := p.Bearer(text)
		if b.Who != pairing.Granted || b.Grant.Service != "api" || b.Grant.Scope != pairing.Ingest {
			t.Fatalf("%+v", b)
		}
		time.Sleep(time.Hour - 2*time.Second)
		if p.Bearer(text).Who != pairing.Granted {
			t.Error("it ended early")
		}
		time.Sleep(2 * time.Second)
		if p.Bearer(text).Who != pairing.Nobody {
			t.Error("it opens after its end")
		}
		// The next one that is made removes it.
		token(t, dir, pairing.Token{Scope: pairing.Query}, time.Hour)
		if all, err := pairing.Tokens(dir); err != nil || len(all) != 1 {
			t.Errorf("%v %v", all, err)
		}
	})
}

func TestARevokedTokenOpensNothingAfterASecond(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p, dir := openDir(t)
		text, made := token(t, dir, pairing.Token{Scope: pairing.Admin}, time.Hour)
		if p.Bearer(text).Who != pairing.Granted {
			t.Fatal("it opens nothing")
		}
		if err := pairing.RevokeToken(dir, made.ID); err != nil {
			t.Fatal(err)
		}
		time.Sleep(time.Second)
		if p.Bearer(text).Who != pairing.Nobody {
			t.Error("it still opens")
		}
		if pairing.RevokeToken(dir, made.ID) == nil {
			t.Error("one that is not there is revoked")
		}
	})
}

func TestATokenInUseLastsLonger(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p, dir := openDir(t)
		text, made := token(t, dir, pairing.Token{Scope: pairing.Ingest}, time.Hour)
		path, err := pairing.KeepText(dir, made.ID, text)
		if err != nil {
			t.Fatal(err)
		}
		if kept, err := os.ReadFile(path); err != nil || strings.TrimSpace(string(kept)) != text {
			t.Errorf("%q %v", kept, err)
		}
		for range 5 {
			time.Sleep(40 * time.Minute)
			if err := pairing.ExtendToken(dir, made.ID, time.Hour); err != nil {
				t.Fatal(err)
			}
		}
		if p.Bearer(text).Who != pairing.Granted {
			t.Error("it ended though it was extended")
		}
		if err := pairing.RevokeToken(dir, made.ID); err != nil {
			t.Fatal(err)
		}
		if _, err := os.Stat(path); err == nil {
			t.Error("its text is still there")
		}
		if pairing.ExtendToken(dir, made.ID, time.Hour) == nil {
			t.Error("a revoked token was extended")
		}
	})
}

func TestOnlyTheWholeTokenOpens(t *testing.T) {
	p, dir := openDir(t)
	text, made := token(t, dir, pairing.Token{Scope: pairing.Ingest}, time.Hour)
	for _, wrong := range []string{
		text[:len(text)-1], text + "0", strings.ToUpper(text), strings.Replace(text, "ingest", "admin", 1),
		"gasoline_ingest_" + made.ID + "_", "gasoline_ingest_" + made.ID + "_" + made.Hash,
		"gasoline_ingest_../../token_" + made.Hash, "gasoline_ingest__", "gasoline_", strings.Repeat("gasoline_", 1000),
	} {
		if p.Bearer(wrong).Who != pairing.Nobody {
			t.Errorf("%q opens", wrong)
		}
	}
	data, err := dir.Read("tokens/" + made.ID + ".json")
	if err != nil {
		t.Fatal(err)
	}
	if secret := text[strings.LastIndexByte(text, '_')+1:]; strings.Contains(string(data), secret) || len(secret) != 64 {
		t.Errorf("the file has the secret %q", secret)
	}
	info, err := os.Stat(dir.Path("tokens/" + made.ID + ".json"))
	if err != nil || info.Mode().Perm()&0o077 != 0 {
		t.Errorf("%v %v", info.Mode(), err)
	}
	if err := dir.Write("tokens/"+made.ID+".json", []byte(`{"id":"`+made.ID+`"}`)); err != nil {
		t.Fatal(err)
	}
	if q, err := pairing.Open(dir); err != nil || q.Bearer(text).Who != pairing.Nobody {
		t.Error("a damaged file opens")
	}
}

func TestTokensHaveLimits(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p, dir := openDir(t)
		text, _ := token(t, dir, pairing.Token{Scope: pairing.Ingest, Events: 100, Bytes: 1000}, time.Hour)
		g := p.Bearer(text).Grant
		if wait := g.Allow(1000, 500); wait != 0 { // ten seconds' worth
			t.Errorf("the burst waits %s", wait)
		}
		wait := g.Allow(100, 0)
		if wait != time.Second {
			t.Errorf("the next second's worth waits %s", wait)
		}
		time.Sleep(wait)
		if g := p.Bearer(text).Grant; g.Allow(100, 0) != 0 { // looked up anew, with the same account
			t.Error("it waits longer than it said")
		}
		if wait := g.Allow(0, 10_000); wait != 0 {
			t.Errorf("the burst of bytes waits %s", wait)
		}
		if wait := g.Allow(0, 500); wait != time.Second/2 {
			t.Errorf("bytes above it wait %s", wait)
		}
		// A batch above the burst is let in when nothing else was, and then owed for.
		time.Sleep(time.Minute)
		if wait := g.Allow(3000, 0); wait != 0 {
			t.Errorf("a large batch waits %s", wait)
		}
		if wait := g.Allow(1, 0); wait < 20*time.Second || wait > 21*time.Second {
			t.Errorf("what comes after it waits %s", wait)
		}
	})
}

// Whoever changes a token's file, and be it only its end, gives no burst with it.
func TestAChangedFileLeavesWhatIsLeftOfTheLimits(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p, dir := openDir(t)
		text, made := token(t, dir, pairing.Token{Scope: pairing.Ingest, Events: 100, Bytes: 1000}, time.Hour)
		name := "tokens/" + made.ID + ".json"
		if wait := p.Bearer(text).Grant.Allow(1000, 0); wait != 0 {
			t.Fatalf("the burst waits %s", wait)
		}
		made.Expires = made.Expires.Add(time.Hour)
		data, err := json.Marshal(made)
		if err != nil {
			t.Fatal(err)
		}
		time.Sleep(time.Second)
		for _, written := range []string{string(data[:40]), string(data)} {
			if err := dir.Write(name, []byte(written)); err != nil {
				t.Fatal(err)
			}
			if damaged := written != string(data); damaged != (p.Bearer(text).Who == pairing.Nobody) {
				t.Errorf("%s opens or not: %v", written, !damaged)
			}
		}
		g := p.Bearer(text).Grant
		if !g.Expires.Equal(made.Expires) {
			t.Errorf("it ends at %s, not at %s", g.Expires, made.Expires)
		}
		if wait := g.Allow(1000, 0); wait != 9*time.Second { // one second's worth came back
			t.Errorf("a second burst waits %s", wait)
		}
	})
}

func TestTokensThatCannotBe(t *testing.T) {
	_, dir := openDir(t)
	good := pairing.Token{Scope: pairing.Ingest, Events: 1, Bytes: 1}
	for name, c := range map[string]struct {
		change func(*pairing.Token)
		life   time.Duration
	}{
		"no scope":     {func(t *pairing.Token) { t.Scope = "" }, time.Hour},
		"no life":      {func(*pairing.Token) {}, 0},
		"a long life":  {func(*pairing.Token) {}, 10 * 366 * 24 * time.Hour},
		"no rate":      {func(t *pairing.Token) { t.Events = 0 }, time.Hour},
		"a long name":  {func(t *pairing.Token) { t.Service = strings.Repeat("x", 101) }, time.Hour},
		"a read stamp": {func(t *pairing.Token) { t.Scope, t.Service = pairing.Query, "api" }, time.Hour},
	} {
		wanted := good
		c.change(&wanted)
		if _, _, err := pairing.NewToken(dir, wanted, c.life); err == nil {
			t.Errorf("%s: made", name)
		}
	}
	for range 200 {
		token(t, dir, good, time.Hour)
	}
	if _, _, err := pairing.NewToken(dir, good, time.Hour); err == nil {
		t.Error("there is no bound")
	}
}

// A program that has a token of a scope can have the daemon prove that it is the one that gave it.
func TestTheHashOfATokenIsAKeyUntilItsEnd(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p, dir := openDir(t)
		_, made := token(t, dir, pairing.Token{Scope: pairing.Ingest}, time.Hour)
		if key, ok := p.Key("token-" + made.ID); !ok || string(key) != made.Hash {
			t.Errorf("%q %v", key, ok)
		}
		for _, id := range []string{"token-", "token-../token", "token-" + strings.Repeat("0", 16), "token-" + made.ID + "0", made.ID} {
			if key, ok := p.Key(id); ok {
				t.Errorf("%q is the key %q", id, key)
			}
		}
		time.Sleep(time.Hour)
		if _, ok := p.Key("token-" + made.ID); ok {
			t.Error("it is a key after its end")
		}
	})
}
