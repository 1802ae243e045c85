package browser

// Documents returns of how many documents rows are kept, for tests of their bound.
func Documents(r *Receiver) int {
	r.mu.Lock()
	defer r.mu.Unlock()
	return len(r.documents.table)
}

// Plain is plain.
var Plain = plain
