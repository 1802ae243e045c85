package lines

import (
	"strconv"
	"strings"
	"time"
)

// loggerBehind takes "[shop.api]" from behind a message that was filled up to a column, as structlog writes it.
func (r *record) loggerBehind() {
	before, inner, ok := strings.Cut(r.message, "  [")
	name, rest, found := strings.Cut(inner, "]")
	if ok && found && rest == "" && isName(name) && r.logger == "" {
		r.logger, r.message = name, before
	}
	r.message = strings.TrimRight(r.message, " ")
}

// loggerAhead takes "[o.e.n.Node] " from before a message, and all brackets where " - " ends them, as Akka writes it.
func (r *record) loggerAhead() {
	inner, rest, ok := bracketed(r.message)
	name := strings.TrimSpace(inner)
	if !ok || !strings.Contains(name, ".") || !isName(name) || r.logger != "" {
		return
	}
	r.logger, r.message = name, rest
	thread, rest, more := bracketed(rest)
	for more && strings.HasPrefix(rest, "[") {
		_, rest, more = bracketed(rest)
	}
	if text, ok := strings.CutPrefix(rest, "- "); ok && more {
		r.message = text
		r.thread(thread)
	}
}

// owner takes a logger or a process from before a message: "shop - ", "(shop/4711): " as pino-pretty writes it,
// "shop/4711 on box: " as bunyan does.
func (r *record) owner() {
	name, rest, ok := strings.Cut(r.message, " ")
	if r.logger != "" || !ok {
		return
	}
	if text, ok := cutEither(rest, "- ", "> "); ok && isName(strings.ReplaceAll(name, "::", ".")) {
		r.logger, r.message = name, text
		return
	}
	host := ""
	if after, ok := strings.CutPrefix(rest, "on "); ok {
		if host, rest, ok = strings.Cut(after, ": "); !ok || strings.Contains(host, " ") {
			return
		}
	} else if name, ok = strings.CutSuffix(name, ":"); !ok {
		return
	}
	bare := strings.Trim(name, "()")
	of, pid, both := strings.Cut(bare, "/")
	if !both && name != bare {
		of, pid = "", bare
	}
	if pid == "" || strings.Trim(pid, "0123456789") != "" || of != "" && !isName(of) {
		return
	}
	r.program(of, pid)
	r.values = name != bare
	r.text("host.name", host)
	r.message = strings.TrimLeft(rest, " ")
}

// below takes the values that pino-pretty writes below a message, as the object that they were made of has them.
func (r *record) below(near time.Time) {
	text, rows, ok := strings.Cut(r.message, "\n")
	if !ok || !r.values {
		return
	}
	object := []byte{'{'}
	for row := range strings.SplitSeq(rows, "\n") {
		row, ok := strings.CutPrefix(row, "    ")
		if !ok || row == "" {
			return
		}
		if strings.IndexByte(" }]", row[0]) >= 0 { // of the value before
			object = append(object, row...)
			continue
		}
		name, value, ok := strings.Cut(row, ": ")
		if !ok {
			return
		}
		if len(object) > 1 {
			object = append(object, ',')
		}
		object = append(append(quote(object, name), ':'), value...)
	}
	all := string(append(object, '}'))
	if end := members(all, 0, 0, func(string, string) {}); end != len(all) {
		return
	}
	r.message, r.rank, r.named = text, messageRank("message"), "message"
	members(all, 0, 0, func(key, raw string) { r.field(key, raw, near) })
}

// cutEither cuts one of two texts from the beginning of s.
func cutEither(s, one, other string) (rest string, ok bool) {
	if rest, ok = strings.CutPrefix(s, one); !ok {
		rest, ok = strings.CutPrefix(s, other)
	}
	return rest, ok
}

// loggerColumn takes a logger that was filled up to a column.
func (r *record) loggerColumn() {
	name, rest := firstWord(r.message)
	if r.logger == "" && rest != "" && strings.HasPrefix(r.message[len(name):], "  ") && isName(name) {
		r.logger, r.message = name, rest
	}
}

// placed takes "[main.go:12] " and "a/fft.cc:477] " from before a message, and "[4711:puma 001] Shop::Api -- ".
func (r *record) placed() {
	where, text, ok := strings.Cut(strings.TrimPrefix(r.message, "["), "] ")
	if !ok {
		return
	}
	if file, line, _ := strings.Cut(where, ":"); isPlace(where) && isSourceFile(file) {
		if n, err := strconv.Atoi(line); err == nil {
			r.text("code.file.path", file)
			r.attr("code.line.number", strconv.Itoa(n))
			r.message = strings.TrimLeft(text, " ")
		}
		return
	}
	name, said, of := strings.Cut(text, " -- ")
	pid, thread, both := strings.Cut(where, ":")
	if of && both && r.logger == "" && r.message[0] == '[' && pid != "" && strings.Trim(pid, "0123456789") == "" && isName(strings.ReplaceAll(name, "::", ".")) {
		r.program(name, pid)
		r.text("thread.name", thread)
		r.message = said
	}
}

// isSourceFile reports whether a path ends as those of sources do.
func isSourceFile(path string) bool {
	switch path[strings.LastIndexByte(path, '.')+1:] {
	case "go", "py", "rb", "rs", "c", "cc", "cpp", "h", "hpp", "java", "kt", "scala", "php", "ex", "exs", "lua", "swift", "cs":
		return true
	}
	return isScript(path)
}

// placeColumn takes "app.py:13" from the end of a message that was filled up to a column, as rich writes it.
func (r *record) placeColumn() {
	s := strings.TrimRight(r.message, " ")
	if s == "" || !isDigit(s[len(s)-1]) {
		return
	}
	i := strings.LastIndex(s, "  ")
	if i < 1 || !isPlace(s[i+2:]) {
		return
	}
	file, line, _ := strings.Cut(s[i+2:], ":")
	if n, err := strconv.Atoi(line); err == nil {
		r.text("code.file.path", file)
		r.attr("code.line.number", strconv.Itoa(n))
		r.message = strings.TrimRight(s[:i], " ")
	}
}

// thread takes what stands in brackets before a level: a thread, or the number of a process.
func (r *record) thread(s string) {
	if strings.Trim(s, "0123456789") == "" {
		r.program("", s)
		return
	}
	if !r.correlation(s) {
		r.text("thread.name", s)
	}
}

// columns reads what zap writes behind a level: a logger, a place, the message and an object, with tabs between.
func (r *record) columns() bool {
	parts := strings.Split(r.message, "\t")
	if len(parts) < 2 {
		return false
	}
	if isName(parts[0]) && !strings.Contains(parts[0], "/") && (len(parts) > 2 || !strings.HasPrefix(parts[1], "{")) {
		r.logger, parts = parts[0], parts[1:]
	}
	if isPlace(parts[0]) && len(parts) > 1 {
		if file, line, ok := strings.Cut(parts[0], ":"); ok && strings.Trim(line, "0123456789") == "" {
			r.text("code.file.path", file)
			r.attr("code.line.number", line)
			if parts = parts[1:]; len(parts) > 1 && r.logger == "" && isName(parts[0]) && !strings.HasPrefix(parts[1], "{") { // tslog has it behind the place
				r.logger, parts = parts[0], parts[1:]
			}
		}
	}
	r.message = strings.Join(parts[:1], "")
	for _, more := range parts[1:] {
		if strings.HasPrefix(more, "{") && valueEnd(more, 0, 0) == len(more) {
			members(more, 0, 0, func(key, raw string) { r.field(key, raw, time.Time{}) })
			continue
		}
		r.message += "\t" + more
	}
	return true
}

// module takes "in app: " from the beginning of a message behind a level, as Flask writes the logger.
func (r *record) module() {
	after, ok := strings.CutPrefix(r.message, "in ")
	if name, rest, found := strings.Cut(after, ": "); ok && found && r.logger == "" && isName(name) {
		r.logger, r.message = name, rest
	}
}

// caller takes "main.go:23: " from the beginning of a message, as Go's package log writes it, and reports whether it was there.
func (r *record) caller() bool {
	place, rest, ok := strings.Cut(r.message, ": ")
	file, line, found := strings.Cut(place, ".go:")
	if !ok {
		place, rest, ok = strings.Cut(r.message, " > ") // zerolog
		file, line, found = strings.Cut(place, ".go:")
	}
	n, err := strconv.Atoi(line)
	if !ok || !found || strings.Contains(file, " ") || err != nil {
		return false
	}
	r.text("code.file.path", file+".go")
	r.attr("code.line.number", strconv.Itoa(n))
	r.message = rest
	return true
}

// baggage takes "[trace,span]" from the beginning of a message, as Spring writes it.
func (r *record) baggage() {
	inner, rest, ok := bracketed(r.message)
	if !ok {
		return
	}
	if r.correlation(inner) {
		r.message = rest
	}
}

// correlation takes "trace-span" and "app,trace,span". It reports whether that is what stands there, with ids or without.
func (r *record) correlation(inner string) bool {
	if strings.Trim(inner, "-, ") == "" {
		return true
	}
	parts := strings.FieldsFunc(inner, func(c rune) bool { return c == ',' || c == '-' || c == ' ' })
	n := len(parts)
	return n >= 2 && r.set(traceID, parts[n-2]) && r.set(spanID, parts[n-1])
}

// loggerThen reads "com.shop.Api - message" and "com.shop.Api: message".
func (r *record) loggerThen(s string) {
	for _, between := range [...]string{" - ", " -- ", ": ", " : "} {
		if name, message, ok := strings.Cut(s, between); ok && isName(name) {
			r.logger, r.message = strings.TrimSpace(name), message
			return
		}
	}
	r.message = strings.TrimPrefix(s, "- ")
}

// place takes "shop.api:pay:12", as loguru writes logger, function and line.
func (r *record) place(s string) bool {
	name, rest, _ := strings.Cut(s, ":")
	function, line, ok := strings.Cut(rest, ":")
	n, err := strconv.Atoi(line)
	if !ok || err != nil || !isName(name) || strings.ContainsRune(function, ' ') {
		return false
	}
	r.logger = name
	r.text("code.function.name", function)
	r.attr("code.line.number", strconv.Itoa(n))
	return true
}

// cells reads what stands behind a time in a line of a table: ERROR,shop.api,"could not pay".
func (r *record) cells(s string, between byte) bool {
	said := ""
	for n := 0; s != "" && n < 8; n++ {
		cell, rest := s, ""
		if end, _ := stringEnd(s, 0); end > 0 && (end == len(s) || s[end] == between) {
			cell, rest = s[1:end-1], strings.TrimPrefix(s[end:], string(between))
		} else if r.level == "" || r.logger == "" {
			cell, rest, _ = strings.Cut(s, string(between))
		}
		switch s = rest; {
		case r.level == "" && r.setLevel(cell):
		case r.logger == "" && isName(cell) && rest != "":
			r.logger = cell
		default:
			said += string(between) + cell
		}
	}
	if r.level == "" || said == "" || s != "" {
		r.level, r.severity, r.logger = "", 0, ""
		return false
	}
	r.message = said[1:]
	return true
}
