// Command overload is a service that says far more than can be sent: "make bench" asks it, with and without the SDK.
package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"os"
	"strconv"
	"sync/atomic"
	"time"

	gasoline "github.com/brennhill/gasoline/sdk/go"
)

func main() {
	lines, err := strconv.Atoi(os.Args[1])
	if err != nil {
		panic(err)
	}
	listener, err := net.Listen("tcp4", "127.0.0.1:0")
	if err != nil {
		panic(err)
	}
	var client *gasoline.Client
	var made atomic.Int64
	var written slog.Handler = slog.NewTextHandler(io.Discard, nil)
	if os.Getenv("GASOLINE") != "off" {
		client = gasoline.Start(gasoline.Config{Service: "overload-go"})
		written = client.Slog(written)
	}
	log := slog.New(written)
	var work http.Handler = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		time.Sleep(20 * time.Millisecond) // what a database takes
		for i := 0; i < lines; i++ {
			log.InfoContext(r.Context(), "item is in stock", "item", i, "user", "ann")
		}
		made.Add(int64(lines) + 1)
		fmt.Fprintln(w, "ok")
	})
	if client != nil {
		work = client.Handler(work)
	}
	http.Handle("/work", work)
	http.HandleFunc("/stats", func(w http.ResponseWriter, r *http.Request) {
		ctx, cancel := context.WithTimeout(r.Context(), time.Second)
		defer cancel()
		_ = client.Flush(ctx) // what was not sent is in the counts
		s := client.Stats()
		_ = json.NewEncoder(w).Encode(map[string]any{
			"made": made.Load(), "sent": s.Sent, "dropped": s.Dropped, "waiting": s.Waiting, "problem": s.Problem,
		})
	})
	fmt.Println(listener.Addr().(*net.TCPAddr).Port)
	panic(http.Serve(listener, nil))
}
