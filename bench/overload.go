package main

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"time"
)

const (
	mostMore = 48 // MB that the SDK may take
)

// load is what a program is asked for, with which it says ten times what its token lets in.
type load struct {
	asked int // requests a second
	said  int // lines of log in each
	rate  int // records a second that the token lets in
}

// A program in Python that writes 20,000 lines a second has its one interpreter full without any SDK, and two of them this
// machine: what is measured then is what waits for a processor.
var loads = map[string]load{"Go": {200, 100, 2000}, "Python": {100, 50, 500}}

// service is a program that is asked, with the SDK or without.
type service struct {
	cmd  *exec.Cmd
	url  string
	http *http.Client
}

func startService(env []string, said int, command ...string) (*service, error) {
	cmd := exec.Command(command[0], append(command[1:], strconv.Itoa(said))...)
	cmd.Env, cmd.Stderr = env, os.Stderr
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	line, err := bufio.NewReader(out).ReadString('\n')
	s := &service{cmd, "http://127.0.0.1:" + strings.TrimSpace(line), &http.Client{
		Timeout: 30 * time.Second, Transport: &http.Transport{MaxIdleConnsPerHost: 200},
	}}
	if err != nil {
		s.stop()
		return nil, fmt.Errorf("%s says no port: %w", filepath.Base(command[0]), err)
	}
	return s, nil
}

func (s *service) stop() {
	_ = s.cmd.Process.Kill()
	_ = s.cmd.Wait() // it was killed
	s.http.CloseIdleConnections()
}

func (s *service) ask(path string) ([]byte, error) {
	res, err := s.http.Get(s.url + path)
	if err != nil {
		return nil, err
	}
	defer res.Body.Close()
	text, err := io.ReadAll(res.Body)
	if err == nil && res.StatusCode != http.StatusOK {
		err = fmt.Errorf("%s: %s", path, res.Status)
	}
	return text, err
}

// overload has services say ten times what the daemon takes, while it is there, while it is not, and while it refuses. The
// same program without the SDK is asked in turns: request by request, so that both have the same machine. It runs twice: how
// far those two are apart is what the machine does by itself.
func (b *bench) overload() error {
	for _, language := range []string{"Go", "Python"} {
		var command []string
		switch language {
		case "Go":
			command = []string{filepath.Join(b.dir, "overload")}
			build := exec.Command("go", "build", "-o", command[0], "./overload")
			build.Dir, build.Env = filepath.Join("sdk", "go", "integration"), append(os.Environ(), "GOWORK=off", "CGO_ENABLED=0")
			if text, err := build.CombinedOutput(); err != nil {
				return fmt.Errorf("build the service in Go: %w\n%s", err, text)
			}
		case "Python":
			python, err := exec.LookPath("python3")
			if err != nil {
				fmt.Fprintln(os.Stderr, "the overload of a service in Python was not measured: there is no python3")
				continue
			}
			command = []string{python, filepath.Join("sdk", "python", "tests", "overload.py")}
		}
		if err := b.overloaded(language, command); err != nil {
			return fmt.Errorf("%s: %w", language, err)
		}
	}
	return nil
}

func (b *bench) overloaded(language string, command []string) error {
	m, err := b.daemon()
	if err != nil {
		return err
	}
	defer func() { m.stop() }()
	l := loads[language]
	text, err := m.command("token", "create", "--rate", strconv.Itoa(l.rate), "--json").Output()
	if err != nil {
		return err
	}
	var made struct{ Token string }
	if err := json.Unmarshal(text, &made); err != nil {
		return err
	}
	env := append(os.Environ(), "GASOLINE_URL=http://127.0.0.1:"+strconv.Itoa(m.port), "GASOLINE_TOKEN="+made.Token)
	with, err := startService(env, l.said, command...)
	if err != nil {
		return err
	}
	defer with.stop()
	without, err := startService(append(env, "GASOLINE=off"), l.said, command...)
	if err != nil {
		return err
	}
	defer without.stop()
	again, err := startService(append(env, "GASOLINE=off"), l.said, command...)
	if err != nil {
		return err
	}
	defer again.stop()
	asked := []*service{with, without, again}
	if _, err := compare(asked, l.asked, b.flood/10); err != nil { // warm
		return err
	}
	all := make([]times, len(asked))
	for _, state := range []string{"is there", "is away", "refuses"} {
		var refusing *http.Server
		switch state {
		case "is away":
			m.stop()
		case "refuses":
			l, err := net.Listen("tcp4", "127.0.0.1:"+strconv.Itoa(m.port))
			if err != nil {
				return err
			}
			refusing = &http.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
				w.Header().Set("Retry-After", "1")
				w.WriteHeader(http.StatusTooManyRequests)
			})}
			go func() { _ = refusing.Serve(l) }()
		}
		took, err := compare(asked, l.asked, b.overlasting/3)
		if refusing != nil {
			err = errors.Join(err, refusing.Close())
		}
		if err != nil {
			return err
		}
		fmt.Fprintf(os.Stderr, "   %s, the daemon %s, with the SDK, without, without again: p50 %s, %s, %s ms, p99 %s, %s, %s ms\n",
			language, state, number(took[0].at(0.5)/ms), number(took[1].at(0.5)/ms), number(took[2].at(0.5)/ms),
			number(took[0].at(0.99)/ms), number(took[1].at(0.99)/ms), number(took[2].at(0.99)/ms))
		for i := range all {
			all[i] = append(all[i], took[i]...)
		}
	}
	more, err := moreMemory(with, without)
	if err != nil {
		return err
	}
	// The daemon comes back: what was made was taken, or dropped and told.
	back := *m
	back.serve = back.command("serve", "--ingest-rate", "1000000000")
	if err := back.serve.Start(); err != nil {
		return err
	}
	m = &back
	var s struct {
		Made, Sent, Dropped, Waiting int
		Problem                      string
	}
	for end := time.Now().Add(60 * time.Second); time.Now().Before(end); time.Sleep(100 * time.Millisecond) {
		text, err := with.ask("/stats")
		if err != nil {
			return err
		}
		if err := json.Unmarshal(text, &s); err != nil {
			return err
		}
		if s.Sent+s.Dropped == s.Made {
			break
		}
	}
	if s.Sent+s.Dropped != s.Made || s.Dropped == 0 {
		return fmt.Errorf("records are not accounted for: %+v", s)
	}
	told, err := m.ask("GET", "/buffers/timeline?kinds=log&limit=1000&q=dropped", nil, nil)
	if err != nil {
		return err
	}
	if !strings.Contains(string(told), "records of this service were dropped") {
		return fmt.Errorf("the daemon was not told of %d dropped records", s.Dropped)
	}
	p99, base, noise := all[0].at(0.99)/ms, all[1].at(0.99)/ms, all[2].at(0.99)/ms
	what := fmt.Sprintf("service in %s, %d records/s for %v, the daemon there, away, refusing: ", language,
		l.asked*(l.said+1), b.overlasting)
	b.table.add(row{
		what:  what + fmt.Sprintf("p99 of its requests (p50 %s → %s ms)", number(all[1].median()/ms), number(all[0].median()/ms)),
		value: p99, unit: "ms", budget: "≤ 1 % more", met: p99 <= 1.01*base,
		peer: "the same without the SDK, ms", base: base, most: 2,
	})
	b.table.add(row{
		what:  what + "p99 of a second one without the SDK, which says what the machine does by itself",
		value: noise, unit: "ms", peer: "the first one without the SDK, ms", base: base,
	})
	b.table.add(row{
		what:  what + fmt.Sprintf("memory, with %d of %d records dropped and told", s.Dropped, s.Made),
		value: more, unit: "MB more", budget: fmt.Sprintf("≤ %d MB", mostMore), met: more <= mostMore, limit: mostMore,
	})
	return nil
}

// compare asks services in turns, each at its rate whatever they answer, and returns how long each took from when it was to
// be asked.
func compare(services []*service, asked int, lasting time.Duration) (took []times, err error) {
	var mu sync.Mutex
	var work sync.WaitGroup
	took = make([]times, len(services))
	tick := time.NewTicker(time.Second / time.Duration(len(services)*asked))
	defer tick.Stop()
	i := 0
	for start := time.Now(); time.Since(start) < lasting; i = (i + 1) % len(services) {
		<-tick.C
		at, which := time.Now(), i
		work.Go(func() {
			_, failed := services[which].ask("/work")
			lasted := time.Since(at)
			mu.Lock()
			defer mu.Unlock()
			took[which] = append(took[which], lasted)
			if err == nil && failed != nil {
				err = failed
			}
		})
	}
	work.Wait()
	return took, err
}

func moreMemory(with, without *service) (float64, error) {
	one, err := rss(with.cmd.Process.Pid)
	if err != nil {
		return 0, err
	}
	other, err := rss(without.cmd.Process.Pid)
	return max(0, one-other), err
}
