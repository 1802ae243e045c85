package lines

import (
	"maps"
	"regexp"
	"strings"
	"time"

	"github.com/brennhill/gasoline/internal/stacktrace"
)

// colours are the control sequences of terminals that move nothing.
var colours = regexp.MustCompile("\x1b\\[[0-9;]*m")

// names are those of the processes of one stream, as runners of several write them before each line. Which way of writing
// them it is, if any, is learnt from the lines.
type names struct {
	way   int            // whose way it is, from 1 on; 0: not known
	lines int            // that were looked at
	seen  map[string]int // how many lines had a name, by way and name; <= maxNames
}

const (
	maxNames  = 64
	maxLookAt = 200 // lines of a stream from which a way is learnt
)

// ways are those in which runners write the name of a process before its line. sure says whether a line is enough; enough
// is asked after each line of that way.
var ways = [...]struct {
	cut    func(s string) (name, rest string, ok bool)
	sure   func(rest string) bool
	enough func(n *names, of map[string]int) bool
}{
	{taskAndColon, isObject, repeated},
	{taskAndDollar, isCommand, repeated},
	{scopedPackage, isObject, repeated},
	{barBehind, isSure, mostly},
	{columnAndBar, isSure, mostly},
	{podAndContainer, isSure, mostly},
	{inParens, isSure, repeated},
	{inBrackets, isErrorOrLog, severalOften},
}

// named takes off the name of the process that a line begins with.
func (r *Reader) named(f *frame, text string) string {
	n := &r.names
	learnt := n.way == 0 && n.learn(text)
	if n.way == 0 {
		return text
	}
	way := ways[n.way-1]
	name, rest, ok := way.cut(text)
	if !ok {
		return text
	}
	f.process, f.service = name, r.Origin.Service
	if learnt { // the line before may have begun this record
		if j := r.last; j != nil && j.open && len(j.parts) == 1 && j.process == "" && j.output == f.output {
			if before, first, ok := way.cut(j.parts[0]); ok {
				j.open = false
				of := frame{process: before, service: f.service, output: j.output, stamp: j.of.stamp, priority: j.of.priority}
				r.joint(&of).begin(r, first, of, j.time, j.cut)
			}
		}
	}
	return rest
}

// learn looks at a line and reports whether it is known now how names are written.
func (n *names) learn(text string) bool {
	if n.lines >= maxLookAt || text == "" || text[0] == ' ' && !strings.Contains(text, " \u2502 ") || text[0] == '{' {
		return false
	}
	n.lines++
	for i, way := range ways {
		name, rest, ok := way.cut(text)
		if !ok {
			continue
		}
		if n.seen == nil {
			n.seen = map[string]int{}
		}
		key := string(rune('0'+i)) + name
		if _, known := n.seen[key]; known || len(n.seen) < maxNames {
			n.seen[strings.Clone(key)]++
		}
		of := map[string]int{}
		for k, count := range n.seen {
			if k[0] == key[0] {
				of[k[1:]] = count
			}
		}
		if way.sure != nil && way.sure(rest) || way.enough(n, of) {
			n.way, n.seen = i+1, nil
			return true
		}
	}
	return false
}

func (n *names) saved() names {
	out := *n
	out.seen = maps.Clone(n.seen)
	return out
}

// repeated: a name came twice.
func repeated(_ *names, of map[string]int) bool {
	for _, count := range of {
		if count > 1 {
			return true
		}
	}
	return false
}

// mostly: most of the lines have a name.
func mostly(n *names, of map[string]int) bool {
	count := 0
	for _, c := range of {
		count += c
	}
	return count >= 3 && count*10 >= n.lines*7
}

// severalOften: most of the lines have a name, and two names came twice.
func severalOften(n *names, of map[string]int) bool {
	often := 0
	for _, count := range of {
		if count > 1 {
			often++
		}
	}
	return often > 1 && mostly(n, of)
}

func isObject(rest string) bool {
	return strings.HasPrefix(rest, "{") && valueEnd(rest, 0, 0) == len(rest)
}

// isSure reports whether what stands behind a name tells that it is one.
func isSure(rest string) bool { return isObject(rest) || isErrorPart(rest) }

// isErrorPart reports whether a line is a part of an error that would be lost behind a name.
func isErrorPart(rest string) bool {
	if _, ok := stacktrace.Frame(rest); ok {
		return true
	}
	return isSourcePlace(rest) || strings.HasPrefix(rest, "Traceback (most recent call last):")
}

// isErrorOrLog reports the same of an object only where it is a record of a logger: programs print others behind brackets.
func isErrorOrLog(rest string) bool {
	if isErrorPart(rest) {
		return true
	}
	if !isObject(rest) {
		return false
	}
	var r record
	r.parse(rest, time.Time{})
	return r.level != "" && r.message != rest
}

func isCommand(rest string) bool { return strings.HasPrefix(rest, "$ ") }

// taskAndColon cuts "api:dev: text", as turbo writes it.
func taskAndColon(s string) (name, rest string, ok bool) {
	name, rest, ok = strings.Cut(s, ": ")
	if !ok {
		name, ok = strings.CutSuffix(s, ":")
	}
	of, task, both := strings.Cut(name, ":")
	if !ok || !both || !isPackage(of) || !isTask(task) {
		return "", "", false
	}
	return name, rest, true
}

// taskAndDollar cuts "packages/api dev: text" and "packages/api dev$ command", as pnpm writes them.
func taskAndDollar(s string) (name, rest string, ok bool) {
	of, after, ok := strings.Cut(s, " ")
	end := strings.IndexAny(after, ":$")
	if !ok || end < 1 || !isPackage(of) || !strings.ContainsAny(of, "/.") && !isUsual(after[:end]) {
		return "", "", false
	}
	for end+1 < len(after) && after[end] == ':' && after[end+1] != ' ' { // the colon of dev:watch
		next := strings.IndexAny(after[end+1:], ":$")
		if next < 1 {
			return "", "", false
		}
		end += 1 + next
	}
	if !isTask(after[:end]) || end+1 < len(after) && after[end+1] != ' ' {
		return "", "", false
	}
	rest = strings.TrimPrefix(after[end+1:], " ")
	if after[end] == '$' {
		rest = "$ " + rest
	}
	return of + ":" + after[:end], rest, true
}

// scopedPackage cuts "@shop/api: text", as lerna writes it.
func scopedPackage(s string) (name, rest string, ok bool) {
	name, rest, ok = strings.Cut(s, ": ")
	if !ok || name == "" || name[0] != '@' || !strings.Contains(name, "/") || !isPackage(name) {
		return "", "", false
	}
	return name, rest, true
}

// barBehind cuts "web.1  | text" and "0|web  | text", as foreman, overmind and pm2 write them.
func barBehind(s string) (name, rest string, ok bool) {
	var f frame
	rest = f.bar(s)
	if f.process != "" {
		_, _, level := levelOf(f.process)
		return f.process, rest, !level
	}
	id, after, ok := strings.Cut(s, "|")
	name, rest, bar := strings.Cut(after, "|")
	name = strings.TrimRight(name, " ")
	if !ok || !bar || id == "" || len(id) > 4 || strings.Trim(id, "0123456789") != "" || !isProcess(name) {
		return "", "", false
	}
	return name, strings.TrimPrefix(rest, " "), true
}

// columnAndBar cuts "       api \u2502 text", as Tilt writes it.
func columnAndBar(s string) (name, rest string, ok bool) {
	name, rest, ok = strings.Cut(s, " \u2502 ")
	name = strings.TrimLeft(name, " ")
	return name, rest, ok && isProcess(name) && isLetter(name[0])
}

// inParens cuts "(pay pid=4711) text", as Ray writes it.
func inParens(s string) (name, rest string, ok bool) {
	name, rest, _ = strings.Cut(s, ") ")
	name, ok = strings.CutPrefix(name, "(")
	of, pid, both := strings.Cut(name, "pid=")
	if of = strings.TrimSpace(of); !ok || !both || of != "" && !isProcess(of) {
		return "", "", false
	}
	pid, _, _ = strings.Cut(pid, ",")
	return strings.TrimPrefix(of+"."+pid, "."), rest, isNumber(pid)
}

func isNumber(s string) bool { return s != "" && strings.Trim(s, "0123456789") == "" }

// podAndContainer cuts "api-6d4f8 api text", as stern writes it.
func podAndContainer(s string) (name, rest string, ok bool) {
	pod, after, _ := strings.Cut(s, " ")
	container, rest, ok := strings.Cut(after, " ")
	last := pod[strings.LastIndexByte(pod, '-')+1:]
	if !ok || last == pod || !isProcess(pod) || !isProcess(container) || !strings.ContainsAny(last, "0123456789") || isDigit(container[0]) || pod != strings.ToLower(pod) || container != strings.ToLower(container) {
		return "", "", false
	}
	return pod + "/" + container, rest, true
}

// inBrackets cuts "[api] text", as concurrently writes it.
func inBrackets(s string) (name, rest string, ok bool) {
	inside, _, ok := bracketed(s)
	name = strings.TrimRight(inside, " \t")
	if !ok || !isPackage(name) || strings.HasPrefix(name, "GIN") || len(name) > 3 && strings.Trim(name, "0123456789") == "" { // Gin's own, a time
		return "", "", false
	}
	if _, _, level := levelOf(name); level {
		return "", "", false
	}
	return name, strings.TrimPrefix(s[len(inside)+2:], " "), true // what is indented stays so
}

// isPackage reports whether a word may name a package, a folder or a process.
func isPackage(s string) bool {
	if len(s) > 80 || strings.HasSuffix(s, "/") {
		return false
	}
	if _, _, level := levelOf(s); level {
		return false
	}
	return isProcess(strings.NewReplacer("@", "", "/", "").Replace(s))
}

// isTask reports whether words may name a script: dev, build:watch.
func isTask(s string) bool {
	for part := range strings.SplitSeq(s, ":") {
		if _, _, level := levelOf(part); level || part == "" || len(part) > 40 || !isLetter(part[0]) || !isProcess(part) {
			return false
		}
	}
	return s != ""
}

// isUsual reports whether a script's name is one that most packages have.
func isUsual(s string) bool {
	switch s {
	case "dev", "start", "serve", "build", "watch", "test", "develop", "preview":
		return true
	}
	return false
}
