package redact_test

import (
	"encoding/json"
	"regexp"
	"strings"
	"testing"

	"github.com/brennhill/gasoline/internal/redact"
)

// pseudonym is what stands for a secret: <kind#1>, in URLs <kind%231>, before a host %3Ckind%231%3E.
const pseudonym = `(?:\\*["'])?(?:<|%3C)[a-z][a-z0-9_]+(?:#|%23)[0-9]+(?: [a-z]{3}=[^ >]+)*(?:>|%3E)(?:\\*["'])?`

var marked = regexp.MustCompile(`«[^»]*»`)

// checkMarked redacts each text. What stands between « and » has to be replaced, to the byte, and nothing else.
func checkMarked(t *testing.T, r func() *redact.Redactor, place string, texts ...string) {
	t.Helper()
	for _, text := range texts {
		checkOne(t, r(), place, text)
	}
}

func checkOne(t *testing.T, r *redact.Redactor, place, text string) {
	t.Helper()
	got := checkFirst(t, r, place, text)
	if again := clean(r, place, got); again != got {
		t.Errorf("%s %q: the second pass made %q of %q", place, text, again, got)
	}
}

// checkFirst is checkOne without the second pass.
func checkFirst(t *testing.T, r *redact.Redactor, place, text string) string {
	t.Helper()
	input := strings.NewReplacer("«", "", "»", "").Replace(text)
	var want strings.Builder
	at := 0
	for _, m := range marked.FindAllStringIndex(text, -1) {
		want.WriteString(regexp.QuoteMeta(text[at:m[0]]) + pseudonym)
		at = m[1]
	}
	want.WriteString(regexp.QuoteMeta(text[at:]))
	got := clean(r, place, input)
	if !regexp.MustCompile(`^(?s:` + want.String() + `)$`).MatchString(got) {
		t.Errorf("%s %q\n became %q\n wanted %q", place, input, got, text)
	}
	if place == "json" && json.Valid([]byte(input)) && !json.Valid([]byte(got)) {
		t.Errorf("%q became %q, which is no JSON", input, got)
	}
	return got
}

func builtIn() *redact.Redactor { return redact.New(redact.Rules{}) }

// A value without quotes ends at white space, a quote or '&', outside of forms at a closing bracket or a comma, too.
func TestWhereValuesEnd(t *testing.T) {
	for _, end := range []string{"", " x", "\tx", "\nx", "\rx", "&x", `"x`, "'x", "`x", ",x", ";x", ")x", "]x", "}x"} {
		checkMarked(t, builtIn, "text", "a password=«hunter22»"+end, "x password: «swordfish»"+end)
	}
	checkMarked(t, builtIn, "text",
		"password=«hunter22#5»", "password=«hun%26ter22»", `password=«hunter22»\`, `password=«hunter22»\" x`,
		`password=«hunter22»\\x`, `password=«hun\ter22» x`, "password=«hunter22<x>»", "token%3D«abc123»%26x%3D1",
		"token%3d«abc123»%22,x", "token%3A«abc123»%26x", "token%253D«abc123»%26x", "token%22%3A%22«abc123»%22",
		"token=<secret#7>abc",
	)
	checkMarked(t, builtIn, "form", "password=«hun,ter;22)]}»&x=1", "password=«hunter22»#x", "password=«hun%26ter22»&y",
		"a=1&password=«x»&b=2")
	checkMarked(t, builtIn, "url", "/x?password=«hun,ter;22)]}»&x=1", "/x?password=«hunter22»#part",
		"/x?a=b#token=«x»&c=d")
	checkMarked(t, builtIn, "json",
		`{"a":"password=«hunter22»\nnext"}`, `{"a":"password=«hun\u0041ter22» x"}`, `{"a":"password=«hun\/ter22» x"}`,
		`{"a":"password=«hunter22»\\n"}`, `{"a":"password=«hunter22»\"x"}`, `{"a":"password=«hunter22»"}`,
		`{"password":«12345678»,"b":1}`, `{"password":«12345678»}`, `["password",{"pin":«1234»}]`,
		`{"password":"«hun\"ter22»","b":"x"}`, `{"password":"«hun\\»","b":"x"}`, `{"password":"«hunter`+"22»",
		`{"a":"password='«hunter22»"}`, `{"a":"password='«hunter22»' x"}`, `{"a":"password=\"«hun\\\"ter22»\" x"}`,
		`{"a":"{\"password\":\"«hunter22»\",\"b\":1}"}`, `{"a":"{\"password\":«12345678»,\"b\":1}"}`,
		`{"a":"{\"b\":\"{\\\"password\\\":\\\"«hunter22»\\\",\\\"c\\\":1}\"}"}`,
	)
}

// Between a name and its value stand white space and one of the signs of assignment.
func TestSignsOfAssignment(t *testing.T) {
	checkMarked(t, builtIn, "text",
		`password="«hunter22»"`, `password='«hunter22»'`, "password=`«hunter22»`", "password := «hunter22»",
		"password == «hunter22»", "password === «hunter22»", "password = «hunter22»", "password\t:\t«hunter22»",
		"password :\n«hunter22»", "password:\r\n«hunter22»", "'password' => '«hunter22»'", "password => «hunter22»", "password => hunters",
		"password::hunter22", "password; hunter22", "password/hunter22", "password=", "password =", "password",
		"password: ",
		`"password": "«hunter22»"`, `"password" "hunter22"`, "'password':'«hunter22»'", "password%20«hunter22»",
		"my_password=«hunter22»", "passwords2=«hunter22»",
		"password-hunter22", "password.value=hunter22",
	)
	checkMarked(t, builtIn, "json",
		`{"a":"password:\n«hunter22»"}`, `{"a":"password:\t«hunter22»"}`, `{"a":"password:\r\n«hunter22»"}`,
		`{"a":"password :\r «hunter22»"}`, "{\"password\" :\n\t\"«hunter22»\"}", "{\"password\"\r\n: «12345678» }",
		`{"password" : null,"x":true}`, `{"password":""}`, `{"password":false,"b":1}`, `{"password" "x"}`,
		`{"a":"my password","b":"hunter22"}`, `{"a":"the password:","b":"hunter22"}`, `{"a":"password:"}`,
		`{"a":"password=","b":"x"}`, `{"my password:":"x"}`, `["password"]`, `["the password","hunters"]`,
		`["the password","«hunter22»"]`,
	)
}

// Objects and lists behind a secret name are replaced as a whole, up to the bracket that closes them.
func TestValuesInBrackets(t *testing.T) {
	checkMarked(t, builtIn, "json",
		`{"passwords":«["a","b]"]»,"c":1}`, `{"secrets":«{"a":[1,2],"b":"}"}»,"x":[1]}`, `{"secrets":{},"x":1}`,
		`{"secrets":«[[1],[2]]»}`, `{"secrets":«{"a":"\"}"}»,"b":2}`, `{"secrets":«{"a":"\\"}»,"b":2}`,
		`{"raw":"{\"secrets\":«{\"a\":\"}\"}»,\"b\":1}"}`, `{"raw":"{\"secrets\":«[\"a\",\"b\"]»}"}`,
		`{"secrets":«{"a":1»`, `{"a":"secrets: «{a:» 1"}`, `{"raw":"{\"secrets\":«{\"a\":1»","b":2}`,
	)
	checkMarked(t, builtIn, "text",
		"secrets = «{a: [1, 2]}» rest", "secrets: «[abc, def]» rest", "secrets = {a: [1, 2] rest",
		`{"secrets":«{"a":"}"}»}`,
		`x {"secrets":«{"a":1»`, "secrets = {a, secrets = {b}",
	)
}

// What stands behind a name in a program or a schema is no secret.
func TestTextsOfPrograms(t *testing.T) {
	checkMarked(t, builtIn, "text",
		"password: $PASSWORD", "x password: ${PASSWORD}", "x password: «$ecret99»", "x password: «$1abc»",
		"x password: «$»",
		"mutation($p: String!){login(password:$p){ok}}", "x password: [String!]!", "x password: [ID]",
		"x token: «[abc]»",
		"x sid: 12", "x sid: 1234", "x sid: «12345»", "x sig: 0", "x token: «7»", "x pin: «1234»", "x sid: «12a»",
		"x password: ***", "x password: «****»", "x password: ::", "x password: «*a*»", "x password: «é!»",
		"x token: «__»",
		"this.token = token", "this.token = token;", "this.token = «tok»", "x token: «toke»", "x token = «tokens»",
		"password: String!", "token: ID!", "token: boolean", "x password: unknown", "x password: «unknowns»",
		"x token: Float!!", "x token: «Floats»", "x password: VOID",
		"query($password: LoginInput!)", "query($password: «Login2!»)", "query(password: «LoginInput!»)",
		"query($password: !)",
		"token = new Token()", "x token: «new»", "x token: «new»,",
		"const token = await fetch(x)", "let token = typeof x", "var token = async x", "const token = function () {}",
		"const token = «await»", "const token = get();", "const token = a.b[0]",
		"const token = a?.b", "const token = other;", "const token = «hunter22»", "let password = «hunter22»",
		"const token = «other»", "xconst token = «other»;", "static const token = other;", "my const  token = other;",
		"Unexpected token: foo", "Unexpected token: «abc123»", "Expected token: «foo»", "unexpected token = foo",
		"unexpected  token: foo", "Xunexpected token: «foo»", "unexpected password: «foo»",
		"x password: getPassword()", "x token: read(x, y)", "x token: read(x,y);", "x token: store.read(x).id",
		"x token: read('«abc»')", `x token: decrypt("«abc»", 1)`, `x token: read("token")`,
		"x token: read('<secret#1>')",
		"x password: «a1(»)", "x password: «f(x»)z", "x token: «read(»", "x token: «read(x»", "x token: read()",
		"x token: read()\r\n", "x token: read()}", "x token: read()]", `x token: read()\n`,
		"x token: «read(4»)", "x token: read(a_b.c)", "x token: «read(»)(",
		"x token: «abcdefghij1234567»", "x token: «abcdefghijklmnop»", "x token: «abcdefghijklmnopq» y",
		"token=«token»", "/x?token=«getToken»&a", "x\ntoken=«Boolean»", "a;token=«Boolean»;",
		"x token=String", "[token=«Boolean»]", "x token=«Boolean»&y=1", "a&token=«Boolean»",
	)
	checkMarked(t, builtIn, "form", "token=«Boolean»", "a=1&token=«getToken()»")
	checkMarked(t, builtIn, "url", "/x?token=«token»", "/x?token=«$p»")
	checkMarked(t, builtIn, "json",
		`{"a":"token: read('«abc»')"}`, `{"a":"token: read(\"«abc»\")"}`, `{"a":"token: «read(»"}`,
		`{"token":"«Boolean»"}`,
		`{"query":"mutation($p: String!){login(password:$p){ok}}","variables":{"p":"«hunter22»","q":"x"}}`,
		`{"query":"mutation($p: String!){login(name:$p){ok}}","variables":{"p":"hunter22"}}`,
		`{"a":1}`,
	)
}
