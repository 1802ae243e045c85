package state

// Windows has neither named pipes in folders nor these flags; rights are inherited from the user's folder.
const (
	nonBlocking = 0
	noFollow    = 0
)

func (d *Dir) secure(string) error { return nil }
