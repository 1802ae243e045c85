// Package session keeps the registry of browsers (each one run of a browser profile) and of clients (each one agent or
// CLI caller), with the tracked tab of each client: the tab that its calls mean when they name none.
//
// The registry has one lock and returns copies. Of a page it keeps what describes its tab, such as address and title,
// and no content.
package session
