package daemon

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/brennhill/gasoline/internal/event"
	"github.com/brennhill/gasoline/internal/flow"
	"github.com/brennhill/gasoline/internal/problem"
	"github.com/brennhill/gasoline/internal/project"
	"github.com/brennhill/gasoline/internal/shell"
	"github.com/brennhill/gasoline/internal/source"
	"github.com/brennhill/gasoline/internal/source/docker"
	"github.com/brennhill/gasoline/internal/source/file"
	"github.com/brennhill/gasoline/internal/source/jaeger"
	"github.com/brennhill/gasoline/internal/source/journald"
	"github.com/brennhill/gasoline/internal/source/kubectl"
	"github.com/brennhill/gasoline/internal/source/loki"
	"github.com/brennhill/gasoline/internal/source/ssh"
	"github.com/brennhill/gasoline/internal/source/victorialogs"
	"github.com/brennhill/gasoline/internal/state"
	"github.com/brennhill/gasoline/internal/store"
	"github.com/brennhill/gasoline/internal/wire"
)

// Adapters returns the kinds of sources that the daemon can read.
func Adapters() []source.Adapter {
	return []source.Adapter{
		file.Adapter, ssh.Adapter, journald.Adapter, docker.Adapter, kubectl.Adapter, loki.Adapter, jaeger.Adapter,
		victorialogs.Adapter,
	}
}

// stored reports whether a source of that name is a store, where what is exported may go to.
func stored(name string) bool {
	return name == loki.Adapter.Name || name == jaeger.Adapter.Name || name == victorialogs.Adapter.Name
}

// allowedFile lists the projects whose gasoline.json the user lets the daemon follow: such a file comes with a project's
// code, and says which programs are run and which hosts connected to.
const allowedFile = "projects.json"

const maxProjects = 50

// allowed is one of them. A file that was changed has to be allowed again.
type allowed struct {
	Path   string `json:"path"` // of gasoline.json
	Digest string `json:"sha256"`
}

func readAllowed(dir *state.Dir) (out []allowed, _ error) {
	data, err := dir.Read(allowedFile)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err == nil {
		err = json.Unmarshal(data, &out)
	}
	return out, err
}

// Project is a gasoline.json as it was read, to be shown before it is allowed.
type Project struct {
	Path     string // without links
	Services []project.Service
	Sources  []source.Spec

	digest string
}

// ReadProject reads the gasoline.json of a project, or that of the state directory.
func ReadProject(dir *state.Dir, folder string) (p Project, _ error) {
	at, err := folderOf(dir, folder)
	p.Path = filepath.Join(at, project.File)
	if err != nil {
		return p, err
	}
	data, err := readProject(dir, p.Path)
	if err != nil {
		return p, err
	}
	p.digest = digest(data)
	p.Services, p.Sources, err = source.Read(p.Path, data, Adapters(), source.Env{})
	return p, err
}

// folderOf returns the folder that a gasoline.json is in, without links. One that is no project has an error.
func folderOf(dir *state.Dir, folder string) (string, error) {
	own, err := os.Stat(dir.Path(""))
	info, statErr := os.Stat(folder)
	if err == nil && statErr == nil && os.SameFile(own, info) {
		return dir.Path(""), nil
	}
	root, err := project.Root(folder, dir.Path(""))
	if err != nil {
		return folder, fmt.Errorf("that is no project: %w", err)
	}
	return root, nil
}

// Allow lets the daemon follow a file as it was read. A daemon that runs takes it up within seconds.
func (p Project) Allow(dir *state.Dir) error {
	all, err := readAllowed(dir)
	if err != nil {
		return fmt.Errorf("read %s: %w", dir.Path(allowedFile), err)
	}
	all = slices.DeleteFunc(all, func(a allowed) bool { return a.Path == p.Path })
	if len(all) >= maxProjects {
		return fmt.Errorf("%d projects are allowed already; forget one", len(all))
	}
	return writeAllowed(dir, append(all, allowed{p.Path, p.digest}))
}

// ForgetProject takes the permission of a folder's gasoline.json back, and reports whether there was one.
func ForgetProject(dir *state.Dir, folder string) (bool, error) {
	all, err := readAllowed(dir)
	if err != nil {
		return false, fmt.Errorf("read %s: %w", dir.Path(allowedFile), err)
	}
	at, _ := folderOf(dir, folder) // also of what is no project any more
	paths := []string{filepath.Join(folder, project.File), filepath.Join(at, project.File)}
	left := slices.DeleteFunc(slices.Clone(all), func(a allowed) bool { return slices.Contains(paths, a.Path) })
	if len(left) == len(all) {
		return false, nil
	}
	return true, writeAllowed(dir, left)
}

func writeAllowed(dir *state.Dir, all []allowed) error {
	data, err := json.MarshalIndent(all, "", "  ")
	if err != nil {
		return err
	}
	return dir.Write(allowedFile, append(data, '\n'))
}

// readProject reads a gasoline.json. Its folder is a project as it is now, and links do not lead out of it.
func readProject(dir *state.Dir, path string) ([]byte, error) {
	folder, err := folderOf(dir, filepath.Dir(path))
	if err == nil && folder != filepath.Dir(path) {
		err = fmt.Errorf("it is in %s by now", folder)
	}
	if err != nil {
		return nil, err
	}
	f, err := source.Env{Root: folder}.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close() // only read
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() || info.Size() > project.MaxBytes {
		return nil, fmt.Errorf("%s is no file of at most %d kB", path, project.MaxBytes>>10)
	}
	return io.ReadAll(io.LimitReader(f, project.MaxBytes+1))
}

func digest(data []byte) string {
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:])
}

// sources are what is read now.
type sources struct {
	now   atomic.Pointer[reading]
	clean func(string) string // takes secrets out of what places say
	look  chan chan struct{}  // asks for a look at the files now, and is told when it was done by closing
}

// looked waits until the files were looked at, for as long as that takes anyway at most.
func (s *sources) looked() {
	late, done := time.After(lookAtFiles), make(chan struct{})
	select {
	case s.look <- done:
	case <-late:
		return
	}
	select {
	case <-done:
	case <-late:
	}
}

type reading struct {
	runner *source.Runner
	files  []wire.SourceFile
}

// ask is flow.Flows' Chase.
func (s *sources) ask(traces []string, from, to time.Time) (pending, unread []string) {
	now := s.now.Load()
	if now == nil {
		return nil, nil
	}
	for _, t := range traces {
		now.runner.Ask(t, from, to)
	}
	pending, unread = now.runner.Missing(traces)
	for _, lines := range [][]string{pending, unread} { // which have the words of the places
		for i := range lines {
			lines[i] = s.clean(lines[i])
		}
	}
	return pending, unread
}

// watched notices requests that failed on their way into the store: sources are searched for their traces before anybody
// asks, while what services wrote is still there.
type watched struct {
	*store.Store
	sources *sources
}

// Append is ingest.Sink's.
func (w watched) Append(b event.Batch) store.Appended {
	out := w.Store.Append(b)
	if now := w.sources.now.Load(); now != nil {
		for _, e := range b {
			if x, ok := e.(*event.Exchange); ok && x.TraceID != "" && x.Failed() {
				now.runner.Want(x.TraceID, x.Received.Add(-x.Duration), x.Received)
			}
		}
	}
	return out
}

// configured is what the files say at a moment.
type configured struct {
	files []wire.SourceFile
	specs []source.Spec
	print string // changes when anything does
}

func (d *parts) readSources() (c configured) {
	add := func(path string, data []byte, err error) {
		f := wire.SourceFile{Path: path}
		var specs []source.Spec
		if err == nil {
			_, specs, err = source.Read(path, data, Adapters(), source.Env{})
		}
		var p *problem.Problem
		if errors.As(err, &p) {
			f.Error = p.Message + ". " + p.Fix
		} else if err != nil {
			f.Error = err.Error()
		}
		c.files, c.specs = append(c.files, f), append(c.specs, specs...)
		c.print += path + "\x00" + digest(data) + "\x00" + f.Error + "\x00"
	}
	all, err := readAllowed(d.dir)
	if err != nil {
		add(d.dir.Path(allowedFile), nil, err)
	}
	// The one of the state directory is read where it is there, to say that nobody allowed it.
	own := d.dir.Path(project.File)
	if i := slices.IndexFunc(all, func(a allowed) bool { return a.Path == own }); i < 0 {
		all = slices.Insert(all, 0, allowed{Path: own})
	}
	for _, a := range all {
		data, err := readProject(d.dir, a.Path)
		if a.Path == own && errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err == nil && digest(data) != a.Digest {
			why := "it was changed and is not followed"
			if a.Digest == "" {
				why = "nobody allowed it, so it is not followed"
			}
			err = fmt.Errorf("%s; look at it, then run \"%s\"", why, shell.Line("gasoline", "sources", "allow", filepath.Dir(a.Path)))
		}
		add(a.Path, data, err)
	}
	return c
}

const lookAtFiles = 2 * time.Second

// watchSources reads sources as the files say, until ctx ends.
func (d *parts) watchSources(ctx context.Context, host string) {
	tick := time.NewTicker(lookAtFiles)
	defer tick.Stop()
	runner, under := d.newSources(host), map[uint64]func(){} // what stops each source
	defer func() {
		d.sources.now.Store(nil)
		for _, stop := range under {
			stop()
		}
	}()
	was := ""
	var asked chan struct{}
	for {
		if c := d.readSources(); c.print != was {
			was = c.print
			d.changeSources(ctx, runner, under, c)
		}
		if asked != nil {
			close(asked)
			asked = nil
		}
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		case asked = <-d.sources.look:
		}
	}
}

// newSources returns a runner without sources. It is one for all changes of the files, since it knows which rows were taken.
func (d *parts) newSources(host string) *source.Runner {
	return source.New(source.Config{
		Ingest: d.ingest, Known: d.store.HasTrace, Fresh: d.otlp.Fresh, Host: host, Run: d.reader.Run(),
		Whole: func(ctx context.Context, trace string) bool {
			whole, err := flow.Whole(ctx, d.reader, trace)
			return err == nil && whole
		},
		Load: func(key string) string {
			data, err := d.dir.Read("sources/" + key + ".json")
			if err != nil { // as if it was never read
				return ""
			}
			return string(data)
		},
		Save: func(key, cursor string) error { return d.dir.Write("sources/"+key+".json", []byte(cursor)) },
	}, nil)
}

// changeSources stops the sources that the files name no more, and starts those that are new.
func (d *parts) changeSources(ctx context.Context, runner *source.Runner, under map[uint64]func(), c configured) {
	for _, f := range c.files {
		if f.Error != "" {
			d.cfg.Log.Warn("sources", "file", f.Path, "problem", f.Error)
		}
	}
	for _, id := range runner.Drop(c.specs) {
		under[id]()
		delete(under, id)
	}
	for _, begun := range runner.Add(c.specs) {
		ctx, cancel := context.WithCancel(ctx)
		var work sync.WaitGroup
		for _, job := range begun.Jobs {
			work.Go(func() { job(ctx) })
		}
		under[begun.ID] = func() {
			cancel()
			work.Wait()
		}
	}
	d.sources.now.Store(&reading{runner, c.files})
}

// sourcesNow answers GET /sources, of the files as they are now.
func (d *parts) sourcesNow() wire.Sources {
	d.sources.looked()
	return d.sourceStates()
}

// sourceStates are the states of what is read.
func (d *parts) sourceStates() wire.Sources {
	out := wire.Sources{Files: []wire.SourceFile{}, Sources: []wire.Source{}}
	now := d.sources.now.Load()
	if now == nil {
		return out
	}
	stamp := func(t time.Time) string {
		if t.IsZero() {
			return ""
		}
		return t.UTC().Format(time.RFC3339)
	}
	out.Files = append(out.Files, now.files...)
	at, clean := time.Now(), d.redact.Text // what a place answers may name a secret
	for _, s := range now.runner.Status() {
		out.Sources = append(out.Sources, wire.Source{
			Name: s.Name, Service: s.Service, Type: s.Adapter, Where: clean(s.Title), State: string(s.State),
			Line: clean(s.Line(at)), Error: clean(s.Error), Next: stamp(s.Next), Newest: stamp(s.Newest),
			Answered: stamp(s.Answered), Partial: clean(s.Partial),
			Cost: s.Cost, Rows: s.Rows, Repeated: s.Repeated, Requests: s.Requests, Bytes: s.Bytes, Chasing: s.Chasing,
			Lost: s.Lost,
		})
	}
	return out
}

// sourceLines tells doctor.
func (d *parts) sourceLines() (lines []string, failed []bool) {
	s := d.sourceStates()
	for _, f := range s.Files {
		if f.Error != "" {
			lines, failed = append(lines, f.Path+": "+f.Error), append(failed, true)
		}
	}
	for _, o := range s.Sources {
		lines, failed = append(lines, o.Line), append(failed, o.Error != "")
	}
	return lines, failed
}

// host is this machine's name, "" when it has none.
func host() string {
	name, err := os.Hostname()
	if err != nil { // told by build
		return ""
	}
	return name
}
