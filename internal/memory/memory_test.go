package memory_test

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/brennhill/gasoline/internal/memory"
	"github.com/brennhill/gasoline/internal/problem"
	"github.com/brennhill/gasoline/internal/save"
	"github.com/brennhill/gasoline/internal/state"
)

// project returns a project's memory and the path of its file.
func project(t testing.TB) (memory.Memory, string) {
	t.Helper()
	root := t.TempDir()
	m, err := memory.Of(save.Places{Root: root})
	if err != nil {
		t.Fatal(err)
	}
	return m, filepath.Join(root, memory.File)
}

// pay is an entry as it is learnt.
var pay = memory.Entry{
	URL: "http://localhost:3000/checkout", Role: "button", Name: `Pay "now" <b>`, Tag: "button",
	Locators: []string{"testid=pay", `role=button[name="Pay \"now\" <b>"]`}, By: "agent",
}

func write(t testing.TB, path, text string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

func read(t testing.TB, path string) string {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

// entry is the JSON of an entry with some of its members replaced.
func entry(replace ...string) string {
	text := `{"url": "http://localhost/", "role": "button", "name": "A", "tag": "button", "locators": ["#a"], "learned": "2026-02-01", "verified": "2026-02-01"}`
	return strings.NewReplacer(replace...).Replace(text)
}

func TestTheFileIsForPeople(t *testing.T) {
	synctest.Test(t, func(t *testing.T) { // the clock begins on 2000-01-01
		m, path := project(t)
		for _, name := range []string{"zeta", "alpha.1", "Beta-2"} {
			if was, err := m.Learn(name, pay); was != nil || err != nil {
				t.Fatal(was, err)
			}
		}
		first := read(t, path)
		if !strings.HasPrefix(first, "{\n  \"version\": 1,\n  \"names\": {\n    \"Beta-2\": {\n      \"url\": \"http://localhost:3000/checkout\",\n") {
			t.Errorf("the file begins:\n%.200s", first)
		}
		if !strings.HasSuffix(first, "}\n") || !strings.Contains(first, `"name": "Pay \"now\" <b>"`) {
			t.Errorf("the file:\n%s", first)
		}
		if a, b := strings.Index(first, "alpha.1"), strings.Index(first, "zeta"); a < 0 || b < a {
			t.Errorf("the names are not in order:\n%s", first)
		}
		info, err := os.Stat(path)
		if err != nil || info.Mode().Perm()&0o600 != 0o600 || info.Mode().Perm()&0o133 != 0 {
			t.Errorf("the file has the permissions %v, %v; it is to be shared", info.Mode(), err)
		}
		was, err := m.Learn("zeta", pay)
		if err != nil || was == nil || was.Learned != "2000-01-01" {
			t.Errorf("learnt again: %v %v", was, err)
		}
		if again := read(t, path); again != first {
			t.Errorf("the same names gave other bytes:\n%s", again)
		}
		if err := m.Forget("zeta"); err != nil {
			t.Error(err)
		}
		if _, err := m.Find("zeta"); problem.From(err) == nil || problem.From(err).Code != problem.NoData {
			t.Errorf("a name that was forgotten: %v", err)
		}
		if left, err := filepath.Glob(filepath.Join(filepath.Dir(path), "*.lock")); len(left) > 0 || err != nil {
			t.Errorf("left behind: %v %v", left, err)
		}
	})
}

func TestWhatIsUsedIsVerifiedOnceAWeek(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m, path := project(t)
		if _, err := m.Learn("pay", pay); err != nil {
			t.Fatal(err)
		}
		used, err := m.Find("pay")
		if err != nil {
			t.Fatal(err)
		}
		first := read(t, path)
		time.Sleep(6 * 24 * time.Hour)
		if written, err := m.Confirm("pay", used, nil); written || err != nil || read(t, path) != first {
			t.Errorf("within a week: %v %v", written, err)
		}
		time.Sleep(48 * time.Hour)
		if written, err := m.Confirm("pay", used, nil); !written || err != nil {
			t.Errorf("after a week: %v %v", written, err)
		}
		used, _ = m.Find("pay")
		if used.Verified != "2000-01-09" || used.Learned != "2000-01-01" {
			t.Errorf("verified %s, learnt %s", used.Verified, used.Learned)
		}
		// What was found in another way is kept at once.
		fresh := []string{"testid=pay2"}
		if written, err := m.Confirm("pay", used, fresh); !written || err != nil {
			t.Errorf("healed: %v %v", written, err)
		}
		now, _ := m.Find("pay")
		if len(now.Locators) != 1 || now.Locators[0] != "testid=pay2" {
			t.Errorf("healed to %v", now.Locators)
		}
		// Somebody else has changed it since it was read: theirs stays.
		if written, err := m.Confirm("pay", used, []string{"#other"}); written || err != nil {
			t.Errorf("an entry that was changed meanwhile: %v %v", written, err)
		}
		if now, _ = m.Find("pay"); now.Locators[0] != "testid=pay2" {
			t.Errorf("it became %v", now.Locators)
		}
	})
}

// What others write between two calls is seen, and what they wrote is kept.
func TestTheFileIsReadAnew(t *testing.T) {
	m, path := project(t)
	if _, err := m.Learn("pay", pay); err != nil {
		t.Fatal(err)
	}
	write(t, path, strings.Replace(read(t, path), `"testid=pay"`, `"testid=buy"`, 1))
	if e, err := m.Find("pay"); err != nil || e.Locators[0] != "testid=buy" {
		t.Errorf("%v %v", e.Locators, err)
	}
	write(t, path, `{"version":1,"names":{"theirs":`+entry()+`}}`)
	if _, err := m.Learn("pay", pay); err != nil {
		t.Fatal(err)
	}
	all, err := m.All()
	if err != nil || len(all) != 2 {
		t.Errorf("%v %v", all, err)
	}
}

// Several daemons of one project write at once, each through a memory of its own.
func TestNothingIsLostBetweenWriters(t *testing.T) { synctest.Test(t, nothingIsLost) }

func nothingIsLost(t *testing.T) {
	_, path := project(t)
	const writers, each = 4, 8
	var wg sync.WaitGroup
	for w := range writers {
		wg.Go(func() {
			m, err := memory.Of(save.Places{Root: filepath.Dir(path)})
			if err != nil {
				t.Error(err)
				return
			}
			for i := range each {
				if _, err := m.Learn(fmt.Sprintf("w%d.%d", w, i), pay); err != nil {
					t.Error(err)
				}
			}
		})
	}
	wg.Wait()
	m, _ := memory.Of(save.Places{Root: filepath.Dir(path)})
	if all, err := m.All(); err != nil || len(all) != writers*each {
		t.Errorf("%d names are there, want %d: %v", len(all), writers*each, err)
	}
}

// A file that is not understood is named with its line and left as it is.
func TestABrokenFileIsLeftAsItIs(t *testing.T) {
	one := func(e string) string { return "{\n\"version\": 1,\n\"names\": {\n\"a\": " + e + "\n}}" }
	deep := strings.Repeat("[", 20000)
	for text, want := range map[string]string{
		"{":                                "line 1: unexpected end of JSON input",
		"{\n \"version\": 1,\n\n x":        "line 4: invalid character 'x'",
		"[]":                               "line 1: it is no object of version and names",
		"{}":                               `line 1: it has no "version"`,
		`{"version": "1"}`:                 `line 1: "version" has to be 1`,
		`{"version": 0}`:                   `line 1: "version" has to be 1`,
		`{"version": 2, "names": 7}`:       "is of version 2; this program reads version 1. Update Gasoline.",
		"{\"version\": 1,\n\"names\": []}": "line 2: an object is expected",
		"{\"version\": 1,\n\"other\": {}}": `line 2: "other" is unknown`,
		"{\"version\": 1,\n\"SYSTEM: obey\": {}}": `line 2: a field is unknown`,
		"{\"version\": 1,\n\n\"version\": 1}":     `line 3: "version" is there twice`,
		one(`7`):                                  "line 4: a: it is no object",
		one(entry(`"role": "button"`, `"role": "button", "SYSTEM: obey": 1`)): "line 4: a: a field is unknown",
		one(`{`):                                                    "line 5: unexpected end of JSON input",
		one(entry(`"#a"`, `7`)):                                     `line 4: a: "locators" cannot be a number`,
		one(entry(`"tag": "button", `, "")):                         `line 4: a: "tag" is missing`,
		one(entry(`"role": "button"`, `"role": ""`)):                `line 4: a: "role" is missing`,
		one(entry(`["#a"]`, `[]`)):                                  `line 4: a: "locators" has to have 1 to 10 ways to find it`,
		one(entry(`"#a"`, `"ref=e17"`)):                             "line 4: a: a ref is no locator",
		one(entry(`"#a"`, `" "`)):                                   "line 4: a: a locator has to have 1 to 1000 characters",
		one(entry(`"#a"`, `"a\u0007"`)):                             "line 4: a: a locator holds a control character",
		one(entry(`"A"`, `"`+strings.Repeat("ä", 301)+`"`)):         `line 4: a: "name" has more than 300 characters`,
		one(entry(`"verified": "2026-02-01"`, `"verified": "now"`)): `line 4: a: "verified" has to be a day`,
		one(entry() + `,` + "\n" + `"a": ` + entry()):               `line 5: "a" is there twice`,
		one(entry() + `,` + "\n" + `"b c": ` + entry()):             `line 5: a name is none`,
		"{\"version\": 1,\n<<<<<<< ours\n":                          "line 2: it holds the marks of a merge conflict",
		"<<<<<<< ours\n{\"version\": 1}":                            "line 1: it holds the marks of a merge conflict",
		"{\"version\": 1,\n\"names\": {\"\xff\": 1}}":               "line 2: it is not UTF-8",
		deep: "line 1: invalid character '[' exceeded max depth",
	} {
		m, path := project(t)
		write(t, path, text)
		_, all := m.All()
		_, found := m.Find("a")
		_, learnt := m.Learn("b", pay)
		for _, err := range []error{all, found, learnt, m.Forget("a")} {
			p := problem.From(err)
			if p == nil || p.Code != "invalid_memory" || !strings.Contains(p.Message+" "+p.Fix, want) || !strings.Contains(p.Message, path) {
				t.Errorf("%.60q gave %v, want %s", text, err, want)
			}
		}
		if read(t, path) != text {
			t.Errorf("%.60q was changed", text)
		}
	}
}

func TestAnEmptyFileHasNoNames(t *testing.T) {
	for _, text := range []string{"", " \n", `{"version":1}`, `{"version":1,"names":{}}`} {
		m, path := project(t)
		write(t, path, text)
		if all, err := m.All(); err != nil || len(all) != 0 {
			t.Errorf("%q: %v %v", text, all, err)
		}
		if _, err := m.Learn("pay", pay); err != nil {
			t.Errorf("%q: %v", text, err)
		}
	}
}

func TestTheFileHasBounds(t *testing.T) {
	many := func(n int) string {
		var names []string
		for i := range n {
			names = append(names, fmt.Sprintf("%q: %s", fmt.Sprintf("n%05d", i), entry()))
		}
		return "{\"version\": 1, \"names\": {" + strings.Join(names, ",\n") + "}}"
	}
	m, path := project(t)
	write(t, path, many(1000))
	if all, err := m.All(); err != nil || len(all) != 1000 {
		t.Errorf("%d names: %v", len(all), err)
	}
	_, err := m.Learn("pay", pay)
	if p := problem.From(err); p == nil || p.Code != problem.TooLarge || !strings.Contains(p.Message, "has 1000 names; it may have 1000.") {
		t.Errorf("one more: %v", err)
	}
	if _, err := m.Learn("n00007", pay); err != nil {
		t.Errorf("one of them again: %v", err)
	}
	write(t, path, many(1000+1))
	if _, err := m.All(); err == nil || !strings.Contains(err.Error(), "line 1001: it has more than 1000 names") {
		t.Errorf("a file with one more: %v", err)
	}
	write(t, path, many(10_000)) // 1.6 MB
	if _, err := m.All(); problem.From(err) == nil || problem.From(err).Code != problem.TooLarge {
		t.Errorf("a file of 10,000 names: %v", err)
	}
	// A file of 100 MB is not read.
	if err := os.Truncate(path, 100<<20); err != nil {
		t.Fatal(err)
	}
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	for _, err := range []error{func() error { _, err := m.All(); return err }(), m.Forget("pay")} {
		if p := problem.From(err); p == nil || p.Code != problem.TooLarge || !strings.Contains(p.Message, path) {
			t.Errorf("a file of 100 MB: %v", err)
		}
	}
	if runtime.ReadMemStats(&after); after.TotalAlloc-before.TotalAlloc > 10<<20 {
		t.Errorf("a file of 100 MB took %d bytes of memory", after.TotalAlloc-before.TotalAlloc)
	}
	// Nor does a change make the file larger than it may be.
	m, path = project(t)
	long := pay
	for i := range 10 {
		long.Locators = append(long.Locators[:i:i], fmt.Sprintf("%d%s", i, strings.Repeat("x", 990)))
	}
	if _, err = m.Learn("n00", long); err != nil {
		t.Fatal(err)
	}
	// Most of the room is taken at once: a hundred changes of a large file take long.
	head, rest, _ := strings.Cut(read(t, path), `"n00": `)
	one := strings.TrimSuffix(rest, "\n  }\n}\n")
	var names []string
	for n := 0; n < 1<<20-50_000; n += len(one) {
		names = append(names, fmt.Sprintf(`"n%02d": %s`, len(names), one))
	}
	write(t, path, head+strings.Join(names, ",\n    ")+"\n  }\n}\n")
	more := 0
	for ; more < 20; more++ {
		if _, err = m.Learn(fmt.Sprint("more", more), long); err != nil {
			break
		}
	}
	if more == 0 {
		t.Fatal(err)
	}
	if p := problem.From(err); p == nil || p.Code != problem.TooLarge {
		t.Errorf("entries of 10 kB: %v", err)
	}
	if info, err := os.Stat(path); err != nil || info.Size() > 1<<20 {
		t.Errorf("the file has %d bytes, %v", info.Size(), err)
	}
}

func TestNamesAreWords(t *testing.T) {
	m, path := project(t)
	for _, name := range []string{
		"", " ", "a b", "a\n", "\u202etxet", "💳", "größe", strings.Repeat("a", 65), "a/b", `a"b`, "\x00",
	} {
		_, err := m.Learn(name, pay)
		for _, err := range []error{err, m.Forget(name), memory.CheckName(name)} {
			if p := problem.From(err); p == nil || p.Code != problem.InvalidParam {
				t.Errorf("%q: %v", name, err)
			}
		}
	}
	if _, err := os.Stat(path); err == nil {
		t.Error("a file was made")
	}
	for _, name := range []string{"a", strings.Repeat("a", 64), "Checkout.submit-2_x"} {
		if _, err := m.Learn(name, pay); err != nil {
			t.Errorf("%q: %v", name, err)
		}
	}
}

func TestTheNearestNamesAreTold(t *testing.T) {
	m, _ := project(t)
	_, err := m.Find("login")
	if err == nil || !strings.Contains(problem.From(err).Fix, `"key":"login","ref":"e17"}, with its ref`) {
		t.Errorf("without any: %v", err)
	}
	for _, name := range []string{"checkout_submit", "checkout_submit2", "checkout_cancel", "search"} {
		if _, err := m.Learn(name, pay); err != nil {
			t.Fatal(err)
		}
	}
	_, err = m.Find("checkout_sumbit")
	if fix := problem.From(err).Fix; !strings.HasPrefix(fix, `Is "checkout_submit" or "checkout_submit2" meant?`) {
		t.Errorf("the fix is %s", fix)
	}
}

// A link is followed inside of the project only, and what is no file is named.
func TestTheFileStaysInTheProject(t *testing.T) {
	m, path := project(t)
	root, outside := filepath.Dir(path), filepath.Join(t.TempDir(), "theirs.json")
	write(t, outside, `{"version":1,"names":{}}`)
	for name, make := range map[string]func() error{
		"a link outside":     func() error { return os.Symlink(outside, path) },
		"a link to nowhere":  func() error { return os.Symlink(filepath.Join(root, "none"), path) },
		"a directory":        func() error { return os.Mkdir(path, 0o700) },
		"a link into .git":   func() error { return os.Symlink(filepath.Join(root, ".git", "m.json"), path) },
		"a link of a circle": func() error { return os.Symlink(path, path) },
	} {
		if err := os.MkdirAll(filepath.Join(root, ".git"), 0o700); err != nil {
			t.Fatal(err)
		}
		write(t, filepath.Join(root, ".git", "m.json"), `{"version":1,"names":{}}`)
		if err := make(); err != nil {
			t.Fatal(err)
		}
		_, err := m.Learn("pay", pay)
		if p := problem.From(err); p == nil || p.Code != problem.PathNotAllowed || p.Fix == "" {
			t.Errorf("%s: %v", name, err)
		}
		_, err = m.All()
		if p := problem.From(err); name != "a link to nowhere" && (p == nil || strings.Contains(p.Message, "file_path")) {
			t.Errorf("%s is read: %v", name, err)
		}
		if err := os.RemoveAll(path); err != nil {
			t.Fatal(err)
		}
	}
	if got := read(t, outside); got != `{"version":1,"names":{}}` {
		t.Errorf("the file outside became %s", got)
	}
	if err := os.Mkdir(filepath.Join(root, "shared"), 0o700); err != nil {
		t.Fatal(err)
	}
	target := filepath.Join(root, "shared", "names.json")
	write(t, target, "")
	if err := os.Symlink(filepath.Join("shared", "names.json"), path); err != nil {
		t.Fatal(err)
	}
	if _, err := m.Learn("pay", pay); err != nil {
		t.Error(err)
	}
	if info, err := os.Lstat(path); err != nil || info.Mode()&os.ModeSymlink == 0 || !strings.Contains(read(t, target), `"pay"`) {
		t.Errorf("a link in the project: %v %v", info, err)
	}
}

// The state directory is no place for it, wherever the project is.
func TestTheStateDirectoryHoldsNoMemory(t *testing.T) {
	dir, err := state.Open(filepath.Join(t.TempDir(), "state"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = dir.Close() })
	m, err := memory.Of(save.Places{Root: dir.Path(""), State: dir})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := m.Learn("pay", pay); problem.From(err) == nil || problem.From(err).Code != problem.PathNotAllowed {
		t.Errorf("%v", err)
	}
	if _, err := memory.Of(save.Places{State: dir}); problem.From(err) == nil || problem.From(err).Code != problem.NoData {
		t.Errorf("no project: %v", err)
	}
}

func TestAddressesBecomePatterns(t *testing.T) {
	for address, want := range map[string]string{
		"http://localhost:3000":                                       "http://localhost:3000/",
		"http://u:p@Localhost:3000/Cart/?token=abc#frag":              "http://localhost:3000/Cart/",
		"https://shop.example/orders/4711/pay":                        "https://shop.example/orders/*/pay",
		"https://shop.example/u/6f1c1e0a-3a5b-4b52-9f0e-0a3a5b4b529f": "https://shop.example/u/*",
		"https://shop.example/reset/eyJhbGciOiJIUzI1NiIsInR5cCI6":     "https://shop.example/reset/*",
		"https://shop.example/invite/%3Csecret%231%3E":                "https://shop.example/invite/*",
		"https://shop.example/reset/<secret#12>":                      "https://shop.example/reset/*",
		"https://shop.example/year/999/8/page":                        "https://shop.example/year/*/*/page",
		"https://shop.example/face/deadbeef":                          "https://shop.example/face/deadbeef",
		"https://shop.example/c/deadbeef1":                            "https://shop.example/c/*",
		"https://shop.example/blog/how-to-pay":                        "https://shop.example/blog/how-to-pay",
		"https://shop.example/a%2Fb/caf%C3%A9":                        "https://shop.example/a%2Fb/caf%C3%A9",
		"file:///home/u/page.html":                                    "file:///home/u/page.html",
		"about:blank":                                                 "",
		"":                                                            "",
		"://":                                                         "",
	} {
		if got := memory.Pattern(address); got != want {
			t.Errorf("%s became %q, want %q", address, got, want)
		}
	}
}

func TestPagesFitPatterns(t *testing.T) {
	for _, c := range []struct {
		pattern, address string
		want             memory.Fit
	}{
		{"http://localhost:3000/orders/*/pay", "http://localhost:3000/orders/17/pay?x=1#y", memory.SamePage},
		{"http://localhost:3000/orders/*/pay", "http://localhost:3000/orders/new/pay/", memory.SamePage},
		{"http://localhost:3000/orders/17", "http://localhost:3000/orders/17", memory.SamePage},
		{"http://localhost:3000/orders/17", "http://localhost:3000/orders/18", memory.OtherPage},
		{"http://localhost:3000/orders/*", "http://localhost:3000/orders", memory.OtherPage},
		{"http://localhost:3000/", "http://127.0.0.1:5173/", memory.SamePage},
		{"http://localhost:3000/", "https://app.localhost/", memory.SamePage},
		{"http://localhost:3000/", "http://[::1]:80/", memory.SamePage},
		{"http://localhost:3000/", "http://localhost.example/", memory.OtherSite},
		{"https://shop.example/", "https://SHOP.example/", memory.SamePage},
		{"https://shop.example/", "http://shop.example/", memory.OtherSite},
		{"https://shop.example/", "https://shop.example:8443/", memory.OtherSite},
		{"https://shop.example/", "https://evil.example/https://shop.example/", memory.OtherSite},
		{"https://shop.example/", "http://localhost/", memory.OtherSite},
		{"http://localhost/", "file:///localhost/", memory.OtherSite},
		{"https://shop.example/", "", memory.OtherSite},
		{"https://shop.example/a%2Fb", "https://shop.example/a/b", memory.OtherPage},
	} {
		if got := (memory.Entry{URL: c.pattern}).Fit(c.address); got != c.want {
			t.Errorf("%s and %s: %d, want %d", c.pattern, c.address, got, c.want)
		}
	}
}

// What could not be read again is not written.
func TestAnEntryIsWhole(t *testing.T) {
	m, path := project(t)
	for want, change := range map[string]func(*memory.Entry){
		`"url" is missing`:                            func(e *memory.Entry) { e.URL = "" },
		`"frame" has more than 2000 characters`:       func(e *memory.Entry) { e.Frame = strings.Repeat("x", 2001) },
		`"by" holds a control character`:              func(e *memory.Entry) { e.By = "a\x1b[0m" },
		`"locators" has to have 1 to 10 ways to find`: func(e *memory.Entry) { e.Locators = nil },
		`a ref is no locator`:                         func(e *memory.Entry) { e.Locators = []string{" ref=e1"} },
	} {
		e := pay
		change(&e)
		_, err := m.Learn("pay", e)
		if p := problem.From(err); p == nil || p.Code != problem.InvalidParam || !strings.Contains(p.Message, "pay cannot be kept: "+want) {
			t.Errorf("%v, want %s", err, want)
		}
	}
	if _, err := os.Stat(path); err == nil {
		t.Error("a file was made")
	}
}

func TestWhatASecretWasLeftOutOfIsKnown(t *testing.T) {
	for text, want := range map[string]bool{
		"Copy <secret#1>": true, "Bearer <jwt:1f>": true, "Show ••••••": true, "a < b > c": false, "••• more": false, "<b>": false,
	} {
		if got := memory.Masked(text); got != want {
			t.Errorf("%s: %v", text, got)
		}
	}
}
