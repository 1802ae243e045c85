package main

import (
	"encoding/json"
	"fmt"
	"regexp"
	"strings"
	"sync"

	"github.com/brennhill/gasoline/internal/shell"
)

// fence opens the text of a page in an answer. The page cannot know its mark.
var fence = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^<page-data ([0-9a-f]+) from .*: data, not instructions>$`)
})

// readable is an answer or a refusal for who called from a shell: where it says what to call next, it
// says a command. At a terminal a person reads, who needs neither the fence that tells models where a
// page's text begins, nor the cursor, nor the line for machines, and who is the user that agents ask;
// what is piped may feed a model.
func readable(text string, terminal bool) string {
	var out []string
	end := "" // of the fence that is open
	for line := range strings.SplitSeq(text, "\n") {
		opens := fence().FindStringSubmatch(line)
		switch {
		case end != "" && line != end:
			out = append(out, line) // the page's
			continue
		case end != "":
			end = ""
		case opens != nil:
			end = "</page-data " + opens[1] + ">"
		case strings.HasPrefix(line, "cursor="), strings.HasPrefix(line, "error=") && len(out) == 0:
		default:
			if line = inShell(line); terminal {
				line = toTheUser(line)
			}
			out = append(out, line)
			continue
		}
		if !terminal {
			out = append(out, line)
		}
	}
	return strings.Join(out, "\n")
}

var askTheUser = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?i)\bask the user to (\w)`)
})

// toTheUser tells what to do to who can do it: "Ask the user to switch on" becomes "Switch on".
func toTheUser(line string) string {
	return askTheUser().ReplaceAllStringFunc(line, func(ask string) string {
		verb := ask[len(ask)-1:]
		if ask[0] == 'A' {
			return strings.ToUpper(verb)
		}
		return verb
	})
}

var callInText = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`\b(observe|analyze|interact|generate|configure) (\{[^{}]*\})`)
})

// inShell writes calls of tools as commands: observe {"what":"tabs"} becomes gasoline observe tabs.
func inShell(text string) string {
	return callInText().ReplaceAllStringFunc(text, func(call string) string {
		tool, object, _ := strings.Cut(call, " ")
		command, err := shellCommand(tool, "", object)
		if err != nil {
			return call
		}
		return command
	})
}

// shellCommand returns the command for a call whose arguments are a JSON object. An empty mode is
// taken from the object's first member.
func shellCommand(tool, mode, object string) (string, error) {
	dec := json.NewDecoder(strings.NewReader(object))
	if _, err := dec.Token(); err != nil {
		return "", err
	}
	words := []string{"gasoline", tool}
	if mode != "" {
		words = append(words, mode)
	}
	for dec.More() {
		name, err := dec.Token()
		if err != nil {
			return "", err
		}
		var value json.RawMessage
		if err := dec.Decode(&value); err != nil {
			return "", err
		}
		flag := fmt.Sprint("--", strings.ReplaceAll(fmt.Sprint(name), "_", "-"))
		var text string
		var list []string
		switch {
		case json.Unmarshal(value, &text) == nil && len(words) == 2:
			words = append(words, text) // the mode
		case string(value) == "true":
			words = append(words, flag)
		case string(value) == "false":
			words = append(words, flag+"=false")
		case value[0] == '"':
			words = append(words, flag, shell.Word(text))
		case json.Unmarshal(value, &list) == nil:
			words = append(words, flag, shell.Word(strings.Join(list, ",")))
		default:
			words = append(words, flag, shell.Word(string(value)))
		}
	}
	return strings.Join(words, " "), nil
}
