package httpapi_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/brennhill/gasoline/internal/wire"
)

func TestLinesOfAProgram(t *testing.T) {
	r := newRig(t)
	const body = `{"v":1,"service":"api","instance":"1","source":"run","client":"c1","batch":1,"future":true,"lines":[` +
		`{"t":1763636400000,"stream":"stdout","text":"{\"level\":50,\"msg\":\"could not pay\"}"},` +
		`{"t":1763636400000,"stream":"stderr","text":"listening"}]}`
	if a := into[wire.LinesAnswer](r, r.post("/lines", body)); a.Accepted != 2 || a.Duplicate {
		t.Errorf("%+v", a)
	}
	if a := into[wire.LinesAnswer](r, r.post("/lines", body)); a.Accepted != 0 || !a.Duplicate {
		t.Errorf("%+v", a)
	}
	out := r.get("/buffers/timeline?service=api").Body.String()
	if strings.Count(out, "could not pay") == 0 || strings.Count(out, "listening") == 0 || r.store.NextSeq() != 3 {
		t.Errorf("%d %s", r.store.NextSeq(), out)
	}
	for _, bad := range []string{`{`, `{"service":"api"}`, `{"service":"api","client":"c","batch":1,"source":"page"}`} {
		w := r.post("/lines", bad)
		if p := r.refused(w); w.Code != http.StatusBadRequest || p.Fix == "" {
			t.Errorf("%s: %d %+v", bad, w.Code, p)
		}
	}
}

// A service that gives more than it may is told when to come again.
func TestLinesAboveTheLimitAreRefused(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRigAt(t, port, 32) // 32 kB a second
		line := `{"t":1,"stream":"stdout","text":"` + strings.Repeat("x", 250) + `"}`
		lines := strings.TrimSuffix(strings.Repeat(line+",", 18), ",")
		for batch := 1; batch <= 20; batch++ {
			w := r.post("/lines", fmt.Sprintf(
				`{"service":"api","source":"run","client":"c1","batch":%d,"lines":[%s]}`, batch, lines))
			if w.Code == http.StatusOK {
				continue
			}
			if p := r.refused(w); w.Code != http.StatusTooManyRequests || w.Header().Get("Retry-After") == "" || p.Fix == "" {
				t.Errorf("%d %+v", w.Code, p)
			}
			return
		}
		t.Error("nothing was refused")
	})
}
