package calls

import (
	"context"
	"errors"
	"testing"

	"github.com/brennhill/gasoline/internal/answer"
	"github.com/brennhill/gasoline/internal/catalog"
)

func TestTheProjectIsTheFirstFolderThatMayBeOne(t *testing.T) {
	type env struct{ call catalog.Call }
	var got catalog.Call
	tool := catalog.New[env](catalog.Info{Name: "observe", Key: "what", Doc: "Read."})
	catalog.Add(tool, catalog.Spec{Name: "who"}, func(_ context.Context, e env, _ struct{}) (string, error) {
		got = e.call
		return "", nil
	})
	bound := catalog.Bind(tool, func(c catalog.Call) env { return env{c} }, nil)
	r := Runner{Project: func(folder string) (string, error) {
		if folder == "/" || folder == "/home/me" {
			return "", errors.New(folder + " is none")
		}
		return "/real" + folder, nil
	}}
	for _, c := range []struct {
		folders       []string
		root, unknown string
	}{
		{nil, "", ""},
		{[]string{"/shop"}, "/real/shop", ""},
		{[]string{"/", "/shop", "/other"}, "/real/shop", ""},
		{[]string{"/home/me", "/"}, "", "/home/me is none"},
	} {
		_, p := r.Run(t.Context(), bound, catalog.Call{Folders: c.folders}, []byte(`{"what":"who"}`), answer.Options{})
		if p != nil || got.Root != c.root || got.Unknown != c.unknown {
			t.Errorf("%q gives %q (%q) %v, want %q (%q)", c.folders, got.Root, got.Unknown, p, c.root, c.unknown)
		}
	}
}
