package redact

import "strings"

// phrase replaces a secret that is known by the words of a command before it, the last of which is s[i:j]. It returns
// the index behind it, or 0.
func (sc *scan) phrase(i, j int) int {
	s := sc.s
	if j == len(s) {
		if s[i] == '-' {
			return sc.option(i, j)
		}
		return 0
	}
	switch {
	case s[j] == '/':
		return sc.link(i, j)
	case s[i] == '-':
		return sc.option(i, j)
	case s[j] != ' ':
		return 0
	case j-i == len("identified") && hasPrefixFold(s[i:], "identified"):
		return sc.identified(j)
	case (j-i == len("echo") && s[i:j] == "echo") || (j-i == len("printf") && s[i:j] == "printf"):
		return sc.piped(j)
	case j-i == len("net") && (s[i:j] == "net" || s[i:j] == "NET"):
		return sc.netCommand(i, j)
	case j-i == len("auth") && i == 0 && hasPrefixFold(s, "auth"):
		return sc.sentAuth(j)
	}
	return 0
}

var loginPrograms = []string{
	"docker login", "podman login", "az login", "mongo ", "mongosh", "helm registry", "oc login", "nerdctl login",
	"twine upload", "security unlock-keychain", "cqlsh", "cypher-shell", "psexec", "PsExec", "ncftp", "rdesktop", "useradd ", "usermod ",
	"elasticsearch-users",
}

// passwordOptions are the options of programs that a password follows, at once or behind a space.
var passwordOptions = []struct {
	option   string
	joined   bool // -pX
	apart    bool // -p X
	programs []string
}{
	{"-p", true, false, []string{"mysql", "mariadb", "mysqldump", "mysqladmin", "mysqlimport", "mycli"}},
	{"-p", true, true, []string{"sshpass"}},
	{"-p", false, true, loginPrograms},
	{"-P", true, true, []string{"sqlcmd", "bcp ", "tsql"}},
	{"-P", false, true, []string{"ipmitool", "mosquitto_pub", "mosquitto_sub", "zip ", "unzip", "p4 "}},
	{"-p", true, false, []string{"7z ", "7za ", "7zz ", "unrar "}},
	{"-a", false, true, []string{"redis-cli"}},
	{"-w", false, true, []string{"ldapsearch", "ldapadd", "ldapmodify", "ldapwhoami", "ldapdelete", "ldappasswd",
		"security add-generic-password", "security add-internet-password"}},
	{"-k", false, true, []string{"openssl enc", "nuget push"}},
	{"-N", false, true, []string{"ssh-keygen"}},
	{"-A", false, true, []string{"snmpget", "snmpwalk", "snmpset", "snmpbulkwalk"}},
	{"-X", false, true, []string{"snmpget", "snmpwalk", "snmpset", "snmpbulkwalk"}},
	{"-c", false, true, []string{"snmpget", "snmpwalk", "snmpset", "snmpbulkwalk"}},
	{"-t", false, true, []string{"doctl auth"}},
	{"-b", false, true, []string{"gh secret set"}},
	{"--body", false, true, []string{"gh secret set"}},
	{"-storepass", false, true, []string{"keytool", "jarsigner"}},
	{"-keypass", false, true, []string{"keytool", "jarsigner"}},
	{"-srcstorepass", false, true, []string{"keytool"}},
	{"-deststorepass", false, true, []string{"keytool"}},
	{"-passin", false, true, []string{"openssl"}},
	{"-passout", false, true, []string{"openssl"}},
	{"-pass", false, true, []string{"openssl"}},
	{"-ApiKey", false, true, []string{"nuget"}},
	{"-password", false, true, []string{"influx ", "psftp", "plink"}},
	{"-pw", false, true, []string{"plink", "pscp", "psftp", "putty"}},
}

// option replaces the password of a program's short option s[i:j].
func (sc *scan) option(i, j int) int {
	s := sc.s
	if j-i < 2 {
		return 0
	}
	if s[i:j] == "--from-literal" { // of kubectl
		at := j + 1 + strings.IndexAny(s[min(j+1, len(s)):min(len(s), j+maxNameBytes)], "= \t\n\"")
		if at <= j+1 || at >= len(s) || s[at] != '=' {
			return 0
		}
		v := held{from: at + 1, to: sc.bareEnd(at+1, false, false)}
		if open, quote, slashes := closing(s, at+1); quote == '\'' {
			v = held{from: open, to: sc.closeOf(open, quote, slashes, false), content: true}
		}
		if v.from >= v.to || s[v.from] == '$' {
			return 0
		}
		return sc.hide(v, "secret")
	}
	if j-i == len("-AsPlainText") && hasPrefixFold(s[i:], "-asplaintext") {
		sc.secureString(i)
		return 0
	}
	const reach = 256
	line := s[max(0, i-reach):i]
	line = line[strings.LastIndexByte(line, '\n')+1:]
	for _, o := range passwordOptions {
		if !strings.HasPrefix(s[i:j], o.option) || len(o.option) > 2 && len(o.option) != j-i || !containsAny(line, o.programs) {
			continue
		}
		from := i + len(o.option)
		if from == j && j < len(s) && s[j] == ' ' {
			if !o.apart {
				continue
			}
			from = j + 1
		} else if !o.joined {
			continue
		}
		v := held{from: from}
		if open, quote, slashes := closing(s, from); quote != 0 {
			if sc.mode == document && sc.quoted && quote == '"' && slashes%2 == 0 {
				return 0
			}
			v = held{from: open, to: sc.closeOf(open, quote, slashes, false), content: true}
			v.opens = quote == '"' && slashes%2 == 0
		} else {
			v.to = sc.bareEnd(from, false, false)
		}
		if strings.HasPrefix(o.option, "-pass") && o.programs[0] == "openssl" {
			given := s[v.from:v.to]
			if !strings.HasPrefix(given, "pass:") {
				return 0 // where it is read from
			}
			v.from += len("pass:")
			v.content = true
		}
		if v.from >= v.to || s[v.from] == '-' || s[v.from] == '$' {
			return 0
		}
		return sc.hide(v, "password")
	}
	return 0
}

func containsAny(s string, words []string) bool {
	for _, w := range words {
		if strings.Contains(s, w) {
			return true
		}
	}
	return false
}

var inPlugin = byteSet("abcdefghijklmnopqrstuvwxyz0123456789_'\"`")

// identified replaces the password of SQL behind the word that ends at j: IDENTIFIED BY 'x', IDENTIFIED WITH p BY 'x'.
func (sc *scan) identified(j int) int {
	s := sc.s
	at := j + 1
	if hasPrefixFold(s[at:], "with ") {
		at += len("with ")
		const longest = 40 // of a plugin's name; what looks like anything else is read on its own
		plugin := at
		for at < len(s) && at-plugin < longest && inPlugin[s[at]] {
			at++
		}
		at++
	}
	if at >= len(s) || !hasPrefixFold(s[at:], "by ") && !hasPrefixFold(s[at:], "as ") {
		return 0
	}
	at += len("by ")
	if hasPrefixFold(s[at:], "password ") {
		at += len("password ")
	}
	v := held{from: at}
	if open, quote, slashes := closing(s, at); quote != 0 {
		if sc.mode == document && sc.quoted && quote == '"' && slashes%2 == 0 {
			return 0
		}
		v = held{from: open, to: sc.closeOf(open, quote, slashes, false), content: true}
		v.opens = quote == '"' && slashes%2 == 0
	} else {
		v.to = sc.bareEnd(at, false, false)
	}
	if v.from >= v.to {
		return 0
	}
	return sc.hide(v, "password")
}

// sentAuth replaces what follows the word AUTH at the start of a message that holds little else: "AUTH x", "AUTH user
// x".
func (sc *scan) sentAuth(j int) int {
	s := sc.s
	end := j + 1
	for end < len(s) && s[end] != '\r' && s[end] != '\n' {
		end++
	}
	value := strings.TrimSpace(s[j+1 : end])
	words := strings.Count(value, " ") + 1
	if value == "" || words > 2 || sc.mode == document || !isUpper(s[0]) && !hasBoth(value, isDigit, isLetter) {
		return 0
	}
	from := j + 1 + strings.Index(s[j+1:end], value)
	if at, _ := nextPseudonym(value, 0); at < len(value) || sc.mode == form || harmlessWord(value) {
		return 0
	}
	return sc.hide(held{from: from, to: from + len(value), content: true}, "auth")
}

// login replaces user and password behind an option of curl, -u or --user, that begins at i and ends at j: a space
// or '=' follows, or for -u nothing. It returns the index behind them, or 0.
func (sc *scan) login(i, j int) int {
	s := sc.s
	if !strings.Contains(s[max(0, i-1024):i], "curl") {
		return 0
	}
	at := j + 1
	if s[i+1] == 'u' && j-i > 2 {
		at = i + 2 // -uann:secret
	} else if j == len(s) || s[j] != ' ' && s[j] != '=' {
		return 0
	}
	from, quote, slashes := closing(s, at)
	to := 0
	if quote != 0 {
		to = sc.closeOf(from, quote, slashes, false)
	} else {
		to = sc.bareEnd(from, false, false)
	}
	value := s[from:to]
	if strings.IndexByte(value, ':') < 1 || strings.Contains(value, "://") || pseudonymAt(value) == len(value) {
		return 0
	}
	if sc.mode == document && sc.quoted && quote == '"' && slashes%2 == 0 {
		return 0 // the end of the string around it
	}
	sc.replace(from, to, kindCredentials, value, "")
	_, password, _ := strings.Cut(value, ":")
	sc.learn(password, kindCredentials)
	return to
}
