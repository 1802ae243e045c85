package query

// Start returns the cursor of a timeline that begins with the oldest event that is kept.
func Start(r Reader) Cursor { return (&position{run: runHash(r.Run()), next: 1}).encode() }
