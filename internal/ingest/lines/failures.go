package lines

import (
	"encoding/json"
	"strconv"
	"strings"

	"github.com/brennhill/gasoline/internal/event"
	"github.com/brennhill/gasoline/internal/stacktrace"
)

// failure takes an error's object, as serialisers of errors write it.
func (r *record) failure(raw string) {
	members(raw, 0, 0, func(key, raw string) {
		switch key {
		case "type", "name", "kind", "class":
			if raw[0] == '"' && (r.errType == "" || key == "type") {
				r.errType = unquote(raw)
			}
		case "message", "msg":
			if raw[0] == '"' {
				r.errText = unquote(raw)
			}
		case "stack", "stack_trace", "stacktrace":
			if raw[0] == '"' {
				r.stack = unquote(raw)
			}
		case "code":
			r.attr("error.code", raw)
		case "aggregateErrors", "errors":
			r.several(raw)
		}
	})
}

// calls takes a stack that is a list: of lines, as AWS Lambda writes them, or of the errors of a chain, as structlog does.
func (r *record) calls(raw string) bool {
	var rows []string
	if json.Unmarshal([]byte(raw), &rows) == nil && len(rows) > 0 {
		r.stack = strings.Join(rows, "\n")
		return true
	}
	var chain []struct {
		Type   string `json:"exc_type"`
		Value  string `json:"exc_value"`
		Frames []struct {
			File     string `json:"filename"`
			Line     int    `json:"lineno"`
			Function string `json:"name"`
		}
	}
	if json.Unmarshal([]byte(raw), &chain) != nil || len(chain) == 0 || chain[0].Type == "" {
		return false
	}
	var b strings.Builder
	b.WriteString("Traceback (most recent call last):\n")
	for _, f := range chain[0].Frames[:min(len(chain[0].Frames), maxRows)] {
		b.WriteString("  File \"" + f.File + "\", line " + strconv.Itoa(f.Line) + ", in " + f.Function + "\n")
	}
	b.WriteString(chain[0].Type + ": " + chain[0].Value)
	r.stack = b.String()
	return true
}

// throwable takes an exception as Logback's JSON has it.
func (r *record) throwable(raw string) bool {
	var t struct {
		ClassName, Message string
		StepArray          []struct {
			ClassName, MethodName, FileName string
			LineNumber                      int
		}
		Name  string
		Calls []struct {
			Class, Method, File string
			Line                int
		} `json:"extendedStackTrace"`
	}
	if json.Unmarshal([]byte(raw), &t) != nil && t.Name == "" {
		return false
	}
	if t.ClassName == "" {
		t.ClassName = t.Name
	}
	if t.ClassName == "" {
		return false
	}
	var b strings.Builder
	b.WriteString(t.ClassName + ": " + t.Message)
	for _, c := range t.StepArray[:min(len(t.StepArray), maxRows)] {
		b.WriteString("\n\tat " + c.ClassName + "." + c.MethodName + "(" + c.FileName + ":" + strconv.Itoa(c.LineNumber) + ")")
	}
	for _, c := range t.Calls[:min(len(t.Calls), maxRows)] {
		b.WriteString("\n\tat " + c.Class + "." + c.Method + "(" + c.File + ":" + strconv.Itoa(c.Line) + ")")
	}
	r.errType, r.errText, r.stack = t.ClassName, t.Message, b.String()
	return true
}

// inRows breaks a stack of .NET that its console wrote on one line: each break became a space.
func inRows(s string) string {
	at := strings.Index(s, "    at ")
	if at < 0 || strings.IndexByte(s, '\n') >= 0 || !strings.HasSuffix(s, ")") && !strings.Contains(s, ":line ") {
		return s
	}
	s = strings.ReplaceAll(s, "    at ", "\n   at ")
	return strings.NewReplacer("  ---> ", "\n ---> ", " ---> ", "\n ---> ", "    --- End of inner", "\n   --- End of inner").Replace(s)
}

// several takes the errors that an error of Node holds, as pino writes them.
func (r *record) several(raw string) {
	var all []struct{ Type, Message, Stack string }
	if json.Unmarshal([]byte(raw), &all) != nil {
		return
	}
	for _, e := range all[:min(len(all), 16)] {
		x, _ := stacktrace.Read(e.Type, e.Stack)
		r.inner = append(r.inner, event.ErrorCause{Type: e.Type, Message: e.Message, Stack: x.Stack})
	}
}
