package save

import "testing"

func TestNamesOfFilesWithSecrets(t *testing.T) {
	for _, name := range []string{
		".env", ".ENV", ".env.local", ".env.production", "prod.env", ".envrc", "id_rsa", "id_ed25519", "id_ecdsa_sk",
		"server.pem", "tls.key", "store.jks", "login.p12", "me.PFX", ".netrc", "_netrc", ".npmrc", ".pypirc", ".pgpass",
		".git-credentials", ".htpasswd", "credentials", "credentials.json", "secrets.yaml", "auth.json", "prod.tfvars",
		"terraform.tfstate", "kubeconfig", ".bash_history", "passwords.kdbx", "my-service-account-1.json", ".dockercfg",
		".dev.vars", ".dev.vars.staging", "shop-firebase-adminsdk-x1.json", "local.settings.json", "wp-config.php",
		// Copies that editors and people leave.
		".env~", "prod.env.bak", "tls.key.old", "server.pem.orig", ".netrc~", ".npmrc.save", ".git-credentials.backup", "a.p12.1",
		".pgpass.bak.2", "#secrets.yml#", ".#.netrc", ".tls.key.swp", "..env.swo", ".pypirc (1)", ".htpasswd copy", "tls copy.key",
		"wp-config.php.bak", "Copy of .npmrc", ".vault-token-old", ".npmrc_backup", ".env.example.local",
		// As the programs' own guides call them.
		".env-prod", ".env_staging", ".flaskenv", "serviceAccountKey.json", "serviceaccount.json", "token.json", "gha-creds-1a2b.json",
		"google-credentials.json", "me_credentials.csv", "rootkey_accessKeys.csv", "kubeconfig.yaml", "kubeconfig.yml", "key.properties",
		"keystore.properties", ".sentryclirc", ".dockerconfigjson", "http.keytab", "pgpass.conf", "rclone.conf", ".vault_pass.txt",
		"vault-password", "secrets", ".secrets",
		"terraform.tfvars.json", "prod.auto.tfvars.json", ".envrc.local", ".envrc-private", "upload.pkcs12", "me.agekey", "cookies.txt",
		"logins.json", ".databrickscfg",
		".env.", ".env ", ".env::$DATA", "id_rsa:x", ".en\u200bv", "tls.key...",
	} {
		if !secretFile(name) {
			t.Errorf("%q is read", name)
		}
	}
	for _, name := range []string{
		"logo.png", "env", "environment.ts", ".env.example", ".env.sample", "id_rsa.pub", "keys.txt", "keyboard.css",
		"copy.png", "logo copy.png", "logo (1).png", "notes~", "notes.bak", "backup", "old", "1", "#1#", ".env.example~", "id_rsa.pub.bak",
		"monkey", "README.md", "gasoline_memory.json", "secretary.txt", "package.json", "authors.json",
		"design-tokens.json", "tokens.json", "kubeconfig.go", "messages.properties", "service.account.md", "vault.md", ".environment",
	} {
		if secretFile(name) {
			t.Errorf("%q is not read", name)
		}
	}
	for _, name := range []string{".ssh", ".SSH", ".aws", ".kube", ".gnupg", ".secrets", ".envs", ".ssh.", ".ssh::$INDEX_ALLOCATION"} {
		if !SecretFolder(name) {
			t.Errorf("%q is open", name)
		}
	}
	for _, name := range []string{".git", ".GIT", ".git.", ".git ", "GIT~1", ".git::$INDEX_ALLOCATION", ".g\u200cit"} {
		if !isGit(name) {
			t.Errorf("%q is not git's", name)
		}
	}
	if isGit(".github") || isGit(".gitignore") || isGit("git") {
		t.Error("other names are git's")
	}
}

func TestNamesThatWindowsTakesForOthers(t *testing.T) {
	for _, name := range []string{
		"CON", "con.png", "nul", "NUL.tar.gz", "aux .txt", "COM1", "com¹.log", "LPT9.png", "CONOUT$", "a.png.", "a ", "a.png ",
		"a.png:hidden", "a.png::$DATA", ":x", "SECRET~1.TXT", "progra~1", "a*b", "a?", `a"b`, "a<b",
	} {
		if windowsFault(name) == "" {
			t.Errorf("%q is taken", name)
		}
	}
	for _, name := range []string{"console.png", "a.con", "com.txt", "com10.txt", "auxiliary", "a~b", "backup~", "notes~2026-summary.md", ".env", "ü.png"} {
		if why := windowsFault(name); why != "" {
			t.Errorf("%q is refused: %s", name, why)
		}
	}
}

// Whole paths, as Windows reads them, of a project at C:\Users\me\shop.
func TestPathsThatWindowsTakesForOthers(t *testing.T) {
	const project, state = `C:\Users\me\shop`, `C:\Users\me\.gasoline`
	for _, path := range []string{
		`\\evil\share\a.png`, `//evil/share/a.png`, `\/evil\share\a.png`, `\\evil@SSL@8443\DavWWWRoot\a.png`, `\\?\UNC\evil\share\a.png`,
		`\\.\UNC\evil\share\a.png`, `\??\UNC\evil\share\a.png`, `//?/unc/evil/share/a.png`, `\\localhost\C$\Users\me\shop\a.png`, `\\.\pipe\x`,
		`\\?\GLOBALROOT\Device\HarddiskVolume1\a.png`, `\\?\Volume{1}\a.png`, `\\.\PhysicalDrive0`, `\\`, `\\evil`, `\\.\CON`,
		`CON`, `a\nul.png`, `a/b/aux`, `C:\Users\me\shop\COM1.txt`, `\\?\C:\Users\me\shop\prn`, `a.png:b`, `a:b\c.png`, `C:\Users\me\shop\a.png::$DATA`,
		`\\?\C:\Users\me\shop\a.png.`, `a .\b.png`, `a.png `, `C:\PROGRA~1\a.png`, `shop~1\a.png`, `a?.png`, `C:\Users\me\shop\x*`,
	} {
		if windowsPathFault(path, project, state) == "" {
			t.Errorf("%q is taken", path)
		}
	}
	for _, path := range []string{
		`a.png`, `a\b.png`, `.\a.png`, `C:\Users\me\shop\a.png`, `c:/users/me/shop/a.png`, `\\?\C:\Users\me\shop\a.png`, `\a.png`, `.env`,
	} {
		if why := windowsPathFault(path, "", project, state); why != "" {
			t.Errorf("%q is refused: %s", path, why)
		}
	}
	// A project may be on a share.
	for path, taken := range map[string]bool{
		`\\nas\code\shop\a.png`: true, `\\NAS\Code\shop\a.png`: true, `//nas/code/shop/a.png`: true, `\\?\UNC\nas\code\shop\a.png`: true,
		`a.png`: true, `\\nas\other\a.png`: false, `\\nas.evil\code\a.png`: false, `\\nas\code\con`: false,
	} {
		if why := windowsPathFault(path, `\\nas\code\shop`, state); (why == "") != taken {
			t.Errorf("%q: %q", path, why)
		}
	}
}
