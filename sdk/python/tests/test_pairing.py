import contextlib
import hashlib
import io
import logging
import os
import ssl
import unittest
from base64 import urlsafe_b64encode

import trustme
from cryptography import x509
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

import gasoline_sdk
from gasoline_sdk import _client, _pairing
from tests.base import Case
from tests.receiver import Receiver

_authority = trustme.CA()


def leaf(key=trustme.KeyType.ECDSA):
    """Return a server's context and the pin of its key."""
    made = _authority.issue_cert("127.0.0.1", key_type=key)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    made.configure_cert(context)
    spki = x509.load_pem_x509_certificate(made.cert_chain_pems[0].bytes()).public_key().public_bytes(
        Encoding.DER, PublicFormat.SubjectPublicKeyInfo)
    return context, pin_of(spki)


def pin_of(spki):
    return urlsafe_b64encode(hashlib.sha256(spki).digest()).decode().rstrip("=")


@contextlib.contextmanager
def environment(**changes):
    before = dict(os.environ)
    os.environ.update(changes)
    try:
        yield
    finally:
        os.environ.clear()
        os.environ.update(before)


class Pinned(unittest.TestCase):
    def start(self, context, pin, **more):
        receiver = Receiver(context)
        self.addCleanup(receiver.close)
        self.addCleanup(gasoline_sdk.close)
        self.asked = []
        receiver.answer = lambda handler, body: (self.asked.append(body), (200, {}))[1]
        address = "https://secret@%s/?pin=%s" % (receiver.host, pin)
        if more:
            gasoline_sdk.start(url=address, interval=3600, sigterm=False, **more)
        else:
            with environment(GASOLINE_URL=address):
                gasoline_sdk.start(interval=3600, sigterm=False)
        self.log = logging.getLogger("pinned")
        self.log.handlers, self.log.propagate = [logging.NullHandler()], False
        self.log.setLevel(logging.DEBUG)
        return receiver

    def test_the_right_key(self):
        for key in trustme.KeyType:
            context, pin = leaf(key)
            with contextlib.redirect_stderr(io.StringIO()) as err:
                receiver = self.start(context, pin)
                self.log.info("paired")
                self.assertTrue(gasoline_sdk.flush(5))
            self.assertEqual(([e["text"] for e in receiver.logs], receiver.faults), (["paired"], []))
            self.assertEqual((err.getvalue(), gasoline_sdk.stats().problem), ("", ""))
            self.assertNotIn(pin.encode(), self.asked[0])
            self.assertNotIn(b"secret", self.asked[0])

    def test_another_key_gets_nothing(self):
        """Also where the program trusts the chain."""
        context, _ = leaf()
        _, other = leaf()
        trusting = ssl.create_default_context()
        _authority.configure_trust(trusting)
        with contextlib.redirect_stderr(io.StringIO()) as err:
            self.start(context, other, tls=trusting, max_records=10)
            for i in range(30):
                self.log.info("private")
                if i in (0, 28, 29):
                    gasoline_sdk.flush(5)
        stats = gasoline_sdk.stats()
        self.assertEqual((self.asked, stats.sent), ([], 0))
        self.assertGreaterEqual(stats.dropped, 10)
        self.assertIn("another key", stats.problem)
        said = err.getvalue()
        self.assertEqual((said.count("\n"), said.startswith("gasoline: "), "secret" in said, other in said), (1, True, False, False))


class Addresses(Case):
    def test_a_wrong_one_is_told_and_sends_nothing(self):
        log = logging.getLogger("wrong")
        log.handlers, log.propagate = [logging.NullHandler()], False
        host, pin = self.receiver.host, "A" * 43
        for address, want in (
            ("http://TOKEN@%s/?pin=%s" % (host, pin), "a pin needs https://"),
            ("https://TOKEN@%s/?pin=" % host, "32 bytes in base64url"),
            ("https://TOKEN@%s/?pin=%s" % (host, pin[1:]), "32 bytes in base64url"),
            ("https://TOKEN@%s/?pin=%sA" % (host, pin), "32 bytes in base64url"),
            ("https://TOKEN@%s/?pin=%s=" % (host, pin), "32 bytes in base64url"),
            ("https://TOKEN@%s/?pin=%s%%2B" % (host, pin[1:]), "32 bytes in base64url"),
            ("https://TOKEN@%s/?pin=%sB" % (host, pin[1:]), "32 bytes in base64url"),  # its last two bits are not zero
            ("https://TOKEN@%s/?pin=%s&pin=%s" % (host, pin, pin), "32 bytes in base64url"),
            ("https://TOKEN@", "not an address"),
            ("ftp://TOKEN@" + host, "not an address"),
            ("https://TOKEN@127.0.0.1:x/?pin=" + pin, "not an address"),
            ("https://TOKEN@127.0.0.1:99999/?pin=" + pin, "not an address"),
            ("https://TOKEN@[::1/?pin=" + pin, "not an address"),
        ):
            with self.subTest(address), contextlib.redirect_stderr(io.StringIO()) as err:
                client = self.start(url=address)
                log.error("private")
                self.assertFalse(client.on)
                said = err.getvalue()
                self.assertIn(want, said)
                self.assertEqual((said.count("\n"), "TOKEN" in said, pin in said), (1, False, False))
        self.assertEqual(self.receiver.logs, [])

    def test_which_token_wins(self):
        read = _pairing.read("https://a%2Fb:ignored@[::1]:7890/at?x=1#y")
        self.assertEqual((read.base.geturl(), read.token, read.pin), ("https://[::1]:7890/at", "a/b", None))
        for configured, env, address, want in (("c", "e", "a@", "c"), ("", " e\n", "a@", "e"), ("", " ", "a@", "a")):
            with environment(GASOLINE_TOKEN=env):
                client = _client.Client(url="http://%s192.0.2.1" % address, token=configured)
                self.assertEqual(client.token(), (want, False))

    def test_a_token_in_the_address_is_one_that_was_set(self):
        with environment(APP_ENV="production", GASOLINE_TOKEN=""):
            self.assertTrue(_client.Client(url="http://token@127.0.0.1:1").on)
            self.assertFalse(_client.Client(url="http://127.0.0.1:1").on)


class Certificates(unittest.TestCase):
    def test_what_is_no_der_is_refused(self):
        der = ssl.PEM_cert_to_DER_cert(_authority.issue_cert("x.test").cert_chain_pems[0].bytes().decode())
        self.assertEqual(
            _pairing.public_key(der),
            x509.load_der_x509_certificate(der).public_key().public_bytes(Encoding.DER, PublicFormat.SubjectPublicKeyInfo))
        size = int.from_bytes(der[2:4], "big")
        for bad in (
            b"", b"0", der[:-1], der + b"\0", der[:40], b"\x31" + der[1:], b"\x30\x80" + der[4:] + b"\0\0",
            b"\x30\x83\0" + der[2:4] + der[4:], b"\x30\x03\x30\x01\x02", b"\x30\x81\x05" + b"\x30\x03abc",
            der[:2] + (size - 1).to_bytes(2, "big") + der[4:],
        ):
            with self.subTest(bad[:8]), self.assertRaises(ValueError):
                _pairing.public_key(bad)
            with self.assertRaises(_pairing.OtherKey):
                _pairing.check(bad, b"x" * 32)
        for i in range(len(der)):  # it ends for whatever is in there
            for value in (0, 0x30, 0x80, 0x84, 0xFF):
                with contextlib.suppress(ValueError):
                    _pairing.public_key(der[:i] + bytes((value,)) + der[i + 1 :])

    def test_lengths_are_as_short_as_they_can_be(self):
        """OpenSSL may read the rest of what is no DER in another way."""

        def element(tag, content, size=None):
            return bytes((tag,)) + (size if size is not None else bytes((len(content),))) + content

        key = element(0x30, b"key")

        def certificate(number=element(2, b"\1"), subject=element(0x30, b"")):
            fields = element(0xA0, element(2, b"\2")) + number + element(0x30, b"") * 3 + subject + key
            return element(0x30, element(0x30, fields))

        self.assertEqual(_pairing.public_key(certificate()), key)
        long = b"x" * 0x80
        self.assertRaises(ValueError, _pairing.public_key, certificate(element(2, b"\1", b"\x81\1")))
        self.assertRaises(ValueError, _pairing.public_key, certificate(element(2, b"\1", b"\x82\0\1")))
        self.assertRaises(ValueError, _pairing.public_key, certificate(subject=element(0x30, b"", b"\x80") + b"\0\0"))
        self.assertRaises(ValueError, _pairing.public_key, certificate(element(4, b"\1")))
        fields = element(2, b"\1") + element(0x30, b"") * 3 + element(0x30, long, b"\x81\x80") + key  # without a version
        inner = element(0x30, fields, b"\x81" + bytes((len(fields),)))
        self.assertEqual(_pairing.public_key(element(0x30, inner, b"\x81" + bytes((len(inner),)))), key)
        cut = element(0x30, element(0x30, element(2, b"\1") + element(0x30, b"") * 4) + key)
        self.assertRaises(ValueError, _pairing.public_key, cut)  # the key is not in what is signed
