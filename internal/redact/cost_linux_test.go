package redact_test

import (
	"strings"
	"testing"
	"time"

	"github.com/brennhill/gasoline/internal/redact"
	"github.com/brennhill/gasoline/internal/testkit/cpu"
)

// Texts that make a careless scanner look at the rest of the text again and again. Eight times the text may take three
// times eight times as long; with quadratic cost it would take 64 times as long.
func TestHostileTextsCostLinearTime(t *testing.T) {
	rules, err := redact.ParseRules([]byte(`{"pii": true}`))
	if err != nil {
		t.Fatal(err)
	}
	for _, part := range []string{
		"password:[", "password: {", `"token":{`, `token:"`, "token: '", "SG.", "eyJ.", "eyJhbGciOiJIUzI1NiJ9.", "a://",
		"basic ", "bearer ",
		"token=null ", "-----BEGIN ", "<a#", "<jwt#1 iss=", "cookie: a=", "key=a/", `\\\\\\`, "%3D", "4111 ", "token ",
		"secret is ", `name":"pin",`,
		`"value":{`, `"value":"`, `"value":'`, `value="`, `"value":"x","a":"`, `"name":"pin","a":1`, "<password>",
		"<password ", "<password><![CDATA[", "<pin><![CDATA[]]>", `["token:",`,
		`'token', `, `form-data; name="pin"` + "\r\n\r\n", "curl -u a:", "curl -u '", "token: $a ",
		"authorization: digest a=",
		`authorization: digest a="`, "let pin = a(", "pin: a(", "token%5B", "token[", "api key ",
		`pass "`, "&lt;pin&gt;", `name="pin" a="`, `["token: %s`,
		"/reset/", "/reset/a", "mysql -p", "mysql -pa ", "credentials:\n a: ", "credentials:\n", "a,pin\n",
		"recovery codes: a1, ",
		"mnemonic: abc ", "identified by ", "identified with ", "AUTH ", "pass: a", "state=a", "?code=a", `"v":"`,
		`{"v":"a","k":"`,
		"пароль: ", "пароль", "login(password: $p) ", "--password ", "password=aB3dE5gH7", "aB3dE5gH7-", "base64,", "a@b.cc",
		"+49 ", "DE89",
		"-----BEGIN PRIVATE KEY-----", "PuTTY-User-Key-File-2", "SG.aaaaaaaaaaaaaaaaaaaa.", "hooks.slack.com/services/",
		"AAAA", "eyJhbGciOiJIUzI1NiJ9",
		"hunter2hunter", "hunter2hunter2", "!a1!b2", "@", "a1@", "%21a1", "<password:00000001>", "ü1",
		"- passwords: \n", "passwords:\n- a:\n", "password:| ", "password: | # ", "password: |\n ", "- value: |\n", "- value: x\n",
		"  value: x\n", "&quot;password&quot;:&quot;", "password&quot;:&quot;", `\x22password\x22:\x22`, "(pin)=(a) ", "(pin)=(", "password: !a ",
		"kind: Secret\ndata:\n a:\n", "password: &a:", "password: string(1) ", "password&#61;",
		"{name: pin, value: ", "(name=pin,value=", "{value: x, ", "value: x, ", "| pin |\n|---|\n", "pin|\n---|---\n", "a | b\n--\n", "--\n", "|-|--|\n", "-- --\n",
		"<name>pin</name>", "<name>pin</name><value>", `<x name="pin">`, `name="pin" `, `<x name="pin"`, "<pin ", "<pin a=", "pin<", "a/b@c:1/x ", "a/b@", "a:b1b2b3@(x ", `/"@`, `a/"b"@c `, "@",
		"：", "password：", "password：a，", "密码：", "\u00a0", "password\u00a0", "eyJ", "eyJ/", "eyJwYXNz.", "eyJwYXNzd29yZCI6Imh1bnRlcjJ4In0=", `"\n|`, `"value: \n", `, `\"value:\n\",`, `{"a":"b:\n`, `\\n: |`,
		"echo a ", "echo a | sudo -S ", "echo ", "net use ", "net user a ", "-AsPlainText ", "convertto-securestring -AsPlainText ", "pin: a ", "pin: a = ", "pin a = ", "pin = <<EOF\n", "pin = <<EOF\nEOF\n", `pin = """`, "pin = '''a",
		"pin in ('", "pin in ('a') ", "pin:Some(", "pin:<<", "pin:a:", "pin::private]", "&amp;", "pin&amp;", "pin&amp;quot;", `\u003cpin\u003e`, `pin\`, "pin || ", "pin -> ", "pin%20", "pin%2522", "%41", "%2541", "?a=%70 ", "%zz", "%70in%3Da%26", "%3Cjwt%231", "%25", "{pin,", "{pin, '", "setenv pin a ", "pin\ta ", "pin  ", "pin  a\n", "pin | a\n", "-[ RECORD 1 ]\npin | a\n", "set pin for a ", "set pin for a = 'b' ", "pin='a' -> 'b' ", "env('PIN', '", "--from-literal=a=b ", "6$a$", "login a password b ", `"pin";s:`, "-passin ",
		"| pin | x ", "| `pin` | a1 ", "│ pin │ x ", "| pin | 1 |\n", "pin --> ", "pin -> a1 ", "pin (a ", "pin....", "pin.... .. ", "PASSWORD 'a b' ", "kind kind: ", "enter pin: ",
		"tokens: [", "tokens: [a1b2c3d4e5", `"tokens":["a1b2c3d4e5",`, "tokens: [a],", "secrets: (", "secrets=('a", "secrets: a(", "secrets: a('b", "secrets (", "tokens [", "tokens ('", "secrets: Set(2) {",
		"secrets: a,", "secrets: a, b1c2d3 and ", "tokens and ", "<tokens>", "<tokens><a>", "<secrets><a></secrets>", `["tokens",["a1b2c3d4"],`, `"tokens",[`, "tokens=a1b2c3d4;", "secrets: []a{", "cookies: {a:", "tokens: new ",
		"<input name=pin ", "<input name=pin value=a", "<a value=a ", "value=a name=pin ", "<a name=pin x=1 ",
		"generated pin a", "pin generated: a1 ", "a=<secret#1> name=\"pin\"> ",
	} {
		const few, many, spare = 8 << 10, 64 << 10, time.Millisecond
		for name, call := range map[string]func(text string){
			"text":     func(text string) { hostile(redact.Rules{}).Text(text) },
			"object":   func(text string) { hostile(redact.Rules{}).Body(`{"a":"`+text, "") },
			"array":    func(text string) { hostile(redact.Rules{}).Body("["+text, "") },
			"url":      func(text string) { hostile(redact.Rules{}).URL(text) },
			"personal": func(text string) { hostile(rules).Text(text) },
		} {
			short, long := strings.Repeat(part, few/len(part)), strings.Repeat(part, many/len(part))
			limit := 24*cpu.Least(t, 2, func() { call(short) }) + spare
			cost := cpu.Least(t, 1, func() { call(long) })
			if cost > limit { // the collector may have run meanwhile
				cost = min(cost, cpu.Least(t, 3, func() { call(long) }))
			}
			if cost > limit {
				t.Errorf("%s of %q: %v for %d bytes, more than %v", name, part, cost, many, limit)
			}
		}
	}
}

// Lists in lists are looked at in linear time, too, where nothing in them is hidden.
func TestListsInLists(t *testing.T) {
	for _, part := range []string{"tokens:{", "tokens:(", `"tokens":[`} {
		nested := func(n int) string {
			closing := map[byte]string{'{': "}", '(': ")", '[': "]"}[part[len(part)-1]]
			return strings.Repeat(part, n) + "a" + strings.Repeat(closing, n)
		}
		call := func(text string) { hostile(redact.Rules{}).Text(text) }
		short, long := nested(500), nested(4000)
		limit := 24*cpu.Least(t, 2, func() { call(short) }) + time.Millisecond
		if cost := cpu.Least(t, 3, func() { call(long) }); cost > limit {
			t.Errorf("%s: %v, more than %v", part, cost, limit)
		}
	}
}

// hostile returns a redactor that knows a value which a page masked.
func hostile(rules redact.Rules) *redact.Redactor {
	r := redact.New(rules)
	r.SetSalt("salt")
	r.Text(redact.Mask("password", "hunter2hunter2", "salt"))
	return r
}

// A text of words that many known values begin with is read in the time that a tenth of the values takes, or three times
// that at most, and the newest of those are still found.
func TestManyKnownValuesThatBeginAlike(t *testing.T) {
	words := strings.Repeat("Abcdef12 ", 20_000)
	const secret = "Abcdef12 of mine, 7"
	knows := func(step int) *redact.Redactor {
		r := redact.New(redact.Rules{})
		for n := 100; n < 4000; n += step {
			r.Text(`{"password":"` + words[:n-1] + `x9"}`)
		}
		r.Text(`{"password":"` + secret + `"}`)
		return r
	}
	few, many := knows(20), knows(2)
	text, out := words+secret+" and so on", ""
	limit := 3 * cpu.Least(t, 1, func() { few.Text(text) })
	cost := cpu.Least(t, 1, func() { out = many.Text(text) })
	if cost > limit { // the collector may have run meanwhile
		cost = min(cost, cpu.Least(t, 3, func() { many.Text(text) }))
	}
	if cost > limit {
		t.Errorf("it took %v, more than %v", cost, limit)
	}
	if strings.Contains(out, "of mine") || !strings.HasSuffix(out, " and so on") {
		t.Errorf("…%s", out[len(out)-60:])
	}
}
