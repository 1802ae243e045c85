package ingest

// Sizes returns how many sources are remembered, and of how many places losses are.
func Sizes(in *Ingester) (sources, places int) {
	in.mu.Lock()
	defer in.mu.Unlock()
	return len(in.limiter.sources), len(in.losses.places)
}
