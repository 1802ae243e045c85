package httpapi_test

import (
	"net/http"
	"testing"

	"github.com/brennhill/gasoline/internal/film"
	"github.com/brennhill/gasoline/internal/wire"
)

func TestPicturesOfAFilmCome(t *testing.T) {
	r := newRig(t)
	post := func(token, body string) int {
		return r.do(request{method: "POST", path: "/films", body: body, token: token}).Code
	}
	const first = `{"session":"s1","name":"a","batch":1,"codec":"vp8","width":2,"height":2,"frames":[{"us":0,"key":true,"data":"aGVsbG8="}]}`
	if got := post(r.browser, first); got != http.StatusNotFound {
		t.Errorf("no film: %d", got)
	}
	if _, err := r.films.Begin(film.Info{Name: "a", Session: "s1", Tab: 5}); err != nil {
		t.Fatal(err)
	}
	for what, tt := range map[string]struct {
		token, body string
		want        int
	}{
		"no token":      {"-", first, http.StatusUnauthorized},
		"another token": {"x.y", first, http.StatusUnauthorized},
		"no JSON":       {r.browser, `{"session":`, http.StatusBadRequest},
		"a wrong field": {r.browser, `{"session":"s1","name":"a","batch":"1"}`, http.StatusBadRequest},
		"no session":    {r.browser, `{"name":"a","batch":1}`, http.StatusBadRequest},
		"no such codec": {r.browser, `{"session":"s1","name":"a","batch":1,"codec":"h264","width":2,"height":2,"frames":[{"us":0,"key":true,"data":"aGVsbG8="}]}`, http.StatusBadRequest},
		"not the next":  {r.browser, `{"session":"s1","name":"a","batch":7}`, http.StatusConflict},
	} {
		if got := post(tt.token, tt.body); got != tt.want {
			t.Errorf("%s: %d, want %d", what, got, tt.want)
		}
	}
	if got := post(r.browser, first); got != http.StatusOK {
		t.Errorf("%d", got)
	}
	end := r.do(request{method: "POST", path: "/films", token: r.browser, body: `{"session":"s1","name":"a","batch":2,"ended":"tab_closed"}`})
	if got := into[wire.FilmAnswer](r, end); got.Ended != "tab_closed" {
		t.Errorf("%+v", got)
	}
}
