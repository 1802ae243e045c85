package lines

import "strings"

// process splits a line of a program that runs several processes and puts each one's name in front, with a bar: docker
// compose ("api-1  | text"), foreman and its kind ("10:31:02 web.1 | text"). It returns the name of the process, that of
// its service (without the number), and the rest. ok is false for a line of the program itself.
func process(text string) (name, service, rest string, ok bool) {
	text = plainText(text)
	before, rest, ok := strings.Cut(text, "|")
	if !ok || len(before) > maxName {
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
