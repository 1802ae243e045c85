package redact_test

import (
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/rsa"
	"crypto/x509"
	"encoding/base64"
	"encoding/json"
	"encoding/pem"
	"fmt"
	"regexp"
	"strings"
	"testing"

	"github.com/brennhill/gasoline/internal/event"
	"github.com/brennhill/gasoline/internal/redact"
)

// keyTexts are private keys in the forms that programs print, new ones each time.
func keyTexts(t *testing.T) map[string]string {
	t.Helper()
	block := func(kind string, der []byte, err error) string {
		if err != nil {
			t.Fatal(err)
		}
		return string(pem.EncodeToMemory(&pem.Block{Type: kind, Bytes: der}))
	}
	r, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		t.Fatal(err)
	}
	e, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	_, d, err := ed25519.GenerateKey(rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	raw := make([]byte, 601)
	_, _ = rand.Read(raw)
	wrapped := strings.Join(chunks(base64.StdEncoding.EncodeToString(raw), 70), "\n")
	pkcs8, err := x509.MarshalPKCS8PrivateKey(r)
	out := map[string]string{
		"PKCS 1": block("RSA PRIVATE KEY", x509.MarshalPKCS1PrivateKey(r), nil),
		"PKCS 8": block("PRIVATE KEY", pkcs8, err),
	}
	ec, err := x509.MarshalECPrivateKey(e)
	out["SEC 1"] = block("EC PRIVATE KEY", ec, err)
	pkcs8, err = x509.MarshalPKCS8PrivateKey(d)
	out["Ed25519"] = block("PRIVATE KEY", pkcs8, err)
	out["OpenSSH"] = "-----BEGIN OPENSSH PRIVATE KEY-----\n" + wrapped + "\n-----END OPENSSH PRIVATE KEY-----\n"
	out["encrypted"] = "-----BEGIN RSA PRIVATE KEY-----\nProc-Type: 4,ENCRYPTED\nDEK-Info: AES-128-CBC,8F1AD0A2\n\n" + wrapped +
		"\n-----END RSA PRIVATE KEY-----\n"
	out["PGP"] = "-----BEGIN PGP PRIVATE KEY BLOCK-----\nVersion: 1\n\n" + wrapped + "\n=aB3d\n-----END PGP PRIVATE KEY BLOCK-----\n"
	out["RFC 4716"] = "---- BEGIN SSH2 ENCRYPTED PRIVATE KEY ----\nComment: x\n" + wrapped + "\n---- END SSH2 ENCRYPTED PRIVATE KEY ----\n"
	out["PuTTY"] = "PuTTY-User-Key-File-3: ssh-rsa\nPrivate-Lines: 12\n" + wrapped + "\nPrivate-MAC: 6f2a0d\n"
	return out
}

func chunks(s string, n int) (out []string) {
	for ; len(s) > n; s = s[n:] {
		out = append(out, s[:n])
	}
	return append(out, s)
}

// A private key that comes line by line is hidden, whoever else writes meanwhile and whatever stands before its lines.
func TestPrivateKeysLineByLine(t *testing.T) {
	forms := map[string]string{
		"bare": "%s", "indented": "    %s", "CR": "%s\r", "logger": "INFO key: %s", "quoted": `"%s",`, "escaped": `"%s\n"`,
		"named":    "config.key | %s",
		"numbered": "LINE: %s", "dated": "2026-11-27 07:00:LINE INFO %s", "CSV": `LINE,"%s",x`,
	}
	for kind, key := range keyTexts(t) {
		for form, f := range forms {
			for _, batch := range []int{1, 7, 1000} {
				r := redact.New(redact.Rules{})
				var events event.Batch
				add := func(instance, text string) {
					args, _ := json.Marshal([]string{text})
					events = append(events, &event.Log{
						Head:    event.Head{Origin: event.Origin{Source: "run", Service: "api", Instance: instance}},
						Message: text, Args: string(args),
					})
				}
				lines := strings.Split(strings.TrimSuffix(key, "\n"), "\n")
				other := strings.Repeat("Zm9yIGV2ZXJ5b25lIGVsc2U", 2)
				add("1", "starting")
				for i, line := range lines {
					add("1", strings.ReplaceAll(fmt.Sprintf(f, line), "LINE", fmt.Sprint(i+1)))
					if i%3 == 1 {
						add("2", "etag "+other) // of another instance
						add("1", "GET /orders 200")
					}
				}
				add("1", "listening on "+other)
				for from := 0; from < len(events); from += batch {
					r.Batch(events[from:min(from+batch, len(events))])
				}
				var kept []string
				for _, e := range events {
					l := e.(*event.Log)
					kept = append(kept, l.Message, l.Args)
				}
				text := strings.Join(kept, "\n")
				for _, line := range lines {
					if len(line) >= 8 && !strings.ContainsAny(line, " :-") && strings.Contains(text, line) {
						t.Errorf("%s, %s, %d at a time: %q is readable", kind, form, batch, line)
					}
				}
				for _, readable := range []string{"starting", "GET /orders 200", "etag " + other, "listening on " + other} {
					if !strings.Contains(text, readable) {
						t.Errorf("%s, %s, %d at a time: %q is hidden:\n%s", kind, form, batch, readable, text)
					}
				}
			}
		}
	}
}

// A key whose end is never printed does not hide what its writer says afterwards, nor do many keys hide for ever.
func TestKeysThatDoNotEnd(t *testing.T) {
	r := redact.New(redact.Rules{})
	say := func(instance, text string) string {
		l := &event.Log{Head: event.Head{Origin: event.Origin{Source: "run", Instance: instance}}, Message: text}
		r.Batch(event.Batch{l})
		return l.Message
	}
	say("1", "-----BEGIN PRIVATE KEY-----")
	for range 30 {
		say("1", "GET / 200")
	}
	if got := say("1", "etag Zm9yIGV2ZXJ5b25lIGVsc2U"); !strings.Contains(got, "Zm9y") {
		t.Error(got)
	}
	for i := range 10_000 {
		say(fmt.Sprint(i), "-----BEGIN PRIVATE KEY-----")
	}
	if n := r.OpenKeys(); n > 256 {
		t.Errorf("%d writers are remembered", n)
	}
	// What only speaks of a key begins none.
	for _, s := range []string{"BEGIN import of PRIVATE KEY", "-----BEGIN PUBLIC KEY-----", "-----BEGIN PRIVATE KEY----- x -----END PRIVATE KEY-----"} {
		say("a", s)
		if got := say("a", "etag Zm9yIGV2ZXJ5b25lIGVsc2U"); !strings.Contains(got, "Zm9y") {
			t.Errorf("after %q: %q", s, got)
		}
	}
}

// The answer to a prompt stands in the next line of the same writer. What is said after a prompt is none.
func TestAnswersToPrompts(t *testing.T) {
	say := func(r *redact.Redactor, instance, text string) string {
		args, _ := json.Marshal([]string{text})
		l := &event.Log{
			Head:    event.Head{Origin: event.Origin{Source: "run", Instance: instance}},
			Message: text, Args: string(args),
		}
		r.Batch(event.Batch{l})
		return l.Message + " " + l.Args
	}
	for _, prompt := range []string{"Password:", "Enter password: ", "password:", "[sudo] password:", "API token:", "Enter PEM pass phrase:", "[sudo] password for bob:", "New password:\r"} {
		for _, value := range []string{"hunter2", "  hunter2", "Sw!ordfish", "hunter2\r", `"hunter2"`, `hun"ter2`} {
			r := redact.New(redact.Rules{})
			say(r, "1", prompt)
			if got := say(r, "2", value); !strings.Contains(got, strings.Trim(value, " \r\"")) {
				t.Errorf("%q of another writer: %q", prompt, got)
			}
			if got := say(r, "1", value); strings.Contains(got, strings.Trim(value, " \r\"")) {
				t.Errorf("%q, %q: %q", prompt, value, got)
			}
			if got := say(r, "1", "build9"); !strings.Contains(got, "build9") {
				t.Errorf("the line behind the answer of %q: %q", prompt, got)
			}
		}
		for _, other := range []string{"listening", "GET /orders2 200", "- is too short", "required", "/srv/x9", "user9:", "done.", "{", "string"} {
			r := redact.New(redact.Rules{})
			say(r, "1", prompt)
			if got := say(r, "1", other); !strings.HasPrefix(got, other) {
				t.Errorf("%q, %q: %q", prompt, other, got)
			}
			if got := say(r, "1", "build9"); !strings.Contains(got, "build9") {
				t.Errorf("two lines behind %q: %q", prompt, got)
			}
		}
	}
	for _, prompt := range []string{"user:", "code:", "Password", "passwords do not match:"} {
		r := redact.New(redact.Rules{})
		say(r, "1", prompt)
		if got := say(r, "1", "build9"); !strings.Contains(got, "build9") {
			t.Errorf("%q: %q", prompt, got)
		}
	}
	r := redact.New(redact.Rules{})
	for i := range 1000 {
		say(r, fmt.Sprint(i), "Password:")
	}
	if n := r.Asked(); n > 256 {
		t.Errorf("%d prompts are remembered", n)
	}
}

// What stands below a secret name that an earlier line of the same writer has. Nothing else of it is a row.
func TestRowsOfTablesLineByLine(t *testing.T) {
	for _, c := range []struct{ name, lines string }{
		{"commas", "id,password\n1,«hunter2»\n2,«correct horse»\n\"a,b\",«hunter3»\ndone\n3,hunter4"},
		{"semicolons", "user;api_key;role\nbob;«swordfish»;admin\nmy;dog"},
		{"tabs", "user\tpassword\r\nbob\t«hunter2»\r\nlistening on 80\nann\thunter3"},
		{"psql", " id | password | role\n----+----------+------\n  1 | «hunter2»  | admin\n  2 | «hunter3» | x\n(2 rows)\n  3 | hunter4 | x"},
		{"mysql", "+----+----------+\n| id | password |\n+----+----------+\n|  1 | «hunter2»  |\n+----+----------+\n|  2 | «hunter3»  |"},
		{"markdown", "| user | password |\n|---|---|\n| bob | «hunter2» |\n| ann | required |"},
		{"quoted", "\"id\",\"password\"\n\"1\",\"«hunter2»\""},
		{"counts", "model,tokens\ngpt-4o,812\nclaude,«zQ7aNbYcSU4k1»"},
		{"another head", "id,password\nid,name,role\n1,bob,x"}, {"again", "id,password\n1,«hunter2»\nid,password\n1,«hunter3»"},
		{"prose", "name, password\nbob, hunter2"},
		{"names", "user,name\nbob,hunter2"},
		{"prose below", "user,password\nhello, world\na,b"},
	} {
		r := redact.New(redact.Rules{})
		for line := range strings.SplitSeq(c.lines, "\n") {
			want := regexp.MustCompile("«[^»]*»").ReplaceAllString(line, "<>")
			plain := strings.NewReplacer("«", "", "»", "").Replace(line)
			other := &event.Log{Head: event.Head{Origin: event.Origin{Source: "run", Instance: "2"}}, Message: plain}
			l := &event.Log{Head: event.Head{Origin: event.Origin{Source: "run", Instance: "1"}}, Message: plain}
			r.Batch(event.Batch{l})
			if got := regexp.MustCompile("<secret#[0-9]+>").ReplaceAllString(l.Message, "<>"); got != want {
				t.Errorf("%s: %q, want %q", c.name, got, want)
			}
			if strings.Contains(line, "«hunter") {
				if r.Batch(event.Batch{other}); other.Message != plain {
					t.Errorf("%s: of another writer %q", c.name, other.Message)
				}
			}
		}
	}
	r := redact.New(redact.Rules{})
	for i := range 1000 {
		r.Batch(event.Batch{&event.Log{Head: event.Head{Origin: event.Origin{Instance: fmt.Sprint(i)}}, Message: "id,password"}})
	}
	if n := r.Heads(); n > 256 {
		t.Errorf("%d heads are kept", n)
	}
}
