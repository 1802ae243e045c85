package certificate_test

import (
	"crypto/tls"
	"crypto/x509"
	"net"
	"os"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/brennhill/gasoline/internal/certificate"
	"github.com/brennhill/gasoline/internal/state"
)

func open(t *testing.T, now func() time.Time) (*certificate.Store, *state.Dir) {
	t.Helper()
	dir, err := state.Open(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { dir.Close() })
	return certificate.New(dir, now), dir
}

func leafOf(t *testing.T, s *certificate.Store) *x509.Certificate {
	t.Helper()
	c, err := s.Leaf()
	if err != nil {
		t.Fatal(err)
	}
	return c.Leaf
}

func authorityOf(t *testing.T, s *certificate.Store) *x509.Certificate {
	t.Helper()
	c, err := s.Authority()
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func pinOf(c *x509.Certificate) string { return string(c.RawSubjectPublicKeyInfo) }

func verify(s *testing.T, leaf, authority *x509.Certificate, name string, at time.Time) error {
	s.Helper()
	roots := x509.NewCertPool()
	roots.AddCert(authority)
	_, err := leaf.Verify(x509.VerifyOptions{Roots: roots, DNSName: name, CurrentTime: at})
	return err
}

func TestALeafIsGoodForLoopbackOnly(t *testing.T) {
	s, dir := open(t, time.Now)
	leaf, authority := leafOf(t, s), authorityOf(t, s)
	for _, name := range []string{"localhost", "127.0.0.1", "::1"} {
		if err := verify(t, leaf, authority, name, time.Now()); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	for _, name := range []string{"example.com", "127.0.0.2", "localhost.example.com"} {
		if verify(t, leaf, authority, name, time.Now()) == nil {
			t.Errorf("%s is accepted", name)
		}
	}
	for _, file := range []string{"tls/authority.pem", "tls/leaf.pem"} {
		info, err := os.Stat(dir.Path(file))
		if err != nil {
			t.Fatal(err)
		}
		if info.Mode().Perm()&0o077 != 0 {
			t.Errorf("%s has mode %v", file, info.Mode())
		}
	}
}

// Who steals the authority's key cannot make a certificate of another site that is believed.
func TestTheAuthorityIsConstrained(t *testing.T) {
	s, dir := open(t, time.Now)
	authority := authorityOf(t, s)
	data, err := dir.Read("tls/authority.pem")
	if err != nil {
		t.Fatal(err)
	}
	stolen, err := tls.X509KeyPair(data, data)
	if err != nil {
		t.Fatal(err)
	}
	forged := forge(t, stolen, []string{"example.com"}, nil)
	if err := verify(t, forged, authority, "example.com", time.Now()); err == nil {
		t.Error("a forged name is accepted")
	}
	forged = forge(t, stolen, nil, []net.IP{net.IPv4(192, 168, 0, 1)})
	if err := verify(t, forged, authority, "192.168.0.1", time.Now()); err == nil {
		t.Error("a forged address is accepted")
	}
	forged = forge(t, stolen, []string{"app.localhost"}, nil)
	if err := verify(t, forged, authority, "app.localhost", time.Now()); err != nil {
		t.Error(err) // a name of loopback, by RFC 6761
	}
}

func TestALeafIsRenewedWithTheSameKey(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, _ := open(t, time.Now)
		first := leafOf(t, s)
		pin := pinOf(first)
		stated, err := s.Pin()
		if err != nil {
			t.Fatal(err)
		}
		time.Sleep(60*24*time.Hour - time.Second)
		if leafOf(t, s) != first {
			t.Error("renewed before two thirds of its life")
		}
		time.Sleep(time.Second)
		second := leafOf(t, s)
		if second.Equal(first) || pinOf(second) != pin {
			t.Error("not renewed with the same key after two thirds of its life")
		}
		if again, err := s.Pin(); err != nil || again != stated {
			t.Errorf("the pin is %q, %v, was %q", again, err, stated)
		}
		if err := verify(t, second, authorityOf(t, s), "localhost", time.Now()); err != nil {
			t.Error(err)
		}
	})
}

func TestClocksThatJump(t *testing.T) {
	at := time.Now()
	s, _ := open(t, func() time.Time { return at })
	authority := authorityOf(t, s)
	first := leafOf(t, s)
	for _, jump := range []time.Duration{200 * 24 * time.Hour, -200 * 24 * time.Hour, 23 * time.Hour, -23 * time.Hour} {
		at = at.Add(jump)
		leaf := leafOf(t, s)
		if err := verify(t, leaf, authority, "localhost", at); err != nil {
			t.Errorf("after %s: %v", jump, err)
		}
		if pinOf(leaf) != pinOf(first) {
			t.Errorf("after %s: another key", jump)
		}
	}
	at = at.Add(11 * 365 * 24 * time.Hour) // the authority's end has come
	if err := verify(t, leafOf(t, s), authorityOf(t, s), "localhost", at); err != nil {
		t.Error(err)
	}
}

func TestTheNextRunHasTheSame(t *testing.T) {
	s, dir := open(t, time.Now)
	first, authority := leafOf(t, s), authorityOf(t, s)
	next := certificate.New(dir, time.Now)
	if !leafOf(t, next).Equal(first) || !authorityOf(t, next).Equal(authority) {
		t.Error("another certificate in the next run")
	}
}

func TestProcessesThatBeginAtOnceAgree(t *testing.T) {
	_, dir := open(t, time.Now)
	var all sync.WaitGroup
	got := make([]*x509.Certificate, 8)
	for i := range got {
		all.Go(func() {
			c, err := certificate.New(dir, time.Now).Authority()
			if err != nil {
				t.Error(err)
			}
			got[i] = c
		})
	}
	all.Wait()
	for _, c := range got {
		if !c.Equal(got[0]) {
			t.Fatal("two authorities")
		}
	}
}

func TestFilesThatAreDamaged(t *testing.T) {
	s, dir := open(t, time.Now)
	leafOf(t, s)
	if err := dir.Write("tls/leaf.pem", []byte("nonsense")); err != nil {
		t.Fatal(err)
	}
	next := certificate.New(dir, time.Now)
	if err := verify(t, leafOf(t, next), authorityOf(t, next), "localhost", time.Now()); err != nil {
		t.Error(err)
	}
	if err := dir.Write("tls/authority.pem", []byte("nonsense")); err != nil {
		t.Fatal(err)
	}
	if _, err := certificate.New(dir, time.Now).Leaf(); err == nil {
		t.Error("an authority that programs may trust was replaced")
	}
}
