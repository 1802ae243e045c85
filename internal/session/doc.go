// Package session holds who is there: browsers (one profile's run each) and clients (one agent or CLI caller
// each), with the tab that each client uses.
//
// Its registry has one lock, returns copies, and keeps nothing of a page but the addresses and titles of tabs.
package session
