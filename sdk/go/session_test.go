package gasoline

import (
	"encoding/json"
	"os"
	"testing"
	"time"
)

// What the SDKs of all languages write and take as gasoline-session.
func TestTheSharedSessions(t *testing.T) {
	data, err := os.ReadFile("../../schema/fixtures/session.json")
	if err != nil {
		t.Fatal(err)
	}
	var f struct {
		Made []struct {
			Token, Header string
			Now           int64
		}
		Cases []struct {
			Name, Token, Header string
			Now                 int64
			Valid               bool
		}
	}
	if err := json.Unmarshal(data, &f); err != nil || len(f.Made) < 3 || len(f.Cases) < 30 {
		t.Fatal(err, len(f.Made), len(f.Cases))
	}
	for _, m := range f.Made {
		if got := Sign(m.Token, time.Unix(m.Now, 999_999_999)); got != m.Header {
			t.Errorf("%d: %s", m.Now, got)
		}
	}
	for _, k := range f.Cases {
		for _, nano := range []int64{0, 999_999_999} {
			if got := signed(k.Header, k.Token, time.Unix(k.Now, nano)); got != k.Valid {
				t.Errorf("%s at %d ns: %v", k.Name, nano, got)
			}
		}
	}
}
