package source

import (
	"go/ast"
	"go/parser"
	"go/token"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// reaches are the calls by which an adapter reaches for something of the user's, and what says so to the user.
var reaches = map[string][]string{
	"source.NewClient": {"client.Uses"},
	"http.Client":      {"Hosts", "Sockets"}, "http.Get": {"Hosts"}, "http.DefaultClient": {"Hosts"}, "http.Transport": {"Hosts", "Sockets"},
	"net.Dialer": {"Hosts", "Sockets"}, "net.Dial": {"Hosts", "Sockets"}, "net.DialTimeout": {"Hosts", "Sockets"},
	"source.Command": {"Programs"}, "exec.Command": {"Programs"}, "exec.CommandContext": {"Programs"},
	"follow.Follow": {"Files"}, "os.Open": {"Files"}, "os.OpenFile": {"Files"}, "os.ReadFile": {"Files"}, "env.Open": {"Files"},
	"os.Getenv": {"Variables"}, "os.LookupEnv": {"Variables"}, "os.Environ": {"Variables"}, "os.ExpandEnv": {"Variables"},
	"source.Auth": {"client.Uses"},
}

// unsaid returns what a package uses and does not say.
func unsaid(t *testing.T, folder string) (out []string) {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(folder, "*.go"))
	if err != nil {
		t.Fatal(err)
	}
	seen, said := map[string]bool{}, map[string]bool{}
	for _, name := range files {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		syntax, err := parser.ParseFile(token.NewFileSet(), name, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		ast.Inspect(syntax, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.SelectorExpr:
				if x, ok := n.X.(*ast.Ident); ok {
					seen[x.Name+"."+n.Sel.Name], said[x.Name+"."+n.Sel.Name] = true, true
					if x.Name == "uses" {
						said[n.Sel.Name] = true
					}
				}
			case *ast.CompositeLit:
				if x, ok := n.Type.(*ast.SelectorExpr); ok && x.Sel.Name == "Uses" {
					for _, e := range n.Elts {
						if kv, ok := e.(*ast.KeyValueExpr); ok {
							said[kv.Key.(*ast.Ident).Name] = true
						}
					}
				}
			}
			return true
		})
	}
	for call, names := range reaches {
		if seen[call] && !slices.ContainsFunc(names, func(n string) bool { return said[n] }) {
			out = append(out, call)
		}
	}
	slices.Sort(out)
	return out
}

func TestEachAdapterSaysWhatItUses(t *testing.T) {
	entries, err := os.ReadDir(".")
	if err != nil {
		t.Fatal(err)
	}
	looked := 0
	for _, e := range entries {
		folder := e.Name()
		if !e.IsDir() || folder == "sourcetest" || folder == "testdata" {
			continue
		}
		looked++
		for _, call := range unsaid(t, folder) {
			t.Errorf("%s uses %s, and its Uses have none of %q", folder, call, reaches[call])
		}
	}
	if looked < 8 {
		t.Errorf("%d adapters", looked)
	}
	silent := t.TempDir()
	if err := os.WriteFile(filepath.Join(silent, "a.go"), []byte(`package a
import ("os"; "x/source")
func open() { _ = source.Opened{Uses: source.Uses{Programs: []string{os.Getenv("SHELL")}}} }
`), 0o600); err != nil {
		t.Fatal(err)
	}
	if got := unsaid(t, silent); !slices.Equal(got, []string{"os.Getenv"}) {
		t.Errorf("of an adapter that does not say its variable: %q", got)
	}
}

func TestAnAdapterThatSaysNothingIsRefused(t *testing.T) {
	a := Declare("silent", "", Capabilities{}, func(struct{}, Env) (Opened, error) { return Opened{Title: "somewhere"}, nil })
	defer func() {
		if got, _ := recover().(error); got == nil || !strings.Contains(got.Error(), "does not say what it uses") {
			t.Errorf("it is no bug but %v", got)
		}
	}()
	opened, err := a.Open([]byte(`{}`), Env{})
	t.Errorf("it is opened: %+v %v", opened, err)
}

func TestWhatIsUsedIsToldInWords(t *testing.T) {
	root, out := t.TempDir(), t.TempDir()
	key := filepath.Join(out, "id_ed25519")
	for _, path := range []string{key, filepath.Join(root, "app.log")} {
		if err := os.WriteFile(path, []byte("x"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Symlink(key, filepath.Join(root, "api.log")); err != nil {
		t.Skip("no links:", err)
	}
	client, err := NewClient("https://logs.example.net/x", Auth{TokenFile: "../token"}, Env{Root: root})
	if err != nil {
		t.Fatal(err)
	}
	other, err := NewClient("https://logs.example.net", Auth{User: "me", TokenEnv: "AWS_SECRET_ACCESS_KEY"}, Env{Root: root})
	if err != nil {
		t.Fatal(err)
	}
	for want, uses := range map[string]Uses{
		"sends the contents of the file " + filepath.Join(filepath.Dir(root), "token") +
			", outside of the folder to https://logs.example.net\nconnects to https://logs.example.net": client.Uses(),
		"sends the environment variable AWS_SECRET_ACCESS_KEY to https://logs.example.net\nconnects to https://logs.example.net": other.Uses(),
		"connects to web1\nruns ssh":                                   {Hosts: []string{"web1"}, Programs: []string{"ssh"}},
		"reads " + filepath.Join(root, "app.log"):                      {Files: []string{filepath.Join(root, "app.log")}},
		"reads " + filepath.Join(out, "*") + ", outside of the folder": {Files: []string{filepath.Join(out, "*")}},
		"reads " + filepath.Join(root, "*.log") + ", but not " + filepath.Join(root, "api.log") + ": it leads to " + key +
			", outside of the folder": {Files: []string{filepath.Join(root, "*.log")}},
		"connects to the socket /var/run/docker.sock\nlooks at the environment variable DOCKER_HOST": {
			Sockets: []string{"/var/run/docker.sock"}, Variables: []string{"DOCKER_HOST"},
		},
	} {
		if got := strings.Join(uses.Lines(root), "\n"); got != want {
			t.Errorf("it says %q, want %q", got, want)
		}
	}
}

// Links of a project's folder are those of its code: what is read through one stays in the folder.
func TestALinkThatLeavesTheFolderIsNotRead(t *testing.T) {
	root, out := t.TempDir(), t.TempDir()
	write := func(path, text string) string {
		t.Helper()
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	key := write(filepath.Join(out, "key"), "secret")
	inner := write(filepath.Join(root, "data", "real.log"), "line")
	for name, to := range map[string]string{
		"link.log": key, "folder": out, "inside.log": filepath.Join("data", "real.log"), "again.log": "link.log",
	} {
		if err := os.Symlink(to, filepath.Join(root, name)); err != nil {
			t.Skip("no links:", err)
		}
	}
	other := filepath.Join(t.TempDir(), "other") // another way to the folder
	if err := os.Symlink(root, other); err != nil {
		t.Fatal(err)
	}
	env := Env{Root: root}
	for _, path := range []string{
		filepath.Join(root, "link.log"), filepath.Join(root, "folder", "key"), filepath.Join(root, "again.log"),
		filepath.Join(other, "link.log"), filepath.Join(other, "folder", "key"), root + "/data/../link.log",
	} {
		f, err := env.Open(path)
		if err == nil {
			_ = f.Close()
			t.Errorf("%s is opened", path)
		} else if !strings.Contains(err.Error(), key) {
			t.Errorf("%s: %v, want the real path", path, err)
		}
	}
	// The secret that is sent to a host is such a file, too.
	asked := false
	host := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { asked = true }))
	defer host.Close()
	for _, name := range []string{"link.log", "folder/key", "again.log"} {
		client, err := NewClient(host.URL, Auth{TokenFile: name}, env)
		if err != nil {
			t.Fatal(err)
		}
		if _, _, err := client.Get(t.Context(), "/", nil, nil); err == nil || !strings.Contains(err.Error(), key) || asked {
			t.Errorf("token_file %s: %v, want the real path; the host was asked: %t", name, err, asked)
		}
	}
	for _, path := range []string{inner, filepath.Join(root, "inside.log"), key, filepath.Join(other, "inside.log")} {
		f, err := env.Open(path)
		if err != nil {
			t.Errorf("%s: %v", path, err)
			continue
		}
		_ = f.Close()
	}
}
