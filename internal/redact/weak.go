package redact

import "strings"

// weak reports whether the value v of the name s[i:j], which passed the list as word, is no secret after all: the
// name means other things in most places.
func (sc *scan) weak(i, j int, word string, v held) bool {
	s := sc.s
	value := s[v.from:v.to]
	if at, _ := nextPseudonym(value, 0); 0 < at && at < len(value) {
		// What is secret in it is hidden already.
		return weakNow[word] || !v.content && sc.mode != form && fileOf(s[i:j], value)
	}
	if !v.content && sc.mode != form && (quantity(s, v) || fileOf(s[i:j], value)) {
		return true
	}
	if !v.content && (value == "?" || len(value) > 1 && value[0] == '$' && strings.Trim(value[1:], "0123456789") == "") {
		return true // what a statement is given stands elsewhere
	}
	if value == "[]" || value == "{}" || word == "secrets" && value == "inherit" {
		return true
	}
	switch word {
	case "code", "state", "ticket", "nonce", "user_code", "policy", "hmac":
		return !sc.query(i, v)
	case "signature", "key":
		return !sc.query(i, v) && !random(value)
	case "auth":
		return !sc.query(i, v) && !random(value) && !(len(value) >= 8 && basic(value))
	case "pass":
		if count(value) {
			return true // "pass: 12", of tests
		}
		if !v.level0 && s[j-1] == 'S' && s[j-2] == 'S' && j < len(s) && s[j] == ':' {
			return true // "--- PASS: TestX"
		}
		keyed := v.content || v.level0 || v.quote != "" || v.from > 0 && s[v.from-1] == '=' ||
			v.from == j+1 && i > 0 && s[i-1] == '/' // of Windows: cmdkey /pass:x
		return !keyed && !hasBoth(value, isDigit, isLetter)
	case "pat", "clave", "passe", "parola", "parol":
		return !v.content && !v.level0 && !hasBoth(value, isDigit, isLetter)
	}
	return strings.HasSuffix(word, "s") && word != "pass" && count(value)
}

// weakNow are the words that weak judges by the value.
var weakNow = wordSet("code", "state", "ticket", "nonce", "user_code", "policy", "hmac", "signature", "key", "auth",
	"pass", "pat", "clave", "passe", "parola", "parol")

// onceNames are the words for codes of a few digits that people are sent.
var onceNames = wordSet("otp", "totp", "pin", "pin_code", "passcode", "mfa_code", "one_time_code", "security_code",
	"verification_code", "auth_code", "device_code", "backup_code", "recovery_code")

// onceCode reports whether value is such a code.
func onceCode(value string) bool {
	return len(value) >= 4 && len(value) <= 10 && strings.Trim(value, "0123456789") == ""
}

// several extends the value v of a name for several words or codes, without quotes, over all of them: a mnemonic is 12
// to 24 words, recovery codes are a list.
func (sc *scan) several(word string, v held) held {
	if v.content || v.level0 || sc.mode == form {
		return v
	}
	s := sc.s
	most, codes := 24, strings.HasSuffix(word, "codes")
	phrase := strings.Contains(word, "phrase") || strings.Contains(word, "mnemonic") || strings.HasSuffix(word, "_words")
	if !codes && !phrase {
		if plural(word) && strings.IndexByte("[{(", s[v.from]) < 0 {
			v.to = sc.further(v.to)
		}
		return v
	}
	if word == "passphrase" || word == "pass_phrase" {
		return v
	}
	for range most {
		at := v.to
		for at < len(s) && (s[at] == ' ' || codes && (s[at] == ',' || s[at] == '\n')) {
			at++
		}
		end := at
		for end < len(s) && class[s[end]] == wordByte {
			end++
		}
		next := s[at:end]
		ordinary := len(next) < 3 || len(next) > 8 || !letters(next)
		if at == v.to || next == "" || codes && !hasBoth(next, isDigit, alnum) || !codes && ordinary {
			break
		}
		v.to = end
	}
	return v
}

// foreign returns the entry of foreignNames that the run s[i:j] ends with, or "".
func foreign(run string) string {
	lower := strings.ToLower(run)
	for _, name := range foreignNames {
		if strings.HasSuffix(lower, name) {
			return name
		}
	}
	return ""
}
