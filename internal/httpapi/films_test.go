package httpapi_test

import (
	"net/http"
	"strings"
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

// The user's own film is told of by what the page says of itself: its address and title, which are kept in a file.
func TestAFilmIsDescribedWithoutSecrets(t *testing.T) {
	r := newRig(t)
	const key = "sk_live_4eC39HqLyjWDarjtT1zdp7dc"
	body := `{"session":"s1","tab":5,"fps":15,"url":"http://localhost:3000/reset?token=opensesame","title":"Key ` + key + ` ` +
		strings.Repeat("x", 1<<20) + `"}`
	if got := r.do(request{method: "POST", path: "/films/begin", body: body, token: r.browser}); got.Code != http.StatusOK {
		t.Fatalf("%d %s", got.Code, got.Body)
	}
	films, _, err := r.films.List()
	if err != nil || len(films) != 1 {
		t.Fatalf("%d films: %v", len(films), err)
	}
	f := films[0]
	if told := f.URL + f.Display; strings.Contains(told, "opensesame") || strings.Contains(told, key) || len(told) > 10<<10 {
		t.Errorf("%.200q, %d bytes", told, len(told))
	}
	if !strings.HasPrefix(f.URL, "http://localhost:3000/reset?token=") || !strings.HasPrefix(f.Display, "Key ") {
		t.Errorf("%.100q %.100q", f.URL, f.Display)
	}
}
