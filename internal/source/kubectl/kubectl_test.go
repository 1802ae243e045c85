//go:build unix

package kubectl_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/brennhill/gasoline/internal/event"
	"github.com/brennhill/gasoline/internal/source"
	"github.com/brennhill/gasoline/internal/source/kubectl"
	"github.com/brennhill/gasoline/internal/source/sourcetest"
)

// fake plays kubectl as its help and documentation say: logs follows the files of the pods that there are when it begins,
// from a whole second on; get --watch lists pods and then those that change.
const fake = `#!/bin/sh
cd "$(dirname "$0")" || exit 1
echo "$@" >>calls
for a in "$@"; do case "$a" in --since-time=*) since=${a#--since-time=}; since=${since%Z} ;; esac; done
give() {
  while read -r at text; do
    [ "$(printf '%s\n%s\n' "$since" "$at" | LC_ALL=C sort | head -1)" = "$since" ] && echo "[pod/$1/main] $at $text"
  done
}
case "$*" in
--namespace=shop\ get\ pods\ --watch*restartCount\ --selector=app=api)
  seen=
  while :; do
    for f in pod-*; do
      n=$(cat "restarts-$f" 2>/dev/null || echo 0)
      case "$seen" in *" $f=$n "*) ;; *) echo "$f   Running   $n"; seen="$seen $f=$n " ;; esac
    done
    sleep 0.1
  done ;;
--namespace=shop\ logs\ --timestamps\ --prefix*--follow\ --selector=app=api\ --max*)
  [ -e broken ] && { echo "error: You must be logged in to the server (Unauthorized)" >&2; exit 1; }
  echo >>began
  for f in pod-*; do
    tail -n +1 -f "$f" | give "$f" &
  done
  wait ;;
--namespace=shop\ logs\ --timestamps\ --prefix*--previous\ pod/pod-*)
  for a in "$@"; do case "$a" in pod/*) pod=${a#pod/} ;; esac; done
  none='previous terminated container "proxy" in pod "'$pod'" not found' # a container beside it that did not end
  case "$*" in *--ignore-errors*) echo "error: $none" ;; *) echo "Error from server (BadRequest): $none" >&2; exit 1 ;; esac
  give "$pod" <"previous-$pod" ;;
*) echo "error: unknown command $*" >&2; exit 1 ;;
esac
`

func TestPodsThatComeAreFollowedAndNothingIsTakenTwice(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "kubectl"), []byte(fake), 0o700); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", dir+":"+os.Getenv("PATH"))
	var want []string
	writeTo := func(file string, n int) {
		t.Helper()
		f, err := os.OpenFile(filepath.Join(dir, file), os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		for range n {
			text := fmt.Sprintf("line %03d", len(want))
			want = append(want, text)
			// The time is fixed in width, as Kubernetes gives it.
			fmt.Fprintf(f, "%s %s\n", time.Now().UTC().Format("2006-01-02T15:04:05.000000000Z"), text)
		}
	}
	write := func(pod string, n int) { t.Helper(); writeTo("pod-"+pod, n) }
	var cursors sync.Map
	var got []string
	options := `{"selector":"app=api","namespace":"shop"}`
	// following waits until lines are followed anew after do.
	following := func(do func()) {
		t.Helper()
		begun := func() int { data, _ := os.ReadFile(filepath.Join(dir, "began")); return len(data) }
		before := begun()
		do()
		for end := time.Now().Add(30 * time.Second); begun() == before; time.Sleep(5 * time.Millisecond) {
			if time.Now().After(end) {
				t.Fatal("nothing is followed")
			}
		}
	}
	var r *sourcetest.Rig
	arrived := func() {
		for end := time.Now().Add(30 * time.Second); time.Now().Before(end) && len(got)+len(r.Messages(t)) < len(want); {
			time.Sleep(5 * time.Millisecond)
		}
	}
	run := func(what string, do func()) *sourcetest.Rig {
		t.Helper()
		r = sourcetest.Kept(t, kubectl.Adapter, options, source.Env{}, &cursors)
		var stop func()
		following(func() { stop = r.Start() })
		time.Sleep(1100 * time.Millisecond) // pods that are told of within a second are those that are there
		do()
		arrived()
		time.Sleep(300 * time.Millisecond) // what would come twice
		stop()
		if got = append(got, r.Messages(t)...); !slices.Equal(got, want) {
			t.Fatalf("%s: %q, want %q: %s", what, got, want, r.Runner.Status()[0].Line(time.Now()))
		}
		return r
	}
	write("a", 0)
	first := run("new lines, and pods that come", func() {
		write("a", 5)
		arrived()
		following(func() { write("b", 3) }) // kubectl is begun anew, in the same second
		write("a", 2)
	})
	run("a container that crashed, whose last lines were not read", func() {
		writeTo("previous-pod-b", 2)
		if err := os.WriteFile(filepath.Join(dir, "restarts-pod-b"), []byte("1"), 0o600); err != nil {
			t.Error(err)
		}
		arrived()
		write("b", 1)
	})
	for _, e := range first.Events(t) {
		l := e.(*event.Log)
		if l.Source != "kubectl" || !strings.HasPrefix(l.Instance, "pod-") || l.ClockDomain != "kubernetes:" {
			t.Errorf("a line has source %q, instance %q, clock %q", l.Source, l.Instance, l.ClockDomain)
		}
	}
	for end := time.Now().Add(10 * time.Second); ; time.Sleep(20 * time.Millisecond) {
		left := 0
		found, _ := filepath.Glob("/proc/[0-9]*/cwd")
		for _, f := range found {
			if at, _ := os.Readlink(f); at == dir {
				left++
			}
		}
		if left == 0 {
			break
		}
		if time.Now().After(end) {
			t.Fatalf("%d processes are left", left)
		}
	}
	if err := os.WriteFile(filepath.Join(dir, "broken"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	broken := sourcetest.NewRig(t, kubectl.Adapter, options, source.Env{})
	defer broken.Start()()
	for end := time.Now().Add(10 * time.Second); !strings.Contains(broken.Runner.Status()[0].Error, "logged in"); {
		if time.Now().After(end) {
			t.Fatal(broken.Runner.Status()[0].Line(time.Now()))
		}
		time.Sleep(20 * time.Millisecond)
	}
}

func TestTails(t *testing.T) {
	path := os.Getenv("PATH")
	sourcetest.Tail(t, kubectl.Adapter, func(t *testing.T) *sourcetest.Written {
		dir := t.TempDir()
		if err := os.WriteFile(filepath.Join(dir, "kubectl"), []byte(fake), 0o700); err != nil {
			t.Fatal(err)
		}
		t.Setenv("PATH", dir+":"+path)
		f, err := os.Create(filepath.Join(dir, "pod-a"))
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = f.Close() })
		return &sourcetest.Written{
			Options: `{"selector":"app=api","namespace":"shop"}`, Longest: 64 << 10,
			Write: func(lines ...string) {
				for _, l := range lines {
					fmt.Fprintf(f, "%s %s\n", time.Now().UTC().Format("2006-01-02T15:04:05.000000000Z"), l)
				}
			},
			Break: func() {
				found, err := filepath.Glob("/proc/[0-9]*/cwd")
				if err != nil {
					t.Fatal(err)
				}
				for _, f := range found {
					if at, err := os.Readlink(f); err == nil && at == dir {
						pid, err := strconv.Atoi(filepath.Base(filepath.Dir(f)))
						if err != nil {
							t.Fatal(err)
						}
						_ = syscall.Kill(pid, syscall.SIGKILL) // it may be gone
					}
				}
			},
		}
	})
}

func TestNamesAreNoOptions(t *testing.T) {
	for _, o := range []string{
		`{}`, `{"selector":"a=b","pod":"x"}`, `{"selector":"--kubeconfig=x"}`, `{"pod":"-x"}`, `{"pod":"a b"}`,
		`{"selector":"a=b","namespace":"-n"}`, `{"selector":"a=b","context":"--as=root"}`, `{"selector":"a=b","container":"-c"}`,
	} {
		if _, err := kubectl.Adapter.Check(json.RawMessage(o)); err == nil {
			t.Errorf("%s is taken", o)
		}
	}
}
