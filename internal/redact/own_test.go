package redact_test

import (
	"crypto/rand"
	"encoding/hex"
	"fmt"
	"strings"
	"testing"

	"github.com/brennhill/gasoline/internal/redact"
)

// What opens this daemon is hidden as any other key is: tokens by their form, the token without a form because it is known.
func TestItsOwnSecretsAreHidden(t *testing.T) {
	r := redact.New(redact.Rules{})
	digits := func(bytes int) string {
		b := make([]byte, bytes)
		_, _ = rand.Read(b)
		return hex.EncodeToString(b)
	}
	own := digits(32)
	r.Own(own)
	for i := range 5 * redact.MaxKnown { // others do not push it out
		r.Learn(fmt.Sprintf("q%07dXy!", i))
	}
	code := "0h2k" + digits(14)
	r.Learn(code)
	for _, scope := range []string{"ingest", "query", "admin"} {
		secrets := []string{"gasoline_" + scope + "_" + digits(8) + "_" + digits(32), own, code}
		for _, secret := range secrets {
			for _, form := range []string{
				"connecting with %s to the daemon", "%s", "TOKEN:%s", `{"t":"%s"}`, "http://127.0.0.1:7890/x?%s", "a%%20%s%%20b", `\n%s\n`,
			} {
				text := fmt.Sprintf(form, secret)
				if got := r.Text(text); strings.Contains(got, secret[len(secret)-20:]) {
					t.Errorf("%q is kept as %q", text, got)
				}
			}
		}
	}
}
