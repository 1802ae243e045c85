package bridge

import (
	"errors"
	"io"
	"testing"
	"testing/synctest"
	"time"
)

func TestAWriteThatStandsStillIsNoticed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		in, out := io.Pipe()
		o := newOutlet()
		go o.run(out, func(error) {})
		o.put([]byte("one"))
		time.Sleep(writeWithin)
		if o.stuck() {
			t.Error("stuck within the bound")
		}
		time.Sleep(2 * time.Millisecond)
		if !o.stuck() {
			t.Error("not noticed")
		}
		waits := make(chan struct{})
		go func() { o.put([]byte("two")); close(waits) }()
		synctest.Wait()
		o.stop()
		<-waits // whoever waited is let go
		if err := in.Close(); err != nil {
			t.Error(err)
		}
		synctest.Wait()
	})
}

func TestAReaderThatHasGoneIsTold(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		in, out := io.Pipe()
		o := newOutlet()
		var why error
		go o.run(out, func(err error) { why = err })
		if err := in.Close(); err != nil {
			t.Error(err)
		}
		o.put([]byte("one"))
		synctest.Wait()
		if !errors.Is(why, io.ErrClosedPipe) {
			t.Errorf("told %v", why)
		}
		o.put([]byte("two")) // does not wait
	})
}
