// Package proof lets two programs on one machine show each other that they know the same key, before
// either sends anything that a stranger on the port could use.
//
// The asker sends a nonce. The daemon answers with an HMAC over the nonce, its own port and its run. A
// program that relays the nonce to a daemon on another port gets a proof for that other port.
package proof

import (
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/hex"
	"strconv"
	"strings"
)

// Purpose separates the uses of a key, so that no answer for one use is good for another.
type Purpose string

// The uses of a key. The extension has the same words in extension/background/daemon/proof.ts.
const (
	Daemon Purpose = "daemon" // the daemon knows the key: nonce, port, run, boot, key id
	Bearer Purpose = "bearer" // what a browser sends instead of its key, for one boot: boot
	Answer Purpose = "answer" // an answer comes from who knows the key: nonce, boot
	Key    Purpose = "key"    // a browser's key, from the install's token: key id
	Pair   Purpose = "pair"   // a browser knows the code: nonce of the browser
	Seal   Purpose = "seal"   // hides the key on its way to a browser: both nonces
	Sealed Purpose = "sealed" // the sealed key comes from who knows the code: both nonces, key id, sealed key
)

// nonceSize is the number of bytes of a nonce; as text it has twice as many characters.
const nonceSize = 32

// Nonce returns fresh random text: nonceSize bytes in hexadecimal.
func Nonce() string {
	b := make([]byte, nonceSize)
	_, _ = rand.Read(b) // never fails; see crypto/rand
	return hex.EncodeToString(b)
}

// IsNonce reports whether s has the form of a nonce.
func IsNonce(s string) bool {
	if len(s) != 2*nonceSize {
		return false
	}
	_, err := hex.DecodeString(s)
	return err == nil
}

// Of returns the HMAC-SHA-256 of a purpose and its fields in hexadecimal. Fields hold no line break.
func Of(key []byte, purpose Purpose, fields ...string) string {
	return hex.EncodeToString(sum(key, purpose, fields))
}

// Same compares two texts in constant time.
func Same(a, b string) bool { return subtle.ConstantTimeCompare([]byte(a), []byte(b)) == 1 }

// OfDaemon returns what a daemon answers to a challenge. The key id is "" for the install's token.
func OfDaemon(key []byte, nonce string, port int, run, boot, keyID string) string {
	return Of(key, Daemon, nonce, strconv.Itoa(port), run, boot, keyID)
}

// KeyOf derives the key of a browser from the install's token.
func KeyOf(token, keyID string) []byte { return sum([]byte(token), Key, []string{keyID}) }

// SealKey hides a key from all who do not know the code, and returns it with the proof that it comes
// from who does. The key has 32 bytes.
func SealKey(code, key []byte, browser, daemon, keyID string) (sealed, mac string) {
	pad := sum(code, Seal, []string{browser, daemon})
	out := make([]byte, len(pad))
	subtle.XORBytes(out, pad, key)
	sealed = hex.EncodeToString(out)
	return sealed, Of(code, Sealed, browser, daemon, keyID, sealed)
}

func sum(key []byte, purpose Purpose, fields []string) []byte {
	m := hmac.New(sha256.New, key)
	// A hash takes whatever it is given.
	_, _ = m.Write([]byte("gasoline 1 " + string(purpose) + "\n" + strings.Join(fields, "\n")))
	return m.Sum(nil)
}

// Hex writes a key as text.
func Hex(key []byte) string { return hex.EncodeToString(key) }
