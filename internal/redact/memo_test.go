package redact_test

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"

	"github.com/brennhill/gasoline/internal/event"
	"github.com/brennhill/gasoline/internal/redact"
)

// nearSecrets are parts of texts that begin, name, end or surround secrets, or nearly so.
var nearSecrets = []string{
	"password", "token", "api_key", "apiKey", "key", "code", "state", "auth", "signature", "name", "value", "v", "id",
	"content", "pin", "sid", "secret", "user", "http.response.status_code", "session", "field", "header", "k", "pass",
	"cookie", "set-cookie", "authorization", "bearer", "basic", "status_code", "tokens", "nonce", "ticket", "API",
	"Bearer abcdefgh12345678", "Basic dXNlcjpwYXNz", "ghp_" + strings.Repeat("aB3", 12), "AKIA" + strings.Repeat("A2", 8),
	"4111 1111 1111 1111", "4111111111111111", "123-45-6789", "hunter2hunter2", "Zx81Spectrum", "-pZx81Spectrum", "mysql",
	"curl -u", "a:Zx81Spectrum", "-u", "-p", "--password", "https://u:Zx81Spectrum@host/", "/reset/3f9c2b7a8d1e4f60",
	"/login/a/3f9c2b7a8d1e4f60", "?code=3f9c2b7a8d1e4f60", "&token=3f9c", "0", "1", "200", "-5", "1.5", "true", "null",
	"GET", "/api/items/1", "Mozilla/5.0 (X11; Linux x86_64)", " ", "  ", ",", ":", "=", "'", "<", ">", "%3D", "\\", "\"",
	"\n", "é", "пароль", "<jwt#1>", "<password:0000abcd>", "$p", "{", "}", "[", "]", "identified by ", "AUTH ", "form-data",
	"(id,pin) VALUES (1,'Zx81Spectrum')", "a:Zx81Spectrum@tcp(db)/",
	"-----BEGIN PRIVATE KEY-----", "base64,", "x", "y", "is", "next.token", "aB3dE5gH7jK9mN1pQ3", "!Zx81Spectrum!",
}

func mixed(r *rand.Rand, most int) string {
	var b strings.Builder
	for range r.IntN(most) + 1 {
		b.WriteString(nearSecrets[r.IntN(len(nearSecrets))])
		if r.IntN(3) == 0 {
			b.WriteByte(" :=/.,&"[r.IntN(7)])
		}
	}
	return b.String()
}

// object writes a JSON object of members that may be near a secret, some of which come again and again.
func object(r *rand.Rand, bag []string) string {
	var b strings.Builder
	b.WriteByte('{')
	for i := range r.IntN(6) + 1 {
		if i > 0 {
			b.WriteByte(',')
		}
		if r.IntN(3) > 0 {
			b.WriteString(bag[r.IntN(len(bag))])
			continue
		}
		b.WriteString(someMember(r))
	}
	b.WriteByte('}')
	s := b.String()
	switch r.IntN(30) {
	case 0:
		return s[:r.IntN(len(s)+1)] // cut
	case 1:
		return strings.Replace(s, ":", ": ", 1)
	case 2:
		return s + mixed(r, 2)
	}
	return s
}

func someMember(r *rand.Rand) string {
	key, _ := json.Marshal(mixed(r, 2))
	var value []byte
	switch r.IntN(8) {
	case 0:
		value = fmt.Append(nil, r.IntN(1000))
	case 1:
		value = []byte([]string{"true", "null", "1.5e+3", "-2", "4111111111111111", "12345678", "{}", `["pin","1"]`}[r.IntN(8)])
	default:
		value, _ = json.Marshal(mixed(r, 3))
	}
	return string(key) + ":" + string(value)
}

func randomLog(r *rand.Rand, bag []string) *event.Log {
	l := &event.Log{Message: mixed(r, 3), Attributes: object(r, bag), Level: "info", Logger: mixed(r, 1)}
	l.URL = "https://shop.test/" + mixed(r, 1)
	if r.IntN(4) == 0 {
		l.Args = object(r, bag)
	}
	return l
}

// What came before is not looked at again. That changes nothing: neither what is replaced, nor by what, nor what is
// found, whatever is learned meanwhile.
func TestWhatCameBeforeChangesNothing(t *testing.T) {
	seeds := uint64(400)
	if testing.Short() {
		seeds = 40
	}
	changed := 0
	for seed := range seeds {
		changed += compareBatches(t, seed)
	}
	if changed == 0 {
		t.Error("no text held a secret")
	}
}

// compareBatches redacts the same events in two ways and returns in how many of them there was something.
func compareBatches(t *testing.T, seed uint64) int {
	t.Helper()
	r := rand.New(rand.NewPCG(seed, 8))
	bag := make([]string, 12)
	for i := range bag {
		bag[i] = someMember(r)
		if len(bag[i]) > 80 {
			bag[i] = `"http.route":"/api/items/:id"`
		}
	}
	with, anew := redact.New(redact.Rules{}), redact.New(redact.Rules{})
	for _, red := range []*redact.Redactor{with, anew} {
		red.SetSalt("salt")
	}
	changed := 0
	for round := range 12 {
		var a, b event.Batch
		for range 6 {
			l := randomLog(r, bag)
			if round == 6 {
				l.Message = redact.Mask("password", "hunter2hunter2", "salt") + " " + l.Message
			}
			one, other := *l, *l
			a, b = append(a, &one), append(b, &other)
		}
		with.Keep(with.Batch(a))
		anew.Keep(anew.BatchAnew(b))
		for i := range a {
			if !reflect.DeepEqual(a[i], b[i]) {
				t.Fatalf("seed %d, round %d:\n memo %+v\n anew %+v", seed, round, a[i], b[i])
			}
			if a[i].Base().Flags&event.Redacted != 0 {
				changed++
			}
		}
	}
	if x, y := with.Findings(), anew.Findings(); !reflect.DeepEqual(x, y) {
		t.Fatalf("seed %d: found %v, anew %v", seed, x, y)
	}
	return changed
}

func FuzzWhatCameBefore(f *testing.F) {
	f.Add(uint64(1))
	f.Fuzz(func(t *testing.T, seed uint64) { compareBatches(t, seed) })
}

// The ordinary lines and the fixture's cases, each three times and as attributes, come out as they do without the memo.
func TestCorporaTwice(t *testing.T) {
	var texts []string
	for _, c := range readFixture(t).Cases {
		texts = append(texts, c.Input)
	}
	lines := ordinary(t)
	for i := 0; i < len(lines); i += 7 {
		texts = append(texts, lines[i])
	}
	with, anew := redact.New(redact.Rules{}), redact.New(redact.Rules{})
	for round := range 3 {
		for i, text := range texts {
			attributes, _ := json.Marshal(map[string]any{"http.route": "/a", "text": text, "z": i % 5})
			one := &event.Log{Message: text, Attributes: string(attributes), Args: text, URL: text}
			other := *one
			with.Keep(with.Batch(event.Batch{one}))
			anew.Keep(anew.BatchAnew(event.Batch{&other}))
			if !reflect.DeepEqual(one, &other) {
				t.Fatalf("round %d of %q:\n memo %+v\n anew %+v", round, text, one, &other)
			}
		}
	}
}

// What came before in other company holds a secret beside members that tell so.
func TestMembersThatTellOfOthers(t *testing.T) {
	const opaque = "aB3dE5gH7jK9mN1pQ3"
	for _, c := range []struct{ before, then string }{
		{`{"program":"ls","argument":"-p` + opaque + `"}`, `{"program":"mysql","argument":"-p` + opaque + `"}`},
		{`{"argument":"-u ann:` + opaque + `"}`, `{"program":"curl","argument":"-u ann:` + opaque + `"}`},
		{`{"name":"color","value":"` + opaque + `"}`, `{"name":"password","value":"` + opaque + `"}`},
		{`{"value":"` + opaque + `","name":"color"}`, `{"value":"` + opaque + `","name":"password"}`},
		{`{"k":"color","v":"` + opaque + `"}`, `{"k":"pin","v":"` + opaque + `"}`},
		{`{"key":"color","val":"` + opaque + `"}`, `{"key":"pin","val":"` + opaque + `"}`},
		{`{"n":12345678,"other":5}`, `{"n":12345678,"secretive9Z":5,"m":1}`},
	} {
		r := redact.New(redact.Rules{})
		r.Body("password=12345678%2C%22secretive9Z%22%3A5", "application/x-www-form-urlencoded")
		attributes := func(text string) string {
			l := &event.Log{Attributes: text}
			r.Batch(event.Batch{l})
			return l.Attributes
		}
		for range 2 {
			if got := attributes(c.before); got != c.before {
				t.Errorf("%s became %s", c.before, got)
			}
		}
		if got := attributes(c.then); got == c.then || !json.Valid([]byte(got)) {
			t.Errorf("%s became %s", c.then, got)
		}
	}
}

// A member of an object is looked at alone because no token reaches over its end.
func TestNoFormatHasAQuote(t *testing.T) {
	for _, c := range `",{}\` {
		if redact.FormatBytes()[c] {
			t.Errorf("a format has %q", c)
		}
	}
}
