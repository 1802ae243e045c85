package redact

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"regexp"
	"strings"
)

// Bounds of a rules file. Every rule costs on every text, so there may not be many.
const (
	maxRules        = 50
	maxPatternBytes = 1024
)

// Rules are the user's own rules, from redaction.json. The zero value adds nothing.
type Rules struct {
	names   []string
	headers []string
	custom  []customRule
	pii     bool
}

// allNames returns the names that the rules add to the list.
func (r Rules) allNames() []string {
	if r.pii {
		return append(personalNames, r.names...)
	}
	return r.names
}

type customRule struct {
	kind    string
	pattern *regexp.Regexp
	literal string // with which every match begins, "" if there is none
	group   int    // what is replaced: group 1 where the pattern has one, else the match
}

// ParseRules reads redaction.json:
//
//	{"rules": [{"name": "employee", "pattern": "EMP-\\d{6}"}], "names": ["tenant_id"],
//	 "headers": ["x-tenant"], "pii": true}
//
// A rule's name is the kind of its pseudonyms; its pattern is RE2, and where it has a group, the
// first one is what is replaced. names join the list of field names, headers that of header names. pii
// masks personal data as well: e-mail addresses, telephone numbers, IBANs, passport and tax numbers.
// The error names the line and what to do about it; no rule is ever left out silently.
func ParseRules(data []byte) (Rules, error) {
	var file struct {
		Rules []struct {
			Name    string `json:"name"`
			Pattern string `json:"pattern"`
		} `json:"rules"`
		Names   []string `json:"names"`
		Headers []string `json:"headers"`
		PII     bool     `json:"pii"`
	}
	dec := json.NewDecoder(bytes.NewReader(data))
	dec.DisallowUnknownFields()
	if err := dec.Decode(&file); err != nil {
		return Rules{}, badFile(data, dec.InputOffset(), err)
	}
	if _, err := dec.Token(); !errors.Is(err, io.EOF) {
		return Rules{}, fmt.Errorf(
			"line %d: something follows the closing brace; remove it",
			lineOf(data, dec.InputOffset()),
		)
	}
	if len(file.Rules) > maxRules {
		return Rules{}, fmt.Errorf("%d rules, at most %d are allowed; join some with |", len(file.Rules), maxRules)
	}
	out := Rules{headers: file.Headers, pii: file.PII}
	for _, n := range file.Names {
		if len(normalise(nil, n)) < 2 || len(n) > maxNameBytes {
			return Rules{}, fmt.Errorf(
				"line %d: name %q has to have 2 to %d letters",
				lineWith(data, n),
				n,
				maxNameBytes,
			)
		}
		out.names = append(out.names, n)
	}
	for i, rule := range file.Rules {
		compiled, err := compile(rule.Name, rule.Pattern)
		if err != nil {
			return Rules{}, fmt.Errorf("line %d: rule %d (%q): %w", lineWith(data, rule.Name), i+1, rule.Name, err)
		}
		out.custom = append(out.custom, compiled)
	}
	return out, nil
}

// badFile says where the file is no rules file, and what to do about it.
func badFile(data []byte, offset int64, err error) error {
	fix := `write {"rules": [], "names": [], "headers": []}`
	var syntax *json.SyntaxError
	var kind *json.UnmarshalTypeError
	switch {
	case len(bytes.TrimSpace(data)) == 0:
		return fmt.Errorf("line 1: the file is empty; delete it or %s", fix)
	case errors.As(err, &syntax):
		offset = syntax.Offset
		fix = "repair the JSON there"
	case errors.As(err, &kind):
		offset = kind.Offset
		fix = fmt.Sprintf("%q has to be of another type: %s", kind.Field, fix)
	case strings.Contains(err.Error(), "unknown field"):
		_, name, _ := strings.Cut(err.Error(), "unknown field ")
		line := lineWith(data, strings.Trim(name, `"`))
		return fmt.Errorf("line %d: unknown field %s; known are rules, names, headers and pii", line, name)
	}
	return fmt.Errorf("line %d: %w; %s", lineOf(data, offset), err, fix)
}

// lineOf returns the number of the line that offset is in, from 1.
func lineOf(data []byte, offset int64) int {
	return 1 + bytes.Count(data[:min(int64(len(data)), max(0, offset-1))], []byte("\n"))
}

// lineWith returns the number of the first line with text in quotes, or 1.
func lineWith(data []byte, text string) int {
	return lineOf(data, int64(max(0, bytes.Index(data, []byte(`"`+text+`"`))))+1)
}

func compile(name, pattern string) (customRule, error) {
	if kindAt("<"+name+"#") != len(name)+1 || len(name) < 2 {
		return customRule{}, errors.New("a name is 2 to 32 characters of a-z, 0-9 and _, beginning with a letter")
	}
	if len(pattern) > maxPatternBytes {
		return customRule{}, fmt.Errorf("a pattern has at most %d bytes", maxPatternBytes)
	}
	re, err := regexp.Compile(pattern)
	if err != nil {
		return customRule{}, err
	}
	if re.MatchString("") {
		return customRule{}, errors.New("the pattern matches the empty text, so it would match everywhere")
	}
	literal, _ := re.LiteralPrefix()
	return customRule{kind: name, pattern: re, literal: literal, group: min(re.NumSubexp(), 1)}, nil
}

// custom replaces what the user's rules match, outside of pseudonyms.
func (sc *scan) custom(s string) string {
	r, m := sc.r, sc.mode
	before := s
	for i := range r.custom {
		if rule := &r.custom[i]; rule.literal == "" || strings.Contains(s, rule.literal) {
			s = sc.apply(rule, s)
		}
	}
	if m == document && s != before && !json.Valid([]byte(s)) && json.Valid([]byte(before)) {
		// A pattern reached over the bounds of a string. No half of it may stay.
		kind := r.custom[0].kind
		return string(r.numbers.of(kind, before).appendTo([]byte{'"'}, "", false)) + `"`
	}
	return s
}

func (sc *scan) apply(rule *customRule, s string) string {
	var out []byte
	done := 0
	for from := 0; from < len(s); {
		start, length := nextPseudonym(s, from)
		part := s[from:start]
		for _, at := range rule.pattern.FindAllStringSubmatchIndex(part, -1) {
			lo, hi := at[2*rule.group], at[2*rule.group+1]
			if lo < 0 || lo == hi {
				continue
			}
			value := part[lo:hi]
			out = append(out, s[done:from+lo]...)
			out = sc.r.numbers.of(rule.kind, value).appendTo(out, "", sc.mode == form)
			done = from + hi
			sc.note(rule.kind, "")
		}
		from = start + length
	}
	if done == 0 {
		return s
	}
	return string(append(out, s[done:]...))
}

// nextPseudonym returns where the next pseudonym in s[from:] is and its length; len(s) and 0 at the end.
func nextPseudonym(s string, from int) (start, length int) {
	for i := from; i < len(s); i++ {
		if s[i] == '<' {
			if n := pseudonymAt(s[i:]); n > 0 {
				return i, n
			}
		}
	}
	return len(s), 0
}
