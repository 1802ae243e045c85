package memory

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"
)

// version is that of the file's form. A file of a later one is refused and left as it is.
const version = 1

// Bounds of an entry, in characters; of locators also their number.
const (
	maxURL      = 2000
	maxWord     = 100
	maxName     = 300
	maxLocator  = 1000
	maxLocators = 10
)

// fault says what is wrong with a file.
type fault struct {
	line  int // from 1
	what  string
	newer bool // it is of a later version
}

// contents is the file's form.
type contents struct {
	Version int              `json:"version"`
	Names   map[string]Entry `json:"names"`
}

// encode writes the file: names in order, each fact on its own line.
func encode(all map[string]Entry) ([]byte, error) {
	var out bytes.Buffer
	enc := json.NewEncoder(&out)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	if err := enc.Encode(contents{version, all}); err != nil {
		return nil, fmt.Errorf("encode %s: %w", File, err)
	}
	return out.Bytes(), nil
}

// decode reads the file strictly: what it does not know it would lose when it writes. An empty file has no names.
func decode(data []byte) (map[string]Entry, *fault) {
	if len(bytes.TrimSpace(data)) == 0 {
		return map[string]Entry{}, nil
	}
	at := func(offset int64) int {
		return 1 + bytes.Count(data[:min(max(offset, 0), int64(len(data)))], []byte("\n"))
	}
	if i := conflict(data); i >= 0 {
		return nil, &fault{line: at(int64(i)), what: "it holds the marks of a merge conflict"}
	}
	if !utf8.Valid(data) {
		i := 0
		for i < len(data) {
			r, n := utf8.DecodeRune(data[i:])
			if r == utf8.RuneError && n == 1 {
				break
			}
			i += n
		}
		return nil, &fault{line: at(int64(i)), what: "it is not UTF-8"}
	}
	var head struct {
		Version json.RawMessage `json:"version"`
	}
	if err := json.Unmarshal(data, &head); err != nil {
		var syntax *json.SyntaxError
		if errors.As(err, &syntax) {
			return nil, &fault{line: at(syntax.Offset - 1), what: strings.TrimPrefix(syntax.Error(), "json: ")}
		}
		return nil, &fault{line: 1, what: "it is no object of version and names"}
	}
	var is int
	switch err := json.Unmarshal(head.Version, &is); {
	case head.Version == nil:
		return nil, &fault{line: 1, what: `it has no "version"`}
	case err != nil || is < 1:
		return nil, &fault{line: 1, what: fmt.Sprintf(`"version" has to be %d`, version)}
	case is > version:
		return nil, &fault{
			line: 1, newer: true, what: fmt.Sprintf("is of version %d; this program reads version %d", is, version),
		}
	}
	dec := json.NewDecoder(bytes.NewReader(data))
	all := map[string]Entry{}
	bad := func(offset int64, format string, args ...any) *fault {
		return &fault{line: at(offset), what: fmt.Sprintf(format, args...)}
	}
	var seen []string
	err := members(dec, func(key string) *fault {
		begin := dec.InputOffset()
		if slices.Contains(seen, key) {
			return bad(begin, "%s is there twice", word(key))
		}
		seen = append(seen, key)
		switch key {
		case "version":
			var skipped json.RawMessage
			_ = dec.Decode(&skipped) // it was read above
			return nil
		case "names":
			return names(dec, all, bad)
		}
		return bad(begin, "%s is unknown", word(key))
	}, bad)
	if err != nil {
		return nil, err
	}
	return all, nil
}

// word is a field's name for a reader. Who wrote the file may be a stranger, whose sentences are not repeated.
func word(key string) string {
	if isName(key) {
		return strconv.Quote(key)
	}
	return "a field"
}

// names reads the object of names into all.
func names(dec *json.Decoder, all map[string]Entry, bad func(int64, string, ...any) *fault) *fault {
	return members(dec, func(name string) *fault {
		begin := dec.InputOffset()
		if !isName(name) {
			return bad(begin, "a name is none: 1 to 64 letters, digits, _, - and . are")
		}
		if _, twice := all[name]; twice {
			return bad(begin, "%q is there twice", name)
		}
		if len(all) >= maxNames {
			return bad(begin, "it has more than %d names", maxNames)
		}
		var raw json.RawMessage
		if err := dec.Decode(&raw); err != nil {
			return bad(dec.InputOffset(), "%s cannot be read", name)
		}
		var e Entry
		strict := json.NewDecoder(bytes.NewReader(raw))
		strict.DisallowUnknownFields()
		if err := strict.Decode(&e); err != nil {
			offset := int64(0)
			var wrong *json.UnmarshalTypeError
			what := strings.TrimPrefix(err.Error(), "json: ")
			if errors.As(err, &wrong) {
				offset, what = wrong.Offset, fmt.Sprintf("%.80q cannot be a %s", wrong.Field, wrong.Value)
				if wrong.Field == "" {
					what = "it is no object"
				}
			} else if _, field, ok := strings.Cut(what, "unknown field "); ok {
				offset = int64(bytes.Index(raw, []byte(field)))
				what = word(strings.Trim(field, `"`)) + " is unknown"
			}
			return bad(dec.InputOffset()-int64(len(raw))+offset, "%s: %.160s", name, what)
		}
		if what := e.fault(); what != "" {
			return bad(dec.InputOffset()-int64(len(raw)), "%s: %s", name, what)
		}
		all[name] = e
		return nil
	}, bad)
}

// members calls each with the keys of an object, whose values it reads.
func members(dec *json.Decoder, each func(key string) *fault, bad func(int64, string, ...any) *fault) *fault {
	if open, err := dec.Token(); err != nil || open != json.Delim('{') {
		return bad(dec.InputOffset(), "an object is expected")
	}
	for dec.More() {
		key, err := dec.Token()
		name, ok := key.(string)
		if err != nil || !ok {
			return bad(dec.InputOffset(), "a name is expected")
		}
		if f := each(name); f != nil {
			return f
		}
	}
	if _, err := dec.Token(); err != nil {
		return bad(dec.InputOffset(), "the object does not end")
	}
	return nil
}

// conflict returns where version control marked two changes that do not fit together, -1 for nowhere.
func conflict(data []byte) int {
	for _, mark := range []string{"<<<<<<< ", "=======\n", ">>>>>>> "} {
		if bytes.HasPrefix(data, []byte(mark)) {
			return 0
		}
		if i := bytes.Index(data, []byte("\n"+mark)); i >= 0 {
			return i + 1
		}
	}
	return -1
}

// fault says what is wrong with an entry, "" for nothing.
func (e Entry) fault() string {
	for _, f := range []struct {
		key, value string
		most       int
		needed     bool
	}{
		{"url", e.URL, maxURL, !e.Unchecked}, {"frame", e.Frame, maxURL, false}, {"role", e.Role, maxWord, !e.Unchecked},
		{"name", e.Name, maxName, false}, {"tag", e.Tag, maxWord, !e.Unchecked}, {"by", e.By, maxWord, false},
	} {
		switch {
		case f.needed && f.value == "":
			return fmt.Sprintf("%q is missing", f.key)
		case utf8.RuneCountInString(f.value) > f.most:
			return fmt.Sprintf("%q has more than %d characters", f.key, f.most)
		case strings.ContainsFunc(f.value, unicode.IsControl):
			return fmt.Sprintf("%q holds a control character", f.key)
		}
	}
	if e.Unchecked && e.URL+e.Frame+e.Role+e.Name+e.Tag != "" {
		return `what is "unchecked" has no url, frame, role, name and tag`
	}
	for _, d := range [][2]string{{"learned", e.Learned}, {"verified", e.Verified}} {
		if _, err := time.Parse(time.DateOnly, d[1]); err != nil {
			return fmt.Sprintf("%q has to be a day, as in 2026-03-01", d[0])
		}
	}
	if len(e.Locators) == 0 || len(e.Locators) > maxLocators {
		return fmt.Sprintf(`"locators" has to have 1 to %d ways to find it`, maxLocators)
	}
	for _, l := range e.Locators {
		switch {
		case strings.TrimSpace(l) == "" || utf8.RuneCountInString(l) > maxLocator:
			return fmt.Sprintf("a locator has to have 1 to %d characters", maxLocator)
		case strings.HasPrefix(strings.TrimSpace(l), "ref="):
			return "a ref is no locator: it is good for one page's life"
		case strings.ContainsFunc(l, unicode.IsControl):
			return "a locator holds a control character"
		}
	}
	return ""
}
