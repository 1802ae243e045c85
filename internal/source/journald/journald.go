// Package journald follows the journal of systemd by journalctl, which goes on exactly after a cursor.
package journald

import (
	"context"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/brennhill/gasoline/internal/event"
	"github.com/brennhill/gasoline/internal/follow"
	"github.com/brennhill/gasoline/internal/problem"
	"github.com/brennhill/gasoline/internal/source"
)

type options struct {
	Unit       string `json:"unit,omitempty" length:"256" pattern:"^[A-Za-z0-9:_.@\\\\][A-Za-z0-9:_.@\\\\-]*$" doc:"unit of the service, as api.service"`
	Identifier string `json:"identifier,omitempty" length:"256" pattern:"^[^-].*$" doc:"SYSLOG_IDENTIFIER of its lines"`
	User       bool   `json:"user,omitempty" doc:"the unit is one of the user's"`
}

// Adapter is that of the journal.
var Adapter = source.Declare("journald", "The journal of a systemd unit.", source.Capabilities{
	Stamped: true, Resolution: time.Microsecond,
}, open)

type journal struct{ args []string }

func open(o options, _ source.Env) (out source.Opened, _ error) {
	args := []string{"journalctl", "-o", "json", "--all", "--follow", "--quiet"}
	title := "journal"
	switch {
	case o.Unit == "" && o.Identifier == "":
		return out, problem.New(problem.MissingParam, "Give unit or identifier.", "nothing says which lines of the journal")
	case o.Unit != "" && o.User:
		args, title = append(args, "--user-unit="+o.Unit), title+" of the user's "+o.Unit
	case o.Unit != "":
		args, title = append(args, "--unit="+o.Unit), title+" of "+o.Unit
	}
	if o.Identifier != "" {
		args, title = append(args, "--identifier="+o.Identifier), title+" "+o.Identifier
	}
	return source.Opened{Uses: source.Uses{Programs: args[:1]}, Title: title, Tail: journal{args}}, nil
}

// Tail follows the journal. The cursor is the journal's own, or a time such as @1780000000 before there is one.
func (j journal) Tail(ctx context.Context, cursor string, emit source.Emit) error {
	if cursor == "" { // what comes from now on is read, also by the next tail
		cursor = "@" + strconv.FormatInt(time.Now().Unix(), 10)
		if err := emit(ctx, nil, cursor); err != nil {
			return err
		}
	}
	args := append([]string{}, j.args...)
	if strings.HasPrefix(cursor, "@") {
		args = append(args, "--no-tail", "--since="+cursor)
	} else {
		args = append(args, "--no-tail", "--after-cursor="+cursor)
	}
	err := source.Command{Args: args}.Lines(ctx, func(lines []follow.Piece) error {
		var rows []source.Row
		last := ""
		for _, l := range lines {
			row, at, ok := entry(l.Text)
			if !ok {
				text := "an entry of the journal is not understood"
				if l.Size > 0 {
					text = fmt.Sprintf("an entry of the journal with %d bytes is too long to be read", l.Size)
				}
				row = source.Row{Time: l.Time, Text: text, Level: "warn", Severity: 13}
			} else {
				last = at
			}
			rows = append(rows, row)
		}
		return emit(ctx, rows, last)
	})
	if f, ok := err.(*source.Fault); ok && strings.Contains(f.Text, "cursor") {
		f.Kind = source.Expired
	}
	return err
}

// field is a field of an entry: text, bytes as numbers where it is no UTF-8, null where it is too large, or a list of
// those where it is there several times.
type field string

// UnmarshalJSON takes the first of several values.
func (f *field) UnmarshalJSON(data []byte) error {
	var text string
	if json.Unmarshal(data, &text) == nil {
		*f = field(text)
		return nil
	}
	var numbers []int
	if json.Unmarshal(data, &numbers) == nil {
		bytes := make([]byte, len(numbers))
		for i, n := range numbers {
			bytes[i] = byte(n)
		}
		*f = field(bytes)
		return nil
	}
	var several []field
	if err := json.Unmarshal(data, &several); err != nil {
		return err
	}
	if len(several) > 0 {
		*f = several[0]
	}
	return nil
}

// entry reads an entry and its cursor.
func entry(line []byte) (r source.Row, cursor string, ok bool) {
	var e struct {
		Cursor     string `json:"__CURSOR"`
		Time       field  `json:"__REALTIME_TIMESTAMP"`
		Source     field  `json:"_SOURCE_REALTIME_TIMESTAMP"`
		Message    field  `json:"MESSAGE"`
		Priority   field  `json:"PRIORITY"`
		PID        field  `json:"_PID"`
		Host       field  `json:"_HOSTNAME"`
		Stream     field  `json:"_STREAM_ID"`
		Identifier field  `json:"SYSLOG_IDENTIFIER"`
		Trace      field  `json:"TRACE_ID"`
		Span       field  `json:"SPAN_ID"`
		File       field  `json:"CODE_FILE"`
		Line       field  `json:"CODE_LINE"`
		Transport  field  `json:"_TRANSPORT"`
	}
	if json.Unmarshal(line, &e) != nil || e.Cursor == "" {
		return r, "", false
	}
	micros, err := strconv.ParseInt(string(e.Time), 10, 64)
	if n, sourced := strconv.ParseInt(string(e.Source), 10, 64); sourced == nil { // when it was sent, not when it was stored
		micros, err = n, nil
	}
	if err != nil {
		return r, "", false
	}
	r = source.Row{
		ID: e.Cursor, Time: time.UnixMicro(micros), Stream: string(e.Identifier) + " " + string(e.PID) + " " + string(e.Stream),
		Text: strings.TrimRight(string(e.Message), "\n"), Host: string(e.Host), Trace: string(e.Trace), Span: string(e.Span),
	}
	if e.PID != "" {
		r.Instance = string(e.Host) + ":" + string(e.PID)
	}
	// Lines that a program printed all have the priority of its output, which says nothing.
	if e.Transport != "stdout" {
		r.Level, r.Severity, _ = event.LevelOf(string(e.Priority))
	}
	if e.File != "" {
		r.Attributes = append(r.Attributes, source.Attribute{Key: "code.file.path", Value: string(e.File)})
	}
	if e.Line != "" {
		r.Attributes = append(r.Attributes, source.Attribute{Key: "code.line.number", Value: string(e.Line)})
	}
	return r, e.Cursor, true
}
