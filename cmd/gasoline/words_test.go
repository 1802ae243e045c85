package main

import (
	"testing"
	"time"
)

func TestDurationsInWords(t *testing.T) {
	for d, want := range map[time.Duration]string{
		5 * time.Minute: "5 minutes", time.Minute: "1 minute", 90 * time.Second: "1m30s", 24 * time.Hour: "24 hours",
		30 * time.Second: "30 seconds", time.Second: "1 second", 61 * time.Minute: "61 minutes",
	} {
		if got := inWords(d); got != want {
			t.Errorf("%s: %q, want %q", d, got, want)
		}
	}
}
