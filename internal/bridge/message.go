package bridge

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
)

// message is all that the bridge reads of one.
type message struct {
	id     string // in one spelling; "" for a notification
	raw    json.RawMessage
	method string // "" for an answer
	modern bool   // of the generation without sessions
	failed bool   // an answer that is an error
}

func (m message) request() bool { return m.method != "" && m.id != "" }

// errNoMessage is JSON that is no JSON-RPC message. The daemon would end the connection over it, and
// with it every call that is under way.
var errNoMessage = errors.New("the message is no JSON-RPC 2.0 request, notification or answer")

// parse reads what the bridge needs of a line. Names are told apart by case, as the daemon does.
func parse(line []byte) (message, error) {
	var m message
	var fields map[string]json.RawMessage
	if json.Unmarshal(line, &fields) != nil || string(fields["jsonrpc"]) != `"2.0"` {
		return m, errNoMessage
	}
	if raw := fields["id"]; len(raw) > 0 && string(raw) != "null" {
		id, ok := spell(raw)
		if !ok {
			return m, errNoMessage
		}
		m.id, m.raw = id, raw
	}
	if raw, ok := fields["method"]; ok {
		if json.Unmarshal(raw, &m.method) != nil || m.method == "" {
			return m, errNoMessage
		}
		var params struct {
			Meta map[string]json.RawMessage `json:"_meta"`
		}
		_ = json.Unmarshal(fields["params"], &params) // what params may be is the daemon's to say
		_, m.modern = params.Meta["io.modelcontextprotocol/protocolVersion"]
		return m, nil
	}
	var failure *struct {
		Code    int64
		Message string
	}
	if m.id == "" || fields["result"] == nil && fields["error"] == nil ||
		fields["error"] != nil && json.Unmarshal(fields["error"], &failure) != nil {
		return m, errNoMessage
	}
	m.failed = failure != nil
	return m, nil
}

// maxDepth is how deep a message may nest: the daemon ends the connection over a deeper one.
const maxDepth = 1000

// deeper reports whether valid JSON nests deeper than most levels.
func deeper(line []byte, most int) bool {
	depth := 0
	for i := 0; i < len(line); i++ {
		switch line[i] {
		case '"':
			for i++; line[i] != '"'; i++ {
				if line[i] == '\\' {
					i++
				}
			}
		case '[', '{':
			if depth++; depth > most {
				return true
			}
		case ']', '}':
			depth--
		}
	}
	return false
}

// spell returns an id in one spelling: "<a>" may come back as "\u003ca\u003e".
func spell(raw json.RawMessage) (string, bool) {
	var text string
	if json.Unmarshal(raw, &text) == nil {
		out, _ := json.Marshal(text) // a string always encodes
		return string(out), true
	}
	// The daemon reads numbers as floats and cuts fractions off; its answer would be nobody's.
	const exact = 1 << 53
	var number int64
	if json.Unmarshal(raw, &number) == nil && -exact <= number && number <= exact {
		return fmt.Sprint(number), true
	}
	return "", false
}

var errLong = errors.New("the line is too long")

// readLine returns the next line without its end, blanks and byte order mark. A line of more than limit bytes is
// skipped; the error is errLong then, and reading goes on behind it.
func readLine(in *bufio.Reader, limit int) ([]byte, error) {
	var line []byte
	long := false
	for {
		part, err := in.ReadSlice('\n')
		if len(line)+len(part) > limit {
			long, line = true, nil
		}
		if !long {
			line = append(line, part...)
		}
		if errors.Is(err, bufio.ErrBufferFull) {
			continue
		}
		if long && (err == nil || errors.Is(err, io.EOF)) {
			return nil, errLong // the next read finds the end again
		}
		line = bytes.TrimPrefix(line, []byte("\xef\xbb\xbf"))
		return bytes.TrimSpace(line), err
	}
}

// failure is a JSON-RPC error.
func failure(id json.RawMessage, code int, message string) []byte {
	text, _ := json.Marshal(message) // a string always encodes
	return fmt.Appendf(nil, `{"jsonrpc":"2.0","id":%s,"error":{"code":%d,"message":%s}}`, id, code, text)
}

// toolError is a result that models see; protocol errors are not shown to them.
func toolError(id json.RawMessage, modern bool, text string) []byte {
	quoted, _ := json.Marshal(text) // a string always encodes
	kind := ""
	if modern {
		kind = `"resultType":"complete",`
	}
	return fmt.Appendf(
		nil,
		`{"jsonrpc":"2.0","id":%s,"result":{%s"content":[{"type":"text","text":%s}],"isError":true}}`,
		id,
		kind,
		quoted,
	)
}

// errEnds is why calls have no answer when the bridge itself ends: its client has, or told it to.
var errEnds = errors.New("the connection to the MCP client ends")

// stopError says how a person stopped the daemon.
type stopError string

// stopped returns the error of a stop with this mark.
func stopped(mark string) error {
	how, _, _ := strings.Cut(mark, "\n")
	return stopError(how)
}

func (s stopError) Error() string { return "the daemon was stopped " + string(s) }

// interrupted answers a call that was under way when the daemon went, or the bridge.
func interrupted(m message, why error, begun bool) []byte {
	if errors.As(why, new(stopError)) {
		text := "error=stopped retry=after_user_action\n" + why.Error() + ". "
		if begun {
			text += "The call was under way: what it had begun may have been done. "
		} else {
			text += "Nothing of it was begun. "
		}
		text += "Ask whoever stopped it before you go on: the next call starts it again."
		if m.method == "tools/call" {
			return toolError(m.raw, m.modern, text)
		}
		return failure(m.raw, -32603, text)
	}
	if errors.Is(why, errEnds) {
		text := "error=cancelled retry=now\nThe call was cancelled: " + why.Error() + "."
		if m.method == "tools/call" {
			return toolError(m.raw, m.modern, text)
		}
		return failure(m.raw, -32603, text)
	}
	text := "error=interrupted retry=now\nThe Gasoline daemon went away during the call (" + why.Error() +
		"). Repeat the call; a new daemon starts by itself. What was captured before is lost."
	if m.method == "tools/call" {
		return toolError(m.raw, m.modern, text)
	}
	return failure(m.raw, -32603, text)
}

// refusal answers a call for which there is no daemon.
func refusal(m message, err error) []byte {
	text := "Gasoline cannot reach its daemon: " + err.Error()
	if m.method == "tools/call" {
		return toolError(m.raw, m.modern, "error=internal retry=later\n"+text)
	}
	return failure(m.raw, -32603, text)
}
