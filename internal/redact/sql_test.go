package redact_test

import "testing"

// What a statement puts into a column with a secret name is as secret as what stands behind that name.
func TestColumnsOfStatements(t *testing.T) {
	checkMarked(t, builtIn, "text",
		`INSERT INTO users (id, password) VALUES (1, '«hunter22»')`,
		`insert into users (password,email) values ('«hunter22»', 'a@b.c'), ('«it''s it»', 'x')`,
		"REPLACE INTO `users` (`id`,`password_hash`) VALUES (7,'«$2b$12$abc»') ON DUPLICATE KEY UPDATE id=7",
		`INSERT INTO "users" ("users"."pin", "name") VALUES («1234», 'Bob') RETURNING "id"`,
		`INSERT INTO [users] ([token], [n]) VALUES (N'«abc'', def»', 2)`,
		`INSERT INTO users (id, password) VALUES (1, «crypt('hunter22', gen_salt('bf'))»)`,
		`INSERT INTO users (id, password) VALUES (DEFAULT, DEFAULT), (1, NULL), (2)`,
		`INSERT INTO users (id, name) VALUES (1, 'password')`,
		`INSERT INTO users (id, password) VALUES ($1, $2) -- PARAMETERS: ["1","«hunter22»"]`,
		`insert into "users" ("password", "id") values (?, ?) [ '«hunter22»', 1 ] and [ 'x', 2 ]`,
		`INSERT INTO users (password, id) VALUES ($2, $1) [1, "«hunter22»"]`,
		`the (password) values ('«abc»'`, `(password) values`, `(password) VALUES (`, `values ('a')`, `(a) VALUES ('b`,
	)
	checkMarked(t, builtIn, "json",
		`{"msg":"INSERT INTO users (id, password) VALUES (1, '«hunter22»')","n":1}`,
		`["INSERT INTO \"users\" (\"id\", \"password\") VALUES ($1, $2) -- [\"1\",\"«hunter22»\"]",3]`,
		`{"msg":"INSERT INTO users (id, password) VALUES (1, '«hun»","b":"it's"}`,
		`{"msg":"INSERT INTO users (password) VALUES («1»","b":"'x'"}`, `{"msg":"(password) VALUES (\`, `["(password) VALUES"]`,
	)
}

// The names of data sources that drivers of Go take are no URLs.
func TestPasswordsBeforeAnAddressInBrackets(t *testing.T) {
	checkMarked(t, builtIn, "text",
		`dial app:«hunter22»@tcp(db:3306)/shop?parseTime=true`, `dsn="root:«p@ss:w/rd»@unix(/run/mysqld.sock)/shop"`,
		`app@tcp(db:3306)/shop`, `app:@tcp(db)/shop`, `a:«b1»@tcp(x) c:«d2»@unix(y) e:«f3»@tcp(z)`, `@tcp(`, `x@unix(`,
	)
	checkMarked(t, builtIn, "json", `{"dsn":"app:«hunter22»@tcp(db:3306)/shop"}`, `["x","app:«hunter22»@tcp(db)/"]`)
}
