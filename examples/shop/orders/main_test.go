package main

import (
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

// The demo depends on the planted bug: an order with the gift card fails with its cause in the body.
func TestOnlyTheGiftCardFails(t *testing.T) {
	db, err := open(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	server := httptest.NewServer(routes(slog.New(slog.DiscardHandler), db, database{db}))
	defer server.Close()
	for item, want := range map[string]struct {
		status int
		text   string
	}{"mug": {201, "ord_"}, "gift": {500, `no payment for item \"gift\"`}} {
		res, err := http.Post(
			server.URL+"/orders",
			"application/json",
			strings.NewReader(`{"items":[{"id":"`+item+`","count":1}]}`),
		)
		if err != nil {
			t.Fatal(err)
		}
		body, _ := io.ReadAll(res.Body)
		res.Body.Close()
		if res.StatusCode != want.status || !strings.Contains(string(body), want.text) {
			t.Errorf("%s: %d %s", item, res.StatusCode, body)
		}
	}
}
