package problem_test

import (
	"fmt"
	"io/fs"
	"strings"
	"syscall"
	"testing"

	"github.com/brennhill/gasoline/internal/problem"
)

// An error whose cause is the user's disk names what the user can do; any other is the program's.
func TestErrorsOfTheDisk(t *testing.T) {
	for _, tt := range []struct {
		cause error
		want  string
	}{
		{syscall.ENOSPC, "free room on that disk"},
		{syscall.EDQUOT, "free room on that disk"},
		{syscall.EROFS, "write there"},
		{syscall.EACCES, "write there"},
		{syscall.EIO, "gasoline doctor"},
	} {
		err := fmt.Errorf("keep it: %w", &fs.PathError{Op: "write", Path: "/a", Err: tt.cause})
		if p := problem.From(err); p.Code != problem.Internal || !strings.Contains(p.Fix, tt.want) || p.Message != err.Error() {
			t.Errorf("%v: %+v", tt.cause, p)
		}
	}
}
