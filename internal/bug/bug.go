// Package bug reports states that cannot happen. Under test they panic, in the daemon they are
// errors like others, counted so that health shows them. Bad input is never a bug.
package bug

import (
	"fmt"
	"sync/atomic"
	"testing"
)

var count atomic.Int64

// Errorf counts a bug and returns it as an error that begins with "BUG:". In a test binary it panics.
func Errorf(format string, args ...any) error {
	count.Add(1)
	err := fmt.Errorf("BUG: "+format, args...)
	if testing.Testing() {
		panic(err)
	}
	return err
}

// Count returns how many bugs were reported since the process began.
func Count() int64 { return count.Load() }
