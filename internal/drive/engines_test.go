package drive

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/brennhill/gasoline/internal/command"
)

// Every kind of locator that is declared stands in each place that names them: the recipe of AGENTS.md.
func TestEveryLocatorIsNamedWhereLocatorsAre(t *testing.T) {
	file := func(path string) string {
		data, err := os.ReadFile(filepath.Join("..", "..", filepath.FromSlash(path)))
		if err != nil {
			t.Fatal(err)
		}
		return string(data)
	}
	m := regexp.MustCompile(`\^\(ref\|([a-z|]+)\)=`).FindStringSubmatch(file("capture/locators/grammar.ts"))
	if m == nil {
		t.Fatal("grammar.ts does not say which locators it reads")
	}
	read := strings.Split(m[1], "|")
	declared := slices.Clone(command.Engines)
	slices.Sort(read)
	slices.Sort(declared)
	if !slices.Equal(read, declared) {
		t.Errorf("grammar.ts reads %v, command.Engines declares %v", read, declared)
	}
	for _, engine := range declared {
		for place, word := range map[string]string{
			"capture/locators/match.ts":           `case "` + engine + `"`,
			"extension/dom-agent/selector.ts":     `| "` + engine + `"`,
			"internal/command/params.go":          engine + "=",
			"internal/command/results.go":         ", " + engine + ",",
			"internal/tools/interact/interact.go": engine + "=",
		} {
			if !strings.Contains(file(place), word) {
				t.Errorf("%s lacks %s", place, word)
			}
		}
		if fix := fixes["invalid_selector"]; !strings.Contains(fix, engine+"=") {
			t.Errorf("the fix of invalid_selector lacks %s: %s", engine, fix)
		}
	}
}
