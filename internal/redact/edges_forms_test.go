package redact_test

import (
	"strings"
	"testing"

	"github.com/brennhill/gasoline/internal/redact"
)

// A name in a list or a call names the item behind it.
func TestNamesInListsAndCalls(t *testing.T) {
	checkMarked(t, builtIn, "json",
		`["token:","«abc»"]`, `["token","«abc»"]`, `["token:", "«abc»", "d"]`, `["x","token","«abc»"]`,
		`["token:",«12345»]`,
		`["token:",«-1.5e+3»,"x"]`, `["token:",«1E5»]`, `["token:",{"a":"b"}]`, `["token:",null]`, `["token:",true]`,
		`["token:"]`, `["token =","«abc»"]`, `["token=" ,"«abc»"]`, `["my token is:","abc"]`, `["Invalid token","abc"]`,
		`["Invalid token","«abc123»"]`, `["Invalid token:","«abc»"]`, `["Invalid token","abc 123"]`, `["token,","abc"]`,
		`{"a":["token","«abc»"]}`, `{"a":"token","b":"abc"}`, `{"token":"«x»","b":["c"]}`,
		`[["token","«abc»"],["b","c"]]`,
		`["a\"token","x"]`, `["token: %s","«abc»"]`, `["token: %s, id %d","«abc»",5]`, `["id %d, token: %s",5,"«abc»"]`,
		`["id %d, token: %s","5","«abc»","d"]`, `["token: %s",«12345»]`, `["token: %i","«abc»"]`,
		`["%c token: %s","color:red","«abc»"]`,
		`["100%% token: %s","«abc»"]`, `["token: %o", "«abc»"]`, `{"a":"setItem('token', '«abc»')"}`,
		`{"a":"setItem(\"token\", \"«abc»\")"}`, `["\"token\"","x"]`, `{"a":"[\"token\",\"«abc»\"]"}`,
		`{"a":"[\"token\",«123»]"}`,
	)
	checkMarked(t, builtIn, "text",
		"setItem('token', '«abc»')", `localStorage.setItem("token","«abc»");`, "getItem('token', 'abc')",
		"append('token', '«abc»')",
		"define('TOKEN', '«abc»')", "putenv('TOKEN', '«abc»')", "add('token', '«abc»')", "put('token', '«abc»')",
		"adds('token', 'abc')", "reset('token', 'abc')", "set('token', '«abc»')", "set('token')",
		"setItem('token', abc)",
		"setItem( 'token' , '«abc»' )", "setItem('my token', '«abc123»')", "setItem('my token', 'abc')",
		"f(x, 'token', 'abc')",
		"['token','«abc»']", "['token:', '«abc»']", "['a','token','«abc»']", "['a', 'token', 'abc']",
		"['a', 'token:', '«abc»']",
		"x 'token', 'abc'", "token', 'abc'", "['token' 'abc']", "[`token`,`«abc»`]", `["token",«123»]`,
		`["token",«123»,4]`,
		`["token",123x]`, "['token',123]", `["token":"«abc»"]`, "(\"token\")", "f('token')", "f('token: ')",
		"f('token', )",
		"setItem(\n'token',\n'«abc»')", "set_item('token', 'abc')",
		"set('"+strings.Repeat("x", 254)+" token', '«abc123»')", "set('"+strings.Repeat("x", 255)+" token', 'abc123')",
		strings.Repeat("s", 70)+"('token', 'abc')",
	)
}

// Pairs of a name and a value in objects and tags.
func TestPairsOfNameAndValue(t *testing.T) {
	checkMarked(t, builtIn, "json",
		`{"name":"password","value":"«hunter22»"}`, `{"name":"password", "value" : "«hunter22»"}`,
		`{"name":"password","val":"«x»"}`,
		`{"name":"password","v":«123»}`, `{"name":"password","Value":"«x»"}`, `{"name":"password","values":"x"}`,
		`{"name":"password","a":1,"value":"«x»"}`, `{"name":"password","a":"b","c":true,"value":"«x»"}`,
		`{"name":"password","a":{"b":1},"value":"x"}`, `{"name":"password","a":[1],"value":"x"}`,
		`{"name":"password","a":"b"}`,
		`{"name":"password","a":"b\"c","value":"x"}`, `{"name":"password"},{"value":"x"}`,
		`{"name":"passwords2","value":«["a"]»}`,
		`{"name":"password","b":1,"c":1,"d":1,"e":1,"f":1,"g":1,"h":1,"value":"«x»"}`,
		`{"name":"password","b":1,"c":1,"d":1,"e":1,"f":1,"g":1,"h":1,"i":1,"value":"x"}`,
		`{"value":"«x»","name":"password"}`, `{"value":«123»,"name":"password"}`,
		`{"value":"«x»","a":1,"name":"password"}`,
		`{"value":"x","name":"user"}`, `{"value":"x","other":"password"}`, `{"value":"«x»","key":"password"}`,
		`{"value":"«x»","id":"password"}`, `{"value":"«x»","field":"password"}`, `{"value":"«x»","header":"password"}`,
		`{"value":"«x»","type":"password"}`, `{"value":"«x»","k":"password"}`, `{"v":"«x»","k":"password"}`,
		`{"V":"«x»","K":"password"}`,
		`{"val":"«x»","Name":"password"}`, `{"content":"«x»","name":"password"}`, `{"Value":"«x»","name":"password"}`,
		`{"value":{"a":1},"name":"password"}`, `{"value":[1],"name":"password"}`, `{"value":"x"}`,
		`{"value":"x"},"name":"password"`,
		`{"value":"«x»","b":1,"c":1,"d":1,"e":1,"f":1,"g":1,"h":1,"name":"password"}`,
		`{"value":"x","b":1,"c":1,"d":1,"e":1,"f":1,"g":1,"h":1,"i":1,"name":"password"}`,
		`{"a":"{\"name\":\"password\",\"value\":\"«x»\"}"}`, `{"a":"{\"value\":\"«x»\",\"name\":\"password\"}"}`,
		`{"a":"{\"name\":\"password\",\"b\":\"c\",\"value\":\"«x»\"}"}`, `["value"]`,
		`{"name":"password" ,`+"\n"+`"a": 1.5 ,"value":"«x»"}`, `{"name":"password","`+strings.Repeat("a",
			64)+`":1,"value":"«x»"}`,
		`{"name":"password","`+strings.Repeat("a", 65)+`":1,"value":"x"}`,
		`{"name":"password","a":"`+strings.Repeat("b", 480)+`","value":"«x»"}`,
		`{"name":"password","a":"`+strings.Repeat("b", 520)+`","value":"x"}`,
	)
	checkMarked(t, builtIn, "text",
		`<input name="password" value="«hunter22»">`, `<input name='password' value='«hunter22»'>`,
		`<input name="password" type="text" value="«hunter22»">`, `<input name="password" required value="«hunter22»">`,
		`<input name="password" size=5 value="«hunter22»">`, `<meta name="csrf-token" content="«abc»">`,
		`<input name="password" values="hunter22">`, `<input name="password">value="x"`,
		`<input name="user" value="ann">`,
		`<input value="«hunter22»" name="password">`, `<input value="«hunter22»" type="text" id="password">`,
		`<input value="hunter22" name="user">`, `<input value="hunter22" x name="user">`,
		`<input value='«x»' name='password'/>`,
		`<input value=«x» name="password">`, `<input value="«x»" size=5 name="password">`, `value="x" title="password"`,
		`<input data-name="password" aria:x="y" value="«z»">`, `name: 'password', value: 'x'`, "x",
		`<a name="password" b c d e f g h value="«x»">`, `<a name="password" b c d e f g h i value="x">`,
		`<a name="password" b="`+strings.Repeat("c", 480)+`" value="«x»">`,
		`<a name="password" b="`+strings.Repeat("c", 520)+`" value="x">`,
		`"name":"password" value="x"`, `<input name=\"password\" value=\"«x»\">`,
		"<input name=\"password\"\n\tvalue=\"«x»\">",
	)
}

// Fields of forms whose names have brackets, and names with escapes.
func TestSpellingsOfNames(t *testing.T) {
	checkMarked(t, builtIn, "form",
		"user[password]=«x»", "user%5Bpassword%5D=«x»", "user%5bpassword%5d=«x»", "user%255Bpassword%255D=«x»",
		"passwords[0]=«x»",
		"passwords[0][1]=«x»", "passwords[]=«x»", "passwords[a=x", "user[password][0]=«x»", "passwords%5B0%5D=«x»",
		"password]x=y",
		"pass%77ord=«x»", "pass%2577ord=«x»", "pass%7=x", "pass%77or=x", "p%61ssw%6Frd=«x»",
		"passwords["+strings.Repeat("a", 63)+"]=«x»",
		"passwords["+strings.Repeat("a", 64)+"]=x", "passwords[a.b]=x", "a=1&pass%77ord=«x;y»",
		"passwords%255b0%255d=«x»",
	)
	checkMarked(t, builtIn, "json",
		`{"pass\u0077ord":"«x»"}`, `{"p\u0061ssw\u006Frd":"«x»"}`, `{"pass\u0177ord":"x"}`, `{"pass\u007":"x"}`,
		`{"\u0070assword":"«x»"}`, `{"a":1,"pass\u0077ord":"«x»"}`,
	)
	checkMarked(t, builtIn, "text",
		"headers['token'] = «abc1»", "headers[\"token\"] = '«abc»'", "x API key: «abc»", "x api Key=«abc»",
		"x API KEY: «abc»",
		"session ID: «abc»", "session id: «abc»", "session Id: «abc»", "card number: «1234»", "Card Number: «1234»",
		"user id: abc",
		"security code: «123»", "Security Code: «123»", "recovery codes: «a1b2»", "Recovery Codes: «a1b2»",
		"house number: 12",
		"seed phrase: «legal winner thank»", "Seed Phrase: «legal winner thank»", "seed words: «legal winner thank»",
		"mot de passe: «abc1»", "mot de passe: abc", "API  key: abc", "API, key: abc", "code: abc", "my code: abc",
		"key: abc",
		`printed\npassword: «abc»`, `printed\tpassword: «abc»`, `printed\password: «abc»`, `printed \npin: «1234»`,
		"Xpin: 1", "PIN: «1234»", "userPIN: «1234»", "myPassword2: «abc»", "passwordX: abc", "token: «abc»",
		"page_token: abc",
		"my_page_token: abc", "pageToken: abc", "my-next-token: abc", "tokenizer: abc", "x_password_: «abc»",
		"APIKey: «abc»",
		"apikey: «abc»", "apiKEY: «abc»", "x", strings.Repeat("x", 100)+"_password: «abc»",
		"пароль: «abc»", "мой_пароль: «abc»", "пароль abc", "парольx: abc", "Пароль=«abc»", "密码: «abc»", "我的密码: «abc»",
		"x schlüssel: «abc»", "Schlüssel: «abc»", "schlüsse: abc", "contraseña: «abc»", "Schlüssel",
	)
}

// A secret name and a space before a word: only what can hardly be prose is a secret.
func TestNamesBeforeASpace(t *testing.T) {
	checkMarked(t, builtIn, "text",
		"the token «abc123» was", "the token abc12", "the token abcdef", "the token 123456", "the token is «abc123»",
		"the token was «abc123»", "the token is: «abc» x", "x", "the password \"«hunter»\" is",
		"the password \"hun\" is",
		"the password '«hunt»'", "the token 'hunter'", "the token '«hunter2»'", "the password 'hunter two'",
		"the password 'a=hunter'",
		"the password 'a:hunter'", "the password 'a,hunter'", "the password '<hunter>'", "the token <secret#1>",
		"the token x<secret#1>y2",
		"the passphrase '«hunter»'", "the pin '1234'", "x", "login --password «swordfish» --verbose",
		"login --password '«sword fish»' x", "login --password -v", "login --password $PW", "login --password <x>",
		"login --password [x]",
		"login --password {x}", "login --password (x)", "login --password | x", "login --password «a|b»",
		"login --password ",
		"login -password swordfish", "login --token «x»", "login --tokenx x", "login --password=«x»",
		"login --password «x»\ny",
		"login --password \"«x»\"",
	)
	checkMarked(t, builtIn, "json",
		`{"a":"the token «abc123»"}`, `{"a":"the token "}`, `{"a":"the token \"«abc123»\" x"}`,
		`{"a":"login --password \"«x y»\""}`,
		`{"a":"login --password ","b":"x"}`, `{"a":"the token ","b":"abc123"}`, `{"a":"login --password «x»","b":1}`,
		`{"a":"the password is ","b":"hunter22"}`,
	)
}

// Programs' options and phrases of SQL and of protocols that a password follows.
func TestPhrases(t *testing.T) {
	checkMarked(t, builtIn, "text",
		"mysql -p«abc»", "mysql -p abc", "mysql -p", "mysql -p -u x", "mysqldump -p«abc» x", "grep -pabc",
		"sshpass -p «abc» x",
		"sshpass -p«abc» x", "docker login -p «abc»", "docker login -pabc", "docker run -p 80:80", "sqlcmd -P «abc»",
		"sqlcmd -P«abc»",
		"sqlcmd -p abc", "redis-cli -a «abc»", "redis-cli -aabc", "ldapsearch -w «abc» x", "ldapsearch -w -x",
		"ldapsearch -w $PW",
		"openssl enc -k «abc»", "openssl -k abc", "mysql -p'«a b»' x", `mysql -p"«a b»" x`, "sshpass -p '«a b»'",
		"mysql --pabc",
		"mysql\nx -pabc", "mysql x\\\n -pabc", "mysql "+strings.Repeat("x", 240)+" -p«abc»",
		"mysql "+strings.Repeat("x", 256)+" -pabc",
		"bcp -P «abc»", "tsql -P «abc»", "az login -p «abc»", "mongo -p «abc»", "mongosh -p «abc»", "sshpass -p",
		"IDENTIFIED BY '«abc»'", "identified by «abc»;", "IDENTIFIED WITH x BY '«abc»'",
		"IDENTIFIED WITH 'x_1' AS '«abc»'",
		"IDENTIFIED AS '«abc»'", "IDENTIFIED BY PASSWORD '«abc»'", "IDENTIFIED WITH X BY 'abc'",
		"IDENTIFIED BX 'abc'", "IDENTIFIED",
		"IDENTIFIED BY ", "IDENTIFIED BY", "IDENTIFIED WITH x", "IDENTIFIED WITH x BY ''", "identifies by 'abc'",
		"unidentified by 'abc'",
		"IDENTIFIED WITH "+strings.Repeat("x", 40)+" BY '«abc»'", "IDENTIFIED WITH "+strings.Repeat("x",
			41)+" BY 'abc'",
		"AUTH «abc»", "AUTH «ann abc»", "AUTH ann abc d", "AUTH  «abc» ", "AUTH «abc»\r\nPING", "auth abc",
		"auth «abc1»", "Auth «abc»",
		"AUTH ", "AUTH\nabc", " AUTH abc", "AUTH <secret#1>", "AUTH null", "AUTHX abc", "Aut abc",
		"curl -u «ann:abc» x", "curl --user «ann:abc» x", "curl -u '«ann:a b»' x", "curl -u ann x", "curl -u :abc x",
		"wget -u ann:abc x",
		"curl -u https://x", "curl -u <credentials#1> x", "curl -u«ann:abc»", "curl --user=«ann:abc» x", "curl --proxy-user «ann:abc»", "curl -u=abc", "ls -uann:abc", "curl -u", "curl -u «ann:abc»",
		"curl --users ann:abc",
		"curl "+strings.Repeat("x", 1015)+" -u «a:b»", "curl "+strings.Repeat("x", 1022)+" -u a:b", "curl -U ann:abc",
	)
	checkMarked(t, builtIn, "json",
		`{"a":"mysql -p\"«a b»\" x"}`, `{"a":"sshpass -p ","b":1}`, `{"a":"IDENTIFIED BY \"«a b»\" x"}`,
		`{"a":"IDENTIFIED BY ","b":"c"}`,
		`{"a":"curl -u \"«ann:a b»\" x"}`, `{"a":"curl -u ","b:c":"d"}`, `{"a":"mysql -p«abc»","b":1}`, `"AUTH abc1"`,
		`{"a":"sshpass -p «abc»"}`, `{"a":"curl -u «ann:abc»"}`,
	)
	checkMarked(t, builtIn, "form", "AUTH abc1")
}

// Elements of XML, parts of multipart bodies.
func TestMarkup(t *testing.T) {
	checkMarked(t, builtIn, "text",
		"<password>«hunter22»</password>", "<ns:password>«hunter22»</ns:password>",
		"<password a=\"b\">«hunter22»</password>",
		"<password>«hunter 22»</password>", "<password></password>", "<password>«hunter22»", "<password>hunter 22",
		"<password>hunter22</x>", "<password><b>x</b></password>", "&lt;password&gt;«hunter22»&lt;/password&gt;",
		"<password><![CDATA[«hun<ter»]]></password>", "<password><secret#1></password>", "<password a='<'>x</password>",
		"<passwordx>hunter22</passwordx>", "<my-password>«hunter22»</my-password>", "x",
		"password>hunter22</password>", "x <password "+strings.Repeat("a", 508)+">«xy»</password>",
		"x <password "+strings.Repeat("a", 512)+">xy</password>", "<password\t>x1</password>",
		"&lt;ns:password&gt;«x1»&lt;/ns:password&gt;",
		"form-data; name=\"password\"\r\n\r\n«hunter22»\r\n--x", "form-data; name=\"password\"\n\n«hunter22»\n--x",
		`form-data; name="password"\r\n\r\n«hunter22»\r\n--x`, "form-data; name=\"user\"\r\n\r\nann\r\n--x",
		"form-data; name=\"password\"\r\n\r\n«hunter\r\n22»", "form-data; title=\"password\"\r\n\r\nhunter22\r\n--x",
		"form-date; name=\"password\"\r\n\r\nhunter22\r\n--x",
		"form-data; name=\"password\"\r\nA: b\r\n\r\n«hunter22»\r\n--x",
		"form-data; "+strings.Repeat("x", 47)+" name=\"password\"\n\n«hunter22»\n--x",
		"form-data; "+strings.Repeat("x", 48)+" name=\"password\"\n\nhunter22\n--x",
	)
	checkMarked(t, builtIn, "json", `{"a":"<password>«hunter22»</password>"}`,
		`{"a":"<password>«hunter22»<\/password>"}`,
		`{"a":"form-data; name=\"password\"\r\n\r\n«hunter22»\r\n--x"}`,
		`{"a":"form-data; name=\"password\"\n\n«hunter22»","b":1}`,
		`{"a":"form-data; name=\"password\"\n\n«hunt\"er22»\n--x"}`,
		`{"a":"<password><![CDATA[«x\"y»]]></password>"}`, `{"credentials":"«x»"}`)
}

// Numbers of cards and of social security, private keys, data at random behind a suspicious name.
func TestSecretsThatShowTheirForm(t *testing.T) {
	checkMarked(t, builtIn, "text",
		"«4111111111111111»", "«4111 1111 1111 1111»", "«4111-1111-1111-1111»", "«4111+1111+1111+1111»",
		"4111 1111-1111 1111",
		"4111111111111112", "a 4111 1111 1111 1112", "«378282246310005»", "«3782 822463 10005»", "«341111111111111»",
		"«30569309025904»",
		"«38520000023237»", "«36148900647913»", "«3056 930902 5904»", "30669309025902", "37148900647911",
		"«5555555555554444»",
		"5655555555554441", "«5105105105105100»", "5005105105105101", "«2221000000000009»", "2220000000000000",
		"«2720990000000007»",
		"2721990000000005", "«6011111111111117»", "6012111111111115", "«6500000000000002»", "6400000000000004",
		"«6200000000000005»",
		"«3530111333300000»", "3630111333300008", "331111111111113", "0.4111111111111111", "é4111111111111111",
		"41111111111111110",
		"4111111111111111x", "4111111111111111_", "«4111111111111111».", "4111111111111111.5", "4111111111111111-5",
		"«4111111111111111»-x",
		"«4111111111111111», x", "4111 1111 1111 111", "4111 11111111 1111", "1700000000000", "x4111111111111111",
		"4111 1111 1111 11111",
		"«123-45-6789»", "000-45-6789", "666-45-6789", "«665-45-6789»", "923-45-6789", "«899-45-6789»", "123-00-6789",
		"123-45-0000",
		"«001-01-0001»", "123-45-678", "123-45-67890", "123-45-6789-1", "123-45-6789x", "«123-45-6789».",
		"12-345-6789", "123.45.6789",
		"«100-10-1000»", "«600-45-6789»", "x123-45-6789", "1.123-45-6789",
		"a «-----BEGIN PRIVATE KEY-----\nabc\n-----END PRIVATE KEY-----» b",
		"a «-----BEGIN EC PRIVATE KEY-----\nabc\n-----END»",
		"-----BEGIN PUBLIC KEY-----\nabc\n-----END PUBLIC KEY-----",
		"a «---- BEGIN SSH2 PRIVATE KEY ----\nabc\n---- END SSH2 PRIVATE KEY ----» b",
		"-----BEGIN CERTIFICATE-----\nPRIVATE",
		"-----BEGIN "+strings.Repeat("x", 42)+" x", "a «PuTTY-User-Key-File-2: ssh-rsa\nx»", "PuTTY-User-Key-File: x",
		"saltedX = «aB3dE5gH7jK9mN1p»", "saltedX = aB3dE5gH7jK9mN1", "material = aB3dE5gH7jK9mN1p",
		"saltedX = 3f9c2ab4d1e03f9c",
		"saltedX = «3f9c2ab4d1e03f9c3f9c2ab4d1e03f9c»", "saltedX = 3f9c2ab4d1e03f9c3f9c2ab4d1e03f9",
		"saltedX = 1-2-3-4-a-b-c-d-e-f-1",
		"saltedX = 3f2504e0-4f89-41d3-9a0c-0305e82c3301", "saltedX = aBcDeFgHiJkLmNoP", "saltedX = abcdefghijklm1no",
		"saltedX = «abcdefghijk1l2mno»",
		"saltedX: '«aB3dE5gH7jK9mN1p»'", "saltedX, aB3dE5gH7jK9mN1p", "my_salt=«aB3dE5gH7jK9mN1p»",
		"seedX=«aB3dE5gH7jK9mN1p»", "sessX=«aB3dE5gH7jK9mN1p»",
		"saltedX=«/B3dE5gH7jK9mN1pQ»", "saltedX=«+B3dE5gH7jK9mN1pQ»", "saltedX=«aB3d/5gH7jK9mN1p»",
		"saltedX: «aB3dE5gH7jK9mN1p»...",
		"CREDX=«aB3dE5gH7jK9mN1p»", "keyX"+strings.Repeat("y", 60)+"=«aB3dE5gH7jK9mN1p»", "keyX"+strings.Repeat("y",
			62)+"=aB3dE5gH7jK9mN1p",
		"saltedX =      «aB3dE5gH7jK9mN1p»", "saltedX =       aB3dE5gH7jK9mN1p", " = aB3dE5gH7jK9mN1p",
		"=aB3dE5gH7jK9mN1p",
		"saltedX = «"+strings.Repeat("a1", 128)+strings.Repeat("b", 400)+"»", "saltedX = "+strings.Repeat("b",
			256)+strings.Repeat("a1", 128),
	)
	checkMarked(t, builtIn, "json",
		`{"a":«4111111111111111»}`, `{"a":«4111111111111111»,"b":1}`, `[«4111111111111111» ]`,
		`{"a":"«4111111111111111»"}`,
		`{"a":4111111111111111.5}`, `{"a":"«123-45-6789»"}`, `{"a":"«-----BEGIN PRIVATE KEY-----\nabc»","b":"x"}`,
		`{"a":"«-----BEGIN PRIVATE KEY-----\nabc\n-----END PRIVATE KEY-----»\nx","b":"x"}`,
		`{"a":"-----BEGIN","b":"PRIVATE KEY"}`,
		`{"a":"«PuTTY-User-Key-File-2: ssh-rsa\n\"x»","b":"x"}`, `{"saltedX":"«aB3dE5gH7jK9mN1p»"}`,
		`[«4111111111111111»`+"\n]", `{"a":4111111111111111e5}`,
	)
}

// Lines that are indented below a name for several secrets.
func TestIndentedLines(t *testing.T) {
	for _, text := range []string{
		"credentials:\n  user: ann\n  key2: «abc»\nnext: 1", "credentials:\n  - «abc»\n  - «def»\nx",
		"credentials:\n- «abc»\n- «def»\nx: y",
		"credentials:\n  a: '«b c»'\n  d: \"«e»\"", "credentials:\n  a: «b» \r\n  c: «d»\r\n",
		"credentials: \n  a: «b»", "credentials:\r\n  a: «b»",
		"x", "credentials:\n  a\n  b: c", "x:\n  secrets:\n    a: «b»\n  c: d",
		"secrets:\n\ta: «b»", "x", "credential:\n  a: «b»",
		"credentials:\n  username: a\n  name: b\n  id: c\n  type: d\n  host: e\n  port: 1\n" +
			"  email: f\n  url: g\n  provider: h\n  region: i\n  scope: j\n  Host: k\n  secret2: «l»",
		"credentials:\n  a: <secret#1>\n  b: «c»",
		"credentials:\n  url: https://«ann:hunter22»@host/\n  k2: «abc»", "credentials:\n  user: ann\n  port: 1",
		"credentials:\n  k2: «abc»\n  user: «AKIAQ3EGRT7XZKPLMN2V»\n  port: 1",
		"credentials:\n  - a: «b»\n  - user: ann", "credentials:\n  -  «abc»", "credentials:\n  - «a:b»",
		"credentials:\n  a:\n  b: «c»",
		"credentials:\n  a: null\n  b: «c»", "credentials", "credentials:", "credentials:\n", "credentials:\n  «x»",
	} {
		checkMarked(t, builtIn, "text", text)
	}
}

func piiRules(t *testing.T) func() *redact.Redactor {
	rules, err := redact.ParseRules([]byte(`{"pii": true}`))
	if err != nil {
		t.Fatal(err)
	}
	return func() *redact.Redactor { return redact.New(rules) }
}

// Personal data: addresses, telephone numbers and IBANs at the edges of their forms.
func TestFormsOfPersonalData(t *testing.T) {
	checkMarked(t, piiRules(t), "text",
		"«a@b.de»", "x «ann.b_c%d+e-f@x-y.example.com», z", "a@b", "a@b.c", "a@.de", "@b.de", "a@b.d1", "«a@b.de»-",
		"<«a@b.de»>", "mail «ann@example.com».", "«a@b.de»...", "«a@b.de».-",
		"mailto:«a@b.de»?x", "«"+strings.Repeat("a", 64)+"@b.de»", "a«"+strings.Repeat("b", 64)+"@b.de»", "a@b.de1",
		"é«a@b.de»",
		"«a@b.de» «c@d.de»", "«a@b.de»,«c@d.de»", "a @b.de", "«a@b.co.uk»/x", "a@b..d",
		"«+4930901820»", "«+12345678»", "+1234567", "«+123456789012345»", "+1234567890123456", "«+49 (30) 901820-12»",
		"«+49.30.901820»", "«+4930901820»)", "x+4930901820",
		"1+4930901820", "+4930901820x", "«+4930901820» x", "call «+(49)30901820»", "«+49  30  901820»",
		"+49   30901820", "+49/30901820", "«+4930901820».", "+49 30 90 x",
		"«DE89370400440532013000»", "«DE89 3704 0044 0532 0130 00»", "DE88370400440532013000",
		"xDE89370400440532013000", "DE89370400440532013000x", "de89370400440532013000",
		"«NO9386011117947»", "NO938601111794", "«NO9386011117947» x", "«GB82WEST12345698765432»",
		"«MT84MALT011000012345MTLCAST001S»", "DE8937040044053201300", "«DE89370400440532013000» and more",
		"«DE89 3704 0044 0532 0130 00» AB", "D189370400440532013000", "DEA9370400440532013000",
		"DE8A370400440532013000",
		"<secret#1> «a@b.de»", "<email#1>", "IBAN: «DE89370400440532013000»", "phone: «12345»", "e-mail: «x»",
		"dob: «1.1.2000»",
	)
	checkMarked(t, piiRules(t), "json",
		`{"a":"«a@b.de»"}`, `{"a":"x «+4930901820»"}`, `{"a":["«a@b.de»","«c@d.de»"]}`,
		`{"a":"«DE89370400440532013000»"}`, `{"a":1}`,
	)
	checkMarked(t, piiRules(t), "url", "/x?q=«a@b.de»&y", "/x?q=«DE89370400440532013000»")
	checkMarked(t, builtIn, "text", "a@b.de", "+4930901820", "DE89370400440532013000", "x phone: 12345")
}

// Names that mean other things in most places, and numbers of things.
func TestWeakNamesAndQuantities(t *testing.T) {
	checkMarked(t, builtIn, "text",
		"pass: 12", "pass: 12345", "pass: 123456", "x pass: abc", "x pass: «abc1»", "x pass: \"«abc»\"",
		"x pass=«abc»", "\"pass\"x", "--- PASS: TestX1", "x PASS= «abc1»",
		"x PaSs: «abc1»", "pat: abc", "pat: «abc1»", "pat: '«abc»'", "clave: abc", "x clave: «abc1»", "parola: «a1»",
		"parol: abc", "passe: abc",
		"passwords: 12", "passwords: «123456»", "tokens: 5", "credentials: 5", "VmPin: 0 kB", "VmPin: 0.5 MB",
		"VmPin: «0» xB", "VmPin: «0a» kB", "VmPin: «0»", "pin: 5 ms", "pin: 5 bytes", "pin: «5» bytesss",
		"pin: 5 GiB,", "pin: «5»  kB", "PWD=/home/ann", "OLDPWD=/home", "PWD=«home»", "PWD=«~/x»", "pwd=«/home/ann»",
		"MY_PWD=«/home»",
		"token: /etc/tokens.json", "token: ./key.pem", "token: ~/x.key", "token: $X/y.crt,", "token: «/etc/token»",
		"token: «/etc/x.exe»", "token: «x/y.pem»", "token: «.pem»", "token: /a/B.PEM",
		"private_key: /a/b.pem) x", "private_key: \"«/a/b.pem»\"",
		"mnemonic: «legal winner thank» 12", "mnemonic: «legal winner» ok thank",
		"mnemonic: «legal winner» overlongs", "mnemonic: «legal overlong yes»", "mnemonic: \"«legal winner»\" thank",
		"passphrase: «legal» winner", "pass_phrase: «legal» winner", "recovery phrase: «legal winner»",
		"backup codes: «a1b2 c3d4, e5f6\n12ab» abcd", "backup codes: «a1b2», abcd", "backup code: «a1b2» c3d4",
		"secret words: «abc def», ghi", "recovery codes: «a1b2, 1234»\n",
		"x pass: abc<secret#1>", "x password: «abc<secret#1>»",
	)
	checkMarked(t, builtIn, "json", `{"pass":12}`, `{"pass":«123456»}`, `{"pass":"«abc»"}`, `{"passwords":12}`,
		`{"pat":"«abc»"}`, `{"PASS":"«abc»"}`,
		`{"token":"«/etc/x.json»"}`, `{"pin":«5»}`, `{"mnemonic":"«abc»","b":"def"}`)
	checkMarked(t, builtIn, "form", "token=«/etc/x.json»", "mnemonic=«abc»", "pass=«abc»")
}

// Quotes as markup, strings of code and JSON in them write them.
func TestWrittenQuotes(t *testing.T) {
	checkMarked(t, builtIn, "text",
		"{&quot;user&quot;:&quot;ann&quot;,&quot;password&quot;:&quot;«abc def»&quot;,&quot;x&quot;:1}",
		"{&#34;password&#34;: &#34;«abc»&#34;}", "{&#x22;pin&#x22;:«1234»,&#x22;x&#x22;:1}", "{&QUOT;password&QUOT;:&QUOT;«abc»&QUOT;}",
		"&#39;password&#39; =&gt; &#39;abc&#39;", "{&#39;password&#39;: &#39;«abc»&#39;}", "password&quot; is wrong",
		"password&quot;:null", "password&quot;:&quot;", "password&quot;:&quot;«abc»",
		`JSON.parse('{\x22user\x22:\x22ann\x22,\x22password\x22:\x22«abc»\x22}')`, `{\u0022password\u0022:\u0022«abc»\u0022}`,
		`{\u{22}password\u{22}:\u{22}«abc»\u{22}}`, `{\042password\042:\042«abc»\042}`, `{\x22pin\x22:«12.5»,`, `\x22password\x22:true}`, `\x22password\x22 abc`,
		"{&#x0027;password&#x0027;: &#x0027;«abc»&#x0027;}", "{&apos;password&apos;:&apos;«a b»&apos;, &apos;x&apos;:&apos;y&apos;}", "password&quo;:abc", `password\q:abc`,
		`{\\x22password\\x22:\\x22«abc»\\x22}`, `{\x27password\x27:\x27«a&b»\x27}`, `\x22password: «abc»`,
	)
	checkMarked(t, builtIn, "json",
		`{"a":"{\u0022password\u0022:\u0022«abc»\u0022}","b":"abd"}`, `{"a":"{\u0022password\u0022:\u0022«abc»","b":"abd"}`,
		`{"html":"<a data-x=\"{&quot;password&quot;:&quot;«abc»&quot;}\">"}`,
		`{"a":"{\\u0022password\\u0022:\\u0022«abc»\\u0022}"}`,
	)
}

// What YAML writes below a name, and beside one.
func TestYAMLBlocksAndPairs(t *testing.T) {
	checkMarked(t, builtIn, "text",
		"db:\n  password: |\n    «abc\n    def»\n  host: a\n", "password: >-\n  «abc»\nhost: a", "password: |2+ # why\n  «abc»\n\nx: 1",
		"password: |\n\n  «abc»\n\n\n", "password: |\nhost: a", "password: >\r\n  «abc»\r\nhost: a", "code: |\n  abc",
		"password: | abc",
		"env:\n  - name: DB_PASSWORD\n    value: «abc»\n  - name: HOST\n    value: localhost\n",
		"- name: 'API_KEY'\n  value: \"«abc»\"", "- value: «abc»\n  name: API_KEY", "- name: HOST\n  value: abc\n- name: API_KEY\n",
		"- key: token\n  value: «a b c»\n", "name: token\nvalue:\n", "the value: abc\n", "- name: code\n  value: abc\n",
	)
}

// Members of credentials, with what is none of them and where the block ends.
func TestYAMLCredentials(t *testing.T) {
	checkMarked(t, builtIn, "text",
		"credentials:\n  aws: «abc»\n  user: bob\n  region: eu\nhost: a", "credentials: \r\n  aws: «abc»\r\nhost: a", "credentials:\n  aws: '«a b»'\n",
		"secrets:\n  - «abc»\n  - «def»\nhost: a", "secrets:\n- «abc»\n- \"«d e»\"\nhost: a", "secrets:\n  ci: «abc»  \n\n  cd: abc\n",
		"  secrets:\n    ci: «abc»\n  host: a", "secrets:", "secrets:\n", "secrets: a\n  ci: abc\n",
		"credential:\n  ci: «abc»\n", "secrets:\n  - ci: «abc»\n", "secrets:\n  ci:\n  cd: «abc»\n", "credentials:\n  url: https://h/\n  id: 7\n",
		"secrets:\n  ci: <secret#1>\n  cd: «abc»\n", "secrets:\n\tci: «abc»\nhost: a",
	)
}

// Where a block of text ends, and how it may begin.
func TestYAMLBlocksEnd(t *testing.T) {
	checkMarked(t, builtIn, "text",
		"password: |-\n  «abc\n  host: a»\n", "  password: |\n    «abc»\n  host: a\n", "  password: |\n  host: a\n", "password:   >+\n  «abc»",
		"password: «|x»\n  abc\n", "password: |\n  «abc\n    \n  def»\nx: 1", "password: |\n", "password: |", "password:  ",
		"- name: 'token' \r\n  value: «abc» \r\n", "- value: '«abc»'\n  key: token\n", "- name: token\n  value: <secret#1>\n", "- name: token\n\n  value: «abc»\n",
		"- title: token\n  value: abc\n", "-   name: token\n    value: «abc»", "- value: abc\n  name: HOST\n", "value: abc\nname: token\n",
	)
}

// Tables that programs draw.
func TestDrawnTables(t *testing.T) {
	checkMarked(t, builtIn, "text",
		"mysql> select 1;\n+----+----------+\n| id | password |\n+----+----------+\n|  1 | «abc»      |\n|  2 | «d e»      |\n+----+----------+\n",
		"┌─────────┬─────┬──────────┐\n│ (index) │ id  │ password │\n├─────────┼─────┼──────────┤\n│ 0       │ 'a' │ '«abc»'    │\n└─────────┴─────┴──────────┘\n",
		" id | password\n----+----------\n  1 | «abc»\n(1 row)\n", "+----+\n| id |\n+----+\n|  1 |\n", "+-",
		"┌─────┐\n│ password: «abc» │\n└─────┘\n",
	)
}

// What is a table, and which of its fields are secret.
func TestTablesAreRead(t *testing.T) {
	wide := strings.Repeat("a,", 99)
	checkMarked(t, builtIn, "text",
		"id,password\n1,«hunter2»\n2,«x y»", "id;password\r\n1;«hunter2»\r\n", "id\tpassword\n1\t«hunter2»\n", "id,\"password\"\n\"1,2\",\"«a,b»\"\n",
		"id,password\n1,hunter2,3\n1\n", "id,password\n1,\n1,  \n1,\"\"\n", "id,state\n1,abc\n", "id,code,pin\n1,abc,«1234»\n",
		"what a long name it is,password\n1,abc\n", "a long name,password\n1,«abc»\n", "password\nabc\n", "id,password", "id,password\n", "id,user\n1,abc\n",
		"+----+\n| password |\n| «abc» |\n", "a\nb\nc\n+-----+\n| pin  |\n|«1234»|\n", "a\nb\nc\nd\n+-----+\n| pin  |\n|1234|\n", "+ not\nid,password\n1,abc\n",
		"╭────┬─────╮\n│ id │ pin │\n│ 1  │ «1234» │\n", "┏━━┳━━┓\n┃ a ┃ pin ┃\n┃ 1 ┃ «1234» ┃\n", "╔═╗\n║ pin ║\n║ «1234» ║\n",
		wide+"pin\n"+wide+"«1234»\n", "b,"+wide+"pin\nb,"+wide+"1234\n", strings.Repeat("a", 1100)+",pin\n1,1234\n",
		"┌─┐\n│ (iteration index) │ Key │ pin │\n│ 0 │ 'a' │ «1234» │\n", "(index),pin\n1,1234\n",
	)
}

// Codes of a few digits that people are sent, and keys in the fields of a form.
func TestCodesAndKeysInForms(t *testing.T) {
	checkMarked(t, builtIn, "text",
		"Your OTP is «482913»", "Your verification code is «4829».", "the pin is «1234», he said", "the pin 1234", "the pin is 123",
		"the token is 482913", "Your security code was «123456»!",
	)
	checkMarked(t, builtIn, "form",
		"a=1&pem=«-----BEGIN+RSA+PRIVATE+KEY-----%0AMIIEowIB%0A-----END+RSA+PRIVATE+KEY-----»%0A&x=1",
		"a=1&pem=«-----BEGIN%20PRIVATE%20KEY-----%0AMIIEowIB%0A-----END%20PRIVATE%20KEY-----»&x=1",
	)
}

// Tags whose attributes have no quotes.
func TestAttributesWithoutQuotes(t *testing.T) {
	for _, place := range []string{"text", "json"} {
		var all []string
		for _, tag := range []string{
			`<input type=hidden name=csrf_token value='«hunter2»'>`, "<input type=hidden name=csrf_token value=«hunter2»>", "<input value=«hunter2» name=csrf_token>",
			"<input value='«hunter2»' name=csrf_token/>", "<input type=password value=«hunter2» class=x>", "<meta content=«hunter2» name=csrf-token>",
			"<meta name=csrf-token content=«hunter2»>", "<input id=api_key value='«hunter2»'>", "<div data-token=«hunter2»>x</div>",
			"<input name=password placeholder='Your password' required>", "<input type=submit name=user value='Sign in'>", "<a name=password href=/x>value='y'</a>",
		} {
			if place == "json" {
				tag = `{"html":"` + tag + `"}`
			}
			all = append(all, tag)
		}
		checkMarked(t, builtIn, place, all...)
	}
}
