package redact

import (
	"bytes"
	"strings"
)

// headerNames are the header fields whose whole value is a secret, whatever it looks like.
// Fields whose name passes the name list below are secret as well.
var headerNames = []string{
	"authorization", "proxy-authorization", "cookie", "set-cookie", "x-api-key", "x-auth-token",
	"x-csrf-token", "x-xsrf-token", "x-secret", "x-password",
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
}

// plainNames end like a secret name but hold none: positions in lists.
var plainNames = []string{"page_token", "next_token", "continuation_token", "sync_token", "cancel_token"}

// suspiciousParts make a name suspicious, which is enough to hide a long random value behind it.
var suspiciousParts = []string{"key", "secret", "token", "auth", "pass", "cred", "sess", "private", "signature", "salt", "seed"}

// nameSet answers whether a field's name says that its value is a secret. It is read-only after newNameSet.
type nameSet struct {
	words     map[string]string // "api_key" → itself
	collapsed map[string]string // "apikey" → "api_key"
	plain     map[string]bool
	ends      [1 << 10]uint32 // by the last two letters, a bit for the one before: all that most words of a text ever see
}

const maxNameBytes = 64 // of a name that are looked at, from its end

func newNameSet(extra []string) *nameSet {
	n := &nameSet{words: map[string]string{}, collapsed: map[string]string{}, plain: map[string]bool{}}
	for _, list := range [][]string{secretNames, extra} {
		for _, w := range list {
			var buf [2 * maxNameBytes]byte
			word := string(normalise(buf[:0], w))
			if len(word) < 2 {
				continue
			}
			n.words[word] = word
			flat := strings.ReplaceAll(word, "_", "")
			n.collapsed[flat] = word
			n.endsWith(word)
			n.endsWith(flat)
		}
	}
	for _, w := range plainNames {
		n.plain[w] = true
	}
	for _, w := range []string{"value", "content", "bearer", "basic"} {
		n.endsWith(w) // words that a secret may follow, or that a name may follow
	}
	return n
}

// endsWith notes the last three bytes of all the ways in which an entry may be written.
func (n *nameSet) endsWith(word string) {
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
			n.ends[int(t[1]&31)<<5|int(t[2]&31)] |= 1 << (t[0] & 31)
		case 2: // anything may stand before it
			n.ends[int(t[0]&31)<<5|int(t[1]&31)] = 1<<32 - 1
		}
	}
}

// endsIn is mayMatch for a word that ends in these bytes, the last of them a letter.
func (n *nameSet) endsIn(a, b, c byte) bool {
	return n.ends[int(b&31)<<5|int(c&31)]>>(a&31)&1 != 0
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
	for at := 0; ; {
		if n.plain[string(word[at:])] {
			return ""
		}
		if w := n.words[string(word[at:])]; w != "" && hit == "" {
			hit = w
		}
		next := bytes.IndexByte(word[at:], '_')
		if next < 0 {
			break
		}
		at += next + 1
	}
	if hit != "" {
		return hit
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
