// Command orders is the shop's Go service: it takes orders, looks their prices up in a database and has their payments
// kept by the service whose URL is its argument, or without one by the database. By a planted bug the payment of a gift
// card cannot be kept. It prints its URL on the first line and stops when its stdin closes.
package main

import (
	"bytes"
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"os"
	"time"

	gasoline "github.com/brennhill/gasoline/sdk/go"
	_ "modernc.org/sqlite"
)

func main() {
	client := gasoline.Start(gasoline.Config{Service: "orders"})
	log := slog.New(client.Slog(slog.NewTextHandler(os.Stderr, nil)))
	err := run(log, client)
	if err != nil {
		log.Error("the service ended", "error", err)
	}
	_ = client.Close(context.Background()) // what could not be sent is lost
	if err != nil {
		os.Exit(1)
	}
}

func run(log *slog.Logger, client *gasoline.Client) error {
	db, err := open(context.Background(), client)
	if err != nil {
		return err
	}
	defer db.Close()
	var payments ledger = database{db}
	if len(os.Args) > 1 {
		payments = service{os.Args[1], &http.Client{Transport: client.Transport(nil), Timeout: 5 * time.Second}}
	}
	listener, err := net.Listen("tcp4", "127.0.0.1:0")
	if err != nil {
		return err
	}
	fmt.Printf("http://%s\n", listener.Addr())
	server := &http.Server{Handler: client.Handler(routes(log, db, payments)), ReadHeaderTimeout: 5 * time.Second}
	go func() {
		_, _ = io.Copy(io.Discard, os.Stdin) // ends when whoever started us ends
		_ = server.Close()
	}()
	if err := server.Serve(listener); !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	return nil
}

type order struct {
	Items []struct {
		ID    string `json:"id"`
		Count int    `json:"count"`
	} `json:"items"`
}

func routes(log *slog.Logger, db *sql.DB, payments ledger) http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("POST /orders", func(w http.ResponseWriter, r *http.Request) {
		var o order
		if err := json.NewDecoder(io.LimitReader(r.Body, 1<<20)).Decode(&o); err != nil {
			answer(w, http.StatusBadRequest, map[string]any{"error": "the order is no JSON"})
			return
		}
		id := fmt.Sprintf("ord_%d", time.Now().UnixMilli()%100000)
		if err := charge(r.Context(), db, payments, id, o); err != nil {
			log.ErrorContext(r.Context(), "charge failed", "order", id, "error", err)
			answer(w, http.StatusInternalServerError, map[string]any{
				"error": "charge failed", "order": id, "code": "E_CURRENCY",
				"detail": err.Error(),
			})
			return
		}
		log.InfoContext(r.Context(), "order taken", "order", id)
		answer(w, http.StatusCreated, map[string]any{"order": id})
	})
	return mux
}

// schema has prices in cents. Currencies were added later and never for the gift card: the planted bug.
const schema = `
CREATE TABLE items (id TEXT PRIMARY KEY, price INTEGER NOT NULL, currency TEXT);
CREATE TABLE payments (order_id TEXT NOT NULL, amount INTEGER NOT NULL, currency TEXT NOT NULL);
INSERT INTO items VALUES ('mug', 1200, 'EUR'), ('shirt', 2400, 'EUR'), ('gift', 5000, NULL);`

// open returns a database in memory with the shop's items.
func open(ctx context.Context, client *gasoline.Client) (*sql.DB, error) {
	db, err := client.Open("sqlite", ":memory:")
	if err != nil {
		return nil, err
	}
	db.SetMaxOpenConns(1) // each connection has a memory of its own
	if _, err := db.ExecContext(ctx, schema); err != nil {
		return nil, errors.Join(err, db.Close())
	}
	return db, nil
}

// ledger keeps payments.
type ledger interface {
	keep(ctx context.Context, p payment) error
}

type payment struct {
	Order    string  `json:"order"`
	Amount   int     `json:"amount"` // cents
	Currency *string `json:"currency"`
}

// database keeps payments beside the prices.
type database struct{ db *sql.DB }

func (d database) keep(ctx context.Context, p payment) error {
	const insert = "INSERT INTO payments (order_id, amount, currency) VALUES (?, ?, ?)"
	_, err := d.db.ExecContext(ctx, insert, p.Order, p.Amount, p.Currency)
	return err
}

// service has payments kept by the service at a URL.
type service struct {
	url    string
	client *http.Client
}

func (s service) keep(ctx context.Context, p payment) error {
	body, err := json.Marshal(p)
	if err != nil {
		return err
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, s.url+"/payments", bytes.NewReader(body))
	if err != nil {
		return err
	}
	req.Header.Set("Content-Type", "application/json")
	res, err := s.client.Do(req)
	if err != nil {
		return err
	}
	defer res.Body.Close()
	if res.StatusCode == http.StatusCreated {
		return nil
	}
	var refused struct{ Detail string }
	if err := json.NewDecoder(io.LimitReader(res.Body, 1<<20)).Decode(&refused); err != nil || refused.Detail == "" {
		return fmt.Errorf("the payments service answered %d", res.StatusCode)
	}
	return errors.New(refused.Detail)
}

// charge keeps a payment for each item of an order.
func charge(ctx context.Context, db *sql.DB, payments ledger, id string, o order) error {
	total := 0
	for _, item := range o.Items {
		var price int
		var currency *string
		row := db.QueryRowContext(ctx, "SELECT price, currency FROM items WHERE id = ?", item.ID)
		if err := row.Scan(&price, &currency); err != nil {
			return fmt.Errorf("no price for item %q: %w", item.ID, err)
		}
		if err := payments.keep(ctx, payment{id, price * item.Count, currency}); err != nil {
			return fmt.Errorf("no payment for item %q: %w", item.ID, err)
		}
		total += price * item.Count
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
