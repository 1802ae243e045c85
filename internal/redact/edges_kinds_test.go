package redact_test

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"
)

// checkEverywhere is checkMarked for each text as it is, with the ends of lines of Windows, behind other lines, in a string of a
// document, in a document in a string, and in a document that a line holds.
func checkEverywhere(t *testing.T, texts ...string) {
	t.Helper()
	for _, text := range texts {
		within := `{"m":` + quoted(t, text) + `,"n":1}`
		checkMarked(t, builtIn, "text", text, strings.ReplaceAll(text, "\n", "\r\n"), "it says\n"+text, `got `+within)
		checkMarked(t, builtIn, "json", within, `[`+quoted(t, text)+`]`, `{"a":`+quoted(t, within)+`}`)
	}
}

func quoted(t *testing.T, s string) string {
	t.Helper()
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(s); err != nil {
		t.Fatal(err)
	}
	return strings.TrimRight(b.String(), "\n")
}

// A name and its value in brackets, without quotes around the keys: flow mappings of YAML, objects of code, printed structs.
func TestFieldsInBrackets(t *testing.T) {
	checkEverywhere(t,
		"{name: DB_PASSWORD, value: «hunter2x»}", "[{key: API_TOKEN, value: «x»}]", "env: [{name: HOST, value: a}, {name: PIN, value: «abc»}]",
		"{ value: «hunter2x», name: DB_PASSWORD }", "{ name: 'DB_PASSWORD', value: '«a b»' }", "{\n  key: 'API_TOKEN',\n  value: '«abc»',\n}",
		"set_sensitive {\n  name  = 'db.password'\n  value = '«abc»'\n}", "Parameter(name=password, value=«abc»)",
		"KeyValuePair[Key=password, Value=«abc»]", "Entry{key='password', value='«abc»'}", "{name: token, secure: true, value: «abc»",
		"{name: HOST, value: localhost}", "[{key: TITLE, value: the password is short}]", "{name: PASSWORD, valueFrom: {secretKeyRef: {name: db, key: x}}}",
		"{ type: 'password', value: props.value }", "{ name: 'password', value: form.password }", "{ name: 'password', value: password }",
		"{ name: 'password', value: read() }", "{ name: 'password', value: $pw }", "{ name: 'password', value: {{ .pw }} }",
		"name: password, value: abc", "({name: x}, value: abc, name: password", "{name: your password, value: abc}", "{name: code, value: abc}",
		"{name: password, value: }", "{name: password, value: null}", "{a: {name: password}, value: abc}",
	)
}

// Tables of Markdown and of programs, wherever they stand.
func TestTablesWithARule(t *testing.T) {
	checkEverywhere(t,
		"| user | password |\n|---|---|\n| bob | «hunter2x» |", "see:\n\n| user | password |\n|:---:|---:|\n| bob | «abc» |\n| ann | `«d e»` |\n\nbob | ann",
		"user | password\n--- | ---\nbob | «hunter2x»", "a\n\nuser | password\n:-- | --:\nbob | «hunter2x»\n", "| **Token** |\n| --- |\n| «abc» |",
		"| Name | Value |\n|---|---|\n| DB_PASSWORD | `«abc»` |\n| HOST | localhost |\n| code | abc |", "Key        Value\n---        -----\npassword   «abc»\nhost       a\n",
		"==== Data ====\nKey       Value\n---       -----\ntoken     «a b»\n\ntoken     a", "id  user  password\n--  ----  ---------\n1   bob   «hunterxx»\n2   ann   «x»",
		"rows:\n id | pin\n----+-----\n  1 | «1234»\n(1 row)\n", "two\n+----+-----+\n| id | pin |\n+----+-----+\n| 1  | «12» |\n+----+-----+\nthen\n+-----+\n| pin |\n+-----+\n| «34»  |\n+-----+",
		"| a | pin |\n|---|---|\n| x\\|y | «1234» |\n| z |\n| 1 | «2» | 3 |",
		"| option | what it does |\n|---|---|\n| password | asks for one |", "a | b\n--- | ---\ntoken | a word", "| role | password | token |\n|---|---|---|\n| admin | yes | ✓ |\n| guest | optional | — |",
		"| name | type | required |\n|---|---|---|\n| password | string | yes |", "| password | meaning |\n|---|---|\n| must be long | for your safety |\n| <string> | - |",
		"| setting | value |\n|---|---|\n| title | the key |\n| password | must be long enough |", "Key    Value\n---    -----\ntitle  a key", "password\n--------\nabc", "- a\n- password -- b\nc",
		"user  password\n----  --------\nlonger name  abc", "a -- b\npassword | x\n-- done\n", "password\n--\n|", "--", "a\n--", "x\n|--|--|", "| password |\n| --- |", "| password\n|--",
	)
	checkMarked(t, builtIn, "text", "INFO got | user | password |\n|---|---|\n| bob | «hunter2x» |", "| a | pin |\n|---|---|\n| 1 | «1234»")
}

// What lines say within the strings of a document is what they say on their own.
func TestLinesInStrings(t *testing.T) {
	checkEverywhere(t,
		"- name: DB_PASSWORD\n  value: «abc»\n- name: HOST\n  value: a", "credentials:\n  user: ann\n  material: «abc»\nnext: 1",
		"db:\n  password: |\n    «abc\n    def»\n  x: 1", "apiVersion: v1\ndata:\n  first: «abc»\nkind: Secret\n", "secrets:\n  - «abc»\n  - «def»\nx",
		"TypeError: a, b is no password\n    at x (y.js:1:2)\n    at z", "the value\nof: a | b\n", "a:\n  b: |\n    c\n",
	)
	checkMarked(t, builtIn, "json", `{"csv":"id,password\n1,«abc»\n"}`, `{"a":"name;pin\r\n1;«1234»\r\n","b":["name;pin\r\n1;«5678»"]}`, `{"a":"x: |\n","pin":"«1»"}`,
		`{"a":"credentials:\n  k: «abc»`, `{"a":"x\n`, `{"a":"x\`, `{"a":"\ud800 credentials:\n"}`)
}

// Names and values in the elements and attributes of XML, as plists, Hadoop, Maven, Spring, .NET and Android write them.
func TestPairsOfElements(t *testing.T) {
	checkEverywhere(t,
		`<entry key="db.password">«abc»</entry>`, `<param name='password'>«a b»</param>`, `<string name="api_key">«hunter2x»</string>`,
		"<property><name>fs.s3a.secret.key</name><value>«abc»</value></property>", "<property>\n  <name>fs.s3a.secret.key</name>\n  <value>«abc»</value>\n</property>",
		`<Setting Name="ApiKey" Value="«abc»"/>`, "<key>password</key><string>«a b»</string>", "<dict>\n\t<key>ApiToken</key>\n\t<string>«abc»</string>\n</dict>",
		`<property name="password"><value>«abc»</value></property>`, "<prop key='password'>«abc»</prop>", `<setting name="Password" serializeAs="String"><value>«abc»</value></setting>`,
		"<init-param><param-name>password</param-name><param-value>«abc»</param-value></init-param>", "<member><name>password</name><value><string>«abc»</string></value></member>",
		`<Password Value="«abc»" />`, `<password a="b" value="«abc»"/>`, `<env name="DB_PASSWORD" secure="true">«abc»</env>`, "<tr><th>password</th><td>«hunter2x»</td></tr>",
		"<Attribute Name='token'><AttributeValue>«abc»</AttributeValue></Attribute>", "<x name='password'><![CDATA[«a<b»]]></x>", "<key>password</key><data>«YWJj»</data>",
		"&lt;entry key=&quot;password&quot;&gt;«abc»&lt;/entry&gt;", "&lt;name&gt;password&lt;/name&gt;&lt;value&gt;«abc»&lt;/value&gt;", "&amp;lt;pin&amp;gt;«12»&amp;lt;/pin&amp;gt;",
		`<entry key="db.host">localhost</entry>`, "<name>fs.defaultFS</name><value>hdfs://x</value>", `<Setting Name="Title" Value="a key"/>`, `<label for="password">Your password</label>`,
		`<string name="title_password">Password</string>`, "<td>password</td><td>must be long</td>", `<a name="password">Passwords</a>`, `<button name="password">Change</button>`,
		`<input name="password">x`, `<entry key="password"/>x`, `<entry key="password"><b>x</b></entry>`, "<b>password</b><i>abc</i>", "<key>code</key><string>abc</string>",
		"<key>password</key><true/>", "<key>password</key><array><string>abc</string></array>", `<h2 id="password">The password</h2>`, `<entry key="password"></entry>`, "<name>password</name>x",
		"a <name>password</name> <other>abc</other>", `<item name="token">Token</item>`, "if (a<password) x>y", "x: Map<string, Token> = y",
	)
	checkMarked(t, builtIn, "text", `<entry key="db.password">«abc`+"»", "<name>pin</name><value>«12»", `\u003cpassword\u003e«abc»\u003c/password\u003e`)
	checkMarked(t, builtIn, "json", `{"a":"\u003centry key=\"password\"\u003e«abc»\u003c/entry\u003e"}`, `{"a":"\u003cpin\u003e«12»\u003c/pin\u003e"}`,
		`{"a":"<name>pin<\/name><value>«12»<\/value>"}`, `{"a":"<x name='pin'>«12»","b":1}`, `{"a":"<x name='pin'>","b":"1>2"}`, `{"a":"<name>pin</name>","b":"<value>x</value>"}`)
}

// A user and a password with a slash between, as Oracle's programs take them.
func TestPasswordsOfOracle(t *testing.T) {
	checkEverywhere(t,
		"jdbc:oracle:thin:scott/«tiger9x»@//db:1521/x", "jdbc:oracle:thin:scott/«tiger»@db:1521:orcl", "jdbc:oracle:oci:scott/«tiger»@db", "sqlplus scott/«tiger»@db",
		"sqlplus -s scott/«tiger»@//db/x", "SQL> connect scott/«tiger»@orcl", "CONN scott/«tiger»@orcl", "exp scott/«tiger»@db file=x", "userid=scott/«tiger»@db",
		"rman target sys/«tiger»@db", "jdbc:oracle:thin:scott/\"«ti@ger»\"@db", "scott/«tiger»@//db:1521/orcl", "scott/«tiger»@db:1521/orcl", "bob:«hunter2x»@db:5432/shop",
		"bob:«hunter2x»@(db:3306)/shop", ":pserver:bob:«abc»@cvs:/x", "impdp system/«a/b»@db",
		"npm install scope/pkg@1.2.3", "pull user/repo@sha256:0a1b2c", "uses actions/checkout@v4", "connect to scope/pkg@1.2.3", "connect scott/tiger to db", "jdbc:oracle:thin:@//db/x",
		"import x from '@/components/y'", "mail bob@example.com: hi", "sip:bob@example.com:5060", "git@github.com:a/b", "a/b@c", "registry.example/a/b@1.2.3", "@x/y@2", "x@y", "@", "/@", ":@",
		"mailto:bob@example.com:25/x", "at f@http://x/y.js:1:2", "expo a/b@1.2", "10:15@db:80/x",
	)
	checkMarked(t, builtIn, "json", `{"a":"sqlplus x","b":"scott/tiger@db"}`, `["a:b","@(x)"]`, `["\"@"]`, `"@`)
}

// Blanks and signs outside of ASCII between a name and its value.
func TestWideBlanksAndSigns(t *testing.T) {
	checkEverywhere(t,
		"password\u00a0=\u00a0«abc»", "password\u202f:\u202f«abc» x", "password\u3000=\u3000«abc»\u3000x", "password：«abc»", "password＝«abc»；x", "密码：«abc»，用户：bob", "パスワード ： «abc»。",
		"password :\u00a0«abc»\u00a0x", "the password\u00a0«hunter2x» x", "user：bob，password：«abc»，密码：«def»", "password\ufeff=«abc»", "пароль\u00a0=\u00a0«abc»",
		"password，abc", "密码，abc", "パスワードは必須です", "user：bob", "password\u00a0must be long", "the password：", "密码：", "token — a word", "name… value",
	)
	checkMarked(t, builtIn, "form", "password=«a\u00a0b，c»")
}

// Quotes of markup that were escaped again, and colons.
func TestQuotesEscapedAgain(t *testing.T) {
	checkEverywhere(t,
		"{&amp;quot;password&amp;quot;:&amp;quot;«abc»&amp;quot;}", "{&amp;#34;password&amp;#34;: &amp;#34;«a b»&amp;#34;,&amp;#34;x&amp;#34;:1}", "{&amp;amp;quot;pin&amp;amp;quot;:«12»}",
		"password&colon;«abc»", "password&#58; «abc»", "password&amp;#61;«abc»", "a=1&amp;password=«abc»&amp;b=2", "password&amp;copy; x", "&amp;quot;password&amp;quot; is wrong", "password&amp;", "password&",
	)
}

// JSON in base64, by what it holds.
func TestEncodedDocuments(t *testing.T) {
	checkEverywhere(t,
		"cfg=«eyJwYXNzd29yZCI6Imh1bnRlcjJ4In0=», x", "cfg «eyJ1c2VyIjoiYm9iIiwicGFzc3dvcmQiOiJodW50ZXIyeCJ9».", "data:application/json;base64,«eyJwYXNzd29yZCI6Imh1bnRlcjJ4In0=»",
		"«eyJhdXRoIjp7InRva2VuIjoiaHVudGVyMngifX0=», x", "W3sicGFnZSI6MX0sMiwzLDQsNV0=, x", "cursor=eyJpZCI6MTIzNDUsImRpciI6ImFzYyIsIm4iOjEwfQ==&x", "eyJhIjoxfQ==, x", "eyJhdXRoIjp7InRva2Vu!",
		"«YToxOntzOjg6InBhc3N3b3JkIjtzOjg6Imh1bnRlcnh4Ijt9», x",
	)
	checkMarked(t, builtIn, "url", "/x?s=«eyJwYXNzd29yZCI6Imh1bnRlcjJ4In0»%3D&b=1", "/x?cursor=eyJpZCI6MTIzNDUsImRpciI6ImFzYyJ9%3D&b=1")
	checkMarked(t, builtIn, "header:X-State", "«eyJwYXNzd29yZCI6Imh1bnRlcjJ4In0=»")
}

// What commands write to programs that read a password, and passwords by their place in a command.
func TestPasswordsGivenToCommands(t *testing.T) {
	checkEverywhere(t,
		"echo «abc» | docker login --username bob --password-stdin", `echo "«a b»" | docker login -u bob --password-stdin ghcr.io`, "echo -n «abc» | sudo -S apt update", "printf '%s' '«abc»' | gh auth login --with-token",
		"echo 'bob:«abc»' | sudo chpasswd", "net user bob «abc» /add", "net user bob «Hunter2x» /active:yes", `net use z: \\srv\share «abc» /user:bob`,
		"echo $CR_PAT | docker login --password-stdin", "echo `cat x` | sudo -S ls", "echo hello | cat", "echo a; ls | sudo -S x", "echo abc", "echo", "net user bob * /add", "net user bob /delete", "net user", "net user count grew by two",
		"the net user bob abc did", "net use", "net stop x /y", "echo done | tee log", "echo <secret#1> | sudo -S x",
		"twine upload -u bob -p «abc» x", "ssh-keygen -t rsa -N «abc» -f k", `ssh-keygen -N "" -f k`, "7z x -p«abc» a.7z", "unzip -P «abc» a.zip", "openssl rsa -in k -passin pass:«abc»", "openssl rsa -passin env:PW", "keytool -storepass «abc» -keypass «def» -v",
		"ConvertTo-SecureString '«abc»' -AsPlainText -Force", "ConvertTo-SecureString -String '«abc»' -AsPlainText", "ConvertTo-SecureString $pw -AsPlainText", "x -AsPlainText", "nuget push x -ApiKey «abc»", "gh secret set API_TOKEN --body '«abc»'",
		"snmpwalk -v2c -c «abc» h", "ipmitool -U bob -P «abc» x", "mkdir -p abc", "tar -c abc", "ssh-keygen -t rsa -f k",
	)
	checkMarked(t, builtIn, "text", "net user bob «abcdef»", `C:\> net user bob «abcdef»`)
}

// Ways of programs and languages to give a value to a name.
func TestSignsAndTypesOfLanguages(t *testing.T) {
	checkEverywhere(t,
		"password: str = '«abc»'", "let password: &str = '«abc»';", "var password string = '«abc»'", "val password: String = '«abc»'", "private token: string | null = '«abc»'", "PASSWORD ?= «abc»", "PASSWORD += «abc»", "ENV['DB_PASSWORD'] ||= '«abc»'",
		"process.env.DB_PASSWORD || '«abc»'", "config.password ?? '«abc»'", "password <- '«abc»'", "password = N'«abc»'", "CREATE LOGIN bob WITH PASSWORD = N'«abc»', X = ON", "password = E'«abc»'",
		"WHERE token IN ('«abc', 'def»') AND x", "password%20%3D%20«abc»", "%257B%2522password%2522%253A%2522«abc»%2522%257D",
		"password: string;", "password: string", "token?: string | null;", "let password: String;", "if (password || other) {", "token || abc", "password -> the user's", "token <- channel", "password: ${{ secrets.PW }}", "password: {{ .Values.pw }}", "token in (abc)",
	)
	checkMarked(t, builtIn, "text",
		"password = \"\"\"«\nabc\ndef»\"\"\"\n", "password = '''«abc»'''", "password = \"\"", "password = <<EOF\n«abc\ndef»\nEOF\nx", "password = <<-\"EOF\"\r\n«  abc»\r\n  EOF\r\nx", "password = <<~EOF\n«abc»", "password = <<",
		"{ password: Some(\"«abc»\") }", "password: Some(\n    \"«abc»\",\n)", "password: Optional(\"«abc»\")", "#{password => <<\"abc\">>}", "Password: ([]uint8) (len=8) \"«abcdefgh»\"",
		"a:1:{s:8:\"password\";s:3:\"«abc»\";}", "[\"password\":\"User\":private]=>\n  string(3) \"«abc»\"", "[\"password\":protected]=>\n  string(3) \"«abc»\"", "[password:User:private] => «abc»\n",
		"&main.User{Password:(*string)(0xc000010250)}", "@\"password\": @\"«abc»\"", "password = @\"«abc»\"",
	)
	checkMarked(t, builtIn, "json", `{"a":"s:8:\"password\";s:3:\"«abc»\";"}`, `{"a":"password || ","b":"c"}`, `{"a":"password: str = ","b":"c"}`, `{"a":"password = '''« x»","b":"'''"}`)
}

// Lines in which a blank is all that stands between a name and its value.
func TestLinesOfSettings(t *testing.T) {
	checkEverywhere(t,
		"SetEnv DB_PASSWORD «abc»", "setenv DB_PASSWORD «abc»", "set -gx API_TOKEN «abc»", "fastcgi_param DB_PASSWORD «abc»;", "ENV DB_PASSWORD «abc»", "requirepass «abc»", "bindpw «abc»", "rootpw --plaintext «abc»",
		"aws configure set aws_secret_access_key «abc»", "npm config set //r/:_authToken «abc»", "CONFIG SET requirepass «abc»", "ngrok config add-authtoken «abc»", "machine h login bob password «abc»", "default login bob password «abc»",
		"machine h\n  login bob\n  password «abc»", "nmcli dev wifi connect home password «abc»", "password\t«hunter2x»", "token_accessor  abc\n  token           «hunter2x»", "-[ RECORD 1 ]--\nid       | 1\npassword | «abc»\n",
		"kubectl create secret generic x --from-literal=first=«abc» --from-literal second='«d e»'", "psk = «abc»", "preshared_key: «abc»",
		"SetEnv DB_PASSWORD", "set -x", "the password abc", "a login bob password abc", "password\n", "password   varchar(255)", "password   text NOT NULL,", "  --password      the password", "token      string", "token    a1b2c3d4 of mine",
		"ENV DB_PASSWORD $pw", "the requirepass abc", "password | abc", "basic abc", "--from-literal", "--from-literal=", "--from-literal=a=$b", "setenv DB_PASSWORD null",
	)
}

// Other ways to write a secret next to its name: tuples, defaults, changes, statements, hashes.
func TestTuplesDefaultsAndChanges(t *testing.T) {
	checkEverywhere(t,
		"[{password, <<\"«abc»\">>}, {user, 'bob'}]", "{:password, '«abc»'}", "getenv('PASSWORD', '«abc»')", "os.environ.get('DB_PASSWORD', '«abc»')", "ENV.fetch('DB_PASSWORD', '«abc»')", "env('DB_PASSWORD', '«abc»')",
		"~ password = '«abc»' -> '«def»'", "~ master_password: '«abc»' => '«def»'", "SET PASSWORD FOR 'bob'@'%' = PASSWORD('«abc»')", "SET PASSWORD FOR bob = '«abc»'", "cmdkey /user:bob /pass:«abc»",
		"bob:$«2y$05$abcdefghijklmnopqrstuuWkgHgAjjJyZKH1F6Q1vP7b2Nq1wO6lm»", "bob:$«apr1$ab12cd34$abcdefghijklmnopqrstuv»", "root:$«6$abcdefgh$Y517fq9Yd4gVnqVnY0Rkn3e6nK0DdQJsRUqQWmSyTBqfEOUUdXyg9pYJwuMYj5wIxwJIcoJAfxHyMnKHZmr9E1»:18000:0:::",
		"«pbkdf2_sha256$600000$abcdefgh$abcdefghijklmnopqrstuvwxyz0123456789ABCDEF=»", "UPDATE u SET password_hash=$1, password = ? WHERE id = $2",
		"{password, text}", "a password, 'x'", "f(token, 'x')", "get('token', 'x')", "the password for bob = x", "set password for all; 'x'", "password = '«abc»' -> the end", "{user, 'bob'}", "PASS: /x/pass: y", "costs $1 and $6 each",
	)
	checkMarked(t, builtIn, "text", `{password,"«abc»"}`, `{password, <<"«abc»">>}`, `password = "«abc»" -> "«def»"`)
	checkMarked(t, builtIn, "json", `{"a":"{password, \"«abc»\"}"}`, `{"password":"«abc»","b":"c -> \"d\""}`, `{"a":"{password,","b":"c"}`, `{"a":"set password for x =","b":"c"}`)
}
