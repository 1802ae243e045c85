// Command orders is the shop's Go service: it takes orders and, by a planted bug, fails to charge
// every card. It prints its URL on the first line and stops when its stdin closes.
package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"os"
	"time"
)

func main() {
	log := slog.New(slog.NewTextHandler(os.Stderr, nil))
	listener, err := net.Listen("tcp4", "127.0.0.1:0")
	if err != nil {
		log.Error("listen", "error", err)
		os.Exit(1)
	}
	fmt.Printf("http://%s\n", listener.Addr())
	server := &http.Server{Handler: routes(log), ReadHeaderTimeout: 5 * time.Second}
	go func() {
		_, _ = io.Copy(io.Discard, os.Stdin) // ends when whoever started us ends
		_ = server.Close()
	}()
	if err := server.Serve(listener); !errors.Is(err, http.ErrServerClosed) {
		log.Error("serve", "error", err)
		os.Exit(1)
	}
}

type order struct {
	Items []struct {
		ID    string `json:"id"`
		Count int    `json:"count"`
	} `json:"items"`
	Card struct {
		Token string `json:"token"`
	} `json:"card"`
}

func routes(log *slog.Logger) http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("POST /orders", func(w http.ResponseWriter, r *http.Request) {
		var o order
		if err := json.NewDecoder(io.LimitReader(r.Body, 1<<20)).Decode(&o); err != nil {
			answer(w, http.StatusBadRequest, map[string]any{"error": "the order is no JSON"})
			return
		}
		id := fmt.Sprintf("ord_%d", time.Now().UnixMilli()%100000)
		if err := charge(o); err != nil {
			log.Error("charge failed", "order", id, "error", err, "traceparent", r.Header.Get("Traceparent"))
			answer(w, http.StatusInternalServerError, map[string]any{
				"error": "charge failed", "order": id, "code": "E_CURRENCY",
				"detail": err.Error(),
			})
			return
		}
		answer(w, http.StatusCreated, map[string]any{"order": id})
	})
	return mux
}

// prices are in cents; currencies were added later and never for the gift card: the planted bug.
var (
	prices     = map[string]int{"mug": 1200, "shirt": 2400, "gift": 5000}
	currencies = map[string]string{"mug": "EUR", "shirt": "EUR"}
)

func charge(o order) error {
	total := 0
	for _, item := range o.Items {
		if currencies[item.ID] == "" {
			return fmt.Errorf(
				"no currency for item %q: payments.Charge(amount=%d, currency=\"\")",
				item.ID,
				prices[item.ID]*item.Count,
			)
		}
		total += prices[item.ID] * item.Count
	}
	if total == 0 {
		return errors.New("the cart is empty")
	}
	return nil
}

func answer(w http.ResponseWriter, status int, body any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(body) // the client has gone; nobody is left to tell
}
