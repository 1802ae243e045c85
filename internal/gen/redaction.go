package main

import (
	"fmt"
	"strings"

	"github.com/brennhill/gasoline/internal/redact"
)

// redaction writes the reference page of what is masked, from the tables of the redactor.
func redaction(_ string, files map[string][]byte) error {
	var b strings.Builder
	b.WriteString(generated)
	b.WriteString(`# Redaction

The daemon masks secrets before it stores an event. A secret becomes a pseudonym: ` + "`<kind#number>`" + `, as in
` + "`<jwt#3>`" + `. Equal values get equal pseudonyms as long as the daemon runs. The daemon keeps no secret: it keeps
salted hashes and lengths.

## Grammar

` + "```" + `
pseudonym = "<" kind "#" number [ claims ] ">"          in text, JSON and headers
          | "<" kind "%23" number ">"                   in URLs and forms
kind      = letter { letter | digit | "_" }             2 to 32 characters, lower case
claims    = [ " iss=" text ] [ " exp=" number ] [ " iat=" number ]      of a JWT only
page      = "<" kind ":" 8 hex digits ">"               made by the page; the daemon numbers it
word      = run of letters, digits, "_", "-"
name      = words that end with the words of an entry; "accessToken" is "access_token";
                                                        digits at the end do not count
shape     = { text | "{" alphabet shortest [ "-" [ longest ] ] "}" | "|" }
` + "```" + `

In a shape, the text before ` + "`|`" + ` stays readable. ` + "`{a36}`" + ` is 36 bytes of the alphabet a, ` + "`{a20-}`" + ` is 20 or more.

## Rules

| What is masked | How it is recognised | Example |
|---|---|---|
`)
	for _, r := range redact.RuleTable() {
		fmt.Fprintf(&b, "| %s | %s | `%s` |\n", r.What, escape(r.How), strings.ReplaceAll(r.Example, "|", "\\|"))
	}
	names := redact.NameTable()
	b.WriteString("\n## Names\n\nA name passes when it ends with one of these.\n\n")
	for _, list := range []struct{ key, what string }{
		{"names", "The daemon and the page know"}, {"more", "The daemon also knows"}, {"foreign", "In other alphabets"},
		{"weak", "These count only in some places or with values that look drawn at random"},
		{"plain", "These never count"}, {"personal", `These count with "pii": true`}, {"headers", "Headers"},
		{"header_ends", "Headers that end with"}, {"public_headers", "Headers that end so and never count"},
	} {
		fmt.Fprintf(&b, "- %s: `%s`\n", list.what, strings.Join(names[list.key], "` `"))
	}
	b.WriteString("\n## Alphabets\n\n| | Bytes |\n|---|---|\n")
	for _, a := range redact.Alphabets() {
		fmt.Fprintf(&b, "| %c | `%s` |\n", a.Letter, a.Bytes)
	}
	fmt.Fprintf(
		&b,
		"\n## Formats of tokens\n\n%d formats. \"exact\": no letter or digit may follow. ",
		len(redact.Formats()),
	)
	b.WriteString("\"digit\": letters and digits. ")
	b.WriteString(
		"\"mixed\": capitals and digits, or capitals as no name has them.\n\n| Kind | Shape | Check | Documented " +
			"in |\n|---|---|---|---|\n",
	)
	for _, f := range redact.Formats() {
		fmt.Fprintf(
			&b,
			"| %s | `%s` | %s | %s |\n",
			f.Kind,
			strings.ReplaceAll(f.Shape, "|", "\\|"),
			f.Check,
			escape(f.Source),
		)
	}
	b.WriteString(`
## Your own rules

` + "`redaction.json`" + ` in the state directory:

` + "```json" + `
{
  "rules": [{"name": "employee", "pattern": "EMP-(\\d{6})"}],
  "names": ["tenant_id"],
  "headers": ["x-tenant"],
  "pii": true
}
` + "```" + `

A pattern is RE2, and its first group is masked. Each rule costs time on each text. If the file is broken, status and
doctor name the line, and the built-in rules hold.

## What is not found

- A value that was stored before its name was seen. Within one batch the order does not matter.
- A known value of fewer than 8 bytes, or one that is an ordinary word, a date, a path or a number.
- A known value in mixed capitals of which it is not, within longer base64 (as user:password is), reversed, or in hexadecimal
  digits with signs between.
- A known value within a longer word of fewer than 16 bytes that it does not begin.
- A secret whose name came in another line: ` + "`name:`" + ` above ` + "`value:`" + `, a prompt and an answer of letters only or of
  several words. Private keys, prompts and the first lines of tables are followed from line to line, until a line comes that is none of theirs.
- A row without the line that names its columns, and one whose columns only blanks set apart, where no rule is below the first line.
- A word of letters only, or of fewer than 8 bytes, in a list called tokens or cookies, which mostly hold something else.
- A list without quotes that was cut, and the lines below ` + "`[secrets]`" + ` in an INI file.
- One word of letters only behind an arrow or wide blanks: it may be the next step, or a type.
- User and password in base64 where nothing says that they are credentials.
- A mnemonic, a password or a random value without a name, a place or a form of its own.
- A value that the page masked, with a blank in it, longer than 72 bytes, or one of the 256 before the newest.
- Pictures, binary data and the data of data URLs.
`)
	files["docs/reference/redaction.md"] = []byte(b.String())
	return nil
}
