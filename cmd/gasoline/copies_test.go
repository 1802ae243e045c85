//go:build unix

package main

import (
	"bufio"
	"encoding/binary"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// A program logs to its output and to a file, each with another head, and has the SDK.
const threeWays = `
import logging, sys
to = [(logging.StreamHandler(sys.stdout), "%(asctime)s %(levelname)s %(name)s: %(message)s")]
if len(sys.argv) > 1:
    to.append((logging.FileHandler(sys.argv[1]), "%(asctime)s [%(levelname)s] %(name)s - %(message)s"))
for handler, form in to:
    handler.setFormatter(logging.Formatter(form))
logging.basicConfig(level=logging.INFO, handlers=[handler for handler, _ in to])
log = logging.getLogger("shop.pay")
log.info("order 1 is paid")
log.info("order 2 is paid")
for _ in range(3):
    log.info("asks the bank again")
for why in "no price", "no stock":
    try:
        raise ValueError(why)
    except ValueError:
        log.exception("could not pay")
`

// What a program logs is one event with all that told of it, in whichever order they came: as many as it logged, and each
// error is the one that it was.
func TestARecordThatComesByManyWaysIsKeptOnce(t *testing.T) {
	t.Parallel() // it waits for most of its time
	needs(t, "python3")
	m := newMachine(t)
	sdk, err := filepath.Abs("../../sdk/python")
	must(t, err)
	must(t, os.WriteFile(filepath.Join(m.dir, "shop.py"), []byte(threeWays), 0o600))

	contained := exec.CommandContext(t.Context(), "python3", "-m", "gasoline_sdk.run", "shop.py")
	contained.Dir = m.dir
	contained.Env = append(slices.Clone(m.env), "PYTHONPATH="+sdk, "OTEL_SERVICE_NAME=box", fmt.Sprintf("GASOLINE_URL=http://127.0.0.1:%d", m.place.Port))
	socket := filepath.Join(t.TempDir(), "engine")
	listener, err := net.Listen("unix", socket)
	must(t, err)
	engine := &http.Server{Handler: oneContainer(t, contained)}
	served := make(chan error, 1)
	go func() { served <- engine.Serve(listener) }()
	t.Cleanup(func() { _ = engine.Close(); <-served })

	for _, name := range []string{"shop.log", "bare.log"} {
		must(t, os.WriteFile(filepath.Join(m.dir, name), nil, 0o600))
	}
	m.project(`{"services": {
		"shop": {"sources": [{"type": "file", "path": "shop.log", "from_start": true}]},
		"bare": {"sources": [{"type": "file", "path": "bare.log", "from_start": true}]},
		"box": {"sources": [{"type": "docker", "container": "box", "socket": "` + socket + `", "from_start": true}]}}}`)
	if _, errs, code := m.run("sources", "allow", "--yes"); code != 0 {
		t.Fatal(errs)
	}
	for _, service := range []string{"shop", "bare"} {
		if _, errs, code := m.run("run", "--name", service, "--", "python3", "shop.py", service+".log"); code != 0 {
			t.Fatal(errs)
		}
		m.env = append(m.env, "GASOLINE=off") // bare has no SDK
	}
	m.identity()
	for service, ways := range map[string][]string{"shop": {"run", "otlp", "file"}, "bare": {"run", "file"}, "box": {"docker", "otlp"}} {
		var rows []row
		eventually(t, service+" by all ways", func() bool {
			rows = m.rows(service)
			told := 0
			for _, r := range rows {
				witnesses, _ := r["witnesses"].(string)
				for _, way := range ways {
					told += strings.Count(witnesses, way)
				}
			}
			return told >= 7*len(ways) || len(rows) > 7
		})
		count := map[string]int{}
		for _, r := range rows {
			count[fmt.Sprint(r["kind"], " ", r["message"])]++
			witnesses, _ := r["witnesses"].(string)
			if strings.Count(witnesses, ", ") != len(ways)-1 || r["kind"] == "log" && r["logger"] != "shop.pay" {
				t.Errorf("%s: %v", service, r)
			}
		}
		for what, n := range map[string]int{
			"log order 1 is paid": 1, "log order 2 is paid": 1, "log asks the bank again": 3, "exception no price": 1, "exception no stock": 1,
		} {
			if count[what] != n {
				t.Errorf("%s: %q is there %d times", service, what, count[what])
			}
		}
		if len(rows) != 7 {
			t.Errorf("%s has %d events: %v", service, len(rows), rows)
		}
	}
}

// oneContainer answers as Docker's engine for the container box, whose program starts when its output is asked for.
func oneContainer(t *testing.T, program *exec.Cmd) http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /containers/box/json", func(w http.ResponseWriter, _ *http.Request) {
		_, _ = io.WriteString(w, `{"Id":"0123456789abcdef","State":{"Running":true}}`)
	})
	mux.HandleFunc("GET /containers/0123456789abcdef/logs", func(w http.ResponseWriter, r *http.Request) {
		out, err := program.StdoutPipe()
		if err == nil {
			err = program.Start()
		}
		if err != nil {
			t.Error(err)
			return
		}
		for lines := bufio.NewScanner(out); lines.Scan(); {
			text := time.Now().UTC().Format(time.RFC3339Nano) + " " + lines.Text() + "\n"
			_, _ = w.Write(append(binary.BigEndian.AppendUint32([]byte{1, 0, 0, 0}, uint32(len(text))), text...))
			_ = http.NewResponseController(w).Flush()
		}
		if err := program.Wait(); err != nil {
			t.Error(err)
		}
		<-r.Context().Done()
	})
	return mux
}
