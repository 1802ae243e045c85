package lines

import (
	"regexp"
	"strings"
	"unicode"
)

// colours are the control sequences of terminals that move nothing.
var colours = regexp.MustCompile("\x1b\\[[0-9;]*m")

// process splits a line of a program that runs several processes and puts each one's name in front, with a bar: docker
// compose ("api-1  | text"), foreman and its kind ("10:31:02 web.1 | text"). It returns the name of the process, that of
// its service (without the number), and the rest as it came. ok is false for a line of the program itself.
func process(text string) (name, service, rest string, ok bool) {
	before, rest, ok := strings.Cut(text, "|")
	if !ok || len(before) > 4*maxName {
		return "", "", "", false
	}
	// Only colours stand around a name. What moves the cursor comes from a process that writes over its own name.
	before = colours.ReplaceAllString(before, "")
	if len(before) > maxName || strings.ContainsFunc(before, unicode.IsControl) {
		return "", "", "", false
	}
	fields := strings.Fields(before)
	if len(fields) == 2 {
		if _, _, _, _, end, clock := clockOf(fields[0], 0); clock && end == len(fields[0]) {
			fields = fields[1:]
		}
	}
	if len(fields) != 1 || !strings.HasSuffix(before, " ") {
		return "", "", "", false
	}
	name = fields[0]
	for i := range len(name) {
		if c := name[i]; c != '_' && c != '-' && c != '.' && !isLetter(c) && !isDigit(c) {
			return "", "", "", false
		}
	}
	service = name
	if i := strings.LastIndexAny(name, "-_."); i > 0 && i+1 < len(name) && strings.Trim(name[i+1:], "0123456789") == "" {
		service = name[:i]
	}
	return name, service, strings.TrimPrefix(rest, " "), true
}
