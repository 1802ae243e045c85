package redact_test

import (
	"testing"

	"github.com/brennhill/gasoline/internal/event"
)

// What programs print beside a secret name: tables, arrows, dumps, statements and commands.
func TestNamesBesideValues(t *testing.T) {
	checkMarked(t, builtIn, "text",
		// Rows of tables, one line at a time.
		"| password | «hunter2» |", "| id | 7 |\n| password | «hunter2» |", "|password|«hunter2»|", "│ password │ «hunter2» │",
		"┃ DB_PASSWORD ┃ «hunter2» ┃", "║ token ║ «swordfish» ║", "| 3 | api_key | «swordfish» | 2026-11-27 |",
		"INFO config: | db.password | «hunter2» |", "| `password` | `«hunter2»` |", "| password | «correct horse» |",
		"+----------+---------+\n| user | bob |\n| password | «hunter2» |\n+----------+---------+", "12:00 | token | «swordfish9» |", "| pin | «4711» |",
		"1 [Note] A temporary password is generated for root@localhost: «Ab3!dkw9xQ»", "root password generated: «zQ7EtpAVS9bx»", "Initial password for the elastic user: «hunter2hunter»\nnext", "| password | «12 apes» |", "password => '«ab|cd|ef»'",
		// Columns.
		"password            «hunter2»", "  DB_PASSWORD   «swordfish»", "password\t«hunter2»",
		"DB_PASSWORD\t«swordfish»",
		// Arrows.
		"password -> «hunter2»", "password => «hunter2»", "password → «hunter2»", "password ⇒ «hunter2»", "password --> «hunter2»",
		"password ==> «hunter2»", "password->«hunter2»", "api_key=>«hunter2»", "user => bob, password => «hunter2»",
		"DB_PASSWORD -> «swordfish»", "password <- «hunter2»",
		// Dumps.
		`{"password" => "«hunter2»"}`, `{:password=>"«hunter2»"}`, "    [password] => «hunter2»", "'password' => '«hunter2»',",
		`$VAR1 = { 'password' => '«hunter2»' };`, `password => "«hunter2»"`, `%{password: "«hunter2»"}`, `#<User password="«hunter2»">`,
		`User(password='«hunter2»')`, `{:password "«hunter2»"}`, `["password"]=> string(7) "«hunter2»"`,
		`map[password:«hunter2» user:bob]`, "password=«hunter2»", "DB_PASSWORD=«hunter2»\r", "set DB_PASSWORD=«hunter2»",
		`object(User)#1 { ["password":protected]=> string(7) "«hunter2»" }`, "  password: «hunter2»", "- password: «hunter2»",
		`Array ( [user] => bob [password] => «hunter2» )`, "password....: «hunter2»", "password........... «hunter22»",
		// Statements.
		"CREATE USER bob IDENTIFIED BY '«hunter2»'", "CREATE ROLE bob LOGIN PASSWORD '«hunter2»'", "ALTER USER bob WITH PASSWORD '«hunter2»'",
		"ALTER USER bob WITH ENCRYPTED PASSWORD '«swordfish»';", "ALTER LOGIN bob WITH PASSWORD = N'«hunter2»'",
		"SET PASSWORD FOR 'bob'@'%' = PASSWORD('«hunter2»')", "identified by \"«hunter2»\"", "UPDATE users SET password = '«hunter2»' WHERE id = 1",
		"IDENTIFIED WITH mysql_native_password BY '«hunter2»'", "CREATE USER bob PASSWORD '«hunter two three»'", "alter user bob password '«a b»'",
		// Commands.
		"app --password «hunter2»", "app --db-password=«hunter2»", "app --token «swordfish»", "curl -u «bob:hunter2» http://h/",
		"curl --user «bob:hunter2» http://h/", "curl -sSu «bob:hunter2» http://h/", "wget --password=«hunter2»", "mysql -p«hunter2»",
		"app -password «hunter2»", "app /password:«hunter2»", "wget --user bob --password «hunter2»",
		// Base64.
		"Authorization: Basic «Ym9iOmh1bnRlcjI=»", "auth=«Ym9iOmh1bnRlcjI=»", "Proxy-Authorization: basic «Ym9iOmh1bnRlcjI=»",
		`"auth": "«Ym9iOmh1bnRlcjI=»"`, "_auth=«Ym9iOmh1bnRlcjI=»", "_auth = «Ym9iOmh1bnRlcjI=»", "credentials (base64): «Ym9iOmh1bnRlcjI=»",
		"basic auth: «Ym9iOmh1bnRlcjI=»", "basic_auth=«Ym9iOmh1bnRlcjI=»",
		"tls.key: «LS0tLS1CRUdJTiBQUklWQVRFIEtFWS0tLS0tCk1JSUV2UUlCQURBTkJna3Foa2lHOXcwQkFRRUZBQVNDQktjd2dnU2pBZ0VBQW9JQkFRQw==»",
		"kind: Secret\ndata:\n  user: Ym9i\n  x: «aHVudGVyMg==»", "apiVersion: v1\ndata:\n  x: «aHVudGVyMg==»\nkind: Secret\n",
		`kind: "Secret"`+"\ndata:\n  x: «aHVudGVyMg==»", "kind: Secret\nstringData:\n  x: «hunter2»",
	)
}

// Their neighbours hold none.
func TestNamesWithoutValues(t *testing.T) {
	checkMarked(t, builtIn, "text",
		"| password | string | required |", "| password | string |", "| token | The token of the session | yes |", "| password | required |",
		"| Password | optional | min. 8 characters |", "| password |", "| password | |", "| password | - |", "| user | password | role |",
		"| token | 3 |", "password generated for: bob", "password changed for user: jsmith42", "Initial password for the elastic user: see below2 it", "│ token      │ 12 ms │", "| secrets | 12.3 kB | 4 |", "password => 'required|min:8'", "route /token -> TokenController2@issue",
		"| token | expired |", "| password | varchar(255) | NO |", "| password_hash | text | not null |", "| password | ✅ |",
		"| password | email | username |", "| tokens | 812 |", "| token | refresh_token |", "│ password │ string │", "| password | null |",
		"password -> validate", "password => validate", "password => validate(password)", "password => { check(password) }", "token => token.id",
		"(password) => hash(password)", "const f = token => parse(token);", "password -> hash -> store", "login -> password -> home",
		"token -> string", "token => true", "password -> required", "password → next step", "secrets -> vault", "token => void",
		"fn(password: &str) -> Result<(), Error>", "def f(token) -> str:", "tokens -> 812", "password => user.password", "token->next", "secret->data",
		"password => console.log(password)", "passwords.map(password => password.length)", "if (token => 3)", "password -> string -> bool",
		"token expired", "Password: required", "passwords do not match", "Password", "password:", "Enter password:", "invalid password for user bob",
		"password authentication failed for user \"bob\"", "the password is wrong", "password reset", "Password changed", "token refresh failed",
		"password  required", "password\trequired", "token     string    the token to use", "  --password   the password of the user",
		"  --password string   password of the user", "  --token string", "  --password <password>", "app --password", "--password PASSWORD",
		"ALTER USER bob PASSWORD EXPIRE", "ALTER USER bob PASSWORD NULL", "CREATE TABLE users (password text, token uuid)",
		"SELECT password FROM users WHERE id = 1", "IDENTIFIED BY", "ERROR: column \"password\" does not exist", "PASSWORD '' is empty",
		"curl -u http://h/", "curl -fsSL http://h/ -o bob:x", "git push -u origin main", "docker run -u 1000:1000 curl", "sort -u a:b",
		"commit 9f86d081884c7d659a2feaa0c55ad0153f2504e0", "data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk",
		"sha256:9f86d081884c7d659a2feaa0c55ad0153f2504e09f86d081884c7d659a2feaa0", "auth=login", "auth: required", "basic auth: disabled",
		"LS0tLS1CRUdJTiBDRVJUSUZJQ0FURS0tLS0tCk1JSUV2UUlCQURBTkJna3Foa2lHOXcwQkFRRUZBQVNDQktjd2dnU2pBZ0VBQW9JQkFRQw==",
		"kind: ConfigMap\ndata:\n  x: aHVudGVyMg==\n", "kind: SecretStore\ndata:\n  x: aHVudGVyMg==\n", "basic auth header missing",
		"password........... ok", "set PASSWORD_MIN=8", "password.... PASSED", "secret  created", "secret/db configured", "NAME   TYPE     DATA   AGE\ndb     Opaque   2      3d",
	)
}

// The same in the arguments of a log, which are JSON.
func TestNamesBesideValuesInDocuments(t *testing.T) {
	checkMarked(t, builtIn, "json",
		`["| password | «hunter2» |"]`, `["| user | bob |\n| password | «hunter2» |\n"]`, `["password -> «hunter2»"]`, `["password => «hunter2»","x"]`,
		`["password → «hunter2»"]`, `["password -> validate"]`, `["| password | string |"]`, `["| user | password | role |"]`,
		`["password........: «hunter2»"]`, `["password (base64): «aHVudGVyMg==»"]`, `["password => \"«hunter2»\"","x"]`, `["password => ","hunter2"]`,
		`["password -> ","x"]`, `["| password |","hunter2 |"]`, `["curl -sSu «bob:hunter2» http://h/"]`, `["alter user bob password '«a b»'"]`,
		`{"apiVersion":"v1","data":«{"x":"aHVudGVyMg=="}»,"kind" : "Secret"}`, `{"kind":"SecretStore","data":{"x":"aHVudGVyMg=="}}`,
	)
}

// What docs/security.md says is not recognised: another rule would hide ordinary words.
func TestWhatIsNotRecognised(t *testing.T) {
	checkMarked(t, builtIn, "text", "hunter2", "swordfish", "Ym9iOmh1bnRlcjI=", "password -> swordfish", "password    swordfish", "tried hunter2 for bob")
	r := builtIn()
	for _, line := range []string{"Password:", "swordfish", "1,hunter2", "hunter2", `{"tokens":["hunter2","swordfish"]}`} {
		l := &event.Log{Message: line}
		if r.Batch(event.Batch{l}); l.Message != line {
			t.Errorf("%q became %q; docs/security.md says otherwise", line, l.Message)
		}
	}
}
