//go:build race

package cpu

// Racing says that the race detector computes along, five to fifteen times as much: no bound in time holds then.
const Racing = true
