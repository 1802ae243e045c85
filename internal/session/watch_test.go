package session_test

import (
	"testing"
	"time"

	"github.com/brennhill/gasoline/internal/session"
)

// A client has one recording of requests, which is its own and goes with it.
func TestARecordingOfRequestsIsOneClients(t *testing.T) {
	r := session.NewRegistry()
	w := session.NetworkWatch{Started: time.Now(), From: 7, Session: "s1", Tab: 12, URL: "/api/"}
	if got, fresh := r.BeginWatch("a", w); !fresh || got != w {
		t.Errorf("%+v, %v", got, fresh)
	}
	other := w
	other.From = 9
	if got, fresh := r.BeginWatch("a", other); fresh || got != w {
		t.Errorf("a second one: %+v, %v", got, fresh)
	}
	if got, active := r.Watch("a"); !active || got != w {
		t.Errorf("%+v, %v", got, active)
	}
	if got, active := r.Watch("b"); active {
		t.Errorf("another client's: %+v", got)
	}
	r.EndWatch("b", w)
	r.EndWatch("a", other)
	if _, active := r.Watch("a"); !active {
		t.Error("it was ended by the end of another one")
	}
	r.EndWatch("a", w)
	if _, active := r.Watch("a"); active {
		t.Error("it goes on after its end")
	}
	if _, fresh := r.BeginWatch("a", other); !fresh {
		t.Error("none can begin after the end")
	}
	r.Forget("a")
	if _, active := r.Watch("a"); active {
		t.Error("it outlives its client")
	}
}
