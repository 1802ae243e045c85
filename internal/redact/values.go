package redact

import (
	"encoding/base64"
	"strings"
)

// The kinds of secrets. A custom rule's name is a kind as well.
const (
	kindSecret      = "secret" // behind a secret name
	kindJWT         = "jwt"
	kindBearer      = "bearer"
	kindBasic       = "basic"
	kindCredentials = "credentials" // user and password of a URL
	kindCookie      = "cookie"
	kindPrivateKey  = "private_key"
	kindCard        = "card"
	kindSSN         = "ssn"
)

// cardGroups are the ways in which card numbers are written: digits per group.
var cardGroups = [...][]int{{16}, {15}, {14}, {4, 4, 4, 4}, {4, 6, 5}, {4, 6, 4}}

// cardAt returns the length of the card number that s begins with, or 0: a plausible issuer, a known
// grouping and a correct check digit. Thirteen digits are not taken, for they are epoch milliseconds.
func cardAt(s string) int {
	for _, groups := range cardGroups {
		var digits [16]byte
		count, i, gap := 0, 0, byte(0)
		for g, size := range groups {
			if g > 0 {
				if i >= len(s) || s[i] != ' ' && s[i] != '-' && s[i] != '+' || gap != 0 && s[i] != gap {
					count = -1
					break
				}
				gap = s[i]
				i++
			}
			run := 0
			for i < len(s) && run < size && isDigit(s[i]) {
				digits[count] = s[i] - '0'
				count, i, run = count+1, i+1, run+1
			}
			if run < size {
				count = -1
				break
			}
		}
		if count < 0 || i < len(s) && (isDigit(s[i]) || isLetter(s[i]) || s[i] == '_') {
			continue
		}
		if i+1 < len(s) && (s[i] == '-' || s[i] == '.') && isDigit(s[i+1]) {
			continue // a longer number, or one with decimals
		}
		if issued(digits[:count]) && luhn(digits[:count]) {
			return i
		}
	}
	return 0
}

// issued reports whether digits begin as one of the card networks' numbers do, at their length.
func issued(d []byte) bool {
	two := int(d[0])*10 + int(d[1])
	four := two*100 + int(d[2])*10 + int(d[3])
	switch len(d) {
	case 14:
		return two == 36 || two == 38 || four/10 >= 300 && four/10 <= 305
	case 15:
		return two == 34 || two == 37
	default:
		return d[0] == 4 || two >= 51 && two <= 55 || four >= 2221 && four <= 2720 ||
			four == 6011 || two == 65 || two == 62 || two == 35
	}
}

func luhn(d []byte) bool {
	sum := 0
	for i := range d {
		n := int(d[len(d)-1-i])
		if i%2 == 1 {
			if n *= 2; n > 9 {
				n -= 9
			}
		}
		sum += n
	}
	return sum%10 == 0
}

// ssnAt returns 11 when s begins with a social security number that may have been given out.
func ssnAt(s string) int {
	const form = "ddd-dd-dddd"
	if len(s) < len(form) {
		return 0
	}
	for i := range len(form) {
		if form[i] == 'd' && !isDigit(s[i]) || form[i] == '-' && s[i] != '-' {
			return 0
		}
	}
	if len(s) > len(form) && class[s[len(form)]] == wordByte {
		return 0
	}
	if s[:3] == "000" || s[:3] == "666" || s[0] == '9' || s[4:6] == "00" || s[7:11] == "0000" {
		return 0
	}
	return len(form)
}

// Lengths from which a value behind a merely suspicious name is a secret, if it looks drawn at random.
const (
	minRandom = 16
	minHex    = 32  // of hexadecimal digits, which count things more often than not
	maxRandom = 256 // bytes of it that are looked at
)

// random reports whether s looks drawn at random: letters and digits that alternate more often than in names that
// are put together from words. A UUID names a thing, mostly, so it does not count.
func random(s string) bool {
	if len(s) < minRandom || len(s) < minHex && isHexText(s) || isUUID(s) {
		return false
	}
	s = s[:min(len(s), maxRandom)]
	return strings.ContainsAny(s, "0123456789") && changes(s) >= max(3, len(s)/8)
}

// changes counts where letters and digits meet, and where a capital follows a small letter.
func changes(s string) int {
	n := 0
	for i := 1; i < len(s); i++ {
		if isDigit(s[i]) && isLetter(s[i-1]) || isLetter(s[i]) && isDigit(s[i-1]) || isUpper(s[i]) && isLower(s[i-1]) {
			n++
		}
	}
	return n
}

func isHexText(s string) bool {
	for i := 0; i < len(s); i++ {
		if !isHex(s[i]) && s[i] != '-' {
			return false
		}
	}
	return true
}

// isUUID reports whether s is a UUID in its usual form.
func isUUID(s string) bool {
	return len(s) == 36 && s[8] == '-' && s[13] == '-' && s[18] == '-' && s[23] == '-' && isHexText(s)
}

// basicAt reports whether value is base64 of "user:password".
func basic(value string) bool {
	raw, err := base64.RawStdEncoding.DecodeString(strings.TrimRight(value, "="))
	return err == nil && strings.Contains(string(raw), ":")
}

var inBase64 = byteSet("+/=.~")

// base64Run returns the length of the run of base64, base64url and dot characters at the start of s.
func base64Run(s string) int {
	n := 0
	for n < len(s) && (class[s[n]] == wordByte || inBase64[s[n]]) {
		n++
	}
	for n > 0 && s[n-1] == '.' {
		n--
	}
	return n
}
