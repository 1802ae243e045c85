package launch

import (
	"bufio"
	"context"
	"io"
	"os"

	"golang.org/x/term"
)

// IsTerminal reports whether a file is a terminal, at which a person reads or types; none is not.
func IsTerminal(f *os.File) bool { return f != nil && term.IsTerminal(int(f.Fd())) }

// ReadLine reads a line of at most 4 KB. When the context is done it returns its error at once. The read then goes on
// until the process ends, for a terminal's cannot be ended: nothing else may read from there.
func ReadLine(ctx context.Context, in io.Reader) (string, error) {
	type line struct {
		text string
		err  error
	}
	read := make(chan line, 1)
	go func() {
		text, err := bufio.NewReader(io.LimitReader(in, 4096)).ReadString('\n')
		read <- line{text, err}
	}()
	select {
	case <-ctx.Done():
		return "", ctx.Err()
	case l := <-read:
		if ctx.Err() != nil { // both have come
			return "", ctx.Err()
		}
		return l.text, l.err
	}
}
