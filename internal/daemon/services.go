package daemon

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"net"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/brennhill/gasoline/internal/catalog"
	"github.com/brennhill/gasoline/internal/problem"
	"github.com/brennhill/gasoline/internal/state"
	"github.com/brennhill/gasoline/internal/tools/configure"
)

// settings are what the user wrote into settings.json of the state directory. They hold for a daemon that a client
// starts, too.
type settings struct {
	OTLP  bool     `json:"otlp"`  // listen where SDKs send to that nobody configured
	Fetch []string `json:"fetch"` // origins that links of agents may lead to
	Rings rings    `json:"rings"` // how much of what is kept

	unknown string // the first name that is no setting
}

// settingsFile lies in the state directory.
const settingsFile = "settings.json"

// settingNames are the names that the settings have.
var settingNames = []string{"otlp", "fetch", "rings"}

// readSettings returns the user's settings; those of a file that cannot be read are the default ones.
func readSettings(dir *state.Dir) (settings, *state.Fault) {
	data, err := dir.Read(settingsFile)
	if errors.Is(err, fs.ErrNotExist) {
		return settings{}, nil
	}
	data = bytes.TrimPrefix(data, []byte("\ufeff")) // editors on Windows write it
	var s settings
	if err == nil {
		err = json.Unmarshal(data, &s)
	}
	if err == nil {
		var fields map[string]json.RawMessage
		_ = json.Unmarshal(data, &fields) // it is an object, or null
		for _, name := range slices.Sorted(maps.Keys(fields)) {
			if !slices.ContainsFunc(settingNames, func(known string) bool { return strings.EqualFold(known, name) }) {
				s.unknown = name
				break
			}
		}
		return s, nil
	}
	return settings{}, &state.Fault{
		File:   dir.Path(settingsFile),
		Line:   state.LineOf(data, err),
		Error:  err.Error(),
		Effect: "the default settings hold",
		Fix:    "Correct it, then run \"gasoline stop\"; the next start reads it.",
	}
}

// fault tells of a name that is no setting; nil: there is none.
func (s settings) fault(dir *state.Dir) *state.Fault {
	if s.unknown == "" {
		return nil
	}
	said := fmt.Sprintf("there is no setting %.40q; there are %s", s.unknown, strings.Join(settingNames, ", "))
	if near := catalog.Nearest(s.unknown, settingNames); near != "" {
		said = fmt.Sprintf("there is no setting %.40q; is %q meant?", s.unknown, near)
	}
	return &state.Fault{
		File: dir.Path(settingsFile), Error: said, Effect: "the others hold",
		Fix: "Correct it, then run \"gasoline stop\"; the next start reads it.",
	}
}

// fetchable lists the origins that the user lets the daemon fetch from, as the settings are now.
func (d *parts) fetchable() ([]string, error) {
	s, fault := readSettings(d.dir)
	if fault != nil {
		return nil, problem.New(problem.InvalidParam, "Ask the user to correct it.", "%s", fault.Detail())
	}
	return s.Fetch, nil
}

// listenForServices serves the ports of OTLP where that is wanted, until the returned function is called. A port
// that another program holds is told, and the daemon runs without it.
func (d *parts) listenForServices(ctx context.Context, work *sync.WaitGroup) (stop func()) {
	if !d.cfg.OTLP {
		return func() {}
	}
	var servers []*http.Server
	for _, port := range d.cfg.OTLPPorts {
		listener, err := net.Listen("tcp4", net.JoinHostPort("127.0.0.1", strconv.Itoa(port)))
		if err != nil {
			d.cfg.Log.Error("listen for services", "port", port, "error", err.Error())
			d.taken = append(d.taken, configure.Finding{
				Detail: fmt.Sprintf("port %d for services cannot be used: %v", port, err),
				Fix: fmt.Sprintf(`End the program that holds it, then run "gasoline stop"; until then services send to port %d with `+
					`a token.`, d.cfg.Port),
			})
			continue
		}
		server := d.api.OTLPOnly(listener.Addr().(*net.TCPAddr).Port)
		server.BaseContext = func(net.Listener) context.Context { return ctx }
		servers = append(servers, server)
		work.Go(func() {
			if err := server.Serve(listener); !errors.Is(err, http.ErrServerClosed) {
				d.cfg.Log.Error("serve services", "port", port, "error", err.Error())
			}
		})
		d.cfg.Log.Info("listening for services", "address", listener.Addr().String())
	}
	return sync.OnceFunc(func() {
		for _, s := range servers {
			within, end := context.WithTimeout(context.WithoutCancel(ctx), answerWithin)
			if s.Shutdown(within) != nil {
				_ = s.Close() // what is still open after the grace is cut
			}
			end()
		}
	})
}
