package launch

import (
	"crypto/sha256"
	_ "embed"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/brennhill/gasoline/sdk/python"
)

//go:embed preload.cjs
var nodePreload []byte

// nodeSDK is our own SDK for Node, which sdk/node/build.mjs writes.
//
//go:embed node.cjs
var nodeSDK []byte

// Project is a directory in which a command is to run with instrumentation.
type Project struct {
	Dir     string
	Command []string
	Env     []string
	// Keep writes a file for as long as the daemon's state is kept and returns its path.
	Keep func(name string, data []byte) (string, error)
}

// preload is a way to instrument programs of one language without a change to them.
type preload struct {
	language string
	programs []string // that run it
	files    []string // that its projects have
	// prepare changes the command or the environment; its error says what to install.
	prepare func(*Project) error
	// own has the project's programs load our SDK.
	own func(*Project) error
}

// preloads are tried in order.
var preloads = []preload{
	{
		language: "Node",
		programs: []string{
			"node", "npm", "npx", "pnpm", "yarn", "tsx", "ts-node", "next", "vite", "nest", "nodemon", "turbo", "nx",
		},
		files:   []string{"package.json"},
		prepare: prepareNode,
		own:     loadNode,
	},
	{
		language: "Python",
		programs: []string{
			"python", "python3", "uvicorn", "gunicorn", "flask", "fastapi", "django-admin", "hypercorn", "daphne", "granian",
			"waitress-serve", "celery", "pytest", "ipython", "poetry", "uv", "pipenv", "pdm", "hatch",
		},
		files:   []string{"pyproject.toml", "requirements.txt", "manage.py", "setup.py", "Pipfile", "uv.lock"},
		prepare: preparePython,
		own:     loadPython,
	},
}

// Instrument changes a project's command and environment so that it runs with OpenTelemetry's instrumentation. A command
// that does so by itself stays.
func Instrument(p *Project) error {
	if p.program() == pythonInstrument {
		return nil
	}
	if all := p.languages(); len(all) > 0 {
		return all[0].prepare(p)
	}
	program := filepath.Base(p.Command[0])
	return fmt.Errorf("--otel knows programs of Node and Python, and %q is neither; "+
		"an SDK that the program has itself finds the daemon by its environment", program)
}

// Load has a project's programs load our own SDK, and reports whether they do. They do not where the language has
// none that can be loaded from outside, where GASOLINE=off, or under opentelemetry-instrument. An SDK that the program has
// itself stays: ours leaves the spans to it.
func Load(p *Project) (bool, error) {
	if strings.EqualFold(p.setting("GASOLINE"), "off") || p.program() == pythonInstrument {
		return false, nil
	}
	all := p.languages()
	for _, l := range all {
		if err := l.own(p); err != nil {
			return true, err
		}
	}
	return len(all) > 0, nil
}

func (p *Project) program() string { return strings.TrimSuffix(filepath.Base(p.Command[0]), ".exe") }

// languages returns the way for the command's program, else those for the project's files; none for another language.
func (p *Project) languages() (out []*preload) {
	program := p.program()
	for i, l := range preloads {
		if slices.Contains(l.programs, program) ||
			l.language == "Python" && (strings.HasPrefix(program, "python3.") || strings.HasSuffix(program, ".py")) {
			return []*preload{&preloads[i]}
		}
	}
	for i, l := range preloads {
		if slices.ContainsFunc(l.files, func(name string) bool {
			_, err := os.Stat(filepath.Join(p.Dir, name))
			return err == nil
		}) {
			out = append(out, &preloads[i])
		}
	}
	return out
}

// loadNode adds the SDK to what each Node process loads first: by --require, which every version knows.
func loadNode(p *Project) error {
	path, err := p.Keep("preload/node-gasoline.cjs", nodeSDK)
	if err != nil {
		return err
	}
	p.set("NODE_OPTIONS", strings.TrimSpace(p.setting("NODE_OPTIONS")+` --require "`+filepath.ToSlash(path)+`"`))
	return nil
}

// loadPython puts the folder whose sitecustomize starts the SDK in front of PYTHONPATH. The files stand below the hash of
// what they hold: a program that runs while another version is laid keeps its own.
func loadPython(p *Project) error {
	type file struct {
		name string
		data []byte
	}
	var all []file
	hash := sha256.New()
	err := fs.WalkDir(python.Files, ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		data, err := python.Files.ReadFile(name)
		fmt.Fprintf(hash, "%s %d\n%s", name, len(data), data)
		all = append(all, file{name, data})
		return err
	})
	if err != nil {
		return err
	}
	folder := "preload/python-" + hex.EncodeToString(hash.Sum(nil))[:16] + "/"
	shim := ""
	for _, f := range all {
		path, err := p.Keep(folder+f.name, f.data)
		if err != nil {
			return err
		}
		if f.name == "gasoline_sdk/shim/sitecustomize.py" {
			shim = filepath.Dir(path)
		}
	}
	places := []string{shim}
	for _, place := range filepath.SplitList(p.setting("PYTHONPATH")) {
		if place != shim {
			places = append(places, place)
		}
	}
	p.set("PYTHONPATH", strings.Join(places, string(filepath.ListSeparator)))
	forgetUnused(filepath.Dir(filepath.Dir(shim)), time.Now())
	return nil
}

// unused is after how long files of another version are removed. A program that was started with them may still load some.
const unused = 30 * 24 * time.Hour

// forgetUnused marks a folder as used and removes those of other versions beside it that nobody used for long. What
// cannot be removed stays.
func forgetUnused(folder string, now time.Time) {
	_ = os.Chtimes(folder, now, now) // then it is older than it is
	before, _, _ := strings.Cut(filepath.Base(folder), "-")
	others, _ := filepath.Glob(filepath.Join(filepath.Dir(folder), before+"-*")) // the pattern is valid
	for _, other := range others {
		if at, err := os.Stat(other); err == nil && other != folder && now.Sub(at.ModTime()) > unused {
			_ = os.RemoveAll(other) // it stays
		}
	}
}

// setting returns a variable of the environment; set changes it.
func (p *Project) setting(name string) string {
	value := ""
	for _, e := range p.Env {
		if v, ok := strings.CutPrefix(e, name+"="); ok {
			value = v
		}
	}
	return value
}

func (p *Project) set(name, value string) {
	p.Env = append(slices.DeleteFunc(p.Env, func(e string) bool { return strings.HasPrefix(e, name+"=") }), name+"="+value)
}

const nodePackage = "@opentelemetry/auto-instrumentations-node"

func prepareNode(p *Project) error {
	found := ""
	for dir := p.Dir; ; dir = filepath.Dir(dir) {
		at := filepath.Join(dir, "node_modules", filepath.FromSlash(nodePackage))
		if _, err := os.Stat(filepath.Join(at, "package.json")); err == nil {
			found = at
			break
		}
		if filepath.Dir(dir) == dir {
			break
		}
	}
	if found == "" {
		return errors.New("--otel needs a package in the project: npm install --save-dev " + nodePackage)
	}
	path, err := p.Keep("preload/node-otel.cjs", nodePreload)
	if err != nil {
		return err
	}
	options := p.setting("NODE_OPTIONS")
	if strings.Contains(options, nodePackage) {
		return nil // the user loads it
	}
	p.set("NODE_OPTIONS", strings.TrimSpace(options+` --require "`+filepath.ToSlash(path)+`"`))
	p.set("GASOLINE_OTEL_NODE", found)
	return nil
}

const pythonInstrument = "opentelemetry-instrument"

func preparePython(p *Project) error {
	const program = pythonInstrument
	var places []string
	if filepath.Base(p.Command[0]) != p.Command[0] {
		places = append(places, filepath.Join(filepath.Dir(p.Command[0]), program))
	}
	if env := p.setting("VIRTUAL_ENV"); env != "" {
		places = append(places, filepath.Join(env, "bin", program), filepath.Join(env, "Scripts", program+".exe"))
	}
	places = append(places, filepath.Join(p.Dir, ".venv", "bin", program), program)
	for _, at := range places {
		if path, err := exec.LookPath(at); err == nil {
			p.Command = append([]string{path}, p.Command...)
			return nil
		}
	}
	return errors.New("--otel needs a program in the project's environment: " +
		"pip install opentelemetry-distro opentelemetry-exporter-otlp && opentelemetry-bootstrap -a install")
}
