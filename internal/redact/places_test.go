package redact_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/brennhill/gasoline/internal/event"
	"github.com/brennhill/gasoline/internal/redact"
)

// Places that say by their words that a secret is there. The secret of each is named.
func TestSecretsKnownByTheirPlace(t *testing.T) {
	for _, c := range []struct{ place, input, secret string }{
		{"json", `{"user":"ann","pass":"hunter22"}`, "hunter22"},
		{"json", `{"passwords":["hunter22","swordfish"]}`, "swordfish"},
		{"text", "pw: hunter22", "hunter22"},
		{"form", "user=ann&pass=hunter", "hunter"},
		{"text", "mysql -u root -phunter22 shop", "hunter22"},
		{"text", "sshpass -p hunter22 ssh ann@host", "hunter22"},
		{"text", "redis-cli -a hunter22 ping", "hunter22"},
		{"text", "login --password swordfish --verbose", "swordfish"},
		{"text", "CREATE USER ann IDENTIFIED BY 'hunter22'", "hunter22"},
		{"text", "ALTER USER ann IDENTIFIED WITH mysql_native_password BY 'hunter22'", "hunter22"},
		{"text", "define('DB_PASSWORD', 'hunter22');", "hunter22"},
		{"text", `define("AUTH_KEY", "a!long phrase of wordpress");`, "a!long phrase of wordpress"},
		{"url", "https://s3.example/a.png?X-Amz-Credential=x&X-Amz-Signature=9f86d081884c7d65", "9f86d081884c7d65"},
		{"url", "https://blob.example/a?sv=2022&sig=abc%2Bdef%3D", "abc%2Bdef%3D"},
		{"url", "https://storage.example/a?X-Goog-Signature=9f86d081884c7d65", "9f86d081884c7d65"},
		{"url", "https://cdn.example/a?Expires=1&Signature=9f86d081884c7d659a2feaa0c55ad015&Key-Pair-Id=APK",
			"9f86d081884c7d659a2feaa0c55ad015"},
		{"url", "https://hooks.slack.com/services/T0001ABCD/B0001ABCD/aBcDeFgHiJkLmNoPqRsTuVwX", "aBcDeFgHiJkLmNoPqRsTuVwX"},
		{"text", "posting to https://discord.com/api/webhooks/123456789012345678/aBcDeFgHiJkLmNoPqRsTuVwXyZ0123456789",
			"aBcDeFgHiJkLmNoPqRsTuVwXyZ0123456789"},
		{"text", "POST https://api.telegram.org/bot123456789:AAabcdefghijklmnopqrstuvwxyz0123456/sendMessage",
			"AAabcdefghijklmnopqrstuvwxyz0123456"},
		{"url", "https://app.example/cb?code=4f8aK2x9Lm&state=xyzABC123456", "4f8aK2x9Lm"},
		{"url", "https://app.example/cb?code=4f8aK2x9Lm&state=xyzABC123456", "xyzABC123456"},
		{"text", "GET /cb?code=4f8aK2x9Lm HTTP/1.1", "4f8aK2x9Lm"},
		{"form", "grant_type=authorization_code&code=4f8aK2x9Lm&code_verifier=dBjftJeZ4CVP", "dBjftJeZ4CVP"},
		{"form", "SAMLResponse=PHNhbWxwOlJlc3BvbnNl&RelayState=x", "PHNhbWxwOlJlc3BvbnNl"},
		{"url", "https://app.example/?ticket=ST-1856339-aA5Yuvrxzpv8Tau1cYQ7", "ST-1856339-aA5Yuvrxzpv8Tau1cYQ7"},
		{"url", "https://app.example/reset/9f86d081884c7d65", "9f86d081884c7d65"},
		{"text", "open https://app.example/users/password-reset/aB3dE5gH7jK9 now", "aB3dE5gH7jK9"},
		{"url", "/invite/team/aB3dE5gH7jK9mN", "aB3dE5gH7jK9mN"},
		{"url", "/verify/3f2504e0-4f89-41d3-9a0c-0305e82c3301", "3f2504e0-4f89-41d3-9a0c-0305e82c3301"},
		{"url", "/verify-email/aB3dE5gH7jK9mN", "aB3dE5gH7jK9mN"},
		{"url", "https://app.example/verify_email/aB3dE5gH7jK9mN?lang=en", "aB3dE5gH7jK9mN"},
		{"text", "GET /verifyEmail/aB3dE5gH7jK9mN 200", "aB3dE5gH7jK9mN"},
		{"text", "open https://app.example/confirm-your-account/aB3dE5gH7jK9mN.", "aB3dE5gH7jK9mN"},
		{"url", "/user-invite-mail/9f86d081884c7d65", "9f86d081884c7d65"},
		{"json", `{"href":"/reset-password-form/aB3dE5gH7jK9mN"}`, "aB3dE5gH7jK9mN"},
		{"url", "/MagicLink/aB3dE5gH7jK9mN", "aB3dE5gH7jK9mN"},
		{"url", "/acceptTeamInvite/team/aB3dE5gH7jK9mN", "aB3dE5gH7jK9mN"},
		{"url", "/account-activation-by-mail/3f2504e0-4f89-41d3-9a0c-0305e82c3301", "3f2504e0-4f89-41d3-9a0c-0305e82c3301"},
		{"url", "/auth/magic?t=1&token=abc", "abc"},
		{"text", "Passwort: hunter22", "hunter22"},
		{"json", `{"contraseña":"hunter22"}`, "hunter22"},
		{"form", "mot_de_passe=hunter22", "hunter22"},
		{"text", "mot de passe : hunter22", "hunter22"},
		{"text", "пароль: hunter22", "hunter22"},
		{"json", `{"密码":"hunter22"}`, "hunter22"},
		{"text", "パスワード=hunter22", "hunter22"},
		{"text", "mnemonic: legal winner thank year wave sausage worth useful legal winner thank yellow", "thank yellow"},
		{"json", `{"mnemonic":"legal winner thank year wave sausage worth useful legal winner thank yellow"}`, "winner"},
		{"json", `{"recovery_codes":["a1b2-c3d4","e5f6-a7b8"]}`, "e5f6-a7b8"},
		{"text", "recovery codes: a1b2-c3d4, e5f6-a7b8", "e5f6-a7b8"},
		{"text", "id,email,password\n1,ann@example.com,hunter22\n2,bob@example.com,swordfish\n", "swordfish"},
		{"json", `{"query":"mutation($p: String!){login(password:$p){ok}}","variables":{"p":"hunter22"}}`, "hunter22"},
		{"json", `{"query":"mutation L($password: String!){x}","variables":{"password":"hunter22"}}`, "hunter22"},
		{"json", `[{"k":"token","v":"hunter22"}]`, "hunter22"},
		{"json", `[{"v":"hunter22","k":"token"}]`, "hunter22"},
		{"text", "AUTH hunter22", "hunter22"},
		{"text", "AUTH ann hunter22", "hunter22"},
		{"json", `{"auths":{"r.example":{"auth":"YW5uOmh1bnRlcjIy"}}}`, "YW5uOmh1bnRlcjIy"},
		{"text", "_auth=YW5uOmh1bnRlcjIy", "YW5uOmh1bnRlcjIy"},
		{"text", "credentials:\n  user: ann\n  material: hunter22\nnext: 1", "hunter22"},
		{"text", "credentials:\n  - hunter22\n  - swordfish\n", "swordfish"},
		{"text", "AccountName=a;AccountKey=c3VwZXIvc2VjcmV0K2tleQ==;EndpointSuffix=x", "c3VwZXIvc2VjcmV0K2tleQ=="},
		{"text", "---- BEGIN SSH2 ENCRYPTED PRIVATE KEY ----\nabcdef\n---- END SSH2 ENCRYPTED PRIVATE KEY ----", "abcdef"},
		{"text", "-----BEGIN PGP PRIVATE KEY BLOCK-----\nlQOYBF\n-----END PGP PRIVATE KEY BLOCK-----", "lQOYBF"},
		{"text", "password:\n  - hunter22\n  - swordfish7", "swordfish7"},
		{"text", "db:\n  password: &main hunter22\n", "hunter22"},
		{"text", "password: !!str hunter22", "hunter22"},
		{"text", "password: !reference 'hunter22 of mine'", "of mine"},
		{"text", "password: &a !vault |\n  hunter22\n  swordfish", "swordfish"},
		{"text", "- name: DB_PASSWORD\n  value: |\n    hunter22\n", "hunter22"},
		{"text", "- name: DB_PASSWORD\n  value: >-\n    hunter22\n    swordfish\n- name: a", "swordfish"},
		{"text", "- name: DB_PASSWORD\n  # of staging\n\n  kind: env\n  value: hunter22", "hunter22"},
		{"text", "- value: hunter22\n  description: x\n  name: DB_PASSWORD", "hunter22"},
		{"text", "secrets:\n  first: |\n    hunter22\n  next: 1", "hunter22"},
		{"text", "stringData:\n  first: hunter22\n", "hunter22"},
		{"json", `{"stringData":{"first":"hunter22"}}`, "hunter22"},
		{"text", "apiVersion: v1\ndata:\n  first: aHVudGVyMjI=\nkind: Secret\n", "aHVudGVyMjI"},
		{"json", `{"kind":"Secret","data":{"first":"aHVudGVyMjI="}}`, "aHVudGVyMjI"},
		{"json", `{"a":"{\"kind\":\"Secret\",\"data\":{\"first\":\"aHVudGVyMjI=\"}}"}`, "aHVudGVyMjI"},
		{"text", "java -Dpassword=hunter22 -jar a.jar", "hunter22"},
		{"text", "gradle -Ptoken=hunter22", "hunter22"},
		{"text", `Password:(string) (len=8) "hunter22"`, "hunter22"},
		{"text", "[\"password\"]=>\n  string(8) \"hunter22\"", "hunter22"},
		{"text", "password&#x3D;hunter22", "hunter22"},
		{"text", "a&#61;1&amp;password&#61;hunter22", "hunter22"},
		{"text", "DETAIL:  Key (password)=(hunter22) already exists.", "hunter22"},
		{"text", "Key (tenant, api_key)=(3, hunter22) is still referenced", "hunter22"},
		{"text", "Key (api_key, tenant)=(hunter22, 3)", "hunter22"},
		{"json", `{"detail":"Key (reset_token)=(hunter22) already exists."}`, "hunter22"},
		{"header:Ocp-Apim-Subscription-Key", "hunter22", "hunter22"},
		{"header:X-Session", "hunter22", "hunter22"},
		{"header:Cf-Access-Jwt-Assertion", "hunter22", "hunter22"},
	} {
		r := redact.New(redact.Rules{})
		got := clean(r, c.place, c.input)
		if strings.Contains(got, c.secret) {
			t.Errorf("%s %q kept its secret: %q", c.place, c.input, got)
		}
		if again := clean(r, c.place, got); again != got {
			t.Errorf("%s %q: the second pass made %q of %q", c.place, c.input, again, got)
		}
	}
}

// Texts that look like those above and keep no secret.
func TestPlainTextsStay(t *testing.T) {
	for _, c := range []struct{ place, input string }{
		{"text", "com.apple.AddressBook.InternetAccountsBridge"},
		{"text", "token com.apple.AddressBook.InternetAccountsBridge connected"},
		{"text", "--- PASS: TestX/a1 (0.00s)"},
		{"json", `{"pass":12,"fail":0,"code":"E11000","state":"open","key":"primary"}`},
		{"text", "code: ERR_123, state=running, key=checkout.title"},
		{"url", "https://app.example/login/step-2?code=404&state=open&page=2"},
		{"url", "https://app.example/reset/password?lang=en"},
		{"url", "https://docs.example/how-to-verify/your-email-address"},
		{"url", "https://docs.example/how-to-verify-your-email/chapter-2-of-10/setup"},
		{"text", "read /verify-email/getting-started-with-version-2 and /share_links/README.md first"},
		{"text", "GET /hooks-guide/introduction-to-use-effect 200, /reactHooks/useEffect.html, /verified-users/page-12"},
		{"url", "/un-verifiable/3f9c2ab4d1e0/confirmed-orders/A1B2C3D4E5"},
		{"text", "cache key: 9f86d081 for request 3f2504e0-4f89-41d3-9a0c-0305e82c3301"},
		{"text", `<img src="data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==">`},
		{"text", `"integrity": "sha512-Zm9vYmFyYmF6cXV4Zm9vYmFyYmF6cXV4Zm9vYmFyYmF6cXV4Zm9vYmFyYmF6cXV4Zm9vYmFyYmF6cXV4Zg=="`},
		{"text", "commit 9f86d081884c7d659a2feaa0c55ad0153f2504e0 by author ann"},
		{"text", "ps -p 1234; mkdir -p build; grep -w mysql file"},
		{"text", "id,name,city\n1,Ann,Berlin\n"},
		{"text", "Errors:\n password:\n - is too short\n - required\n"},
		{"text", "password:\n  - must have eight letters"},
		{"text", "- name: DB_PASSWORD\n  valueFrom: x\n- value: info\n  name: LEVEL"},
		{"text", "- name: LEVEL\n  value: info\n- name: DB_PASSWORD\n  valueFrom: x"},
		{"text", "kind: ConfigMap\ndata:\n  level: info\n"},
		{"json", `{"kind":"ConfigMap","data":{"level":"info"}}`},
		{"text", "Key (id, email)=(3, a b) already exists."},
	} {
		if got := clean(redact.New(redact.Rules{}), c.place, c.input); got != c.input {
			t.Errorf("%s %q became %q", c.place, c.input, got)
		}
	}
}

const wellKnown = "Xq7-Zebra.90!pine"

// A value that was recognised by its place is masked wherever else it stands, however it is written there.
func TestOnceKnownAlwaysKnown(t *testing.T) {
	for _, teach := range []struct{ place, input string }{
		{"json", `{"password":"` + wellKnown + `"}`}, {"form", "token=" + "Xq7-Zebra.90%21pine"}, {"header:Cookie",
			"sid=" + wellKnown + "; theme=dark"},
		{"header:X-Api-Key", wellKnown}, {"url", "/in?sid=" + wellKnown}, {"text",
			"db https://root:" + wellKnown + "@db.local"}, {"header:Authorization", "Bearer " + wellKnown},
	} {
		r := redact.New(redact.Rules{})
		clean(r, teach.place, teach.input)
		for _, use := range []struct{ place, input string }{
			{"text", "saw " + wellKnown + " here"}, {"text", wellKnown}, {"json", `{"a":["` + wellKnown + `"]}`}, {"url",
				"/x?q=Xq7-Zebra.90%21pine"},
			{"text", "a\\n" + wellKnown}, {"json", `{"a":"line\n` + wellKnown + `"}`}, {"text", "session_" + wellKnown + ","},
			{"url", "/p/" + wellKnown + "/x"},
		} {
			if got := clean(r, use.place, use.input); strings.Contains(got, "Zebra") {
				t.Errorf("taught by %s, %s %q became %q", teach.place, use.place, use.input, got)
			}
		}
	}
	r := redact.New(redact.Rules{})
	for _, input := range []string{`{"password":"checkout","token":"true","secret":"2024-11-20","sid":"dark-mode-2","pin":1234567890}`} {
		clean(r, "json", input)
	}
	clean(r, "header:Cookie", "lang=en-US; page=/shop/checkout; _seen=1700000000; theme=solarized")
	plain := "checkout at 2024-11-20: true, dark-mode-2, en-US /shop/checkout 1700000000 1234567890 solarized"
	if got := r.Text(plain); got != plain {
		t.Errorf("ordinary words were spread: %q", got)
	}
}

// Within one batch it does not matter whether a value is named before or behind its use.
func TestOrderWithinABatchDoesNotMatter(t *testing.T) {
	first, second := &event.Log{Message: "using " + wellKnown}, &event.Log{Message: "then password=" + wellKnown}
	exchange := &event.Exchange{ResponseBody: `{"plain":"` + wellKnown + `"}`}
	b := event.Batch{first, second, exchange}
	r := redact.New(redact.Rules{})
	r.Batch(b)
	if got := fmt.Sprintf("%+v %+v %+v", *first, *second, *exchange); strings.Contains(got, "Zebra") {
		t.Errorf("a value survived before its name: %s", got)
	}
}

func TestKnownValuesAreBounded(t *testing.T) {
	r := redact.New(redact.Rules{})
	for i := range 3 * redact.MaxKnown {
		r.Text(fmt.Sprintf("password=aB3dE5gH%dx", i))
	}
	if got := redact.KnownValues(r); got > redact.MaxKnown {
		t.Errorf("%d values are remembered, at most %d may be", got, redact.MaxKnown)
	}
	last := fmt.Sprintf("aB3dE5gH%dx", 3*redact.MaxKnown-1)
	if got := r.Text("see " + last); strings.Contains(got, last) {
		t.Errorf("the newest value was forgotten: %q", got)
	}
}
