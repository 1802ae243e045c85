package redact

import "strings"

// Kinds of personal data, which are masked only if the rules file says "pii": true.
const (
	kindIBAN  = "iban"
	kindEmail = "email"
	kindPhone = "phone"
)

// personalNames are names of fields for personal numbers that have no form of their own.
var personalNames = []string{
	"iban", "passport", "passport_number", "passport_no", "tax_id", "tax_number", "tax_no", "vat_id", "vat_number", "tin",
	"national_id", "national_insurance_number", "nino", "steuernummer", "steuer_id", "codice_fiscale", "nif", "nie", "cpf",
	"cnpj", "curp", "bsn", "personnummer", "phone", "phone_number", "mobile", "mobile_number", "telephone", "telefon",
	"e_mail", "email", "email_address", "date_of_birth", "birth_date", "dob",
}

// personal replaces personal data that shows itself by its form: e-mail addresses, IBANs with a correct check number,
// telephone numbers in international form. Passport and tax numbers are found by the names of their fields.
func (sc *scan) personal(s string) string {
	var out []byte
	done := 0
	for i := 0; i < len(s); i++ {
		if s[i] == '<' {
			if n := pseudonymAt(s[i:]); n > 0 {
				i += n - 1
				continue
			}
		}
		kind, from, to := "", i, 0
		switch {
		case s[i] == '@':
			kind = kindEmail
			from, to = email(s, i, done)
		case s[i] == '+' && (i == 0 || !alnum(s[i-1])):
			kind, to = kindPhone, phone(s, i)
		case isUpper(s[i]) && (i == 0 || !alnum(s[i-1])):
			kind, to = kindIBAN, iban(s, i)
		}
		if to <= from || from < done || sc.mode == document && !insideString(s, from) {
			continue
		}
		out = append(out, s[done:from]...)
		out = sc.r.numbers.of(kind, s[from:to]).appendTo(out, "", sc.mode == form)
		sc.note(kind, "")
		done = to
		i = to - 1
	}
	if done == 0 {
		return s
	}
	return string(append(out, s[done:]...))
}

// insideString reports whether i can be inside of a string of a JSON document: the byte before it is no delimiter.
func insideString(s string, i int) bool {
	return i > 0 && strings.IndexByte(":,[{", s[i-1]) < 0
}

// email returns the bounds of the address whose '@' is at i.
func email(s string, i, least int) (from, to int) {
	from = i
	for from > least && i-from < 64 && (alnum(s[from-1]) || strings.IndexByte("._%+-", s[from-1]) >= 0) {
		from--
	}
	to = i + 1
	for to < len(s) && to-i < 255 && (alnum(s[to]) || s[to] == '-' || s[to] == '.') {
		to++
	}
	for to > i && (s[to-1] == '.' || s[to-1] == '-') { // of the sentence
		to--
	}
	dot := i + strings.LastIndexByte(s[i:to], '.')
	if from == i || dot <= i+1 || to-dot < 3 || !letters(s[dot+1:to]) {
		return 0, 0
	}
	return from, to
}

// phone returns the end of the international number whose '+' is at i: 8 to 15 digits, with spaces, dashes, brackets.
func phone(s string, i int) int {
	digits, end := 0, 0
	for k := i + 1; k < len(s); k++ {
		if isDigit(s[k]) {
			digits++
			end = k + 1
			continue
		}
		if strings.IndexByte(" -().", s[k]) < 0 || k > end+1 && digits > 0 {
			break
		}
	}
	if digits < 8 || digits > 15 || end < len(s) && isLetter(s[end]) {
		return 0
	}
	return end
}

// iban returns the end of the IBAN at i, in groups of four or not, if its check number is right.
func iban(s string, i int) int {
	if len(s)-i < 15 || !isUpper(s[i+1]) || !isDigit(s[i+2]) || !isDigit(s[i+3]) {
		return 0
	}
	const longest = 34
	var text []byte
	ends := [longest + 1]int{}
	for k := i; k < len(s) && len(text) < longest; k++ {
		if s[k] == ' ' && k+1 < len(s) && alnum(s[k+1]) && len(text)%4 == 0 {
			continue
		}
		if !isUpper(s[k]) && !isDigit(s[k]) {
			break
		}
		text = append(text, s[k])
		ends[len(text)] = k + 1
	}
	for n := len(text); n >= 15; n-- {
		if end := ends[n]; (end == len(s) || !alnum(s[end])) && checksIBAN(text[:n]) {
			return end
		}
	}
	return 0
}

// checksIBAN computes the remainder by 97 of ISO 13616.
func checksIBAN(text []byte) bool {
	rest := 0
	for k := range text {
		c := text[(k+4)%len(text)]
		if isDigit(c) {
			rest = (rest*10 + int(c-'0')) % 97
		} else {
			rest = (rest*100 + int(c-'A') + 10) % 97
		}
	}
	return rest == 1
}
