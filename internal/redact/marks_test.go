package redact_test

import (
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/brennhill/gasoline/internal/redact"
)

func TestMarksAreThePseudonymsOfATextAndNothingElse(t *testing.T) {
	r := redact.New(redact.Rules{})
	masked := r.URL("https://u:hunter2hunter2@h.example/?token=abcdef1234567890abcd") +
		r.Body(`{"password":"hunter2hunter3","k":"AKIAIOSFODNN7EXAMPLE"}`, "application/json")
	for text, want := range map[string]string{
		masked:                         "credentials secret secret aws_key",
		"<jwt#3 iss=a exp=1>x<card#1>": "jwt card",
		"<secret:1a2b3c4d> <b>":        "secret",
		"<secret%231>":                 "secret",
		"%3Ccredentials%231%3E@h":      "credentials",
		"%3Cb%3E <b#> <#1> <B#1> %3C":  "",
		"<":                            "", "": "", "<secret#1": "", "%3Csecret%231": "",
		"<secret#1><secret#2>%3Ccookie%233%3E": "secret secret cookie",
		"<a <jwt#1>":                           "jwt",
		"%3C<jwt#1>":                           "jwt",
	} {
		var got []string
		redact.Marks(text, func(kind string, at int) {
			got = append(got, kind)
			if c := text[at]; c != '<' && c != '%' {
				t.Errorf("%q: %s is told at %q", text, kind, text[at:])
			}
		})
		if strings.Join(got, " ") != want {
			t.Errorf("%q has %v, want %s", text, got, want)
		}
	}
}

func TestPersonalDataInTheClear(t *testing.T) {
	for text, want := range map[string]string{
		"bob@example.com":                           "email 0",
		"a bob@example.com, +44 20 7946 0958":       "email 2 phone 19",
		"+442079460958 and +442079460959":           "phone 0 phone 18",
		"x+442079460958":                            "",
		"user@host @ + +1 a@b":                      "",
		`{"to":"a@b.example","cc":"c@d.example"}`:   "email 7 email 26",
		"<email#1> <card#2>":                        "",
		"bob@example.com@example.org":               "email 0",
		"4111111111111111":                          "",
		strings.Repeat("@", 50) + "bob@example.com": "email 50",
	} {
		var got []string
		redact.Personal(text, func(kind string, at int) {
			got = append(got, kind+" "+strconv.Itoa(at))
		})
		if strings.Join(got, " ") != want {
			t.Errorf("%q has %v, want %s", text, got, want)
		}
	}
}

func TestKindsOfPeopleAndOfIssuers(t *testing.T) {
	var personal, formed []string
	for _, kind := range []string{"card", "email", "iban", "phone", "ssn", "secret", "jwt", "cookie", "aws_key", "private_key", "emp"} {
		if redact.IsPersonal(kind) {
			personal = append(personal, kind)
		}
		if redact.HasForm(kind) {
			formed = append(formed, kind)
		}
	}
	if !slices.Equal(personal, []string{"card", "email", "iban", "phone", "ssn"}) ||
		!slices.Equal(formed, []string{"jwt", "aws_key", "private_key"}) {
		t.Errorf("personal %v, of a form %v", personal, formed)
	}
}
