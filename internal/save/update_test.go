package save_test

import (
	"errors"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/brennhill/gasoline/internal/problem"
)

func append1(old []byte) ([]byte, error) { return append(old, '1'), nil }

// They wait for one another by the clock of a bubble, which stands still while one of them writes.
func TestAFileIsChangedByOneAtATime(t *testing.T) { synctest.Test(t, fileIsChangedByOne) }

func fileIsChangedByOne(t *testing.T) {
	p, _ := places(t)
	path := filepath.Join(p.Root, "count.json")
	const writers, each = 5, 10
	var wg sync.WaitGroup
	for range writers {
		wg.Go(func() {
			for range each {
				err := p.Update("count.json", 100, func(old []byte) ([]byte, error) {
					n, _ := strconv.Atoi(string(old))
					return []byte(strconv.Itoa(n + 1)), nil
				})
				if err != nil {
					t.Error(err)
				}
			}
		})
	}
	wg.Wait()
	if got, err := os.ReadFile(path); err != nil || string(got) != strconv.Itoa(writers*each) {
		t.Errorf("the file counts %s, want %d: %v", got, writers*each, err)
	}
}

func TestAChangedFileKeepsItsPermissions(t *testing.T) {
	p, _ := places(t)
	path := filepath.Join(p.Root, "own.json")
	if err := os.WriteFile(path, []byte("0"), 0o640); err != nil {
		t.Fatal(err)
	}
	if err := p.Update("own.json", 100, append1); err != nil {
		t.Fatal(err)
	}
	info, err := os.Stat(path)
	if err != nil || info.Mode().Perm() != 0o640 || info.Size() != 2 {
		t.Errorf("%v %v", info, err)
	}
	// The same bytes are not written.
	before := info.ModTime()
	if err := p.Update("own.json", 100, func(old []byte) ([]byte, error) { return old, nil }); err != nil {
		t.Fatal(err)
	}
	if info, err = os.Stat(path); err != nil || !info.ModTime().Equal(before) {
		t.Errorf("it was written: %v %v", info, err)
	}
}

func TestARefusedChangeLeavesTheFile(t *testing.T) {
	p, _ := places(t)
	path := filepath.Join(p.Root, "own.json")
	if err := os.WriteFile(path, []byte("theirs"), 0o600); err != nil {
		t.Fatal(err)
	}
	broken := errors.New("not understood")
	if err := p.Update("own.json", 100, func([]byte) ([]byte, error) { return nil, broken }); !errors.Is(err, broken) {
		t.Errorf("%v", err)
	}
	for most, change := range map[int64]func([]byte) ([]byte, error){
		5: append1, // it is larger than may be read
		6: append1, // it would be larger than may be written
	} {
		if err := p.Update("own.json", most, change); problem.From(err) == nil || problem.From(err).Code != problem.TooLarge {
			t.Errorf("most %d: %v", most, err)
		}
	}
	if got, err := os.ReadFile(path); err != nil || string(got) != "theirs" {
		t.Errorf("the file holds %q: %v", got, err)
	}
	if _, err := os.Stat(path + ".lock"); err == nil {
		t.Error("the lock is left")
	}
}

func TestALockIsWaitedForAndAnOldOneIsSwept(t *testing.T) { synctest.Test(t, lockIsWaitedFor) }

func lockIsWaitedFor(t *testing.T) {
	p, _ := places(t)
	lock := filepath.Join(p.Root, "own.json.lock")
	began := time.Now()
	if err := errors.Join(os.WriteFile(lock, nil, 0o600), os.Chtimes(lock, began, began)); err != nil {
		t.Fatal(err)
	}
	err := p.Update("own.json", 100, append1)
	if p := problem.From(err); p == nil || p.Code != problem.Conflict || !strings.Contains(p.Fix, lock) {
		t.Errorf("a lock of another program: %v", err)
	}
	if took := time.Since(began); took < 2*time.Second || took > 2100*time.Millisecond {
		t.Errorf("it was waited for %v", took)
	}
	if _, err := os.Stat(lock); err != nil {
		t.Error("the other program's lock is gone")
	}
	old := time.Now().Add(-time.Hour)
	if err := os.Chtimes(lock, old, old); err != nil {
		t.Fatal(err)
	}
	if err := p.Update("own.json", 100, append1); err != nil {
		t.Errorf("a lock that was left: %v", err)
	}
	// One that was left before the clock was set back is not kept until the clock is there again.
	future := time.Now().Add(time.Hour)
	if err := errors.Join(os.WriteFile(lock, nil, 0o600), os.Chtimes(lock, future, future)); err != nil {
		t.Fatal(err)
	}
	if err := p.Update("own.json", 100, append1); err != nil {
		t.Errorf("a lock of the future: %v", err)
	}
}

// A lock is as old as its program says, whatever clock the disk has.
func TestALockHasTheTimeOfItsProgram(t *testing.T) {
	synctest.Test(t, func(t *testing.T) { // its clock is not the disk's
		p, _ := places(t)
		if err := p.Update("own.json", 100, func(old []byte) ([]byte, error) {
			info, err := os.Stat(filepath.Join(p.Root, "own.json.lock"))
			if err != nil || !info.ModTime().Equal(time.Now()) {
				t.Errorf("the lock is of %v at %v: %v", info.ModTime(), time.Now(), err)
			}
			return append1(old)
		}); err != nil {
			t.Error(err)
		}
	})
}

// Where the project cannot be written, that is told; there is nothing to write to below a file either.
func TestAProjectThatCannotBeWritten(t *testing.T) {
	p, _ := places(t)
	p.Root = filepath.Join(p.Root, "none")
	err := p.Update("own.json", 100, append1)
	if got := problem.From(err); got == nil || got.Code != "permission_denied" || !strings.Contains(got.Message, "own.json") {
		t.Errorf("a project that is not there: %v", err)
	}
	for _, path := range []string{"../own.json", "link/own.json", ".git/own.json", "linked.png", "shots"} {
		p, _ := places(t)
		if err := p.Update(path, 100, append1); problem.From(err) == nil || problem.From(err).Code != problem.PathNotAllowed {
			t.Errorf("%s: %v", path, err)
		}
	}
}
