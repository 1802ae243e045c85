// Package certificate makes the certificates by which the daemon also speaks HTTPS.
//
// Each state directory has an authority of its own. What it signs is good for names of loopback only, by constraints
// that stand in its certificate: one that is trusted and stolen cannot pass for any other site. Nothing is made before
// it is first needed, and nothing is trusted by anybody until the user wants it.
package certificate

import (
	"bytes"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/sha256"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/base64"
	"encoding/pem"
	"errors"
	"fmt"
	"io/fs"
	"math/big"
	"net"
	"sync"
	"time"
)

// The files, in the state directory. The first two hold keys.
const (
	authorityFile = "tls/authority.pem"
	leafFile      = "tls/leaf.pem"

	// PublicFile is the authority's certificate alone, for programs that read authorities from a file.
	PublicFile = "tls/ca.crt"
)

const (
	authorityLife = 10 * 365 * 24 * time.Hour
	leafLife      = 90 * 24 * time.Hour
	renewAfter    = leafLife * 2 / 3
	backdated     = 24 * time.Hour // for clocks that are behind
)

// Name is the authority's common name, as lists of authorities show it.
const Name = "Gasoline local authority"

// Files keeps the certificates with their keys. Place makes a file or fails with fs.ErrExist; Write replaces one. Files
// are for this user only.
type Files interface {
	Read(name string) ([]byte, error)
	Place(name string, data []byte) error
	Write(name string, data []byte) error
}

// Store gives the authority and the leaf of one state directory. It may be used by many goroutines.
type Store struct {
	files Files
	now   func() time.Time

	mu    sync.Mutex
	leaf  *tls.Certificate // Leaf is set
	fault error            // of the last handshake
}

// New returns a store. It reads and makes nothing yet.
func New(files Files, now func() time.Time) *Store { return &Store{files: files, now: now} }

// Config returns the settings of a TLS server with HTTP/2 and HTTP/1.1.
func (s *Store) Config() *tls.Config {
	return &tls.Config{
		MinVersion: tls.VersionTLS12,
		NextProtos: []string{"h2", "http/1.1"},
		GetCertificate: func(*tls.ClientHelloInfo) (*tls.Certificate, error) {
			leaf, err := s.Leaf()
			s.mu.Lock()
			s.fault = err
			s.mu.Unlock()
			if leaf != nil {
				return leaf, nil // it could not be kept, and is good all the same
			}
			return nil, err
		},
	}
}

// Fault returns why the last client of HTTPS got no certificate, or one that could not be kept: a client sees no reason.
// nil: it got one, or there was none.
func (s *Store) Fault() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.fault
}

// Leaf returns the server's certificate. It is renewed, with the same key, when two thirds of its life are over and
// when the clock was set so that it is not valid. What was renewed and could not be kept is used all the same.
func (s *Store) Leaf() (*tls.Certificate, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.leaf == nil {
		if kept, err := s.read(leafFile); err == nil {
			s.leaf = kept
		} else if !errors.Is(err, fs.ErrNotExist) && !errors.Is(err, errDamaged) {
			return nil, err
		}
	}
	authority, err := s.authority()
	if err != nil {
		return nil, err
	}
	now := s.now()
	if s.leaf != nil && s.leaf.Leaf.CheckSignatureFrom(authority.Leaf) == nil &&
		!now.Before(s.leaf.Leaf.NotBefore) && now.Before(s.leaf.Leaf.NotAfter.Add(renewAfter-leafLife)) {
		return s.leaf, nil
	}
	var key *ecdsa.PrivateKey
	if s.leaf != nil {
		key = s.leaf.PrivateKey.(*ecdsa.PrivateKey) // read checks it
	} else if key, err = newKey(); err != nil {
		return nil, err
	}
	serial, err := newSerial()
	if err != nil {
		return nil, err
	}
	fresh, err := sign(&x509.Certificate{
		SerialNumber: serial,
		Subject:      pkix.Name{CommonName: "localhost"},
		// An end that is leafLife from now on, whatever the start is.
		NotBefore:   now.Add(-backdated),
		NotAfter:    now.Add(leafLife),
		KeyUsage:    x509.KeyUsageDigitalSignature,
		ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth},
		DNSNames:    []string{"localhost"},
		IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1), net.IPv6loopback},
	}, authority, key)
	if err != nil {
		return nil, err
	}
	s.leaf = fresh
	data, err := encode(fresh)
	if err != nil {
		return nil, err
	}
	return fresh, s.files.Write(leafFile, data)
}

// Pin returns the SHA-256 of the leaf's public key, in base64, as RFC 7469 defines it. It stays the same when the leaf
// is renewed.
func (s *Store) Pin() (string, error) {
	leaf, err := s.Leaf()
	if err != nil {
		return "", err
	}
	sum := sha256.Sum256(leaf.Leaf.RawSubjectPublicKeyInfo)
	return base64.StdEncoding.EncodeToString(sum[:]), nil
}

// Authority returns the authority's certificate, which it also writes to [PublicFile] when that has another.
func (s *Store) Authority() (*x509.Certificate, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	authority, err := s.authority()
	if err != nil {
		return nil, err
	}
	public := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: authority.Leaf.Raw})
	if old, err := s.files.Read(PublicFile); err != nil || !bytes.Equal(old, public) {
		if err := s.files.Write(PublicFile, public); err != nil {
			return nil, err
		}
	}
	return authority.Leaf, nil
}

// authority reads the authority, and makes it when there is none or its end has come. One that is damaged is an
// error: programs may trust it.
func (s *Store) authority() (*tls.Certificate, error) {
	kept, err := s.read(authorityFile)
	now := s.now()
	if err == nil && now.Before(kept.Leaf.NotAfter) {
		return kept, nil
	}
	missing := errors.Is(err, fs.ErrNotExist)
	if err != nil && !missing {
		return nil, fmt.Errorf("%w; delete tls/authority.pem in the state directory, then run \"gasoline trust\"", err)
	}
	key, err := newKey()
	if err != nil {
		return nil, err
	}
	serial, err := newSerial()
	if err != nil {
		return nil, err
	}
	loopback4 := &net.IPNet{IP: net.IPv4(127, 0, 0, 1).To4(), Mask: net.CIDRMask(32, 32)}
	loopback6 := &net.IPNet{IP: net.IPv6loopback, Mask: net.CIDRMask(128, 128)}
	template := &x509.Certificate{
		SerialNumber:                serial,
		Subject:                     pkix.Name{CommonName: Name, SerialNumber: serial.Text(16)[:8]},
		NotBefore:                   now.Add(-backdated),
		NotAfter:                    now.Add(authorityLife),
		KeyUsage:                    x509.KeyUsageCertSign,
		ExtKeyUsage:                 []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth},
		BasicConstraintsValid:       true,
		IsCA:                        true,
		MaxPathLenZero:              true,
		PermittedDNSDomainsCritical: true,
		PermittedDNSDomains:         []string{"localhost"},
		PermittedIPRanges:           []*net.IPNet{loopback4, loopback6},
	}
	made, err := sign(template, nil, key)
	if err != nil {
		return nil, err
	}
	data, err := encode(made)
	if err != nil {
		return nil, err
	}
	if !missing {
		return made, s.files.Write(authorityFile, data)
	}
	err = s.files.Place(authorityFile, data)
	if errors.Is(err, fs.ErrExist) { // another process was faster
		return s.read(authorityFile)
	}
	return made, err
}

var errDamaged = errors.New("it holds no certificate with its key")

// read reads a certificate and its key.
func (s *Store) read(name string) (*tls.Certificate, error) {
	data, err := s.files.Read(name)
	if err != nil {
		return nil, err
	}
	c, err := tls.X509KeyPair(data, data)
	if err != nil {
		return nil, fmt.Errorf("read %s: %w: %w", name, errDamaged, err)
	}
	if _, ok := c.PrivateKey.(*ecdsa.PrivateKey); !ok {
		return nil, fmt.Errorf("read %s: %w", name, errDamaged)
	}
	return &c, nil // X509KeyPair sets Leaf
}

// sign makes a certificate for a key. Without a parent it is signed by the key itself.
func sign(template *x509.Certificate, parent *tls.Certificate, key *ecdsa.PrivateKey) (*tls.Certificate, error) {
	issuer, signer := template, key
	if parent != nil {
		issuer, signer = parent.Leaf, parent.PrivateKey.(*ecdsa.PrivateKey) // read checks it
	}
	der, err := x509.CreateCertificate(rand.Reader, template, issuer, key.Public(), signer)
	if err != nil {
		return nil, fmt.Errorf("make a certificate: %w", err)
	}
	leaf, err := x509.ParseCertificate(der)
	if err != nil {
		return nil, fmt.Errorf("read the certificate that was made: %w", err)
	}
	out := &tls.Certificate{Certificate: [][]byte{der}, PrivateKey: key, Leaf: leaf}
	if parent != nil {
		out.Certificate = append(out.Certificate, parent.Leaf.Raw)
	}
	return out, nil
}

// encode returns the key and the chain as PEM.
func encode(c *tls.Certificate) ([]byte, error) {
	key, err := x509.MarshalPKCS8PrivateKey(c.PrivateKey)
	if err != nil {
		return nil, fmt.Errorf("encode the key: %w", err)
	}
	out := pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: key})
	for _, der := range c.Certificate {
		out = append(out, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der})...)
	}
	return out, nil
}

func newKey() (*ecdsa.PrivateKey, error) { return ecdsa.GenerateKey(elliptic.P256(), rand.Reader) }

// newSerial returns a random number of 127 bits.
func newSerial() (*big.Int, error) {
	n, err := rand.Int(rand.Reader, new(big.Int).Lsh(big.NewInt(1), 127))
	if err != nil {
		return nil, err
	}
	return n.SetBit(n, 126, 1), nil
}
