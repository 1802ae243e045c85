package daemon

import (
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/brennhill/gasoline/internal/testkit"
)

// export posts an empty request of OTLP without a token and returns the status.
func export(t *testing.T, port int) int {
	t.Helper()
	res, err := http.Post(fmt.Sprintf("http://127.0.0.1:%d/v1/logs", port), "application/json", strings.NewReader("{}"))
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	return res.StatusCode
}

// A port that somebody else holds is told, and the daemon runs with the other one.
func TestPortsForServicesThatAreTaken(t *testing.T) {
	other, err := net.Listen("tcp4", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer other.Close()
	taken, free := other.Addr().(*net.TCPAddr).Port, testkit.Port(t)
	p := place(t)
	p.Port = testkit.Port(t)
	c := config(p)
	c.OTLP, c.OTLPPorts = true, []int{taken, free}
	d := start(t, c)
	want := http.StatusOK
	if runtime.GOOS != "linux" { // nobody tells whose a connection is
		want = http.StatusUnauthorized
	}
	if got := export(t, free); got != want {
		t.Errorf("the free port answered %d", got)
	}
	told := fmt.Sprintf("port %d for services cannot be used", taken)
	for _, path := range []string{"/health", "/doctor"} {
		if code, out := d.ask("GET", path, ""); code != 200 || !strings.Contains(out, told) ||
			strings.Contains(out, fmt.Sprint("port ", free)) {
			t.Errorf("%s: %d %s", path, code, out)
		}
	}
	if err := d.stop(); err != nil {
		t.Error(err)
	}
	again, err := net.Listen("tcp4", fmt.Sprintf("127.0.0.1:%d", free))
	if err != nil {
		t.Fatalf("the port is not free after the end: %v", err)
	}
	_ = again.Close()
}

// The ports are open where the settings say so, and only there.
func TestPortsForServicesBySettings(t *testing.T) {
	for content, open := range map[string]bool{
		`{"otlp": true}`: true, `{"otlp": false}`: false, ``: false, `{"otlp"`: false, "\ufeff" + `{"OTLP": true}`: true,
		`{"otlp": true, "ring": {}}`: true,
	} {
		p := place(t)
		p.Port = testkit.Port(t)
		dir, err := p.Open() // which makes it
		if err != nil {
			t.Fatal(err)
		}
		_ = dir.Close()
		file := filepath.Join(p.StateDir, "settings.json")
		if content != "" {
			if err := os.WriteFile(file, []byte(content), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		c := config(p)
		c.OTLPPorts = []int{testkit.Port(t)}
		d := start(t, c)
		conn, err := net.Dial("tcp4", fmt.Sprintf("127.0.0.1:%d", c.OTLPPorts[0]))
		if err == nil {
			_ = conn.Close()
		}
		if got := err == nil; got != open {
			t.Errorf("%s: open is %v, want %v", content, got, open)
		}
		_, health := d.ask("GET", "/health", "")
		if broken := content == `{"otlp"`; strings.Contains(health, "settings.json:1") != broken {
			t.Errorf("%s: %s", content, health)
		}
		typo := `there is no setting \"ring\"; is \"rings\" meant? (the others hold)`
		if strings.Contains(health, typo) != strings.Contains(content, `"ring"`) {
			t.Errorf("%s: %s", content, health)
		}
		if err := d.stop(); err != nil {
			t.Error(err)
		}
	}
}

// Links are asked for where the settings list their origin, as the file is at the time of the call.
func TestLinksLeadToWhatTheUserListed(t *testing.T) {
	p := place(t)
	p.Port = testkit.Port(t)
	d := start(t, config(p))
	asked := 0
	server := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { asked++ }))
	t.Cleanup(server.Close)
	file := filepath.Join(p.StateDir, "settings.json")
	for _, c := range []struct{ settings, want string }{
		{``, `"origin_not_allowed"`}, {`{"fetch": ["http://127.0.0.1:1"]}`, `"origin_not_allowed"`},
		{`{"fetch": ["` + server.URL + `"]}`, "1 ok"}, {`{"fetch": ["*"]}`, `"invalid_param"`}, {`{"fetch"`, `"invalid_param"`}, {`{}`, `"origin_not_allowed"`},
	} {
		if err := os.WriteFile(file, []byte(c.settings), 0o600); err != nil {
			t.Fatal(err)
		}
		if c.settings == "" {
			if err := os.Remove(file); err != nil {
				t.Fatal(err)
			}
		}
		if _, answer := d.ask("POST", "/tools/analyze", `{"what":"link_validation","urls":["`+server.URL+`"]}`); !strings.Contains(answer, c.want) {
			t.Errorf("with %s: %s, want %s", c.settings, answer, c.want)
		}
	}
	if asked == 0 || asked > 2 {
		t.Errorf("%d requests", asked)
	}
	if err := d.stop(); err != nil {
		t.Error(err)
	}
}
