// Package ssh follows a file of another machine by the user's own ssh, with all that is configured for it: agents, jump
// hosts, hardware keys. Host keys are checked as ssh does.
//
// Each connection follows one file by its number. Where the name comes to mean another file, or the file is
// truncated, the connection ends and the next one reads the rest of the old file before the new one. The program at the
// other end stops when its input ends, so that none is left when the connection breaks.
package ssh

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/brennhill/gasoline/internal/shell"
	"github.com/brennhill/gasoline/internal/source"
)

type options struct {
	Host  string `json:"host" required:"true" length:"255" pattern:"^([A-Za-z0-9_][A-Za-z0-9_.-]*@)?[A-Za-z0-9_:\\[][A-Za-z0-9_.:%\\]-]*$" doc:"host as ssh knows it, as web1 or deploy@web1"`
	Port  int    `json:"port,omitempty" min:"1" max:"65535" doc:"port; default ssh's"`
	Path  string `json:"path" required:"true" length:"1000" pattern:"^[^\\x00-\\x1f]+$" doc:"file on that machine, as /var/log/api.log"`
	Begin bool   `json:"from_start,omitempty" doc:"read the file from its beginning when it was never read"`
}

// Adapter is that of files of other machines.
var Adapter = source.Declare("ssh", "A file of another machine, followed by ssh.", source.Capabilities{}, open)

type remote struct{ options }

func open(o options, _ source.Env) (source.Opened, error) {
	_, host, found := strings.Cut(o.Host, "@")
	if !found {
		host = o.Host
	}
	switch host {
	case "localhost", "127.0.0.1", "::1":
		host = ""
	}
	return source.Opened{Uses: source.Uses{Programs: []string{"ssh"}, Hosts: []string{o.Host}}, Title: o.Host + ":" + o.Path, Domain: host, Tail: remote{o}}, nil
}

// cursor is how far which file was read.
type cursor struct {
	File   string `json:"file"` // its number there
	Offset int64  `json:"offset"`
}

const maxLine = 256 << 10

// script runs in a shell of the other machine, which reads it from its input. It is one group, so that it is parsed
// before anything reads on. Its own lines begin with $k: they name the file that follows and where it is begun.
//
// Files are known by what links lead to. The one that was read before is looked for by the names that rotations give, and
// beside what a link leads to now.
const script = `{
exec 3<&0 </dev/null
inode() { set -- $(ls -diL -- "$1" 2>/dev/null); printf %%s "$1"; }
size() { wc -c 2>/dev/null <"$1" | tr -d ' '; }
k=%s; p=%s; want=%s; off=%d; begin=%d
[ -r "$p" ] && [ -f "$p" ] || { echo "$p is no file that can be read" >&2; exit 1; }
now=$(inode "$p"); n=$(size "$p")
if [ -z "$want" ]; then
  off=$n; [ $begin = 0 ] || off=0
elif [ "$want" != "$now" ]; then
  set -- "$p".[0-9]* "$p"-[0-9]* "${p%%.*}"[-.][0-9]*
  if [ -h "$p" ]; then
    q=$(readlink -f -- "$p" 2>/dev/null) && set -- "$@" "${q%%/*}"/*
  fi
  old=$(ls -diL -- "$@" 2>/dev/null | sed -n "s/^ *$want //p" | head -n 1)
  if [ -f "$old" ]; then
    printf '%%s %%s %%s -1\n' "$k" "$want" "$off"
    tail -c +$((off+1)) "$old"
  fi
  off=0
elif [ "$n" -lt "$off" ]; then
  off=0
fi
printf '%%s %%s %%s %%s\n' "$k" "$now" "$off" "$n"
tail -c +$((off+1)) -f "$p" 2>/dev/null & t=$!
( while sleep 0.5 2>/dev/null || sleep 1; do
    m=$(size "$p")
    [ "$(inode "$p")" = "$now" ] && [ "${m:-0}" -ge "$n" ] || break
    n=$m
  done; sleep 1; kill $t ) >/dev/null 2>&1 & w=$!
( cat <&3; kill $t $w ) >/dev/null 2>&1 & c=$!
wait $t
kill $w $c 2>/dev/null
printf '%%s again\n' "$k"
exit 0
}
`

var errAgain = errors.New("the file changed")

// Tail follows the file until the connection breaks.
func (r remote) Tail(ctx context.Context, from string, emit source.Emit) error {
	var at cursor
	if from != "" && (json.Unmarshal([]byte(from), &at) != nil || strings.Trim(at.File, "0123456789") != "") {
		return &source.Fault{Kind: source.Expired, Text: "where the file was read to is not known"}
	}
	for {
		c := connection{remote: r, at: at, key: "gasoline-" + rand.Text(), emit: emit}
		err := c.read(ctx)
		at = c.at
		if !errors.Is(err, errAgain) {
			return err
		}
	}
}

// connection is one run of ssh.
type connection struct {
	remote
	at     cursor
	key    string
	emit   source.Emit
	begun  bool   // the script has named a file
	line   []byte // the open line, at most maxLine of it
	size   int64  // bytes of the open line
	rows   []source.Row
	offset int64 // of the first byte after rows
	had    int64 // bytes of the file when the connection began: what is behind them is read as it is written; -1: all was there
	again  bool
}

func (c *connection) read(ctx context.Context) error {
	begin := 0
	if c.Begin {
		begin = 1
	}
	args := []string{
		"ssh", "-T", "-o", "BatchMode=yes", "-o", "ConnectTimeout=8", "-o", "ServerAliveInterval=15", "-o", "ServerAliveCountMax=2",
		"-o", "ClearAllForwardings=yes",
	}
	if c.Port > 0 {
		args = append(args, "-p", strconv.Itoa(c.Port))
	}
	command := source.Command{
		Args:  append(args, "--", c.Host, "sh"),
		Input: fmt.Sprintf(script, c.key, shell.Word(c.Path), shell.Word(c.at.File), c.at.Offset, begin),
	}
	err := command.Read(ctx, func(data []byte) error { return c.take(ctx, data) })
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if c.again {
		return errAgain
	}
	var f *source.Fault
	if errors.As(err, &f) {
		for _, word := range [...]string{"Permission denied (", "Host key verification failed", "REMOTE HOST IDENTIFICATION"} {
			if strings.Contains(f.Text, word) {
				f.Kind, f.Fix = source.Refused, `Make "ssh `+c.Host+`" work in a terminal without a question.`
			}
		}
	}
	return err
}

// take reads bytes that came. A cursor stands after whole lines only.
func (c *connection) take(ctx context.Context, data []byte) error {
	for len(data) > 0 {
		end := bytes.IndexByte(data, '\n')
		part := data
		if end >= 0 {
			part = data[:end]
		}
		c.size += int64(len(part))
		c.line = append(c.line, part[:min(len(part), maxLine-len(c.line))]...)
		if end < 0 {
			break
		}
		data = data[end+1:]
		if err := c.end(ctx); err != nil {
			return err
		}
	}
	return c.give(ctx)
}

// end ends the open line.
func (c *connection) end(ctx context.Context) error {
	line, size := c.line, c.size
	c.line, c.size = c.line[:0], 0
	if i := bytes.Index(line, []byte(c.key+" ")); i >= 0 {
		if i > 0 && c.begun { // the last line of a file that does not end with a newline
			c.add(line[:i], int64(i))
			c.offset += int64(i)
		}
		if err := c.give(ctx); err != nil {
			return err
		}
		rest := line[i+len(c.key)+1:]
		file, offset, named := strings.Cut(string(rest), " ")
		if c.again = !named; named {
			offset, had, _ := strings.Cut(offset, " ")
			n, err := strconv.ParseInt(offset, 10, 64)
			if err == nil {
				c.had, err = strconv.ParseInt(strings.TrimSpace(had), 10, 64)
			}
			if err != nil {
				return &source.Fault{Text: "the other machine's shell does not work as expected"}
			}
			c.begun, c.at, c.offset = true, cursor{file, n}, n
			return c.emitted(ctx) // the next connection goes on here, also when no line comes by this one
		}
		return nil
	}
	if !c.begun {
		return nil // what the other machine greets with
	}
	if size > 0 {
		c.add(line, size)
	}
	c.offset += size + 1
	if len(c.rows) < 200 {
		return nil
	}
	return c.give(ctx)
}

func (c *connection) add(line []byte, size int64) {
	row := source.Row{
		Time: time.Now(), Stream: c.Path, Instance: c.Host + ":" + c.Path, Text: string(line), Live: c.had >= 0 && c.offset >= c.had,
	}
	if size > int64(len(line)) {
		row.Size = int(size)
	}
	c.rows = append(c.rows, row)
}

// give hands on the whole lines.
func (c *connection) give(ctx context.Context) error {
	if c.again || !c.begun || len(c.rows) == 0 && c.offset == c.at.Offset {
		return nil
	}
	c.at.Offset = c.offset
	return c.emitted(ctx)
}

func (c *connection) emitted(ctx context.Context) error {
	data, err := json.Marshal(c.at)
	if err != nil {
		return err
	}
	err = c.emit(ctx, c.rows, string(data))
	c.rows = nil
	return err
}
