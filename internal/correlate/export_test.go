package correlate

// Sizes returns how many clocks and documents are remembered.
func Sizes(c *Correlator) (clocks, pages int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	return len(c.clocks), len(c.pages)
}

// PageURL is pageURL.
var PageURL = pageURL

// ParseTraceparent is parseTraceparent.
var ParseTraceparent = parseTraceparent
