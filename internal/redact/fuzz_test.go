package redact_test

import (
	"encoding/json"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/brennhill/gasoline/internal/redact"
)

func FuzzText(f *testing.F) {
	for _, c := range readFixture(f).Cases {
		f.Add(c.Input)
	}
	f.Add(`{"a":"password: 'x","token":"\\\"","b":["secret",{"pin":1}]}`)
	for _, form := range []string{
		"{name: PIN, value: a}\n{value: b, key: token}", "x\n| a | pin |\n|---|:-:|\n| b | c |\n", "Key  Value\n---  -----\npin  a\n", "<x name='pin'><value>a</value></x><key>pin</key><y>b</y>",
		`{"a":"credentials:\n  k: a\n","b":"{\"c\":\"| pin |\\n|--|\\n| a |\"}"}`, "conn a/b@c jdbc:oracle:thin:a/\"b\"@c a:b1b2b3@d:1/e", "密码：a，password\u00a0= b", "&amp;quot;pin&amp;quot;:1",
		"eyJwYXNzd29yZCI6Imh1bnRlcjJ4In0= x", "echo a | sudo -S b; net user a b /add", "pin: str = 'a' <<EOF\npin = <<EOF\na\nEOF", `pin = """a""" pin ||= "b" pin in ('c','d')`, `s:3:"pin";s:1:"a";`,
	} {
		f.Add(form)
	}
	f.Fuzz(func(t *testing.T, s string) {
		r := redact.New(redact.Rules{})
		for place, clean := range map[string]func(string) string{
			"text": r.Text, "url": r.URL, "body": func(s string) string { return r.Body(s, "") },
			"form": func(s string) string { return r.Body(s, "application/x-www-form-urlencoded") },
		} {
			once := clean(s)
			if utf8.ValidString(s) && !utf8.ValidString(once) {
				t.Fatalf("%s: %q became invalid UTF-8: %q", place, s, once)
			}
			if twice := clean(once); twice != once {
				t.Fatalf("%s: not settled\n in    %q\n once  %q\n twice %q", place, s, once, twice)
			}
			if place == "body" && json.Valid([]byte(s)) && !json.Valid([]byte(once)) {
				t.Fatalf("JSON %q became %q", s, once)
			}
		}
	})
}

// A token behind anything that is no part of a word, and before anything that is none, is found.
func FuzzPlantedToken(f *testing.F) {
	f.Add("see ", " there", uint8(0))
	f.Add("https://x/?a=", "&b", uint8(3))
	f.Add(`{"k":"`, `"}`, uint8(5))
	tokens := []string{}
	for _, name := range []string{"aws", "github", "gitlab", "slack", "openai", "anthropic", "stripe", "google", "jwt"} {
		tokens = append(tokens, secrets()[name])
	}
	f.Fuzz(func(t *testing.T, before, after string, which uint8) {
		token := tokens[int(which)%len(tokens)]
		s := before + " " + token + " " + after
		r := redact.New(redact.Rules{})
		for _, out := range []string{r.Text(s), r.URL(s), r.Body(s, "")} {
			if strings.Contains(out, token) {
				t.Fatalf("%q survived in %q", token, out)
			}
		}
	})
}

func FuzzRules(f *testing.F) {
	f.Add(`{"rules":[{"name":"emp","pattern":"EMP-(\\d+)"}],"names":["iban"]}`, `{"a":"EMP-12 EMP-13","iban":"x"}`)
	f.Add(`{"rules":[{"name":"all","pattern":"\".*\""}]}`, `{"a":"b"}`)
	f.Fuzz(func(t *testing.T, rules, body string) {
		parsed, err := redact.ParseRules([]byte(rules))
		if err != nil {
			return
		}
		out := redact.New(parsed).Body(body, "")
		if json.Valid([]byte(body)) && !json.Valid([]byte(out)) {
			t.Fatalf("JSON %q became %q by %q", body, out, rules)
		}
	})
}
