package gasoline

import (
	"crypto/sha256"
	"crypto/subtle"
	"crypto/tls"
	"encoding/base64"
	"errors"
	"net/url"
)

// pairing is what an address says: where the daemon is, and maybe who sends and which key the other side must have. As one
// string it is what "gasoline token create" prints: https://TOKEN@127.0.0.1:7890/?pin=BASE64URL.
type pairing struct {
	base  *url.URL // without token, pin, and what else is no address
	token string   // "" when it has none
	pin   []byte   // SHA-256 of the leaf's SubjectPublicKeyInfo; nil when it has none
}

// Errors of an address never show it: it may hold a token.
var (
	errAddress = errors.New("GASOLINE_URL is not an address: it should be http://HOST:PORT, or what \"gasoline token create\" prints")
	errPinForm = errors.New("the pin of GASOLINE_URL is not 32 bytes in base64url: copy the whole line that \"gasoline token create\" prints")
	errPinHTTP = errors.New("GASOLINE_URL has a pin and begins with http://: a pin needs https://")
	errPin     = errors.New("who listens has another key than the pin of GASOLINE_URL says; nothing was sent to it")
)

func readPairing(address string) (p pairing, err error) {
	u, err := url.Parse(address)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Hostname() == "" {
		return pairing{}, errAddress
	}
	values, err := url.ParseQuery(u.RawQuery)
	if err != nil {
		return pairing{}, errAddress
	}
	if pins, ok := values["pin"]; ok {
		hash, err := base64.RawURLEncoding.Strict().DecodeString(pins[0])
		switch {
		case len(pins) != 1 || err != nil || len(hash) != sha256.Size:
			return pairing{}, errPinForm
		case u.Scheme != "https":
			return pairing{}, errPinHTTP
		}
		p.pin = hash
	}
	p.token = u.User.Username()
	p.base = &url.URL{Scheme: u.Scheme, Host: u.Host, Path: u.Path}
	return p, nil
}

// pinned returns a configuration under which the leaf's key alone decides: no chain, no name. A resumed connection is
// checked as well.
func pinned(config *tls.Config, pin []byte) *tls.Config {
	if config == nil {
		config = &tls.Config{}
	}
	config = config.Clone()
	config.InsecureSkipVerify = true // the pin decides
	config.VerifyPeerCertificate = nil
	config.VerifyConnection = func(state tls.ConnectionState) error {
		if len(state.PeerCertificates) == 0 {
			return errPin
		}
		hash := sha256.Sum256(state.PeerCertificates[0].RawSubjectPublicKeyInfo)
		if subtle.ConstantTimeCompare(hash[:], pin) != 1 {
			return errPin
		}
		return nil
	}
	return config
}
