//go:build race

package httpapi_test

// The race detector has pools lose things at random, which are then made anew.
func init() { maxCost *= 2 }
