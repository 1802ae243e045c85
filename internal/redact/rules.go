package redact

// Rule is a line of the table of rules: what is masked because of its place or its own form, besides the formats of
// tokens and the names.
type Rule struct {
	What    string // is masked
	How     string // it is recognised
	Example string // with the secret as SECRET
}

// RuleTable returns the rules that are no table elsewhere, in the order in which they are tried.
func RuleTable() []Rule { return ruleTable }

var ruleTable = []Rule{
	{
		"Known values",
		"a value that was secret by its name or place before, at least 8 bytes with letters and digits; by its name, also in base64, " +
			"hexadecimal, capitals or small letters",
		"any text with SECRET",
	},
	{
		"Values that the page masked",
		"a word of 8 to 72 bytes with the salted hash that a page sent, letters and digits or signs in it; " +
			"of a password, 12 letters, too",
		"any text with SECRET",
	},
	{
		"Private keys",
		"PEM, SSH2, PGP and PuTTY blocks, to their end or that of the text",
		"-----BEGIN PRIVATE KEY-----…",
	},
	{
		"Card numbers",
		"an issuer's first digits, a usual grouping, and the check digit of ISO/IEC 7812",
		"4111 1111 1111 1111",
	},
	{
		"Social security numbers",
		"the form of the USA, without numbers that are never given out",
		"123-45-6789",
	},
	{
		"Tokens",
		"the table of formats",
		"ghp_…",
	},
	{
		"User and password of a URL",
		"what stands before '@' in the authority; the password before @tcp( and @unix(; behind the slash for Oracle's " +
			"programs, scott/SECRET@//db",
		"https://SECRET@host/",
	},
	{
		"Credentials",
		"behind the words Bearer and Basic, and the parameters of other schemes behind Authorization",
		"Bearer SECRET",
	},
	{
		"Values of secret names",
		"behind '=', ':', '=>', in JSON at any depth, forms, XML, lists, calls of setters, format " +
			"strings, pairs of name and value",
		"password=SECRET",
	},
	{
		"Random values of suspicious names",
		"a name with key, secret, token, pass, auth, cred, sess in it, and 16 bytes or more that look " +
			"drawn at random",
		"materialKey = SECRET",
	},
	{
		"Cookies",
		"every value of Cookie and Set-Cookie; names and attributes stay",
		"Cookie: sid=SECRET",
	},
	{
		"Variables of GraphQL",
		"a variable that is given to an argument with a secret name",
		"login(password: $p) … {\"p\":\"SECRET\"}",
	},
	{
		"Lists",
		"behind names of several secrets: all of the list; behind tokens and cookies the items that look like secrets, " +
			"of 8 bytes or more with letters and digits",
		"tokens: ['SECRET', 'SECRET']",
	},
	{
		"Columns of CSV",
		"below a secret name in the first line, also where each line came by itself",
		"id,password\\n1,SECRET",
	},
	{
		"Tables with a rule",
		"below a secret name in the line over the rule, of Markdown and of programs, also where each line came by itself; in tables of names and values " +
			"beside a secret name; prose and types stay",
		"| user | password |\\n|---|---|\\n| bob | SECRET |",
	},
	{
		"Rows of tables",
		"the cell beside a secret name, of a row of two cells or of one with a number in it; types, headings and prose stay",
		"| password | SECRET |",
	},
	{
		"Behind arrows",
		"text in quotes, or a word with letters and digits; any word behind the name of a variable of the environment",
		"password => SECRET",
	},
	{
		"Passwords that a program makes",
		"the last word of a line that says that it is generated, initial or temporary, of eight bytes or more with letters and digits",
		"temporary password for root: SECRET",
	},
	{
		"Answers to prompts",
		"the next line of the same program, if it is one word with letters and digits or signs",
		"Password:\\nSECRET",
	},
	{
		"Fields in brackets",
		"value beside name or key, without quotes around them",
		"{name: DB_PASSWORD, value: SECRET}",
	},
	{
		"Elements",
		"the content of an element with a secret name as its name or key, and of the element behind one with a secret name",
		"<name>db.password</name><value>SECRET</value>",
	},
	{
		"JSON in base64",
		"by what it holds, of which 4 KB are looked at",
		"state=SECRET",
	},
	{
		"What is written with %XX",
		"by what it is once it is decoded, three times at most",
		"?dsn=postgres%3A%2F%2FSECRET%40db",
	},
	{
		"Children in YAML",
		"the lines indented below credentials, secrets and the like; user, host, type and id stay",
		"credentials:\\n  k: SECRET",
	},
	{
		"Links",
		"an opaque segment behind a word such as reset, invite, verify, magic, webhook",
		"/reset/SECRET",
	},
	{
		"OAuth and CAS",
		"code, state, nonce and ticket in a query or form, if the value is opaque",
		"?code=SECRET",
	},
	{
		"Options of programs",
		"curl -u, mysql -p, sshpass -p, docker login -p, redis-cli -a, ldapsearch -w, --password",
		"mysql -pSECRET",
	},
	{
		"Commands",
		"what echo and printf write to a program that reads a password, net user, ConvertTo-SecureString, and lines in which a " +
			"blank stands between a secret name and its value: SetEnv, ENV, requirepass, .netrc",
		"echo SECRET | docker login --password-stdin",
	},
	{
		"SQL",
		"behind IDENTIFIED BY, and what VALUES gives a column with a secret name",
		"IDENTIFIED BY 'SECRET'",
	},
	{
		"Messages",
		"a text that begins with AUTH and holds one or two words more",
		"AUTH SECRET",
	},
	{
		"Personal data",
		"only with \"pii\": true: e-mail addresses, international telephone numbers, IBANs with a " +
			"correct check number, fields for passport and tax numbers",
		"DE89 3704 0044 0532 0130 00",
	},
	{
		"Your own rules",
		"patterns of redaction.json, outside of what is masked already",
		"EMP-SECRET",
	},
}

// NameTable returns the names of fields and headers by what they mean. The slices are shared; do not modify them.
func NameTable() map[string][]string {
	return map[string][]string{
		"names": secretNames, "more": moreNames, "foreign": foreignNames, "weak": weakNames, "plain": plainNames,
		"headers": headerNames, "header_ends": headerEnds, "public_headers": publicHeaders, "personal": personalNames,
	}
}
