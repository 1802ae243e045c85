package ingest

// Sizes returns how many sources and documents are remembered.
func Sizes(in *Ingester) (sources, documents int) {
	in.mu.Lock()
	defer in.mu.Unlock()
	return len(in.limiter.sources), len(in.documents.table)
}
