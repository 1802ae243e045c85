package redact

import (
	"encoding/base64"
	"encoding/json"
	"strconv"
	"strings"
)

// maxIssuer bounds the one claim that is text.
const maxIssuer = 80

// jwtAt returns the length of the JSON Web Token that s begins with, or 0. Encrypted tokens have
// five parts, signed ones three; a token cut at the end of s counts, too.
func jwtAt(s string) int {
	if !strings.HasPrefix(s, "eyJ") {
		return 0
	}
	parts, start, i := 1, 0, 0
	for ; i < len(s); i++ {
		if s[i] == '.' && parts < 5 && i > start {
			if parts == 1 && i < 10 {
				return 0
			}
			parts, start = parts+1, i+1
			continue
		}
		if class[s[i]] != wordByte {
			break
		}
	}
	for i > 0 && s[i-1] == '.' { // the full stop of a sentence; "alg":"none" leaves one, too
		i--
	}
	cut := i == len(s) && i >= 24
	if parts >= 3 && i >= 20 || parts == 2 && i >= 24 || cut {
		return i
	}
	return 0
}

// jwtClaims returns what may be shown of a token: " iss=… exp=… iat=…", each part only where it is
// there and harmless.
func (r *Redactor) jwtClaims(token string) string {
	_, rest, ok := strings.Cut(token, ".")
	if !ok {
		return ""
	}
	payload, _, _ := strings.Cut(rest, ".")
	raw, err := base64.RawURLEncoding.DecodeString(payload)
	if err != nil {
		return ""
	}
	var claims struct {
		Iss any `json:"iss"`
		Exp any `json:"exp"`
		Iat any `json:"iat"`
	}
	if json.Unmarshal(raw, &claims) != nil {
		return ""
	}
	var b strings.Builder
	if iss, ok := claims.Iss.(string); ok && r.harmlessIssuer(iss) {
		b.WriteString(" iss=" + iss)
	}
	for _, c := range []struct {
		name  string
		value any
	}{{"exp", claims.Exp}, {"iat", claims.Iat}} {
		if v, ok := c.value.(float64); ok && v >= 0 && v < 1e12 {
			b.WriteString(" " + c.name + "=" + strconv.FormatInt(int64(v), 10))
		}
	}
	return b.String()
}

// harmlessIssuer reports whether an issuer may stand in a pseudonym: short, of characters that mean
// nothing in JSON or HTML, and free of secrets.
func (r *Redactor) harmlessIssuer(iss string) bool {
	if iss == "" || len(iss) > maxIssuer || strings.HasPrefix(iss, "eyJ") {
		return false
	}
	for i := 0; i < len(iss); i++ {
		if !issuerByte(iss[i]) {
			return false
		}
	}
	clean := scan{r: r, s: iss, quiet: true}
	clean.run()
	return clean.hits == 0
}

func issuerByte(c byte) bool {
	return isLetter(c) || isDigit(c) || c == '.' || c == '/' || c == ':' || c == '-' || c == '_'
}

// claimsAt returns the length of a token's pseudonym whose claims begin at i, or 0.
func claimsAt(s string, i int) int {
	for _, name := range []string{" iss=", " exp=", " iat="} {
		if !strings.HasPrefix(s[i:], name) {
			continue
		}
		i += len(name)
		start := i
		for i < len(s) && i-start <= maxIssuer && issuerByte(s[i]) && (name == " iss=" || isDigit(s[i])) {
			i++
		}
		if i == start {
			return 0
		}
	}
	if i < len(s) && s[i] == '>' {
		return i + 1
	}
	return 0
}
