package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/brennhill/gasoline/internal/launch"
)

// toolCall is one call of a tool and where its answer goes.
type toolCall struct {
	tool   string
	mode   string
	args   map[string]any
	json   bool           // print the typed result
	uncut  bool           // no budget
	output string         // a file, "-" for stdout; "" is stdout for text and a name of our own for a picture
	more   map[string]any // fields for the typed result
}

// toolAnswer is what the daemon gives.
type toolAnswer struct {
	Text   string
	Error  string
	Images []struct {
		MIME string
		Data []byte
	}
}

// run asks the daemon, started when there is none, and delivers the answer.
func (t toolCall) run(ctx context.Context, c *client, stdout, stderr io.Writer) error {
	if err := c.ensure(ctx, stderr); err != nil {
		return err
	}
	slow := time.AfterFunc(time.Second, func() { fmt.Fprintln(stderr, "gasoline: waiting for the browser …") })
	defer slow.Stop()
	path := "/tools/" + t.tool
	if t.uncut {
		path += "?uncut=1"
	}
	raw, err := c.do(ctx, http.MethodPost, path, t.args, http.Header{
		"Accept": {
			"application/vnd.gasoline+json",
		}, "X-Gasoline-Client": {"cli"}, "X-Gasoline-Project": {projectRoot()},
	})
	if err != nil {
		return err
	}
	var a toolAnswer
	if err := json.Unmarshal(raw, &a); err != nil {
		return fail{
			code: exitError,
			err:  fmt.Errorf("the daemon's answer is not understood; \"gasoline stop\" and repeat: %w", err),
		}
	}
	if a.Error != "" {
		text := readable(a.Text)
		if isTerminal(stderr) && !t.json {
			text = refused(a.Text, t.tool+" "+t.mode)
		}
		fmt.Fprintln(stderr, text)
		return fail{exitOf(a.Error), errors.New(a.Error), true}
	}
	if err := t.deliver(a, stdout, stderr); err != nil {
		return fail{code: exitError, err: err}
	}
	return nil
}

func (t toolCall) deliver(a toolAnswer, stdout, stderr io.Writer) error {
	if len(a.Images) == 0 {
		text := t.text(a.Text, false)
		if t.output != "" && t.output != "-" {
			return write(t.output, []byte(text+"\n"), stderr)
		}
		_, err := fmt.Fprintln(stdout, t.text(a.Text, isTerminal(stdout)))
		return err
	}
	image, path := a.Images[0], t.output
	switch {
	case path == "-" && isTerminal(stdout):
		return errors.New("a picture is nothing for a terminal; give --output a file's name")
	case path == "-":
		_, err := stdout.Write(image.Data)
		return err
	case path == "" && t.args["save_to"] == nil:
		var err error
		if path, err = freshName("screenshot-"+time.Now().Format("20060102-150405"),
			"."+strings.TrimPrefix(image.MIME, "image/")); err != nil {
			return fmt.Errorf("%w; --output takes another place", err)
		}
	}
	if path != "" {
		if err := write(path, image.Data, stderr); err != nil {
			return err
		}
		full, err := filepath.Abs(path)
		if err != nil {
			return err
		}
		t.more = map[string]any{"output": full}
	}
	_, err := fmt.Fprintln(stdout, t.text(a.Text, isTerminal(stdout)))
	return err
}

// text is an answer as it is printed.
func (t toolCall) text(text string, terminal bool) string {
	switch {
	case t.json:
		return withFields(text, t.more)
	case t.args["as"] == "json":
		return text
	case terminal:
		return answered(text)
	}
	return readable(text)
}

// withFields adds fields to a JSON object that has some, at its end.
func withFields(object string, more map[string]any) string {
	data, err := json.Marshal(more)
	if err != nil || len(more) == 0 {
		return object
	}
	return strings.TrimSuffix(object, "}") + "," + strings.TrimPrefix(string(data), "{")
}

func write(path string, data []byte, stderr io.Writer) error {
	if err := os.WriteFile(path, data, 0o600); err != nil {
		return fmt.Errorf("write %s: %w", filepath.Clean(path), err)
	}
	fmt.Fprintf(stderr, "gasoline: wrote %s (%d bytes)\n", path, len(data))
	return nil
}

// freshName makes an empty file in the working directory under a name that was free.
func freshName(base, ext string) (string, error) {
	for n := 1; ; n++ {
		name := base + ext
		if n > 1 {
			name = fmt.Sprintf("%s-%d%s", base, n, ext)
		}
		f, err := os.OpenFile(name, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
		if errors.Is(err, fs.ErrExist) {
			continue
		}
		if err != nil {
			return "", err
		}
		return name, f.Close()
	}
}

// isTerminal reports whether a person reads what is written there.
func isTerminal(w io.Writer) bool {
	f, ok := w.(*os.File)
	return ok && launch.IsTerminal(f)
}
