package answer_test

import (
	"encoding/json"
	"testing"

	"github.com/brennhill/gasoline/internal/answer"
	"github.com/brennhill/gasoline/internal/catalog"
)

type document map[string]string

func (document) Standard() {}

// What noise rules hide stands in the JSON of an answer, where that is an object and no document of a standard.
func TestWhatIsHiddenIsInTheJSON(t *testing.T) {
	h := &catalog.Hidden{}
	h.Add(1, `n"1`)
	const note = `"noise rules hide 1 events here (n\"1 ×1); noise:true shows them"`
	for _, tt := range []struct {
		value any
		want  string
	}{
		{map[string]int{"a": 1}, `{"a":1,"hidden":` + note + `}`},
		{map[string]int{}, `{"hidden":` + note + `}`},
		{[]int{1}, `[1]`},
		{"text", `"text"`},
		{document{"a": "1"}, `{"a":"1"}`},
		{json.RawMessage(`{}`), `{"hidden":` + note + `}`},
	} {
		got, _, err := answer.Render(catalog.Outcome{Value: tt.value, AsJSON: true, Hidden: h}, answer.Options{})
		if err != nil || got != tt.want {
			t.Errorf("%v: %s, %v; want %s", tt.value, got, err, tt.want)
		}
		got, _, err = answer.Render(catalog.Outcome{Value: tt.value, AsJSON: true, Hidden: &catalog.Hidden{}}, answer.Options{})
		if plain, _ := answer.JSON(tt.value); err != nil || got != string(plain) {
			t.Errorf("%v with nothing hidden: %s, %v", tt.value, got, err)
		}
	}
}

// What is relaxed stands in each answer, in JSON beside what is hidden.
func TestWhatIsRelaxedIsInTheJSON(t *testing.T) {
	h := &catalog.Hidden{}
	h.Add(1, "n1")
	for _, tt := range []struct {
		value any
		want  string
	}{
		{map[string]int{"a": 1}, `{"a":1,"hidden":"noise rules hide 1 events here (n1 ×1); noise:true shows them","relaxed":"a \"b\""}`},
		{[]int{1}, `[1]`},
		{document{"a": "1"}, `{"a":"1"}`},
	} {
		got, _, err := answer.Render(catalog.Outcome{Value: tt.value, AsJSON: true, Hidden: h}, answer.Options{Relaxed: `a "b"`})
		if err != nil || got != tt.want {
			t.Errorf("%v: %s, %v; want %s", tt.value, got, err, tt.want)
		}
	}
}
