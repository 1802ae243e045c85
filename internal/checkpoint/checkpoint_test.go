package checkpoint_test

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/brennhill/gasoline/internal/checkpoint"
	"github.com/brennhill/gasoline/internal/problem"
	"github.com/brennhill/gasoline/internal/state"
)

func files(t *testing.T) checkpoint.Files {
	t.Helper()
	dir, err := state.Open(filepath.Join(t.TempDir(), "state"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { dir.Close() })
	return checkpoint.Files{Dir: dir}
}

func packed(t *testing.T, text string) []byte {
	t.Helper()
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	if _, err := z.Write([]byte(text)); err != nil {
		t.Fatal(err)
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

const (
	tab = `{"cookies":[{"name":"sid","value":"SECRET","domain":"a.example","path":"/","httpOnly":true},
{"name":"lang","value":"de","domain":"a.example","path":"/shop","httpOnly":false}],
"forms":[{"frame":"","fields":[{"at":"#mail","name":"mail","type":"text","value":"SECRET"}],"scroll":[0,5]}],"left_out_of_tab":[]}`
	page = `{"local":[["theme","dark"],["cart","SECRET"]],"session":[],
"databases":[{"name":"shop","version":2,"stores":[{"name":"rows","key_path":null,"auto":true,"next":4,"indexes":[],
"records":[[1,["object","a",1]],[2,"SECRET"]]}]}],"left_out_of_page":[{"what":"row of shop/keys","why":"a CryptoKey","count":2}]}`
)

func one(t *testing.T, name, tab, page string) (*checkpoint.Checkpoint, *checkpoint.Contents) {
	t.Helper()
	head := checkpoint.Head{
		Name: name, SavedAt: time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC), Origin: "http://a.example", URL: "http://a.example/shop",
		Title: "Shop", Parts: []string{"local", "session", "cookies", "indexeddb", "forms"},
	}
	c, contents, err := checkpoint.New(head, packed(t, tab), packed(t, page))
	if err != nil {
		t.Fatal(err)
	}
	return c, contents
}

func code(err error) problem.Code {
	if err == nil {
		return ""
	}
	return problem.From(err).Code
}

// A checkpoint is read as it was written, is counted, is the user's alone, and is listed.
func TestWhatIsWrittenIsRead(t *testing.T) {
	f := files(t)
	c, contents := one(t, "logged-in", tab, page)
	want := checkpoint.Counts{Local: 2, Cookies: 2, HTTPOnly: 1, Databases: 1, Records: 2, Fields: 1, LeftOut: 2}
	if c.Counts != want {
		t.Errorf("counted %+v", c.Counts)
	}
	if left := contents.LeftOut(); len(left) != 1 || left[0].What != "row of shop/keys" {
		t.Errorf("left out: %+v", left)
	}
	if err := f.Write(c, false); err != nil {
		t.Fatal(err)
	}
	back, err := f.Read("logged-in")
	if err != nil || !bytes.Equal(back.Tab, c.Tab) || !bytes.Equal(back.Page, c.Page) || back.URL != c.URL || back.Counts != c.Counts {
		t.Errorf("%+v %v", back, err)
	}
	if info, err := os.Stat(f.Path("logged-in")); err != nil || runtime.GOOS != "windows" && info.Mode().Perm() != 0o600 {
		t.Errorf("%v %v", info, err)
	}
	if code(f.Write(c, false)) != problem.Conflict || code(f.Write(c, true)) != "" || code(f.Exists("logged-in")) != problem.Conflict {
		t.Error("a name that is taken")
	}
	list, err := f.List()
	if err != nil || len(list) != 1 || list[0].Name != "logged-in" || list[0].Counts != want || list[0].Problem != "" {
		t.Errorf("%+v %v", list, err)
	}
	if _, err := f.Read("other"); code(err) != problem.NoData {
		t.Error(err)
	}
	if code(f.Remove("logged-in")) != "" || code(f.Remove("logged-in")) != problem.NoData {
		t.Error("it is deleted once")
	}
	if _, err := f.Read("logged-in"); code(err) != problem.NoData || !strings.Contains(problem.From(err).Fix, "save_state") {
		t.Error(err)
	}
}

// No name leads out of the folder, and "current" is no name.
func TestNames(t *testing.T) {
	f := files(t)
	for _, bad := range []string{"", "a/b", `a\b`, "../x", "a b", "é", "current", strings.Repeat("a", 65), "a\x00", "a\n"} {
		c, _ := one(t, "x", tab, page)
		c.Name = bad
		_, read := f.Read(bad)
		if code(checkpoint.CheckName(bad)) != problem.InvalidParam || code(f.Write(c, true)) != problem.InvalidParam ||
			code(read) != problem.InvalidParam || code(f.Remove(bad)) != problem.InvalidParam {
			t.Errorf("%q is taken for a name", bad)
		}
	}
	for _, good := range []string{".", "..", "...", "-", "a.b_c-D9", strings.Repeat("a", 64)} {
		c, _ := one(t, good, tab, page)
		if err := f.Write(c, false); err != nil {
			t.Errorf("%q: %v", good, err)
		}
		if back, err := f.Read(good); err != nil || back.Name != good {
			t.Errorf("%q: %+v %v", good, back, err)
		}
	}
	found, err := filepath.Glob(filepath.Join(f.Dir.Path(""), "..", "*"))
	if err != nil || len(found) != 1 {
		t.Errorf("beside the state directory: %v %v", found, err)
	}
}

// What is damaged, cut off, of a later version or no checkpoint is refused without a word of what is in it.
func TestDamagedFiles(t *testing.T) {
	f := files(t)
	c, _ := one(t, "a", tab, page)
	if err := f.Write(c, false); err != nil {
		t.Fatal(err)
	}
	whole, err := os.ReadFile(f.Path("a"))
	if err != nil {
		t.Fatal(err)
	}
	for name, data := range map[string][]byte{
		"empty":   {},
		"no head": []byte("SECRET\nSECRET"),
		"cut":     whole[:len(whole)-5],
		"longer":  append(slices.Clone(whole), 'x'),
		"changed": append(slices.Clone(whole[:len(whole)-1]), whole[len(whole)-1]^1),
		"later":   bytes.Replace(whole, []byte(`"gasoline_state":1`), []byte(`"gasoline_state":2`), 1),
		"swapped": bytes.Replace(whole, []byte(`"sections":[`), []byte(`"sections":[9`), 1),
	} {
		if err := os.WriteFile(f.Path("a"), data, 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := f.Read("a"); code(err) != "invalid_state" || strings.Contains(err.Error(), "SECRET") {
			t.Errorf("%s: %v", name, err)
		}
		if list, err := f.List(); err != nil || len(list) != 1 || list[0].Name != "a" {
			t.Errorf("%s: %+v %v", name, list, err)
		}
	}
	for name, sections := range map[string][2][]byte{
		"not compressed": {[]byte("SECRET"), packed(t, page)},
		"cut":            {packed(t, tab), packed(t, page)[:20]},
		"no JSON":        {packed(t, tab), packed(t, "SECRET")},
		"other types":    {packed(t, `{"cookies":"SECRET"}`), packed(t, page)},
	} {
		if _, _, err := checkpoint.New(checkpoint.Head{Name: "b"}, sections[0], sections[1]); code(err) != "invalid_state" ||
			strings.Contains(err.Error(), "SECRET") {
			t.Errorf("%s: %v", name, err)
		}
	}
	bomb := bytes.Repeat(packed(t, strings.Repeat("a", 1<<20)), 97) // what follows in gzip is unpacked, too
	if _, _, err := checkpoint.New(checkpoint.Head{Name: "b"}, packed(t, tab), bomb); code(err) != problem.TooLarge {
		t.Errorf("%d bytes that unpack to 97 MB: %v", len(bomb), err)
	}
}

// There is a most of checkpoints; one that takes the place of another is not above it.
func TestTheMostOfCheckpoints(t *testing.T) {
	f := files(t)
	for i := range checkpoint.MaxFiles {
		c, _ := one(t, fmt.Sprint("s", i), tab, page)
		if err := f.Write(c, false); err != nil {
			t.Fatal(err)
		}
	}
	c, _ := one(t, "more", tab, page)
	if code(f.Write(c, false)) != problem.TooLarge {
		t.Error("one more was taken")
	}
	c.Name = "s0"
	if err := f.Write(c, true); err != nil {
		t.Error(err)
	}
}

// Differences are names and counts, store by store; values and keys of records are not among them.
func TestDifferences(t *testing.T) {
	_, before := one(t, "a", tab, page)
	changed := strings.NewReplacer(
		`["theme","dark"]`, `["theme","light"],["new","SECRET"]`, `["cart","SECRET"]`, `["kart","1"]`,
		`"version":2`, `"version":3`, `[1,["object","a",1]],[2,"SECRET"]`, `[1,["object","a",2]],[3,"x"],[4,"x"]`,
	).Replace(page)
	other := strings.NewReplacer(`"value":"de"`, `"value":"fr"`, `"name":"sid"`, `"name":"sid2"`, `"value":"SECRET"}],"scroll"`, `"value":"x"}],"scroll"`).Replace(tab)
	_, after := one(t, "b", other, changed)
	differences, skipped := checkpoint.Compare(before, after)
	got, err := json.Marshal(differences)
	if err != nil || len(skipped) != 0 {
		t.Fatal(err, skipped)
	}
	want := `[{"store":"local_storage","added":{"count":2,"names":["kart","new"]},"removed":{"count":1,"names":["cart"]},"changed":{"count":1,"names":["theme"]}},` +
		`{"store":"cookies","added":{"count":1,"names":["sid2"]},"removed":{"count":1,"names":["sid"]},"changed":{"count":1,"names":["lang (path /shop)"]}},` +
		`{"store":"form_fields","added":{"count":0},"removed":{"count":0},"changed":{"count":1,"names":["mail"]}},` +
		`{"store":"indexeddb","added":{"count":0},"removed":{"count":0},"changed":{"count":1,"names":["shop"]}},` +
		`{"store":"indexeddb shop/rows","added":{"count":2},"removed":{"count":1},"changed":{"count":1}}]`
	if string(got) != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	if same, _ := checkpoint.Compare(before, before); len(same) != 0 {
		t.Errorf("from itself: %+v", same)
	}
	_, less := one(t, "c", `{}`, `{"local":[]}`)
	if _, skipped := checkpoint.Compare(before, less); !slices.Equal(skipped, []string{"session_storage", "cookies", "form_fields", "indexeddb"}) {
		t.Errorf("skipped %v", skipped)
	}
	// Texts that only JSON tells apart differ.
	_, x := one(t, "d", `{}`, `{"local":[["k","\ud800"]]}`)
	_, y := one(t, "e", `{}`, `{"local":[["k","\ud801"]]}`)
	if d, _ := checkpoint.Compare(x, y); len(d) != 1 || d[0].Changed.Count != 1 {
		t.Errorf("%+v", d)
	}
}
