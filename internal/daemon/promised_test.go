package daemon_test

import (
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/brennhill/gasoline/internal/daemon"
)

// The five tools have the 157 modes that are foreseen, by name, in what a client lists and in what they can do. What they have
// beyond those is here, and nowhere else.
func TestTheModesThatAreForeseenAreThere(t *testing.T) {
	beyond := map[string][]string{"interact": {"drag"}}
	data, err := os.ReadFile("../catalog/testdata/all-modes.txt")
	if err != nil {
		t.Fatal(err)
	}
	foreseen, tool := map[string][]string{}, ""
	mode := regexp.MustCompile(`([a-z0-9_]+)(?:\([^)]*\))?`)
	for line := range strings.Lines(string(data)) {
		switch word, rest, _ := strings.Cut(strings.TrimSpace(line), " "); word {
		case "", "#", "doc", "show", "group":
		case "tool":
			tool, _, _ = strings.Cut(rest, " ")
		default:
			for _, m := range mode.FindAllStringSubmatch(line, -1) {
				foreseen[tool] = append(foreseen[tool], m[1])
			}
		}
	}
	total := 0
	for _, b := range daemon.Catalogue() {
		total += len(foreseen[b.Name])
		var names []string
		listed := b.Description()
		for _, m := range b.Modes() {
			if m.Name == "help" {
				continue
			}
			names = append(names, m.Name)
			if !regexp.MustCompile(`\b` + m.Name + `\b`).MatchString(listed) {
				t.Errorf("the list of tools does not name %s %s", b.Name, m.Name)
			}
		}
		want := slices.Concat(foreseen[b.Name], beyond[b.Name])
		slices.Sort(names)
		slices.Sort(want)
		if !slices.Equal(names, want) {
			t.Errorf("%s has\n%v, want\n%v", b.Name, names, want)
		}
	}
	if total != 157 {
		t.Errorf("%d modes are foreseen, want 157", total)
	}
}
