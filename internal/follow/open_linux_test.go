package follow_test

import (
	"fmt"
	"os"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

// opened returns how many descriptors this process has of files in a folder.
func opened(t *testing.T, dir string) (n int) {
	t.Helper()
	all, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		t.Fatal(err)
	}
	for _, d := range all {
		if to, err := os.Readlink("/proc/self/fd/" + d.Name()); err == nil && strings.HasPrefix(to, dir) {
			n++
		}
	}
	return n
}

// A file that was deleted takes its room on the disk for as long as somebody has it open.
func TestDeletedFilesAreLeft(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t)
		r.write("a.log", "a\n")
		r.write("b.log", "b\n")
		r.start("*.log", true)
		r.later()
		r.write("a.log", "last words\n")
		if err := os.Remove(r.path("a.log")); err != nil {
			t.Fatal(err)
		}
		time.Sleep(2 * time.Minute)
		synctest.Wait()
		if n := opened(t, r.dir); n != 1 {
			t.Errorf("%d files are open", n)
		}
		r.write("a.log", "made anew\n")
		r.later()
		r.want("a", "b", "last words", "made anew")
		r.stop()
	})
}

// Among more files than can be followed, those that are written to are, such as the one of today.
func TestTheNewestOfManyFiles(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t)
		for i := range 300 {
			name := fmt.Sprintf("d%03d.log", i)
			r.write(name, "before\n")
			old := time.Now().Add(time.Duration(i-1000) * time.Hour)
			if err := os.Chtimes(r.path(name), old, old); err != nil {
				t.Fatal(err)
			}
		}
		r.start("*.log", false)
		r.write("d299.log", "today\n")
		r.later()
		r.write("d300.log", "tomorrow\n")
		r.later()
		r.write("d000.log", "rare\n")
		r.later()
		time.Sleep(2 * time.Minute)
		synctest.Wait()
		if n := opened(t, r.dir); n != 256 {
			t.Errorf("%d files are open", n)
		}
		r.want("today", "tomorrow", "rare")
		r.stop()
	})
}
