package redact

import (
	"encoding/base64"
	"math"
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
	kindAWS         = "aws_key"
)

// tokenRule recognises a provider's tokens by how they begin.
type tokenRule struct {
	prefix string
	min    int // bytes with the prefix
	exact  bool
	mixed  bool // needs a digit and a capital: the prefix alone is too common
	dotted bool // dots belong to it
	kind   string
}

// tokenRules is looked up by first byte in tokensBy.
var tokenRules = []tokenRule{
	{prefix: "AKIA", min: 20, exact: true, kind: kindAWS},
	{prefix: "ASIA", min: 20, exact: true, kind: kindAWS},
	{prefix: "ghp_", min: 30, kind: "github_token"},
	{prefix: "gho_", min: 30, kind: "github_token"},
	{prefix: "ghu_", min: 30, kind: "github_token"},
	{prefix: "ghs_", min: 30, kind: "github_token"},
	{prefix: "ghr_", min: 30, kind: "github_token"},
	{prefix: "github_pat_", min: 30, kind: "github_token"},
	{prefix: "glpat-", min: 20, dotted: true, kind: "gitlab_token"},
	{prefix: "gldt-", min: 20, kind: "gitlab_token"},
	{prefix: "glrt-", min: 20, dotted: true, kind: "gitlab_token"},
	{prefix: "gloas-", min: 20, kind: "gitlab_token"},
	{prefix: "xoxb-", min: 20, kind: "slack_token"},
	{prefix: "xoxp-", min: 20, kind: "slack_token"},
	{prefix: "xoxa-", min: 20, kind: "slack_token"},
	{prefix: "xoxr-", min: 20, kind: "slack_token"},
	{prefix: "xoxs-", min: 20, kind: "slack_token"},
	{prefix: "xoxe-", min: 20, kind: "slack_token"},
	{prefix: "xapp-", min: 20, kind: "slack_token"},
	{prefix: "sk-ant-", min: 24, kind: "anthropic_key"},
	{prefix: "sk-proj-", min: 24, kind: "openai_key"},
	{prefix: "sk-svcacct-", min: 24, kind: "openai_key"},
	{prefix: "sk-", min: 24, mixed: true, kind: "openai_key"},
	{prefix: "sk_live_", min: 20, kind: "stripe_key"},
	{prefix: "sk_test_", min: 20, kind: "stripe_key"},
	{prefix: "rk_live_", min: 20, kind: "stripe_key"},
	{prefix: "rk_test_", min: 20, kind: "stripe_key"},
	{prefix: "whsec_", min: 20, kind: "stripe_key"},
	{prefix: "AIza", min: 35, kind: "google_key"},
	{prefix: "ya29", min: 30, dotted: true, kind: "google_key"},
	{prefix: "GOCSPX-", min: 24, kind: "google_key"},
	{prefix: "npm_", min: 36, kind: "npm_token"},
	{prefix: "pypi-", min: 40, kind: "pypi_token"},
	{prefix: "hf_", min: 30, kind: "huggingface_token"},
	{prefix: "SG", min: 40, dotted: true, mixed: true, kind: "sendgrid_key"},
	{prefix: "dop_v1_", min: 40, kind: "digitalocean_token"},
	{prefix: "shpat_", min: 30, kind: "shopify_token"},
}

var tokensBy = byFirst(tokenRules)

var tokenStarts = startsOf(tokenRules)

func startsOf(rules []tokenRule) *startSet {
	var t startSet
	for _, r := range rules {
		if len(r.prefix) >= 3 {
			t.add(loadAt(r.prefix, 0))
		}
	}
	t.add(loadAt("eyJ", 0))
	t.add(loadAt("SG.", 0))
	return &t
}

func byFirst(rules []tokenRule) *[256][]tokenRule {
	var by [256][]tokenRule
	for _, t := range rules {
		by[t.prefix[0]] = append(by[t.prefix[0]], t)
	}
	return &by
}

// tokenAt returns kind and length of the token that s begins with, or a length of 0. s begins where
// a word does.
func tokenAt(s string) (kind string, length int) {
	if n := jwtAt(s); n > 0 {
		return kindJWT, n
	}
	for i := range tokensBy[s[0]] {
		t := &tokensBy[s[0]][i]
		if !strings.HasPrefix(s, t.prefix) {
			continue
		}
		n := len(t.prefix)
		// A dotted rule that may still say no must not look through a whole body each time.
		for n < len(s) && (class[s[n]] == wordByte || t.dotted && s[n] == '.' && (!t.mixed || n < 256)) {
			n++
		}
		for t.dotted && s[n-1] == '.' {
			n--
		}
		// A text that was cut may end within a token; what is left of it is still a part of a secret.
		cut := n == len(s) && len(t.prefix) >= 4 && n >= len(t.prefix)+8
		switch {
		case t.exact && n != t.min, !t.exact && n < t.min && !cut, t.mixed && !mixed(s[:n]):
			continue
		case t.exact && !upperAlnum(s[:n]):
			continue
		}
		return t.kind, n
	}
	return "", 0
}

func mixed(s string) bool {
	var digit, upper bool
	for i := 0; i < len(s); i++ {
		digit = digit || isDigit(s[i])
		upper = upper || isUpper(s[i])
	}
	return digit && upper
}

func upperAlnum(s string) bool {
	for i := 0; i < len(s); i++ {
		if !isUpper(s[i]) && !isDigit(s[i]) {
			return false
		}
	}
	return true
}

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

// minRandom is the length from which a random value behind a merely suspicious name is a secret.
const minRandom = 32

// random reports whether s looks drawn at random: at least three bits per character.
func random(s string) bool {
	var count [128]int
	for i := 0; i < len(s); i++ {
		count[s[i]&127]++
	}
	bits := 0.0
	for _, c := range count {
		if c > 0 {
			p := float64(c) / float64(len(s))
			bits -= p * math.Log2(p)
		}
	}
	return bits >= 3
}

// basicAt reports whether value is base64 of "user:password".
func basic(value string) bool {
	raw, err := base64.RawStdEncoding.DecodeString(strings.TrimRight(value, "="))
	return err == nil && strings.Contains(string(raw), ":")
}

// base64Run returns the length of the run of base64, base64url and dot characters at the start of s.
func base64Run(s string) int {
	n := 0
	for n < len(s) && (class[s[n]] == wordByte || strings.IndexByte("+/=.~", s[n]) >= 0) {
		n++
	}
	for n > 0 && s[n-1] == '.' {
		n--
	}
	return n
}
