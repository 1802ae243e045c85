package redact

import (
	"bytes"
	"slices"
	"strings"
	"sync"
)

// headerNames are the header fields whose whole value is a secret, whatever it looks like.
// Fields whose name passes the name list below are secret as well.
var headerNames = []string{
	"authorization", "proxy-authorization", "cookie", "set-cookie", "x-api-key", "x-auth-token",
	"x-csrf-token", "x-xsrf-token", "x-secret", "x-password", "x-session", "cf-access-jwt-assertion",
}

// headerEnds make a header secret; publicHeaders end so and are not.
var (
	headerEnds    = []string{"-key", "-token", "-secret"}
	publicHeaders = []string{"sec-websocket-key", "surrogate-key", "idempotency-key", "x-cache-key"}
)

// secretHeaderEnd reports whether a header, in lower case, is secret by how it ends.
func secretHeaderEnd(name string) bool {
	for _, end := range headerEnds {
		if strings.HasSuffix(name, end) {
			return !slices.Contains(publicHeaders, name)
		}
	}
	return false
}

// secretNames are the words that make a field's value a secret. A name passes when its words end
// with the words of an entry ("user_password", "accessToken"), or when it is an entry written
// without its underscores ("apikey"). Digits at the end do not count ("password2").
var secretNames = []string{
	"password", "passwd", "pwd", "passphrase", "passcode", "password_confirmation", "password_confirm",
	"password_hash", "secret", "secret_key", "client_secret", "token", "access_token", "refresh_token",
	"id_token", "auth_token", "csrf_token", "api_key", "access_key", "access_key_id", "private_key",
	"signing_key", "encryption_key", "account_key", "authorization", "cookie", "set_cookie", "session_id",
	"phpsessid", "jsessionid", "sid", "csrf", "xsrf", "jwt", "bearer", "credential", "credentials",
	"otp", "mfa_code", "one_time_code", "pin", "cvv", "cvc", "card_number", "cc_number", "ssn",
	"social_security_number", "amz_signature", "sig", "user_pass", "db_pass", "smtp_pass", "pgpassword", "secret_key_base",
	"password_again", "password_repeat", "security_code", "verification_code", "totp",
	"pw", "passwords", "passwort", "kennwort", "contrasena", "mot_de_passe", "senha", "api_keys", "master_key", "auth_key",
	"app_key", "code_verifier", "saml_response", "device_code", "recovery_code", "recovery_codes", "backup_codes",
	"mnemonic", "seed_phrase", "recovery_phrase",
}

// moreNames are names that the daemon knows and the page does not: it stays small.
var moreNames = []string{
	"tokens", "access_tokens", "refresh_tokens", "auth_tokens", "api_tokens", "id_tokens", "csrf_tokens", "session_tokens", "bearer_tokens",
	"cookies", "jwts", "otps", "passcodes", "session_ids", "signing_keys", "encryption_keys", "master_keys",
	"pass", "jwt_assertion", "subscription_key", "functions_key",
	"passwds", "pwds", "secrets", "passphrases", "private_keys", "secret_keys", "access_keys", "backup_code", "seed_words",
	"secret_words", "secret_phrase", "mnemonics", "mnemonic_phrase", "recovery_words", "scratch_codes", "wallet_seed",
	"pass_phrase", "pass_word", "user_pwd", "pin_code", "card_cvc", "card_cvv", "security_answer",
	"secret_answer", "client_assertion", "oauth_verifier", "oauth_token_secret", "id_token_hint", "login_ticket",
	"shared_access_key", "shared_key", "storage_key", "service_key", "service_role_key", "anon_key",
	"admin_key", "deploy_key", "license_key", "webhook_secret", "webhook_url", "cookie_secret", "bot_token",
	"goog_signature", "shared_access_signature", "hdnts", "hdnea", "connection_string", "auth_code",
	"authorization_code", "pgpass", "mysql_pwd", "mysql_root_password", "rootpw", "bindpw", "userpw", "dbpw", "dbpass",
	"adminpass", "userpass", "db_pw", "root_pw", "npm_auth", "authkey", "apitoken", "authtoken", "secretkey", "pat",
	"aws_secret", "x_session", "session_key", "session_secret", "encryption_secret", "hmac_key", "hmac_secret",
	"jwt_key", "jwt_secret", "ssh_private_key", "pgp_private_key", "gpg_passphrase", "tls_private_key",
	"vault_key", "consumer_key", "consumer_secret", "developer_key", "publishable_key", "integration_key", "ingest_key",
	"write_key", "read_key", "server_key", "rest_key", "account_sid", "application_key", "api_secret", "app_secret",
	"saml_assertion", "saml_request", "wresult", "cas_ticket", "service_ticket", "aspxauth", "connect_sid", "csrftoken",
	"requestverificationtoken", "authenticity_token", "viewstate", "laravel_session", "ci_session", "sessionid",
	"motdepasse", "mdp", "de_passe", "passe", "clave", "contrasenya", "contrasenia", "wachtwoord", "losenord", "haslo",
	"heslo", "sifre", "parola", "salasana", "adgangskode", "passord", "jelszo", "geslo", "lozinka", "kata_sandi",
	"psk", "preshared_key", "pre_shared_key", "wpa_psk", "client_key_data", "identity_token", "instrumentation_key", "storepass", "keypass",
	"requirepass", "masterauth", "rootpass", "root_passwd", "ssh_pass", "become_pass", "plaintext_password", "secret_string", "secretstring",
	"string_data", "palavra_passe", "geheimnis", "zugangscode", "zugangsdaten", "codice_segreto", "parol", "kodeord", "matkhau",
}

// foreignNames are names outside of ASCII, in lower case.
var foreignNames = []string{
	"contraseña", "lösenord", "hasło", "şifre", "jelszó", "khẩu", "пароль", "密码", "密碼", "口令", "パスワード", "暗証番号",
	"비밀번호", "암호", "סיסמה", "ססמה", "السر", "المرور", "รหัสผ่าน", "κωδικός", "पासवर्ड", "schlüssel", "ключ", "密钥", "令牌",
	"contrasenã", "sleutelwoordë", "пароля", "гасло", "парола", "лозинка", "salasõna", "slaptažodis", "parolă",
}

// plainNames end like a secret name but hold none: positions in lists.
var plainNames = []string{"page_token", "next_token", "continuation_token", "sync_token", "cancel_token"}

// suspiciousParts make a name suspicious, which is enough to hide a long random value behind it.
var suspiciousParts = []string{"key", "secret", "token", "auth", "pass", "cred", "sess", "private", "signature", "salt",
	"seed"}

// weakNames are names that hold a secret in some places or with some values only; see [scan.weak].
var weakNames = []string{"code", "state", "ticket", "nonce", "auth", "signature", "policy", "hmac", "user_code", "key"}

// tails holds the last three bytes of words: by the last two letters, a bit for the one before.
type tails [1 << 10]uint32

// has reports whether a word that ends in these bytes, the last of them a letter, may be in the set.
func (t *tails) has(a, b, c byte) bool { return t[int(b&31)<<5|int(c&31)]>>(a&31)&1 != 0 }

// nameSet answers whether a field's name says that its value is a secret. It is read-only after newNameSet.
type nameSet struct {
	words     map[string]string // "api_key" → itself
	collapsed map[string]string // "apikey" → "api_key"
	plain     map[string]bool
	ends      tails // of names: all that most words of a text ever see
	links     tails // of linkWords
}

// builtInNames returns the set of the lists of this file, which all redactors share.
var builtInNames = sync.OnceValue(func() *nameSet { return newNameSet(nil) })

const maxNameBytes = 64 // of a name that are looked at, from its end

func newNameSet(extra []string) *nameSet {
	n := &nameSet{words: map[string]string{}, collapsed: map[string]string{}, plain: map[string]bool{}}
	for _, list := range [][]string{secretNames, moreNames, weakNames, extra} {
		for _, w := range list {
			var buf [2 * maxNameBytes]byte
			word := string(normalise(buf[:0], w))
			if len(word) < 2 {
				continue
			}
			n.words[word] = word
			flat := strings.ReplaceAll(word, "_", "")
			n.collapsed[flat] = word
			n.ends.add(word)
			n.ends.add(flat)
		}
	}
	for _, w := range plainNames {
		n.plain[w] = true
	}
	for _, w := range foreignNames {
		if isLetter(w[len(w)-1]) { // the gate sees the others by their last byte
			n.ends.add(w)
		}
	}
	for w := range linkWords {
		n.links.add(w)
	}
	for _, w := range []string{"value", "content", "val", "bearer", "basic", "identified", "data", "echo", "printf", "net"} {
		n.ends.add(w) // words that a secret may follow, or that a name may follow
	}
	return n
}

// add notes the last three bytes of all the ways in which an entry may be written.
func (set *tails) add(word string) {
	tails := []string{""}
	for k := len(word) - 1; k >= 0; k-- {
		var longer []string
		done := true
		for _, t := range tails {
			switch {
			case len(t) == 3:
				longer = append(longer, t)
				continue
			case word[k] == '_':
				longer = append(longer, "_"+t, "-"+t, " "+t, t)
			default:
				longer = append(longer, word[k:k+1]+t)
			}
			done = false
		}
		if done {
			break
		}
		tails = longer
	}
	for _, t := range tails {
		switch len(t) {
		case 3:
			set[int(t[1]&31)<<5|int(t[2]&31)] |= 1 << (t[0] & 31)
		case 2: // anything may stand before it
			set[int(t[0]&31)<<5|int(t[1]&31)] = 1<<32 - 1
		}
	}
}

// mayMatch is the cheap test before match; it never says false for a name that matches, or for the key of a value.
func (n *nameSet) mayMatch(name string) bool {
	k := len(name)
	for k > 0 && !isLetter(name[k-1]) {
		k--
	}
	if k < 2 {
		return false
	}
	bits := n.ends[int(name[k-2]&31)<<5|int(name[k-1]&31)]
	return bits != 0 && (k == 2 || bits>>(name[k-3]&31)&1 != 0)
}

// match returns the entry of the list that name passes by, or "".
func (n *nameSet) match(name string) string {
	var buf [2 * maxNameBytes]byte
	word := normalise(buf[:0], name)
	if len(word) < 2 {
		return ""
	}
	hit := ""
	for at := 0; hit == ""; {
		hit = n.words[string(word[at:])]
		next := bytes.IndexByte(word[at:], '_')
		if next < 0 {
			break
		}
		at += next + 1
	}
	if hit != "" {
		for at := 0; ; {
			if n.plain[string(word[at:])] {
				return ""
			}
			next := bytes.IndexByte(word[at:], '_')
			if next < 0 {
				return hit
			}
			at += next + 1
		}
	}
	flat := word[:0]
	for _, c := range word {
		if c != '_' {
			flat = append(flat, c)
		}
	}
	return n.collapsed[string(flat)]
}

// normalise writes name to buf as lower-case words joined by single underscores, without digits at its end.
func normalise(buf []byte, name string) []byte {
	if len(name) > maxNameBytes {
		name = name[len(name)-maxNameBytes:]
	}
	for i := 0; i < len(name); i++ {
		c := name[i]
		switch {
		case isUpper(c):
			// "accessToken" splits before T, "APIKey" before K.
			startsWord := i > 0 && (!isUpper(name[i-1]) || i+1 < len(name) && isLower(name[i+1]))
			if startsWord && len(buf) > 0 && buf[len(buf)-1] != '_' {
				buf = append(buf, '_')
			}
			buf = append(buf, c|0x20)
		case isLower(c) || isDigit(c):
			buf = append(buf, c)
		default:
			if len(buf) > 0 && buf[len(buf)-1] != '_' {
				buf = append(buf, '_')
			}
		}
	}
	for len(buf) > 0 && (isDigit(buf[len(buf)-1]) || buf[len(buf)-1] == '_') {
		buf = buf[:len(buf)-1]
	}
	return buf
}

// suspicious reports whether a name hints at a secret, in a wider sense than the list.
func suspicious(name string) bool {
	if len(name) > maxNameBytes {
		name = name[len(name)-maxNameBytes:]
	}
	for _, part := range suspiciousParts {
		if containsFold(name, part) {
			return true
		}
	}
	return false
}

// containsFold reports whether s contains part, which is lower-case ASCII, in any case.
func containsFold(s, part string) bool {
	for i := 0; i+len(part) <= len(s); i++ {
		if hasPrefixFold(s[i:], part) {
			return true
		}
	}
	return false
}

// hasPrefixFold reports whether s begins with prefix, which is lower-case ASCII, in any case.
func hasPrefixFold(s, prefix string) bool {
	if len(s) < len(prefix) {
		return false
	}
	for i := 0; i < len(prefix); i++ {
		c := s[i]
		if isUpper(c) {
			c |= 0x20
		}
		if c != prefix[i] {
			return false
		}
	}
	return true
}

func isUpper(c byte) bool  { return 'A' <= c && c <= 'Z' }
func isLower(c byte) bool  { return 'a' <= c && c <= 'z' }
func isDigit(c byte) bool  { return '0' <= c && c <= '9' }
func isLetter(c byte) bool { return isUpper(c) || isLower(c) }
func isHex(c byte) bool    { return isDigit(c) || 'a' <= c|0x20 && c|0x20 <= 'f' }
