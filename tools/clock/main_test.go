package main

import (
	"go/build"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

const program = `package main

import (
	"fmt"
	"os"
	"os/exec"
	"time"
)

func main() {
	now := time.Now()
	fmt.Println(now.UTC().Format("2006-01-02T15:04"), time.Since(now) < time.Minute, time.Since(now.Round(0)) < time.Minute)
	if len(os.Args) == 1 {
		out, err := exec.Command(os.Args[0], "child").CombinedOutput()
		fmt.Print(string(out))
		if err != nil {
			panic(err)
		}
	}
}
`

// A program begins at the time that it is told, and what it starts goes on with it.
func TestAProgramBeginsAtATime(t *testing.T) {
	dir := t.TempDir()
	overlay, err := write(filepath.Join(dir, "overlay"), filepath.Join(build.Default.GOROOT, "src", "time"))
	if err != nil {
		t.Fatal(err)
	}
	source, built := filepath.Join(dir, "main.go"), filepath.Join(dir, "program")
	if err := os.WriteFile(source, []byte(program), 0o644); err != nil {
		t.Fatal(err)
	}
	if out, err := exec.Command("go", "build", "-overlay", overlay, "-o", built, source).CombinedOutput(); err != nil {
		t.Fatalf("%v %s", err, out)
	}
	for clock, want := range map[string]string{
		"2031-12-31T23:58:00Z": "2031-12-31T23:58 true true", "1999-01-01T00:00:00+01:00": "1998-12-31T23:00 true true",
	} {
		cmd := exec.Command(built)
		cmd.Env = append(os.Environ(), "GASOLINE_CLOCK="+clock)
		out, err := cmd.CombinedOutput()
		if lines := strings.Split(strings.TrimSpace(string(out)), "\n"); err != nil || len(lines) != 2 || lines[0] != want || lines[1] != want {
			t.Errorf("at %s: %v %q, want %q twice", clock, err, out, want)
		}
	}
	cmd := exec.Command(built)
	cmd.Env = append(os.Environ(), "GASOLINE_CLOCK=midnight")
	if out, err := cmd.CombinedOutput(); err == nil || !strings.Contains(string(out), "is no instant in RFC 3339") {
		t.Errorf("an instant that is none: %v %s", err, out)
	}
}

// Another release's time.Now is not guessed.
func TestAnotherSourceOfTimeIsAnError(t *testing.T) {
	for _, src := range []string{"", "func Now() Time { return now() }", read, read + read + "\nfunc runtimeIsBubbled() bool\n"} {
		if _, err := edit(src); err == nil || !strings.Contains(err.Error(), "tools/clock") {
			t.Errorf("%q: %v", src, err)
		}
	}
}
