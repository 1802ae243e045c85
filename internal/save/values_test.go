package save_test

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/brennhill/gasoline/internal/catalog"
	"github.com/brennhill/gasoline/internal/problem"
	"github.com/brennhill/gasoline/internal/save"
	"github.com/brennhill/gasoline/internal/state"
)

const megabyte = 1 << 20

// value is JSON of so many bytes.
func value(n int) []byte { return append(append([]byte{'"'}, bytes.Repeat([]byte{'a'}, n-2)...), '"') }

// A project stores 10 MB in values of at most 1 MB, however many save at once.
func TestBoundsOfValues(t *testing.T) {
	dir, err := state.Open(filepath.Join(t.TempDir(), "state"))
	if err != nil {
		t.Fatal(err)
	}
	defer dir.Close()
	call := catalog.Call{Root: t.TempDir()}
	open := func() *save.Values {
		t.Helper()
		v, err := save.ValuesOf(call, dir)
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
	refused := func(v *save.Values, key string, n int) {
		t.Helper()
		if _, err := v.Save("session", key, value(n)); err == nil || problem.From(err).Code != problem.TooLarge {
			t.Errorf("%s of %d bytes: %v", key, n, err)
		}
	}
	early := open() // of somebody who saves at the same time
	refused(open(), "a", megabyte+1)
	for i := range 10 {
		if _, err := open().Save("session", fmt.Sprint("k", i), value(megabyte)); err != nil {
			t.Fatalf("value %d: %v", i, err)
		}
	}
	refused(open(), "more", 2)
	refused(early, "more", 2)
	if there, err := early.Save("session", "K3", value(2)); err != nil || !there {
		t.Errorf("a value in place of one: %v, %v", there, err)
	}
	if names, size := open().Stats(); names["session"] != 10 || size != 9*megabyte+2 {
		t.Errorf("%v %d", names, size)
	}

	// As many keys as there may be.
	folder, err := save.ProjectFolder(call, "values")
	if err != nil {
		t.Fatal(err)
	}
	for i := range 990 {
		if err := os.WriteFile(dir.Path(folder+fmt.Sprintf("/store/notes.n%d.json", i)), []byte("1"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	refused(open(), "one-more", 2)
	if _, err := open().Save("notes", "n1", []byte("2")); err != nil {
		t.Errorf("a value in place of one: %v", err)
	}
	if err := open().Remove("session", "k0"); err != nil {
		t.Fatal(err)
	}
	if _, err := open().Save("session", "one-more", value(2)); err != nil {
		t.Errorf("where one was deleted: %v", err)
	}
	if text := problem.From(saveError(open(), megabyte+1)).Message; !strings.Contains(text, "1048577 bytes") || !strings.Contains(text, "1048576") {
		t.Error(text)
	}
}

func saveError(v *save.Values, n int) error {
	_, err := v.Save("session", "x", value(n))
	return err
}
