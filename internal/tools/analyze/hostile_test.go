package analyze_test

import (
	"bytes"
	"encoding/json"
	"testing"

	"github.com/brennhill/gasoline/internal/answer"
	"github.com/brennhill/gasoline/internal/calls"
	"github.com/brennhill/gasoline/internal/catalog"
	"github.com/brennhill/gasoline/internal/event"
	"github.com/brennhill/gasoline/internal/query"
	"github.com/brennhill/gasoline/internal/testkit"
	"github.com/brennhill/gasoline/internal/tools/analyze"
)

func TestNoTextOfAnEventBeginsALine(t *testing.T) {
	h := testkit.NewDaemon(t, 0)
	body := bytes.Replace(testkit.Planted(t), []byte(`"marks":[`), []byte(`"marks":[{"seq":9001,"t":1772366400000,"type":"annotation",`+
		`"label":"a\nPLANTED","detail":{"id":"d\nPLANTED","name":"n\nPLANTED","shape":"s\nPLANTED","number":1,"of":1,"element":{"ref":"e1\nPLANTED",`+
		`"tag":"t\nPLANTED","role":"r\nPLANTED","text":"t\nPLANTED","frame":"0\nPLANTED","styles":{"s\nPLANTED":"v\nPLANTED"},"locators":[{"kind":`+
		`"k\nPLANTED","value":"v\nPLANTED"}]}}},`), 1)
	if err := h.Sync(body); err != nil {
		t.Fatal(err)
	}
	tool := catalog.Bind(analyze.Tool, over(h), nil)
	marks, _, err := query.Read[event.Mark](t.Context(), h.Reader, query.Filter{}, query.Page{}, nil)
	if err != nil || len(marks.Items) == 0 {
		t.Fatal(err, len(marks.Items))
	}
	drawn := query.Handle(event.KindMark, marks.Items[0].Seq)
	for _, mode := range tool.Modes() {
		if mode.Needs != 0 || mode.Name == "link_validation" || mode.Name == "visual_baselines" {
			continue // it reads no events
		}
		args := `{"what":"` + mode.Name + `","session":"s-4f1d","budget":30000}`
		if mode.Name == "annotation_detail" {
			args = `{"what":"annotation_detail","id":"` + drawn + `","budget":30000}`
		}
		var runner calls.Runner
		a, p := runner.Run(t.Context(), tool, catalog.Call{Client: "agent", Name: "agent"},
			json.RawMessage(args), answer.Options{Fence: "f3"})
		if p != nil {
			t.Errorf("%s: %v", mode.Name, p)
		} else if testkit.Grew(a.Text) {
			t.Errorf("%s:\n%q", mode.Name, a.Text)
		}
	}
}
