package drive

import (
	"testing"

	"github.com/brennhill/gasoline/internal/command"
)

// What acts gives a page something unless it is said that it does not, and a text for a dialog is given by any of them.
func TestWhatGivesAPageSomething(t *testing.T) {
	for _, kind := range command.Kinds() {
		if kind.Needs(command.Follows) && !kind.Needs(command.Acts) {
			t.Errorf("%s does not act", kind.Name)
		}
	}
	for _, c := range []struct {
		kind   *command.Declaration
		params any
		want   bool
	}{
		{command.Click.Declaration, &command.ClickParams{}, false},
		{command.Click.Declaration, &command.ClickParams{Dialogs: command.Dialogs{Dialog: "accept"}}, false},
		{command.Click.Declaration, &command.ClickParams{Dialogs: command.Dialogs{DialogText: "secret"}}, true},
		{command.ClipboardWrite.Declaration, &command.ClipboardWriteParams{}, true},
		{command.ClearStorage.Declaration, &command.Storage{}, true},
		{command.DeleteStorage.Declaration, &command.StorageParams{}, true},
		{command.DeleteCookie.Declaration, &command.CookieParams{}, true},
		{command.Navigate.Declaration, &command.NavigateParams{Dialogs: command.Dialogs{DialogText: "secret"}}, false},
		{command.Query.Declaration, &command.QueryParams{}, false},
	} {
		if got := gives(c.kind, c.params); got != c.want {
			t.Errorf("%s %+v gives: %t", c.kind.Name, c.params, got)
		}
	}
}
