package main

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/brennhill/gasoline/internal/follow"
	"github.com/brennhill/gasoline/internal/ingest/lines"
	"github.com/brennhill/gasoline/internal/launch"
	"github.com/brennhill/gasoline/internal/shell"
	"github.com/brennhill/gasoline/internal/wire"
)

const whatTailDoes = "Follow log files of services, and let agents read them. It goes on where it stopped the last time, " +
	"or begins at the end of the files. It follows rotation by renaming and by copying and truncating. It expands globs " +
	"again and again, so quote them, and it also follows files that come later. It leaves out compressed files. Ctrl-C " +
	"ends it."

func tailCommand(s *settings) *cobra.Command {
	var name string
	var begin bool
	cmd := &cobra.Command{
		Use: "tail [flags] FILE…", Short: "Follow log files, and let agents read them", GroupID: "services",
		Long: wrapped(whatTailDoes), Example: "  gasoline tail log/development.log\n  gasoline tail --name api '/var/log/api/*.log'",
		Args: atLeastOne("a file", "gasoline tail 'log/*.log'"),
	}
	cmd.Flags().StringVar(&name, "name", "", "name of the service (default the file's or its folder's name)")
	cmd.Flags().BoolVar(&begin, "from-start", false, "read files that were never followed from their beginning")
	cmd.RunE = func(cmd *cobra.Command, args []string) error { return tailFiles(cmd, s, name, begin, args) }
	return cmd
}

// tails sends the lines of files, each under its own service.
type tails struct {
	client  *client
	name    string
	run     string // names the senders of this run
	batches map[string]uint64
	note    func(string)
	away    bool // the user knows that the daemon is away
}

func tailFiles(cmd *cobra.Command, s *settings, name string, begin bool, args []string) error {
	c, err := s.client()
	if err != nil {
		return err
	}
	var patterns []string
	for _, a := range args {
		full, err := filepath.Abs(a)
		if err != nil {
			return err
		}
		switch info, err := os.Stat(full); {
		case err != nil: // it may come
		case info.IsDir():
			return fail{code: exitUsage, err: fmt.Errorf("%s is a folder: name its files, as %s", a, shell.Line(filepath.Join(a, "*.log")))}
		case !info.Mode().IsRegular():
			return fail{code: exitUsage, err: fmt.Errorf("%s is no regular file", a)}
		case follow.Compressed(full):
			return fail{code: exitUsage, err: fmt.Errorf("%s is compressed: only text is followed", a)}
		}
		patterns = append(patterns, full)
	}
	if _, err := follow.Expand(patterns); err != nil {
		return err
	}
	if err := c.ensure(cmd.Context(), cmd.ErrOrStderr()); err != nil {
		return err
	}
	dir, err := c.place.Open()
	if err != nil {
		return fail{code: exitError, err: err}
	}
	defer dir.Close()
	sum := sha256.Sum256([]byte(strings.Join(patterns, "\x00")))
	file := "tails/" + hex.EncodeToString(sum[:8]) + ".json"
	marks := map[string]follow.Mark{}
	if data, err := dir.Read(file); err == nil {
		if json.Unmarshal(data, &marks) != nil { // a broken file is as none
			marks = nil
		}
	}
	t := &tails{client: c, name: name, run: randomName(), batches: map[string]uint64{}, note: func(text string) {
		complain(cmd.ErrOrStderr(), text)
	}}
	err = follow.Follow(cmd.Context(), follow.Config{
		Patterns: patterns, Marks: marks, Begin: begin, Emit: t.emit, Note: t.note,
		Ready: func(n int) {
			if n == 0 {
				t.note("no file matches " + strings.Join(args, " ") + " yet; waiting for one. Ctrl-C ends it")
				return
			}
			t.note(fmt.Sprintf("following %s; Ctrl-C ends it", plural(n, "file")))
		},
		Save: func(m map[string]follow.Mark) error {
			data, err := json.Marshal(m)
			if err != nil {
				return err
			}
			return dir.Write(file, data)
		},
	})
	if errors.Is(err, context.Canceled) {
		return nil
	}
	return fail{code: exitError, err: err}
}

func plural(n int, word string) string {
	if n == 1 {
		return "1 " + word
	}
	return fmt.Sprintf("%d %ss", n, word)
}

// lastTry bounds a request, which goes on after Ctrl-C.
const lastTry = 5 * time.Second

// emit sends lines of one file and waits until the daemon has them: a file keeps what was not read.
func (t *tails) emit(ctx context.Context, of []follow.Line) error {
	path := of[0].Path
	service := t.name
	if service == "" {
		service = serviceOfFile(path)
	}
	batch := wire.Lines{
		V: 1, Service: service, Instance: instanceOf(path), Source: "tail", Host: hostname(), Client: t.run + ":" + short(path),
	}
	for _, l := range of {
		line := wire.Line{T: float64(l.Time.UnixMicro()) / 1000, Text: l.Text, Size: l.Size, Live: l.Live}
		if l.End != nil {
			batch.End = &wire.Line{T: float64(l.End.Time.UnixMicro()) / 1000, Text: l.End.Text}
		}
		if lines.Binary([]byte(l.Text)) {
			line.Text, line.Size, line.Binary = "", 0, max(l.Size, len(l.Text))
		}
		batch.Lines = append(batch.Lines, line)
	}
	batch.Batch = t.batches[path] + 1
	for wait := 100 * time.Millisecond; ; wait = min(2*wait, 5*time.Second) {
		batch.Sent = float64(time.Now().UnixMicro()) / 1000
		// One that is under way comes to its end: else nobody knows whether the daemon has the lines.
		attempt, cancel := context.WithTimeout(context.WithoutCancel(ctx), lastTry)
		err := t.client.postLines(attempt, batch)
		cancel()
		if err == nil || errors.Is(err, launch.ErrRefused) {
			t.batches[path], t.away = batch.Batch, false
			if err != nil {
				t.note(fmt.Sprintf("%s of %s were not taken: %v", plural(len(of), "line"), path, err))
			}
			return nil
		}
		pause := wait
		var later *launch.Later
		if errors.As(err, &later) {
			pause = later.After
		} else if !t.away && ctx.Err() == nil {
			t.away = true
			t.note(fmt.Sprintf("waiting for the daemon: %v", err))
		}
		select {
		case <-ctx.Done():
			return context.Canceled
		case <-time.After(pause):
		}
	}
}

// instanceOf is the path, or a name for it where that is longer than an instance may be.
func instanceOf(path string) string {
	if len(path) > 256 {
		return short(path)
	}
	return path
}

// short names a path within the bound of a sender's name.
func short(path string) string {
	sum := sha256.Sum256([]byte(path))
	return hex.EncodeToString(sum[:8])
}
