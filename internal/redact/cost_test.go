package redact_test

import (
	"strings"
	"testing"

	"github.com/brennhill/gasoline/internal/redact"
)

// Texts that make a careless scanner look at the rest of the text again and again. With quadratic
// cost this test would run for minutes and hit the test's deadline.
func TestHostileTextsCostLinearTime(t *testing.T) {
	rules, err := redact.ParseRules([]byte(`{"pii": true}`))
	if err != nil {
		t.Fatal(err)
	}
	personal := redact.New(rules)
	for _, part := range []string{
		"password:[", "password: {", `"token":{`, `token:"`, "token: '", "SG.", "eyJ.", "eyJhbGciOiJIUzI1NiJ9.", "a://",
		"basic ", "bearer ",
		"token=null ", "-----BEGIN ", "<a#", "<jwt#1 iss=", "cookie: a=", "key=a/", `\\\\\\`, "%3D", "4111 ", "token ",
		"secret is ", `name":"pin",`,
		`"value":{`, `"value":"`, `"value":'`, `value="`, `"value":"x","a":"`, `"name":"pin","a":1`, "<password>",
		"<password ", "<password><![CDATA[", "<pin><![CDATA[]]>", `["token:",`,
		`'token', `, `form-data; name="pin"` + "\r\n\r\n", "curl -u a:", "curl -u '", "token: $a ", "authorization: digest a=",
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
	} {
		text := strings.Repeat(part, (1<<19)/len(part))
		r := redact.New(redact.Rules{})
		r.SetSalt("salt")
		r.Text(redact.Mask("password", "hunter2hunter2", "salt"))
		r.Text(text)
		r.Body(`{"a":"`+text, "")
		r.Body("["+text, "")
		r.URL(text)
		personal.Text(text)
	}
}
