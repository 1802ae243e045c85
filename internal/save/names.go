package save

import (
	"path"
	"regexp"
	"slices"
	"strings"
)

// SecretFolder reports whether a folder of this name is where programs that everybody has keep secrets.
func SecretFolder(name string) bool {
	return slices.Contains(secretFolders, strings.ToLower(plain(name)))
}

// secretFile reports whether programs that everybody has keep secrets in a file of this name.
func secretFile(name string) bool {
	name = strings.ToLower(plain(name))
	of := copied(name)
	if slices.ContainsFunc(templates, func(end string) bool { return strings.HasSuffix(of, end) }) {
		return false
	}
	return slices.ContainsFunc(secretFiles, func(pattern string) bool {
		ok, err := path.Match(pattern, of)
		as, asErr := path.Match(pattern, name)
		return err == nil && ok || asErr == nil && as
	})
}

// Programs and people leave copies beside a file: editors while they write it, systems and hands before a change.
var (
	copyEnds = regexp.MustCompile(`(?:~|[._-](?:bak|bkp|backup|old|orig|original|save|saved|swp|swo|swn|tmp|copy|\d{1,8})` +
		`| copy(?: \d+)?| ?\(\d+\))$`)
	copyBegins = regexp.MustCompile(`^(?:#|\.#|\.(\.)|copy of )`)
)

// copied returns the name of the file that one of this name, in lower case, is a copy of; its own when it is none.
func copied(name string) string {
	for {
		of := copyBegins.ReplaceAllString(copyEnds.ReplaceAllString(strings.TrimSuffix(name, "#"), ""), "$1")
		if of == "" || of == name {
			return name
		}
		name = of
	}
}

// The names are in lower case.
var (
	secretFolders = []string{
		".ssh", ".gnupg", ".aws", ".azure", ".kube", ".gcloud", ".oci", ".password-store", ".terraform.d", ".mozilla", ".secrets",
		".envs",
	}
	secretFiles = []string{
		".env", ".env.*", ".env-*", ".env_*", "*.env", ".envrc", ".envrc.*", ".envrc-*", ".flaskenv", "id_rsa*", "id_dsa*", "id_ecdsa*", "id_ed25519*", "id_xmss*", "*.pem", "*.key",
		"*.p8", "*.p12", "*.pkcs12", "*.pfx", "*.agekey", "*.jks", "*.keystore", "*.ppk", "*.kdb", "*.kdbx", "*.asc", "*.gpg", "*.pgp", "*.ovpn",
		".netrc", "_netrc", ".npmrc", ".yarnrc", ".yarnrc.yml", ".pypirc", ".pgpass", ".my.cnf", ".mylogin.cnf", ".htpasswd",
		"pgpass.conf", ".dockerconfigjson", "*.keytab", ".sentryclirc", "rclone.conf", ".vault?pass*", "vault?pass*",
		".git-credentials", ".gitconfig", ".dev.vars", ".dev.vars.*", "local.settings.json", "wp-config.php",
		".terraformrc", ".s3cfg", ".boto", ".vault-token", ".dockercfg", ".databrickscfg", "cookies.txt", "cookies.sqlite", "logins.json", "key4.db",
		".*_history", "auth.json", "token.json", "credentials", "credentials.*", "*credentials.json", "*credentials.csv",
		"*accesskeys.csv", "gha-creds-*.json", "secret.*", "secrets.*", "secrets", ".secrets", "*service-account*.json",
		"*service_account*.json", "*serviceaccount*.json", "*firebase-adminsdk*.json", "*client_secret*.json",
		"key.properties", "keystore.properties",
		"application_default_credentials.json", "*.tfstate",
		"*.tfstate.backup", "*.tfvars", "*.tfvars.json", "kubeconfig", "kubeconfig.y*ml", "*.kubeconfig", "shadow", "wallet.dat", "*.mobileprovision",
	}
	// templates are ends of names of files that show how such a file looks.
	templates = []string{".example", ".sample", ".template", ".dist", ".pub"}
)

// plain is the name that a system takes a part of a path for: Windows leaves out dots and blanks at the end, and what
// follows a colon is a stream of the file. Some file systems leave out characters that nobody sees.
func plain(part string) string {
	part = strings.Map(func(r rune) rune {
		if r >= 0x200b && r <= 0x200f || r >= 0x202a && r <= 0x202e || r >= 0x206a && r <= 0x206f || r == 0xfeff {
			return -1
		}
		return r
	}, part)
	if i := strings.IndexByte(part, ':'); i > 0 {
		part = part[:i]
	}
	return strings.TrimRight(part, ". ")
}

// isGit reports whether a part of a path is git's own folder, in any way of writing it that a file system takes for it.
func isGit(part string) bool {
	name := strings.ToLower(plain(part))
	return name == ".git" || name == "git~1"
}

// devices are names that Windows takes for a device in every folder, with any ending.
var devices = []string{
	"con", "prn", "aux", "nul", "conin$", "conout$",
	"com0", "com1", "com2", "com3", "com4", "com5", "com6", "com7", "com8", "com9", "com¹", "com²", "com³",
	"lpt0", "lpt1", "lpt2", "lpt3", "lpt4", "lpt5", "lpt6", "lpt7", "lpt8", "lpt9", "lpt¹", "lpt²", "lpt³",
}

// windowsFault says why Windows would take a part of a path for something else than the file of that name, "" when it
// does not. A short name such as SECRET~1.TXT is another file's.
func windowsFault(part string) string {
	base, _, _ := strings.Cut(strings.ToLower(part), ".")
	switch {
	case strings.ContainsAny(part, `:*?"<>|`):
		return "it holds a character that Windows takes for something else"
	case strings.TrimRight(part, ". ") != part:
		return "a part of it ends with a dot or a blank, which Windows leaves out"
	case slices.Contains(devices, strings.TrimRight(base, " ")):
		return "a part of it is the name of a device"
	}
	if _, number, tilde := strings.Cut(base, "~"); tilde && len(base) <= 8 && number != "" && strings.Trim(number, "0123456789") == "" {
		return "a part of it is a short name, which stands for another one"
	}
	return ""
}

// windowsPathFault says why Windows would take a path for something else than a file of that name on a disk of this machine,
// or where a folder of own is; "" when it does not.
func windowsPathFault(path string, own ...string) string {
	if !slices.ContainsFunc(own, func(folder string) bool { return !Elsewhere(path, folder) }) {
		return "it is on another machine, or a device"
	}
	volume, rest := windowsVolume(path)
	if strings.HasSuffix(volume, ":") && len(volume) == 2 && !strings.HasPrefix(rest, `\`) {
		return "it is relative to the folder that a disk is at"
	}
	for part := range strings.SplitSeq(rest, `\`) {
		if why := windowsFault(part); why != "" && part != "." {
			return why
		}
	}
	return ""
}

// Elsewhere reports whether Windows would ask a device or a machine for a path that it does not ask for the folder. Only to
// look at a path of another machine is to sign in there.
func Elsewhere(path, folder string) bool {
	volume, _ := windowsVolume(path)
	of, _ := windowsVolume(folder)
	return strings.HasPrefix(volume, `\\`) && !strings.EqualFold(volume, of)
}

// windowsVolume splits a path of Windows into its volume, which is C:, \\host\share or \\?\device, and the rest.
func windowsVolume(path string) (volume, rest string) {
	path = strings.ReplaceAll(path, "/", `\`)
	device := false
	for _, prefix := range [...]string{`\\?\`, `\\.\`, `\??\`} {
		if after, ok := strings.CutPrefix(path, prefix); ok {
			if device, path = true, after; len(path) >= 4 && strings.EqualFold(path[:4], `UNC\`) {
				device, path = false, `\\`+path[4:]
			}
			break
		}
	}
	switch {
	case len(path) > 1 && path[1] == ':' && 'a' <= path[0]|0x20 && path[0]|0x20 <= 'z':
		return path[:2], path[2:]
	case device:
		name, rest, _ := strings.Cut(path, `\`)
		return `\\?\` + name, rest
	case strings.HasPrefix(path, `\\`):
		host, rest, _ := strings.Cut(path[2:], `\`)
		share, rest, _ := strings.Cut(rest, `\`)
		return `\\` + host + `\` + share, rest
	}
	return "", path
}
