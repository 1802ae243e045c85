package redact_test

import (
	"encoding/base64"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/brennhill/gasoline/internal/event"
	"github.com/brennhill/gasoline/internal/redact"
)

// taught returns a maker of redactors that have seen the texts, each with its place before it.
func taught(texts ...string) func() *redact.Redactor {
	return func() *redact.Redactor {
		r := redact.New(redact.Rules{})
		r.SetSalt("salt")
		for i := 0; i+1 < len(texts); i += 2 {
			clean(r, texts[i], texts[i+1])
		}
		return r
	}
}

// Which values are looked for everywhere once their name or place told that they are secret.
func TestWhichValuesAreSpread(t *testing.T) {
	for value, spread := range map[string]bool{
		"hunter22": true, "hunter2": false, "hunt-er22": false, "a1b2c3d4": true, "abcdefgh": false,
		"1234567890123456": true,
		"123456789012345":  false, "12345678-90123456": false, "12345678ab": false, "12345678abc": true,
		"Checkout-1": true,
		"checkout-1": false, "check!out-1": true, "check!ou1": false, "check!out-x": true, "check!out": false,
		"one-two-three-four": true, "one-two-three-4": false, "one-two-threefour": true, "one-twothreefourfive": false,
		"one-two-three-x": false, "/shop/hunter22": false, "{hunter22}": false, "[hunter22]": false,
		"https://hunter22": false,
		"ab1c-de2f":        false, "ab1cd-ef": true, strings.Repeat("a1", 2048): true,
		strings.Repeat("a1", 2048) + "b": false,
	} {
		want := "see " + value + " there"
		if spread {
			want = "see «" + value + "» there"
		}
		checkMarked(t, taught("json", `{"password":"`+value+`"}`), "text", want)
	}
	// A cookie may hold anything: only what is one word of letters and digits is looked for.
	for value, spread := range map[string]bool{
		"hunter22": true, "check!out-x": false, "one-two-three-four": false, "Checkout-1": false,
		"1234567890123456": true,
	} {
		want := "see " + value + " there"
		if spread {
			want = "see «" + value + "» there"
		}
		checkMarked(t, taught("header:Cookie", "theme="+value), "text", want)
	}
}

// Every value that a name or a place told is looked for afterwards, also one that only looks drawn at random behind a name
// that hints at a secret, one in a list, and what is a part of what was replaced.
func TestWhatIsReplacedIsKnownAfterwards(t *testing.T) {
	const value = "q7Wd3Zr9Lk2Tn5Xb8Vc4Hm6J"
	for _, text := range []string{
		"session=%s; rot=1", "sess: %s", "mykeything=%s", `x-auth-thing: "%s"`, "user_credential_blob=%s",
		"curl -u bob:%s https://host/", `curl --user "bob:%s" https://host/`, "git clone https://%s@host/x.git",
		`{"passwords":["first-one-1","%s"]}`, `passwords=["%s"]`,
	} {
		checkMarked(t, taught("text", fmt.Sprintf(text, value)), "text", "see «"+value+"» there", "rot=«"+value+"»")
	}
	checkMarked(t, taught("json", `{"a":{"passwords":["`+value+`"],"n":1}}`), "text", "see «"+value+"» there")
	checkMarked(t, taught("json", `{"sessionBlob":"`+value+`"}`), "json", `{"rot":"«`+value+`»"}`)
	// A name of a member is no value, nor is a user's.
	checkMarked(t, taught("json", `{"secrets":[{"`+value+`":"first-one-1"}]}`), "text", "see "+value+" there")
	checkMarked(t, taught("text", "https://deploy@host/ and curl -u deploy7user:pw1 https://host/"), "text", "the deploy7user deploy")
}

// Where a known value stands: as words of its own, in each spelling, not as a part of a longer word.
func TestWhereKnownValuesAreFound(t *testing.T) {
	hunter := taught("json", `{"password":"hunter22"}`)
	checkMarked(t, hunter, "text",
		"«hunter22»", "(«hunter22»)", "xhunter22", "hunter22x", "hunter223", "«hunter22»-x", "session-id-«hunter22»",
		"session_id_«hunter22»_y", "session.id.«hunter22»", "session-idhunter22",
		`a\n«hunter22»`, `a\u003d«hunter22»`, "a%3D«hunter22»%26", "«hunter22» «hunter22»", "Hunter22", "hunter2",
		"hunter 22",
		strings.Repeat("x ", 40)+"«hunter22»", strings.Repeat("x", 60)+" «hunter22»", "a=«hunter22»&b",
		"é«hunter22»é", "x,«hunter22»",
	)
	checkMarked(t, hunter, "json", `{"a":"«hunter22»"}`, `{"a":["session-id-«hunter22»"]}`,
		`{"a":"x\n«hunter22»\ny"}`, `{"a":"\u003d«hunter22»"}`)
	number := taught("json", `{"pin":"1234567890123456"}`)
	checkMarked(t, number, "json", `{"a":«1234567890123456»}`, `{"a":[«1234567890123456»,1]}`,
		`{"a":1234567890123456.5}`, `{"a":-1234567890123456}`,
		`{"a":«1234567890123456» }`, `[ «1234567890123456»]`, `{"a":12345678901234567}`)
	sign := taught("text", `password='!!hun ter"2&2x'`)
	checkMarked(t, sign, "text", `see «!!hun ter"2&2x» there`, `see x«!!hun ter"2&2x» there`,
		`see «!!hun ter\"2&2x» there`,
		`see !!hun ter"2&2xy there`, "see hun ter\"2&2x there")
	checkMarked(t, sign, "json", `{"a":"see «!!hun ter\"2&2x» there"}`)
	blank := taught("text", `password='hunt er"2&2x'`)
	checkMarked(t, blank, "text", `see «hunt er"2&2x» there`, "see «hunt+er%222%262x» there",
		"see «hunt%20er%222%262x» there", "hunt er%222%262x")
	escaped := taught("form", "password=hun%20ter%2122x")
	checkMarked(t, escaped, "text", "see «hun ter!22x» there", "see «hun%20ter%2122x» there",
		"see «hun+ter%2122x» there")
	checkMarked(t, taught("form", "password=hun%2-ter22x"), "text", "see «hun%2-ter22x» there")
	longer := taught("text", "password=hunter22-abc", "text", "token=hunter22")
	checkMarked(t, longer, "text", "see «hunter22-abc» there", "see «hunter22» there", "see «hunter22»-abd there")
	checkMarked(t, taught("text", "db https://root:hunter22@db"), "text", "see «hunter22», root", "x")
	checkMarked(t, taught("text", "Bearer hunter22abc"), "text", "see «hunter22abc» there")
	checkMarked(t, taught("url", "/reset/a1b2c3d4"), "text", "see «a1b2c3d4» there")
	checkMarked(t, taught("text", "AKIAZZ0011223344XYZW"), "text", "see «AKIAZZ0011223344XYZW» there")
	comma := taught("json", `{"password":"hunter,22abc;x"}`)
	checkMarked(t, comma, "text", "password=«hunter,22abc;x»", "password: «hunter,22abc;x» y",
		"password=«hunter»,22abd;x")
	checkMarked(t, taught("json", `{"password":"getPass1()x"}`), "text", "x password: «getPass1()x» y")
}

// What a page masked is looked for in other texts, as the page's hash tells.
func TestWhereMaskedValuesAreFound(t *testing.T) {
	masked := func(kind, value string) func() *redact.Redactor {
		return taught("text", "typed "+redact.Mask(kind, value, "salt"))
	}
	for value, found := range map[string]bool{
		"hunter22": true, "hunter2": false, "abcdefghijkl": true, "abcdefghijk": false, "p@ss!word9": true,
		"!hunter22": true, "!!!!hunter22": true,
		"!!!!!hunter22": false, "hunter22!": true, "hünter22x": true, "huntersxÀ": true, "huntersxé": true,
		"日本hunter22": true, "hunter22😀x": true, strings.Repeat("a1b2", 18): true,
		strings.Repeat("a1b2", 18) + "c": false, "a1-b2-c3-d4-e5": true, "a1-b2-c3-d": false,
	} {
		want := "see " + value + " there"
		if found {
			want = "see «" + value + "» there"
		}
		checkMarked(t, masked("password", value), "text", want)
		if found && !strings.ContainsAny(value, `"\`) {
			checkMarked(t, masked("password", value), "json", `{"a":"«`+value+`»","b":1}`)
		}
	}
	pw := masked("password", "hunter22")
	checkMarked(t, pw, "text", "«hunter22»", strings.Repeat("x1y2z3w4 ", 30)+"«hunter22»", "a «hunter22», b",
		"xhunter22", "hunter22x", "(«hunter22»)", "see //hunter22", "see x.hunter22", "«hunter22»://x")
	checkMarked(t, pw, "url", "/?q=«hunter22»&x=1", "/?q=hunter22x")
	checkMarked(t, masked("password", "hun&ter22"), "url", "/?q=«hun%26ter22»&x=1", "/?q=hun&ter22")
	checkMarked(t, masked("password", "&hunter22é"), "url", "/?q=«%26hunter22%C3%A9»&x=1")
	checkMarked(t, masked("password", `hunter22"te\r/x`), "json", `{"a":"«hunter22\"te\\r\/x»"}`,
		`{"a":"«hunter22\"te\\r/x»","b":1}`)
	checkMarked(t, masked("password", `hunter22`), "json", `{"a":"«hunter22»\n"}`, `{"a":"\n«hunter22»"}`,
		`["x «hunter22»"]`)
	for kind, found := range map[string]bool{"password": true, "pwd": true, "passcode": true, "token": false,
		"secret": false} {
		want := "see abcdefghijkl there"
		if found {
			want = "see «abcdefghijkl» there"
		}
		checkMarked(t, masked(kind, "abcdefghijkl"), "text", want)
	}
	checkMarked(t, masked("cookie", "check!out-x"), "text", "see check!out-x there")
	checkMarked(t, masked("token", "check!out-x"), "text", "see «check!out-x» there")
	checkMarked(t, masked("code", "check!out-x"), "text", "see check!out-x there")
}

func jwt(header, payload string) string {
	enc := base64.RawURLEncoding.EncodeToString
	return enc([]byte(header)) + "." + enc([]byte(payload)) + ".c2lnc2lnc2ln"
}

// Of a JWT its issuer and times stay readable, each only where it is harmless.
func TestClaimsOfTokens(t *testing.T) {
	const head = `{"alg":"HS256"}`
	for payload, want := range map[string]string{
		`{"iss":"https://id.example/a","exp":1700000000,"iat":1600000000.5}`: "<jwt#1 iss=https://id.example/a " +
			"exp=1700000000 iat=1600000000>",
		`{"exp":0}`: "<jwt#1 exp=0>", `{"exp":-1,"iat":5}`: "<jwt#1 iat=5>",
		`{"exp":999999999999}`:  "<jwt#1 exp=999999999999>",
		`{"exp":1000000000000}`: "<jwt#1>", `{"exp":"x","iss":7}`: "<jwt#1>", `{"iss":""}`: "<jwt#1>",
		`{"iss":"a b"}`: "<jwt#1>", `{"iss":"a<b"}`: "<jwt#1>",
		`{"iss":"` + strings.Repeat("a", 80) + `"}`: "<jwt#1 iss=" + strings.Repeat("a", 80) + ">",
		`{"iss":"` + strings.Repeat("a", 81) + `"}`: "<jwt#1>",
		`{"iss":"eyJabc"}`:                          "<jwt#1>", `{"iss":"AKIAZZ0011223344XYZW"}`: "<jwt#1>",
		`{"iss":"a-b_c.d:1"}`: "<jwt#1 iss=a-b_c.d:1>", `[]`: "<jwt#1>", `{`: "<jwt#1>",
		`{"iss":"https://a:b@c"}`: "<jwt#1>", `{"sub":"x"}`: "<jwt#1>",
	} {
		token := jwt(head, payload)
		r := redact.New(redact.Rules{})
		if got := r.Text("a " + token + " b"); got != "a "+want+" b" {
			t.Errorf("%s became %q, want %q", payload, got, want)
		}
		if got := r.Text("a " + want + " b"); got != "a "+want+" b" {
			t.Errorf("the second pass made %q of %q", got, want)
		}
		if got := redact.New(redact.Rules{}).URL("/x?q=" + token); got != "/x?q=<jwt%231>" {
			t.Errorf("in a URL %s became %q", payload, got)
		}
	}
	const whole = "eyJhbGciOiJIUzI1NiJ9"
	checkMarked(t, builtIn, "text",
		"«"+whole+".eyJhIjoxfQ.c2ln»", "«"+whole+".eyJhIjoxfQ.c2ln».", "x "+whole+" y",
		"«eyJhbGciOi.abcdefgh.c2ln» x", "eyJhbGciO.abcdefghi.c2ln x",
		"«"+whole+".abc» x", whole+".ab x", "«"+whole+"abcd»", whole+"abc", "«"+whole+".a.b.c.d».e",
		"exJhbGciOiJIUzI1NiJ9.eyJhIjoxfQ.c2ln", "«eyJhbGciOi.abcdef.gh» x", "eyJhbGciOi.abcdef.g x",
	)
	// What only looks like our pseudonym is read like any text.
	checkMarked(t, builtIn, "text", "<jwt#1 exp=5 iat=6>", "<jwt#1>", "<secret#12345678901234567890>", "<a#1>",
		"password=<secret#1>", "x", "«<other:1a2b3c4d>»", "<other:1a2b3c4>", "<other:1A2B3C4D>", "<Other:1a2b3c4d>",
		"<other:1a2b3c4g>")
}

// Tokens of formats at their shortest and longest, whole, cut, and within longer words.
func TestLengthsOfTokens(t *testing.T) {
	a := func(n int) string { return strings.Repeat("a1", n)[:n] }
	checkMarked(t, builtIn, "text",
		"x «AKIA"+"ZZ0011223344XYZW» y", "x AKIA"+"ZZ0011223344XYZ y", "x AKIA"+"ZZ0011223344XYZWQ y",
		"x «AKIA"+"ZZ0011223344XYZW».", "xAKIA"+"ZZ0011223344XYZW", "AKIA"+"ZZ0011223344XYZWé",
		"x «npm_"+a(32)+"» y", "x npm_"+a(31)+" y", "x «npm_"+a(8)+"»", "x npm_"+a(7), "x «npm_"+a(32)+"_more» y",
		"x «hvs."+a(20)+"», y", "x «hvs."+a(20)+"».", "x hvs."+a(19)+" y",
		"https://hooks.slack.com/services/«T1/B1/"+a(14)+"»", "https://hooks.slack.com/services/T1/B1/"+a(5)+" x",
		"x openai sk-"+strings.Repeat("a", 21), "x «sk-"+strings.Repeat("Aa1", 7)+"»", "x sk-"+strings.Repeat("Aa1",
			6)+"Aa", "x «sk-"+strings.Repeat("AAaBb", 5)+"»", "x sk-"+strings.Repeat("Aabcd", 5),
		"x sk-ABabcdefghijklmnopqrst", "x sk-AbcdEfghIjklmnopqrstu", "x «sk-"+strings.Repeat("a1", 16)+"» y",
		"x sk-"+strings.Repeat("a", 32)+" y",
		"data:image/png;base64,"+strings.Repeat("AKIA"+"ZZ0011223344XYZW+", 4), "base65,«AKIA"+"ZZ0011223344XYZW»",
		`x\n«AKIA`+"ZZ0011223344XYZW»", `x\u003d«AKIA`+"ZZ0011223344XYZW»", "1700000000:"+a(35), "x",
		"«"+a(14)+".atlasv1."+a(60)+"» x", a(14)+".atlasv2."+a(60)+" x",
		"«MTk4NjIyNDgzNDcxOTI1MjQ4.Cl2FMQ."+strings.Repeat("Zn", 14)+"» y",
	)
	checkMarked(t, builtIn, "form", "a=«AKIA"+"ZZ0011223344XYZW»&b=1", "a=%20«AKIA"+"ZZ0011223344XYZW»")
}

// Rules of the user's own, at the bounds that ParseRules says.
func TestBoundsOfRules(t *testing.T) {
	rule := func(name, pattern string) string { return fmt.Sprintf(`{"name":%q,"pattern":%q}`, name, pattern) }
	many := func(n int) string {
		return `{"rules":[` + strings.TrimSuffix(strings.Repeat(rule("ab", "x")+",", n), ",") + `]}`
	}
	for file, want := range map[string]string{
		many(50): "", many(51): "51 rules, at most 50 are allowed", `{"rules":[` + rule("ab", strings.Repeat("x",
			1024)) + `]}`: "",
		`{"rules":[` + rule("ab", strings.Repeat("x", 1025)) + `]}`: "a pattern has at most 1024 bytes",
		`{"rules":[` + rule(strings.Repeat("a", 32), "x") + `]}`:    "",
		`{"rules":[` + rule(strings.Repeat("a", 33), "x") + `]}`:    "a name is 2 to 32 characters",
		`{"rules":[` + rule("a", "x") + `]}`:                        "a name is 2 to 32 characters",
		`{"rules":[` + rule("a1_", "x") + `]}`:                      "", `{"rules":[` + rule("1a", "x") + `]}`: "a name is",
		`{"names":["` + strings.Repeat("x", 64) + `"]}`: "", `{"names":["` + strings.Repeat("x",
			65) + `"]}`: "has to have 2 to 64 letters", `{"names":["ab"]}`: "", `{"names":["a1"]}`: `line 1: name "a1"`,
		"  \n ":               "the file is empty",
		`{"names":7}`:         `"names" has to be of another type: write {"rules": [], "names": [], "headers": []}`,
		"{\n\"names\":[\n7]}": "line 3",
		"{\n\"names\":[,]}": "line 2: invalid character ',' looking for beginning of value; repair " +
			"the JSON there",
		"{\n\"rul\":[]}":                   `line 2: unknown field "rul"; known are rules, names, headers and pii`,
		"{}\n{}":                           "line 2: something follows the closing brace",
		"{\n\n\"names\":[\"ab\",\n\"c\"]}": "line 4: name \"c\"",
		"{\"rules\":[\n" + rule("ab", "x") + ",\n" + rule("cd", "(") + "]}": `line 3: rule 2 ("cd")`,
		"[]": "line 1: json: cannot unmarshal array",
	} {
		_, err := redact.ParseRules([]byte(file))
		if got := fmt.Sprint(err); want == "" && err != nil || want != "" && !strings.Contains(got, want) {
			t.Errorf("ParseRules(%.80s) says %q, want %q", file, got, want)
		}
	}
}

func withRules(t *testing.T, file string) func() *redact.Redactor {
	rules, err := redact.ParseRules([]byte(file))
	if err != nil {
		t.Fatal(err)
	}
	return func() *redact.Redactor { return redact.New(rules) }
}

func TestWhatRulesReplace(t *testing.T) {
	r := withRules(t,
		`{"rules":[{"name":"employee","pattern":"EMP-(\\d{3})?(x)?"},{"name":"room","pattern":"[Rr]oom\\d"}]}`)
	checkMarked(t, r, "text", "EMP-«123»x", "EMP-", "EMP-12", "a EMP-«123» EMP-«456» b", "«room1» EMP-«123» «Room2»",
		"<secret#1> EMP-«123» <secret#2>", "<b> EMP-«123»", "emp-123")
	checkMarked(t, r, "url", "/x?e=EMP-«123»")
	checkMarked(t, r, "json", `{"a":"EMP-«123»"}`)
	wide := withRules(t, `{"rules":[{"name":"all","pattern":"\"a.*b"}]}`)
	if got := wide().Body(`{"a":"x","c":"b"}`, ""); got != `"<all#2>"` {
		t.Errorf("a pattern that reaches over a string's bounds made %s", got)
	}
	if got := wide().Body(`{"a":"x","c":"d"}`, ""); got != `{"a":"x","c":"d"}` {
		t.Errorf("a pattern that does not match made %s", got)
	}
	if got := wide().Body(`{"a":"x","c":"b`, ""); got != `{<all#1>` {
		t.Errorf("a document that was cut became %s", got)
	}
	found := r()
	found.Text("EMP-123 room1")
	if got, want := fmt.Sprint(found.Findings()), fmt.Sprint([]event.Finding{{Kind: "employee", Place: "text"},
		{Kind: "room", Place: "text"}}); got != want {
		t.Errorf("findings %s, want %s", got, want)
	}
	names := withRules(t, `{"names":["tenant_id"],"headers":["X-Tenant"]}`)
	checkMarked(t, names, "text", "tenantId=«abc»", "tenant=abc", "my_tenant_id: «abc»")
	checkMarked(t, names, "header:x-tenant", "«acme»")
	checkMarked(t, names, "header:x-tenants", "acme")
}

// The rules of places and bodies: which type of body is read as what.
func TestBodiesByTheirType(t *testing.T) {
	for _, c := range []struct{ body, contentType, want string }{
		{`{"password":"abc"}`, "text/plain", `{"password":"<secret#1>"}`}, {" \r\n\t[\"token\",\"abc\"]", "",
			" \r\n\t[\"token\",\"<secret#1>\"]"},
		{"token=a,b&x", "application/x-www-form-urlencoded", "token=<secret%231>&x"}, {"token=q,b&x", "text/plain",
			"token=<secret#1>,b&x"},
		{"", "application/json", ""}, {"x=1", "", "x=1"}, {"pw=", "", "pw="}, {"4111111111111111", "", `"<card#1>"`},
		{"4111111111111111 x", "", "<card#1> x"},
		{"-4111111111111111", "", "-4111111111111111"}, {`"password=abc"`, "", `"password=<secret#1>"`},
		{"4111111111111111        ", "", "<card#1>        "},
		{"   ", "", "   "},
	} {
		if got := redact.New(redact.Rules{}).Body(c.body, c.contentType); got != c.want {
			t.Errorf("%s %q became %q, want %q", c.contentType, c.body, got, c.want)
		}
	}
}

// Only words of known values are looked at for their sake. Others would be, or not, by a salt of this run, and what is
// found in them would differ from run to run.
func TestOnlyKnownValuesAreLookedAtClosely(t *testing.T) {
	words := []string{"q0000000", "q0004095"}
	for i := range 5000 {
		words = append(words, fmt.Sprintf("w%07d", i))
	}
	if got := redact.LetThrough(words); !slices.Equal(got, words[:2]) {
		t.Errorf("%d words are let through", len(got))
	}
}

// Each text of an event is cleaned, the event is marked, and the finding says where it was.
func TestPlacesOfABatch(t *testing.T) {
	r := redact.New(redact.Rules{})
	clean := &event.Log{Message: "nothing here"}
	events := []struct {
		e     event.Event
		kind  string
		place string
	}{
		{&event.Log{Message: "password=q1"}, "secret", "message:password"},
		{&event.Log{Args: `["pin: 1234"]`}, "secret", "args:pin"},
		{&event.Log{Stack: []event.StackFrame{{Function: "secret=q3"}}}, "secret", "stack:secret"},
		{&event.Log{Stack: []event.StackFrame{{URL: "/a.js?sid=q4"}}}, "secret", "url:sid"},
		{&event.Log{Stack: []event.StackFrame{{Source: "/a.js?jwt=q5"}}}, "secret", "url:jwt"},
		{&event.Log{Head: event.Head{PageURL: "/a?otp=q6"}}, "secret", "head:otp"},
		{&event.Exchange{ResponseBody: `{"cvv":"q7"}`}, "secret", "body:cvv"},
		{&event.Exchange{RequestHeaders: []event.Header{{Name: "X-Api-Key", Value: "q8"}}}, "secret",
			"header:x-api-key"},
		{&event.Exchange{RequestHeaders: []event.Header{{Name: "a-ghp_" + strings.Repeat("q7Rt", 9), Value: "q9"}}},
			"", ""},
		{&event.Exception{Causes: []event.ErrorCause{{Message: "passwd=q10"}}}, "secret", "exception:passwd"},
		{&event.Exception{Causes: []event.ErrorCause{{Type: "pwd=q11"}}}, "secret", "exception:pwd"},
		{&event.Exception{Causes: []event.ErrorCause{{Stack: []event.StackFrame{{Function: "ssn=q12"}}}}}, "secret",
			"stack:ssn"},
		{&event.Action{Type: "click", Locators: []event.Locator{{Kind: "text", Value: "csrf=q13"}}}, "secret",
			"action:csrf"},
		{&event.Action{Type: "click", Locators: []event.Locator{{Kind: "xsrf=q14"}}}, "secret", "action:xsrf"},
		{&event.Action{Type: "input", Name: "Password", Value: "abc"}, "secret", "action:secret"},
		{&event.Exception{Message: "cvc=q15"}, "secret", "exception:cvc"},
		{&event.Exchange{ResponseBody: "passphrase=q19"}, "secret", "body:passphrase"},
		{&event.DOM{Type: "x", Changes: []string{"cvv2=q18"}}, "secret", "dom:cvv"},
		{&event.Performance{LCP: event.Vital{Attribution: `{"a":"sid=q16"}`}}, "secret", "performance:sid"},
		{&event.Performance{LCP: event.Vital{Rating: "totp=q17"}}, "secret", "performance:totp"},
	}
	for _, c := range events {
		b := event.Batch{clean, c.e}
		found := r.Batch(b)
		if clean.Flags&event.Redacted != 0 {
			t.Errorf("an event without secrets is marked: %s", printed(b))
		}
		if c.kind == "" {
			continue
		}
		if c.e.Base().Flags&event.Redacted == 0 {
			t.Errorf("%s is not marked", printed(b))
		}
		if len(found) != 1 || found[0].Kind != c.kind || found[0].Place != c.place || found[0].Head != c.e.Base() {
			t.Errorf("%s: found %+v, want %s at %s", printed(b), found, c.kind, c.place)
		}
		c.e.Base().Seq = 7
		r.Keep(found)
		if again := r.Batch(event.Batch{&event.Log{}}); len(again) != 0 {
			t.Errorf("nothing has findings %v", again)
		}
	}
	for _, f := range r.Findings() {
		if f.Event != 7 {
			t.Errorf("finding %+v does not carry its event's number", f)
		}
	}
	for _, c := range []struct {
		e    event.Action
		want string
	}{
		{event.Action{Name: "Passwort", Value: "abc"}, "<secret#1>"}, {event.Action{Name: "City", Value: "abcd"},
			"abcd"}, {event.Action{Name: "City", Value: "token=abcd"}, "token=<secret#1>"},
		{event.Action{Locators: []event.Locator{{Kind: "css", Value: "x"}, {Kind: "label", Value: "Password"}},
			Value: "abc"}, "<secret#1>"},
		{event.Action{Locators: []event.Locator{{Kind: "placeholder", Value: "Password"}}, Value: "abc"}, "<secret#1>"},
		{event.Action{Locators: []event.Locator{{Kind: "id", Value: "password"}}, Value: "abc"}, "<secret#1>"},
		{event.Action{Locators: []event.Locator{{Kind: "testid", Value: "my-password"}}, Value: "abc"}, "<secret#1>"},
		{event.Action{Locators: []event.Locator{{Kind: "css", Value: "password"}}, Value: "abcd"}, "abcd"},
		{event.Action{Name: "Password", Value: ""}, ""},
	} {
		e := c.e
		e.Type = "input"
		redact.New(redact.Rules{}).Batch(event.Batch{&e})
		if e.Value != c.want {
			t.Errorf("%+v typed %q, want %q", c.e, e.Value, c.want)
		}
	}
}
