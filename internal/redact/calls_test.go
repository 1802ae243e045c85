package redact_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/brennhill/gasoline/internal/redact"
)

// Secrets in calls, pairs and symbols, as programs write them into their lines.
func TestSecretsInCallsAndPairs(t *testing.T) {
	const secret = "zQ7k3VbX9mLp4k"
	for _, form := range []string{
		`setPassword("%s")`, `config.setPassword("%s");`, `client.setApiKey('%s')`, `with_password("%s")`, `builder.password("%s", 3)`,
		`client.WithToken(\"%s\")`, `{"m":"setPassword(\"%s\")"}`, `{:password=>"%s"}`, `{:password => "%s", :id => 1}`, `[password] => %s`,
		"Array\n(\n    [user] => bob\n    [password] => %s\n)", `("password", "%s")`, `('x-api-key', '%s')`, `[('password', '%s')]`,
		`{'password': b'%s'}`, `{"password": u"%s"}`, `password=b"%s"`, `{"m":"{'password': b'%s'}"}`, `{"m":"token: b\"%s\""}`, `(b'password', b'%s')`,
		`rawHeaders: [ 'Host', 'x', 'Authorization', '%s' ]`, "[\n  'Host',\n  'x',\n  'x-api-key',\n  '%s'\n]",
	} {
		if got := redact.New(redact.Rules{}).Text(fmt.Sprintf(form, secret)); strings.Contains(got, secret) || !strings.Contains(got, "<secret#1>") {
			t.Errorf("%s becomes %s", form, got)
		}
	}
	for _, s := range []string{
		`getPassword("user1234")`, `it("password", "is checked")`, `("password", "email")`, `validatePassword("min 8 chars")`, `useToken(user)`,
		`names 'password', 'token', 'x'`, `(token) => abc123def`, `setPassword(value)`, `setToken()`, `setPassword("`,
		`keys("a1b2c3d4")`, `["id", "token", "name"]`,
	} {
		if got := redact.New(redact.Rules{}).Text(s); got != s {
			t.Errorf("%s becomes %s", s, got)
		}
	}
}
