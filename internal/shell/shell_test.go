package shell

import (
	"os/exec"
	"testing"
)

var words = []string{
	"gasoline", "", "a b", "it's", `"x"`, "$HOME", "`id`", "a\nb", "*", "größe", `back\slash`, "~", "#a", "a;b", "!x", "{a,b}",
}

// A shell gets the words that were written.
func TestAShellReadsTheWordsAsTheyAre(t *testing.T) {
	sh, err := exec.LookPath("sh")
	if err != nil {
		t.Skip("there is no sh here")
	}
	want := ""
	for _, w := range words {
		want += w + "\x00"
	}
	out, err := exec.Command(sh, "-c", line("linux", append([]string{"printf", `%s\0`}, words...))).Output()
	if err != nil || string(out) != want {
		t.Errorf("%q %v, want %q", out, err, want)
	}
}

func TestLinesOfBothFamilies(t *testing.T) {
	in := []string{`C:\Program Files\gasoline.exe`, "--port", "7891", "it's"}
	for system, want := range map[string]string{
		"linux":   `'C:\Program Files\gasoline.exe' --port 7891 'it'\''s'`,
		"windows": `"C:\Program Files\gasoline.exe" --port 7891 "it's"`,
	} {
		if got := line(system, in); got != want {
			t.Errorf("%s: %s, want %s", system, got, want)
		}
	}
	if got := line("windows", []string{`C:\Users\ada\gasoline.exe`}); got != `C:\Users\ada\gasoline.exe` {
		t.Error(got)
	}
}
