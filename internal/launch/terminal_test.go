package launch

import (
	"context"
	"errors"
	"io"
	"strings"
	"testing"
	"testing/synctest"
)

func TestReadLine(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		for _, tt := range []struct {
			in, want string
			err      error
		}{
			{"yes\nno\n", "yes\n", nil}, {"yes", "yes", io.EOF}, {"", "", io.EOF}, {strings.Repeat("y", 5000), strings.Repeat("y", 4096), io.EOF},
		} {
			if got, err := ReadLine(t.Context(), strings.NewReader(tt.in)); got != tt.want || !errors.Is(err, tt.err) {
				t.Errorf("%.10q: %.10q, %v", tt.in, got, err)
			}
		}
		in, out := io.Pipe()
		ctx, cancel := context.WithCancel(t.Context())
		ended := make(chan error)
		go func() {
			_, err := ReadLine(ctx, in)
			ended <- err
		}()
		synctest.Wait()
		cancel() // nobody types
		if err := <-ended; !errors.Is(err, context.Canceled) {
			t.Error(err)
		}
		if err := out.Close(); err != nil {
			t.Error(err)
		}
		if _, err := ReadLine(ctx, strings.NewReader("y\n")); !errors.Is(err, context.Canceled) {
			t.Errorf("an answer after the end: %v", err)
		}
	})
}
