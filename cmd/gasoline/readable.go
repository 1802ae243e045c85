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
// says a command. What is piped may feed a model, and has the marks for one.
func readable(text string) string { return rewritten(text, false, inShell) }

// answered is an answer for a person at a terminal, who needs neither the fence that tells models where a page's text
// begins, nor the cursor, nor the line for machines, and who is the user that agents ask.
func answered(text string) string {
	return rewritten(text, true, func(line string) string { return toTheUser(inShell(line)) })
}

// refused is a refusal of a mode, "observe logs", for a person at a terminal.
func refused(text, mode string) string {
	return "gasoline: " + rewritten(text, true, func(line string) string { return toAPerson(line, mode) })
}

// rewritten rewrites the lines of an answer that are not the page's. Without marks those for models are left out.
func rewritten(text string, unmarked bool, say func(line string) string) string {
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
			out = append(out, say(line))
			continue
		}
		if !unmarked {
			out = append(out, line)
		}
	}
	return strings.Join(out, "\n")
}

var callInText = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`\b(observe|analyze|interact|generate|configure) \{`)
})

// inShell writes calls of tools as commands: observe {"what":"tabs"} becomes gasoline observe tabs.
func inShell(text string) string {
	return eachCall(text, func(command string) string { return command })
}

// eachCall puts what say returns for the command of each call into the call's place.
func eachCall(text string, say func(command string) string) string {
	var out strings.Builder
	for {
		at := callInText().FindStringSubmatchIndex(text)
		if at == nil {
			return out.String() + text
		}
		out.WriteString(text[:at[0]])
		var object json.RawMessage
		dec := json.NewDecoder(strings.NewReader(text[at[1]-1:]))
		end := at[1]
		if dec.Decode(&object) == nil {
			if command, err := shellCommand(text[at[2]:at[3]], "", string(object)); err == nil {
				end = at[1] - 1 + int(dec.InputOffset())
				out.WriteString(say(command))
				text = text[end:]
				continue
			}
		}
		out.WriteString(text[at[0]:end])
		text = text[end:]
	}
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
