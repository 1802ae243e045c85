package testkit

import (
	"slices"
	"testing"
)

func TestArchivesAreReadAndWritten(t *testing.T) {
	const text = "about it\n-- a b --\none\n--not one--\n-- c --\n-- d --\nlast"
	want := []Section{{"a b", "one\n--not one--\n"}, {"c", ""}, {"d", "last"}}
	a := ParseArchive(text)
	if a.Comment != "about it\n" || !slices.Equal(a.Sections, want) {
		t.Errorf("read as %q", a)
	}
	if got := string(a.Format()); got != text+"\n" {
		t.Errorf("written as %q", got)
	}
}

func FuzzArchive(f *testing.F) {
	f.Add("x\n-- a --\ny")
	f.Add("-- --\n--  x  --\r\n")
	f.Add("\r")
	f.Fuzz(func(t *testing.T, text string) {
		once := ParseArchive(text).Format()
		if twice := ParseArchive(string(once)).Format(); string(once) != string(twice) {
			t.Errorf("%q is written as %q, then as %q", text, once, twice)
		}
	})
}
