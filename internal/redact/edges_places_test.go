package redact_test

import (
	"strings"
	"testing"
)

// A table's first line names its columns. Below a secret name every field is replaced, if the line has as many fields.
func TestColumnsOfTables(t *testing.T) {
	checkMarked(t, builtIn, "text",
		"id,password\n1,«swordfish»\n2,«hunter»", "id;password\n1;«swordfish»\n",
		"id\tpassword\r\n1\t«swordfish»\r\n2\t«hunter»",
		"id|password|x\n1|«swordfish»|2", "password,id\n«swordfish»,1\n«hunter»,2",
		"id,password\n1,swordfish,3\n2,«hunter»", "id,password\n1\n2,«hunter»", "id,password\n1,\n2,«hunter»",
		"\"id\",\"password\"\n\"1\",\"«swordfish»\"", "id,password\n\"a,b\",\"«sword,fish»\"",
		"id,'password'\n1,'«swordfish»'",
		"id, password\n1, «swordfish» \n", "id,password\n1,\"\"\n2,«x»",
		"id,password(x)\n1,swordfish", "id.x,password\n1,swordfish", "a b c d,password\n1,swordfish",
		"a b c,password\n1,«swordfish»",
		"id,name\n1,swordfish", "id,state\n1,swordfish", "id,code,password\n1,open,«swordfish»",
		"pw,x\n1,swordfish", "passw,pw\n1,«swordfish»", "password\nswordfish", "id,password\n",
		"id,password", strings.Repeat("x", 65)+",password\n1,swordfish", strings.Repeat("x",
			64)+",password\n1,«swordfish»",
		"password"+strings.Repeat(",x", 99)+"\n«q»"+strings.Repeat(",x", 99),
		"password"+strings.Repeat(",x", 100)+"\nq"+strings.Repeat(",x", 100),
		"id,password"+strings.Repeat(",name", 202)+"",
		strings.Repeat("name8,", 30)+"password\n"+strings.Repeat("1,", 30)+"«swordfish»",
	)
	// Only the first 1,024 bytes are looked at for the end of the first line.
	head := "password," + strings.Repeat("x", 60)
	for len(head)+61 < 1023 {
		head += "," + strings.Repeat("x", 60)
	}
	head += "," + strings.Repeat("y", 1023-len(head)-1)
	rest := strings.Repeat(",1", strings.Count(head, ","))
	checkMarked(t, builtIn, "text", head[:len(head)-1]+"\n«swordfish»"+rest, head+"\n«swordfish»"+rest,
		head+"y\nswordfish"+rest)
	checkMarked(t, builtIn, "form", "id,password\n1,swordfish")
}

// A header's secret is its value; a scheme before the credentials, the names of cookies and their attributes stay.
func TestValuesOfHeaders(t *testing.T) {
	checkMarked(t, builtIn, "header:Authorization",
		"Bearer «abc»", "bearer «abc»", "«Bearerabc»", "Basic   «dXNlcjpwYXNz»",
		"AWS4-HMAC-SHA256 «Credential=a, Signature=b»",
		"DPoP «abc»", "Key «abc»", "SharedKeyLite «a:b»", "«Other abc»", "«Bearer»", "Token «abc»", "Bearer ",
		"<secret#1>", "«<secret:1a2b3c4d>»", "«<secret:1a2b3c4d>x»", "Bearer <secret#1>", "«abc»", "null", "None",
		"«nulls»",
		"«{\"a\":1}»",
	)
	checkMarked(t, builtIn, "header:X-Api-Key", "«DPoP abc»", "Bearer «abc»", "«a=b; c=d»")
	checkMarked(t, builtIn, "header:Cookie",
		"a=«1»", "a=«1»; b=«2»", "a=«1»;b=«2»", "a=; b=«2»", "a=«1» ; b = «2» ", "a=<cookie#1>; b=«2»",
		"a=«<sid:1a2b3c4d>»",
		"«abc»", "«abc»; def", "a=«1»; def", "path=«/x»; domain=«y»", "a=«b=c»", "<cookie#7>", "a=«x»",
		"theme=«dark»; path=«/»",
	)
	checkMarked(t, builtIn, "header:Set-Cookie",
		"a=«1»; Path=/; HttpOnly",
		"a=«1»; path=/x; Domain=y.example; Expires=Wed, 21 Oct 2026 07:28:00 GMT; Max-Age=60; "+
			"SameSite=Lax; Secure; Priority=High; version=1", "path=«1»; Path=/", "a=«1»; comment=«x»", "«abc»; Path=/",
		"a=; b=«1»", "a=«1»; xpath=«2»; paths=«3»; pat=«4»",
	)
	for _, h := range []string{"Location", "Referer", ":path", "Content-Location", "Origin"} {
		checkMarked(t, builtIn, "header:"+h, "/x?token=«hun,ter22»&a", "/x?state=open")
	}
	checkMarked(t, builtIn, "header:X-Other", "/x?token=«hun»,ter22")
	checkMarked(t, builtIn, "header:Accept", "text/html", "")
	checkMarked(t, builtIn, "header:State", "aB3dE5gH7jK9mN")
	checkMarked(t, builtIn, "header:X-Session-Id", "«b»", "a")
	checkMarked(t, builtIn, "header:Page-Token-", "a")
	checkMarked(t, builtIn, "header:Sec-WebSocket-Key", "dGhlIHNhbXBsZSBub25jZQ==")
	checkMarked(t, builtIn, "header:X-Acme-Key", "«b»")
	checkMarked(t, builtIn, "header:X-Monkey", "a")
}

// Cookies and credentials that a text or a document quotes.
func TestCookiesAndSchemesInTexts(t *testing.T) {
	checkMarked(t, builtIn, "text",
		"Cookie: a=«1»; b=«2»\nHost: x", "Set-Cookie: a=«1»; Path=/; Secure\nx", `document.cookie = "a=«1»; path=/"`,
		"document.cookie = 'a=«1»; path=/x'", "cookie: «abc»", "cookie: «{a=b}»", "cookie: «[a=b]»",
		"cookie: a=«1»\\n", "-H \"Cookie: a=«1»; b=«2»\" x",
		"Authorization: Bearer «abc» x", "Authorization: Bearer «abc», y", "authorization: Token «abc» x",
		"Authorization: Digest «username=\"bob\", realm=\"x\", response=\"0a\"» x",
		"Authorization: Digest  «a=b,c=d» e",
		"Authorization: AWS4-HMAC-SHA256 «Credential=a/b, SignedHeaders=host;date, Signature=c»\nx",
		"Authorization: Signature «keyId=\"a\"»", "Authorization: Digest «a»", "Authorization: «Bearer»",
		"token: «signature» abc",
		"token: Bearer «abc»", "password is: «Bearer»", "Authorization: Digest «username=bob», =x",
		"Authorization: Digest «username=\"bob»", "Authorization: Digest «username=\"bob\"»,",
		"Bearer «abcdefgh1»", "Bearer abcdefg", "Bearer abcdefgh", "Bearer abcdefghijklmnopqrs",
		"Bearer «abcdefghijklmnopqrst»",
		"Bearer+«abcdefgh1»", "Bearer%20«abcdefgh1»", "Bearer%20abcdefg", "BEARER «abcdefgh1», x",
		"bearer  «abcdefgh1».",
		"Basic «dXNlcjpwYXNz»", "Basic dXNlcnBhc3M", "basic «dTpwYXNzd29yZA==» x", "Basic dTpw",
		"Basis dXNlcjpwYXNz", "Bearex abcdefgh1", "Bearer;abcdefgh1", "Basic training123",
	)
	checkMarked(t, builtIn, "json",
		`{"cookie":"a=«1»; b=«2»","c":"d"}`, `{"set_cookie":"a=«1»; Path=/"}`, `{"a":"Cookie: a=«1»; b=«2»"}`,
		`{"a":"Cookie: a=«1»; b=«2»\nHost: x"}`, `{"cookie":«{"a":"b=c"}»}`, `{"cookie":"«abc»"}`,
		`{"cookie":"«{a=b}»"}`,
		`{"cookie":"«[a=b]»"}`, `{"Authorization":"Bearer «abc»","x":1}`, `{"a":"Authorization: Bearer «abc»","b":1}`,
		`{"a":"Authorization: Digest «a=b, c=d»","b":1}`, `{"a":"Authorization: Digest «a=\"b\", c=\"d\"»","b":1}`,
		`{"a":"Authorization: Digest «a=\"b»","b":1}`, `{"a":"Authorization: Digest «a=»","b":1}`,
		`{"a":"document.cookie = \"a=«1»; path=/\""}`, `{"authorization":«["a"]»}`,
	)
}

// User and password before a host.
func TestUserInfoOfURLs(t *testing.T) {
	for _, place := range []string{"text", "url"} {
		checkMarked(t, builtIn, place,
			"https://«ann:hunter22»@host/x", "https://«ann»@host", "https://@host", "https://host/a@b",
			"https://host?a@b",
			"https://host#a@b", "redis://«:hunter22»@host:6379/0", "https://«a@b:c»@host/",
			"https://%3Ccredentials%231%3E@host/",
			"https://«"+strings.Repeat("a", 511)+"»@host",
			"https://"+strings.Repeat("a", 512)+"@host",
		)
	}
	checkMarked(t, builtIn, "text", "(https://host) @x", "https://host, a@b", "'https://host' a@b",
		"see https://host\ta@b",
		"a https://host<b@c>", "x://«a:b»@c, y://«d:e»@f", "s//a:b@c", "s:/a:b@c")
}

// Segments behind a word of links are replaced where they are opaque.
func TestLinks(t *testing.T) {
	for _, place := range []string{"text", "url"} {
		checkMarked(t, builtIn, place,
			"/reset/«a1b2c3d4»", "/reset/a1b2c3d", "/reset/«a1b2c3d4»/x", "/reset/x/«a1b2c3d4»",
			"/reset/x/y/«a1b2c3d4»",
			"/reset/x/y/z/a1b2c3d4", "/reset/x.y/a1b2c3d4", "reset/a1b2c3d4", "x reset/a1b2c3d4", "/resets/a1b2c3d4",
			"/reset/a1b2c3d4.html", "/reset/«a1b2c3d4.e5f6g7»", "/reset/a1b2c3d4.h", "/reset/«a1b2c3d4.h2»",
			"/reset/a1b2c3d4.jpeg",
			"/reset/«a1b2c3d4.jpegs»", "/reset/«"+strings.Repeat("a1b2", 10)+".html»",
			"/reset/"+strings.Repeat("a1b2", 9)+"a1b.html",
			"/reset/12345678", "/reset/abcdefgh", "/reset/«a1234567b»", "/reset/abcdefg1",
			"/reset/«3f2504e0-4f89-41d3-9a0c-0305e82c3301»",
			"/reset/a1-b2-c3-d4", "/reset/«a1b2c-d4»", "/reset/a1b2_d4e5", "/reset/«aBcDeFghijklmnop»",
			"/reset/aBcDefghijklmnop", "/reset/aBcDeFghijklmno", "/reset/«a1b2c3d4»?x=1", "/reset/", "/reset",
			"/reset//«a1b2c3d4»",
			"/Reset/«a1b2c3d4»", "/magicLink/«a1b2c3d4»", "/magiclink/«a1b2c3d4»", "/MagicLinks/«a1b2c3d4»",
			"/Magiclinks/a1b2c3d4", "/my_reset_now/«a1b2c3d4»",
			"/my-reset/«a1b2c3d4»", "/resetNow/«a1b2c3d4»", "/nowReset/«a1b2c3d4»", "/unreset/a1b2c3d4",
			"/aReset/«a1b2c3d4»",
			"/reset-/«a1b2c3d4»", "/-reset/«a1b2c3d4»", "/RESET/«a1b2c3d4»", "/resetX/«a1b2c3d4»", "/x-link/«a1b2c3d4»",
			"/otp/«a1b2c3d4»", "/sso/«a1b2c3d4»", "/otx/a1b2c3d4", "/reset/<secret%231>",
			"/reset/«a1b2c3d4~%+»",
			"/verify/«"+strings.Repeat("a", 20)+"1b2c»", "/verify/"+strings.Repeat("a", 45)+"1b2",
		)
	}
	checkMarked(t, builtIn, "text", "open /reset/«a1b2c3d4».", "open (/reset/«a1b2c3d4»), x", "a /reset/«a1b2c3d4»: b",
		"/reset/«a1b2c3d4»;x", "/reset/«a1b2c3d4».) x")
	checkMarked(t, builtIn, "json", `{"a":"/reset/«a1b2c3d4»"}`, `{"a":"\/reset\/a1b2c3d4"}`)
}

// code, state, nonce and ticket are secret in the query of a URL or a form, if they are opaque.
func TestValuesOfQueries(t *testing.T) {
	checkMarked(t, builtIn, "url", "/cb?code=«a1b2c3d4»", "/cb?code=abc", "/cb?code=«123456»", "/cb?code=12345",
		"/cb?code=1234567",
		"/cb?otp=«123456»", "/cb?state=123456", "/cb?state=open&nonce=«a1b2c3d4»", "/cb#code=«a1b2c3d4»",
		"/cb?x=1&ticket=«a1b2c3d4»",
		"/cb?signature=«a1b2c3d4»", "/cb?signature=abcdefgh", "/cb?key=primary", "/cb?key=«a1b2c3d4»",
		"/cb?auth=«a1b2c3d4»",
		"/cb?auth=login", "/cb?user_code=«a1b2c3d4»", "/cb?auth=«dXNlcjpwYXNz»", "/cb?policy=«a1b2c3d4»",
		"/cb?my_code=«123456»")
	checkMarked(t, builtIn, "text", "GET /cb?code=«a1b2c3d4» x", "GET /cb#state=«a1b2c3d4»",
		"GET /cb?a=b&code=«a1b2c3d4»",
		"code=a1b2c3d4", "x code=a1b2c3d4", "?code:a1b2c3d4", "?state: a1b2c3d4", "x nonce=a1b2c3d4",
		"a&code=«a1b2c3d4»&x",
		"signature: a1b2c3d4", "signature: «a1b2c3d4e5f6g7h8»", "key: «a1b2c3d4e5f6g7h8»", "key: a1b2c3d4",
		"auth: «a1b2c3d4e5f6g7h8»",
		"auth: login", "auth: «dTpwYXNz»", "auth: dTpwYXN", "?code=«123456»", "code: 123456", "code=123456")
	checkMarked(t, builtIn, "form", "code=«a1b2c3d4»&x=1", "state=«a1b2c3d4»", "state=abc&code=«123456»", "code=a1b2c3")
	checkMarked(t, builtIn, "json", `{"code":"a1b2c3d4"}`, `{"key":"«a1b2c3d4e5f6g7h8»"}`, `{"auth":"«dTpwYXNz»"}`)
}
