package file_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/brennhill/gasoline/internal/correlate"
	"github.com/brennhill/gasoline/internal/event"
	"github.com/brennhill/gasoline/internal/ingest"
	"github.com/brennhill/gasoline/internal/redact"
	"github.com/brennhill/gasoline/internal/source"
	"github.com/brennhill/gasoline/internal/source/file"
	"github.com/brennhill/gasoline/internal/store"
)

// Each line of a file is stored once and in order, and as of its day, whatever happens meanwhile: its options change, another source
// comes and goes, it is not followed for a while, a new daemon goes on from the saved cursors, the file is rotated.
func TestEachLineIsStoredOnce(t *testing.T) {
	for seed := range uint64(6) {
		synctest.Test(t, func(t *testing.T) {
			random := rand.New(rand.NewPCG(seed, 1))
			dir := t.TempDir()
			path := filepath.Join(dir, "api.log")
			written := 0
			write := func() {
				f, err := os.OpenFile(path, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
				if err != nil {
					t.Fatal(err)
				}
				defer f.Close() // Sync is not needed: it is read through the same system
				for range 1 + random.IntN(20) {
					if _, err := io.WriteString(f, fmt.Sprintf("INFO line %d\n", written)); err != nil {
						t.Fatal(err)
					}
					written++
				}
			}
			write()
			kept, err := store.New(store.Config{Run: "test", FirstSeq: 1, Limits: store.DefaultLimits(16 << 20)})
			if err != nil {
				t.Fatal(err)
			}
			in := ingest.New(ingest.Config{}, redact.New(redact.Rules{}), correlate.New(time.Now), kept)
			var mu sync.Mutex
			cursors := map[string]string{}
			config := source.Config{Ingest: in, Load: func(key string) string {
				mu.Lock()
				defer mu.Unlock()
				return cursors[key]
			}, Save: func(key, cursor string) error {
				mu.Lock()
				defer mu.Unlock()
				cursors[key] = cursor
				return nil
			}}
			spec := func(name, of, key string) source.Spec {
				opened, err := file.Adapter.Open(json.RawMessage(fmt.Sprintf(`{"path":%q,"from_start":true}`, of)), source.Env{Root: dir})
				if err != nil {
					t.Fatal(err)
				}
				return source.Spec{Name: name, Key: key, Service: name[:3], Adapter: file.Adapter, Opened: opened}
			}
			key := "k0"
			specs := []source.Spec{spec("api/file", "api.log", key)}
			runner, under := source.New(config, nil), map[uint64]func(){}
			change := func(specs ...source.Spec) {
				for _, id := range runner.Drop(specs) {
					under[id]()
					delete(under, id)
				}
				for _, b := range runner.Add(specs) {
					ctx, cancel := context.WithCancel(t.Context())
					var work sync.WaitGroup
					for _, job := range b.Jobs {
						work.Go(func() { job(ctx) })
					}
					under[b.ID] = func() { cancel(); work.Wait() }
				}
			}
			change(specs...)
			for step := range 30 {
				switch random.IntN(6) {
				case 0: // its options change
					key = fmt.Sprint("k", step)
					specs[0] = spec("api/file", "api.log", key)
					change(specs...)
				case 1: // another comes or goes
					if specs = specs[:1]; random.IntN(2) == 0 {
						specs = append(specs, spec("web/file", "none.log", "other"))
					}
					change(specs...)
				case 2: // it is not followed for a moment
					change()
					write()
					change(specs...)
				case 3: // a new daemon
					change()
					runner = source.New(config, nil)
					write()
					change(specs...)
				case 4:
					time.Sleep(2 * time.Second) // the end is read
					if err := os.Rename(path, path+".1"); err != nil {
						t.Fatal(err)
					}
				}
				write()
				time.Sleep(time.Duration(random.IntN(3000)) * time.Millisecond)
			}
			time.Sleep(10 * time.Second)
			change()
			var s store.Slice
			n := 0
			for at := event.Seq(1); at < kept.NextSeq(); {
				at = kept.Forward(&store.Want{}, at, kept.NextSeq(), 100, &s)
				for i := range s.Len() {
					e := event.New(s.Kind(i))
					if !s.Decode(i, e) || e.Base().Service != "api" {
						continue
					}
					if text := e.Searched()[0]; text != fmt.Sprint("line ", n) {
						t.Fatalf("%d: line %d is %q", seed, n, text)
					}
					if h := e.Base(); h.Received.Sub(h.Time).Abs() > 24*time.Hour {
						t.Errorf("%d: line %d is of %s", seed, n, h.Time)
					}
					n++
				}
			}
			if n != written {
				t.Errorf("%d: %d of %d lines", seed, n, written)
			}
		})
	}
}
