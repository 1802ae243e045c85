// Package session holds who is there: browsers (one profile's run each), clients (one agent or CLI
// caller each), the pairings between browsers and this daemon, and the state directory.
//
// It is the only writer below the state directory, by way of [Dir]. Its registries each have one lock,
// return copies, and keep nothing of a page.
package session
