package interact_test

import (
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/brennhill/gasoline/internal/catalog"
	"github.com/brennhill/gasoline/internal/tools/interact"
)

// coming returns the signatures of the modes that the product foresees and that are not declared yet.
func coming(t *testing.T, b *catalog.Bound) (out []string) {
	t.Helper()
	data, err := os.ReadFile("../../catalog/testdata/all-modes.txt")
	if err != nil {
		t.Fatal(err)
	}
	_, section, ok := strings.Cut(string(data), "\ntool interact ")
	if !ok {
		t.Fatal("the list of modes has no interact")
	}
	section, _, _ = strings.Cut(section, "\ntool ")
	_, section, _ = strings.Cut(section, "\n")
	signature := regexp.MustCompile(`([a-z0-9_]+)(?:\([^)]*\))?`)
	for line := range strings.Lines(section) {
		if word, _, _ := strings.Cut(line, " "); word == "doc" || word == "show" || word == "group" {
			continue
		}
		for _, m := range signature.FindAllStringSubmatch(line, -1) {
			if _, declared := b.Lookup(m[1]); !declared {
				out = append(out, m[0])
			}
		}
	}
	return out
}

// The description as it is declared leaves room for all modes that are to come.
func TestTheDeclarationFitsItsBounds(t *testing.T) {
	b := catalog.Bind(interact.Tool, func(catalog.Call) interact.Env { return interact.Env{} }, nil)
	if d := b.Disagreements(); len(d) > 0 {
		t.Error(d)
	}
	now, rest := b.Description(), coming(t, b)
	need := len(strings.Join(rest, " ")) + 1
	if len(rest) == 0 && len(b.Modes()) < 50 {
		t.Error("no mode is to come: take the modes that are given up out of catalog/testdata/all-modes.txt, or lower this bound")
	}
	if len(now)+need > catalog.MaxDescription {
		t.Errorf(
			"the description has %d bytes, and the %d modes that are to come need %d more: that is %d above %d. "+
				"Shorten Doc or Groups of Tool in interact.go, name a parameter that many modes take once in a group, or find "+
				"shorter names for the modes to come in catalog/testdata/all-modes.txt: %s",
			len(now), len(rest), need, len(now)+need-catalog.MaxDescription, catalog.MaxDescription, now,
		)
	}
	if len(b.Shown) > 12 {
		t.Errorf("%d parameters are shown, and 12 may be: take from Shown what help tells as well", len(b.Shown))
	}
	schema := string(b.Schema())
	for _, p := range b.Shown {
		if !strings.Contains(schema, `"`+p+`":{`) {
			t.Errorf("%s is shown and no mode has it: take it out of Shown", p)
		}
	}
	// What signatures leave out is named once, and in the help of each mode that has it.
	for _, p := range []string{"tab", "reason"} {
		if strings.Count(now, "Also: ") != 1 || !strings.Contains(now, p+" (") {
			t.Errorf("%s is not named: %s", p, now)
		}
		if help, err := b.Help("navigate"); err != nil || !strings.Contains(help, p+": ") {
			t.Errorf("the help of navigate lacks %s: %v %s", p, err, help)
		}
	}
	if !strings.Contains(now, "refresh(A)") || !strings.Contains(now, " new_tab(url)") {
		t.Errorf("signatures still name what the tool names: %s", now)
	}
}
