package main

import (
	"encoding/json"
	"regexp"
	"slices"
	"strings"
	"sync"
	"unicode"

	"github.com/brennhill/gasoline/internal/catalog"
	"github.com/brennhill/gasoline/internal/daemon"
	"github.com/brennhill/gasoline/internal/shell"
)

// Problems are written for agents: they name parameters of calls, and have the agent ask its user. This file says the
// same to a person at a terminal, who is that user and has flags. All that the program prints of problems goes through it.

// toAPerson says a line of a refusal to a person. mode is what was called, "observe logs", or "" for none.
func toAPerson(line, mode string) string {
	w := words{mode: parametersOf(mode)}
	line = w.commands(line)
	line = w.values(line)
	line = w.named(line)
	line = toTheUser(line)
	line = forAgents().Replace(line)
	for pattern, to := range typed() {
		line = pattern.ReplaceAllString(line, to)
	}
	return w.restore(strings.TrimSpace(line))
}

// words are the names that a refusal may have, and the parts of it that are said already.
type words struct {
	mode []string // the parameters of the mode that was called
	done []string
}

// keep puts a text aside: what comes later does not read it.
func (w *words) keep(text string) string {
	w.done = append(w.done, text)
	return "\x00" + string(rune(0xE000+len(w.done)-1)) + "\x00"
}

func (w *words) restore(line string) string {
	for i, text := range w.done {
		line = strings.ReplaceAll(line, "\x00"+string(rune(0xE000+i))+"\x00", text)
	}
	return line
}

// vocabulary are the names of all modes with their tools, and of all parameters.
var vocabulary = sync.OnceValues(func() (modes, params map[string]string) {
	modes, params = map[string]string{}, map[string]string{}
	for _, t := range daemon.Catalogue() {
		for _, m := range t.Modes() {
			if modes[m.Name] == "" {
				modes[m.Name] = t.Name
			}
			for _, p := range slices.Concat(m.Params, catalog.Shared(m)) {
				params[p.Name] = p.Type
			}
		}
	}
	return modes, params
})

func parametersOf(mode string) (out []string) {
	name, of, _ := strings.Cut(mode, " ")
	for _, t := range daemon.Catalogue() {
		if m, ok := t.Lookup(of); t.Name == name && ok {
			for _, p := range slices.Concat(m.Params, catalog.Shared(m)) {
				out = append(out, p.Name)
			}
		}
	}
	return out
}

func flagOf(name string) string { return "--" + strings.ReplaceAll(name, "_", "-") }

var modeInText = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`\b(gasoline )?(observe|analyze|interact|generate|configure) ([a-z][a-z0-9_]*)`)
})

// commands writes calls of tools and names of modes as commands.
func (w *words) commands(line string) string {
	line = eachCall(line, w.keep)
	modes, _ := vocabulary()
	return modeInText().ReplaceAllStringFunc(line, func(text string) string {
		parts := modeInText().FindStringSubmatch(text)
		if modes[parts[3]] == "" && parts[1] == "" {
			return text
		}
		return w.keep("gasoline " + parts[2] + " " + parts[3])
	})
}

var valueInText = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`"?\b([a-z][a-z_]*)"?(?::| ("))`)
})

// values writes parameters with their values as flags: scope:"all" becomes --scope all.
func (w *words) values(line string) string {
	_, params := vocabulary()
	for from := 0; from < len(line); {
		// An object whose members are all parameters.
		if line[from] == '{' {
			if text, end := object(line[from:], params); end > 0 {
				kept := w.keep(text)
				line = line[:from] + kept + line[from+end:]
				from += len(kept)
				continue
			}
		}
		at := valueInText().FindStringSubmatchIndex(line[from:])
		if at == nil {
			break
		}
		if brace := strings.IndexByte(line[from:], '{'); brace > 0 && brace < at[0] {
			from += brace
			continue
		}
		name, end := line[from+at[2]:from+at[3]], from+at[1]
		if at[4] >= 0 {
			end = from + at[4] // the value begins with its quote
			if before := line[:from+at[0]]; !slices.Contains(w.mode, name) || article().MatchString(before) {
				name = "" // it is a word of the sentence
			}
		}
		var value json.RawMessage
		dec := json.NewDecoder(strings.NewReader(line[end:]))
		if params[name] == "" || end >= len(line) || unicode.IsSpace(rune(line[end])) || dec.Decode(&value) != nil {
			from += at[1]
			continue
		}
		kept := w.keep(flagWith(name, value))
		line, from = line[:from+at[0]]+kept+line[end+int(dec.InputOffset()):], from+at[0]+len(kept)
	}
	return line
}

var article = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`\b(?:the|a|an|no|this|of) $`) })

// object writes an object at the beginning of a text as flags; end is 0 where it is none of parameters.
func object(text string, params map[string]string) (flags string, end int) {
	var fields map[string]json.RawMessage
	dec := json.NewDecoder(strings.NewReader(text))
	if dec.Decode(&fields) != nil || len(fields) == 0 {
		return "", 0
	}
	for name := range fields {
		if params[name] == "" {
			return "", 0
		}
	}
	end = int(dec.InputOffset())
	flags, err := shellCommand("t", "m", text[:end])
	if err != nil {
		return "", 0
	}
	return strings.TrimPrefix(flags, "gasoline t m "), end
}

// flagWith is the flag that gives a parameter this value.
func flagWith(name string, value json.RawMessage) string {
	if name == "as" {
		return "--json"
	}
	flag := flagOf(name)
	var text string
	var list []string
	switch {
	case string(value) == "true":
		return flag
	case string(value) == "false":
		return flag + "=false"
	case json.Unmarshal(value, &text) == nil:
	case json.Unmarshal(value, &list) == nil:
		text = strings.Join(list, ",")
	default:
		text = string(value)
	}
	return flag + " " + shell.Word(text)
}

var (
	nameInText = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`(^|[\s("])([a-z][a-z0-9]*(?:_[a-z0-9]+)+)\b`)
	})
	listInText = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`\b(?i:give|leave out|raise|with|beside|by|both|either|use the|leave|say)((?:(?:,? (?:or|and)|,)? "?[a-z][a-z_]*"?(?: \([^)]*\))?)+)`)
	})
	subjectInText = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(
			`(^|[.:;,] (?:and )?)([a-z][a-z_]*)(:| (?:is|are|must|has|have|cannot|would|needs|takes|counts|may|says|does|exclude)\b)`,
		)
	})
	wordInText = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`\([^)]*\)|"?\b[a-z][a-z_]*\b"?`) })
)

// named writes the names of parameters as flags, and those of modes as commands.
func (w *words) named(line string) string {
	modes, params := vocabulary()
	own := func(name string) bool { return slices.Contains(w.mode, name) }
	line = subjectInText().ReplaceAllStringFunc(line, func(text string) string {
		parts := subjectInText().FindStringSubmatch(text)
		if !own(parts[2]) {
			return text
		}
		return parts[1] + w.keep(flagOf(parts[2])) + parts[3]
	})
	line = listInText().ReplaceAllStringFunc(line, func(text string) string {
		list := listInText().FindStringSubmatch(text)[1]
		going := true // until a word is no name and joins none
		flags := wordInText().ReplaceAllStringFunc(list, func(word string) string {
			name := strings.Trim(word, `"`)
			switch {
			case !going || name == "or" || name == "and" || name[0] == '(':
			case own(name):
				return w.keep(flagOf(name))
			default:
				going = false
			}
			return word
		})
		return strings.TrimSuffix(text, list) + flags
	})
	return nameInText().ReplaceAllStringFunc(line, func(text string) string {
		parts := nameInText().FindStringSubmatch(text)
		switch name := parts[2]; {
		case own(name), modes[name] == "" && params[name] != "":
			return parts[1] + w.keep(flagOf(name))
		case modes[name] != "":
			return parts[1] + w.keep("gasoline "+modes[name]+" "+name)
		}
		return text
	})
}

// forAgents are the words that only an agent is to read.
var forAgents = sync.OnceValue(func() *strings.Replacer {
	return strings.NewReplacer(
		", then repeat this call", "", " Then repeat this call.", "", "Repeat this call", "Run it again", "repeat this call", "run it again",
		"Repeat the call", "Run it again", "repeat the call", "run it again", "Call it once", "Run it once",
		"of the call", "of the command", "while the call waits", "while the command waits", "the call was", "the command was",
		"the caller's", "your",
	)
})

// typed says types as people call them.
var typed = sync.OnceValue(func() map[*regexp.Regexp]string {
	out := map[*regexp.Regexp]string{
		regexp.MustCompile(`\bGive it as (?:string|number|integer|boolean|array|object)(:|,)`): "Give it$1",
	}
	for name, word := range map[string]string{
		"integer": "a whole number", "number": "a number", "boolean": "true or false", "string": "a text", "object": "JSON: {…}",
		`array of (?:object|string|number|integer)?`: "a list",
	} {
		out[regexp.MustCompile(`\bmust be `+name+`, not `)] = "must be " + word + ", not "
	}
	return out
})

var (
	askTheUser = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`(?i)\bask the user to (\w)`) })
	// What the user did is told of the user: only who is to do something, or has to be asked, is spoken to.
	theUserDoes = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`\b([Tt])he user('s\b|)( (?:can|may|must|has to|has not|has|is|was|does|switches|allows|wants|knows|and)\b|)`)
	})
)

// does are the verbs of "the user does", for "you do".
var does = map[string]string{
	"is": "are", "has": "have", "was": "were", "does": "do", "switches": "switch", "allows": "allow", "wants": "want", "knows": "know",
}

// toTheUser tells who can do it: "Ask the user to switch on" becomes "Switch on", and "the user has" "you have".
func toTheUser(line string) string {
	line = askTheUser().ReplaceAllStringFunc(line, func(ask string) string {
		verb := ask[len(ask)-1:]
		if ask[0] == 'A' {
			return strings.ToUpper(verb)
		}
		return verb
	})
	return theUserDoes().ReplaceAllStringFunc(line, func(text string) string {
		parts := theUserDoes().FindStringSubmatch(text)
		if parts[2] == "" && parts[3] == "" {
			return text
		}
		you := map[string]string{"T": "You", "t": "you"}[parts[1]]
		if parts[2] != "" {
			return you + "r" + parts[3]
		}
		verb, rest, _ := strings.Cut(strings.TrimSpace(parts[3]), " ")
		if own, ok := does[verb]; ok {
			verb = own
		}
		return strings.TrimSpace(you + " " + verb + " " + rest)
	})
}
