// Command clock makes the standard library's time.Now begin where the tests want it to.
//
// It writes a copy of the installed Go's time package, with one line more in Now, and the file that go build's
// -overlay reads. It prints that file's path. Nothing of the Go installation is changed.
//
//	go run ./clock DIR
//	GASOLINE_CLOCK=2026-12-31T23:59:58Z GOFLAGS=-overlay=DIR/overlay.json go test -count=1 ./...
//
// The path in GOFLAGS is quoted where it has spaces.
//
// A process that finds an instant (RFC 3339) in GASOLINE_CLOCK begins at it. It puts the distance to the system's
// clock in the place of the instant, so that the processes that it starts have the same clock. Clocks of synctest
// bubbles, monotonic time, timers and the times of files stay as they are.
package main

import (
	"encoding/json"
	"fmt"
	"go/build"
	"os"
	"path/filepath"
	"strings"
)

// read is the line of time.Now that reads the system's clock.
const read = "func Now() Time {\n\tsec, nsec, mono := runtimeNow()\n"

const edited = read + "\tsec, nsec = moved(sec, nsec)\n"

// source is one more file of the time package. Package time can import syscall, and not os.
const source = `package time

import "syscall"

const clockVariable = "GASOLINE_CLOCK"

// ahead is how far the clock of the tests is ahead of the system's, in nanoseconds.
var ahead = clock()

func clock() int64 {
	v, ok := syscall.Getenv(clockVariable)
	if !ok || v == "" {
		return 0
	}
	if v[0] == '+' || v[0] == '-' {
		d, err := ParseDuration(v)
		if err != nil {
			panic(clockVariable + "=" + v + " is no distance")
		}
		return int64(d)
	}
	t, err := Parse(RFC3339, v)
	if err != nil {
		panic(clockVariable + "=" + v + " is no instant in RFC 3339, such as 2026-12-31T23:59:58Z")
	}
	sec, nsec, _ := runtimeNow()
	// Whole seconds, as all programs of the tests read it, and none before the instant.
	d := t.Sub(Unix(sec, int64(nsec)))
	if d > 0 {
		d += Second - 1
	}
	d = d.Truncate(Second)
	sign, digits := "+", uint64(d/Second)
	if d < 0 {
		sign, digits = "-", uint64(-d/Second)
	}
	var text [24]byte
	distance := sign + string(text[fmtInt(text[:], digits):]) + "s"
	if err := syscall.Setenv(clockVariable, distance); err != nil {
		panic(clockVariable + " cannot be set: " + err.Error())
	}
	return int64(d)
}

// moved moves an instant of the system's clock. A synctest bubble has a clock of its own.
func moved(sec int64, nsec int32) (int64, int32) {
	if ahead == 0 || runtimeIsBubbled() {
		return sec, nsec
	}
	sum := int64(nsec) + ahead
	sec += sum / 1e9
	nsec = int32(sum % 1e9)
	if nsec < 0 {
		sec, nsec = sec-1, nsec+1e9
	}
	return sec, nsec
}
`

func main() {
	if len(os.Args) != 2 {
		fmt.Fprintln(os.Stderr, "usage: go run ./clock DIR")
		os.Exit(2)
	}
	path, err := write(os.Args[1], filepath.Join(build.Default.GOROOT, "src", "time"))
	if err != nil {
		fmt.Fprintln(os.Stderr, "clock:", err)
		os.Exit(1)
	}
	fmt.Println(path)
}

// write writes the overlay of the time package whose source is in from.
func write(dir, from string) (string, error) {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return "", err
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return "", err
	}
	old, err := os.ReadFile(filepath.Join(from, "time.go"))
	if err != nil {
		return "", err
	}
	now, err := edit(string(old))
	if err != nil {
		return "", fmt.Errorf("%s: %w", filepath.Join(from, "time.go"), err)
	}
	timeFile, clockFile := filepath.Join(dir, "time.go"), filepath.Join(dir, "clock.go")
	overlay, err := json.MarshalIndent(map[string]map[string]string{"Replace": {
		filepath.Join(from, "time.go"):           timeFile,
		filepath.Join(from, "gasoline_clock.go"): clockFile,
	}}, "", "  ")
	if err != nil {
		return "", err
	}
	path := filepath.Join(dir, "overlay.json")
	for name, content := range map[string]string{timeFile: now, clockFile: source, path: string(overlay)} {
		if err := os.WriteFile(name, []byte(content), 0o644); err != nil {
			return "", err
		}
	}
	return path, nil
}

// edit adds the line to the source of time.Now.
func edit(src string) (string, error) {
	if n := strings.Count(src, read); n != 1 {
		return "", fmt.Errorf("time.Now does not begin as this program expects (found %d times):\n%s"+
			"this release of Go needs another edit in tools/clock", n, read)
	}
	if !strings.Contains(src, "\nfunc runtimeIsBubbled() bool\n") {
		return "", fmt.Errorf("runtimeIsBubbled is not declared; this release of Go needs another edit in tools/clock")
	}
	return strings.Replace(src, read, edited, 1), nil
}
