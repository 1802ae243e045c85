import json
import os
import re
import time
import unittest

from tests.base import Case  # noqa: F401  puts the package on the path
from gasoline_sdk import _encode, _redact, _session

FIXTURES = os.path.join(os.path.dirname(__file__), "../../../schema/fixtures")


def fixture(name):
    with open(os.path.join(FIXTURES, name), encoding="utf-8") as file:
        return json.load(file)


class Redaction(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.fixture = fixture("redaction.json")

    def test_names_headers_and_masks_are_the_shared_ones(self):
        page = self.fixture["page"]
        for n in self.fixture["names"]:
            self.assertEqual(_redact.secret_name(n["name"]) != "", n["secret"], n)
        for name in page["names"]:
            self.assertTrue(_redact.secret_name(name), name)
        for name in page["plain_names"]:
            self.assertFalse(_redact.secret_name(name), name)
        for name in page["headers"]:
            self.assertTrue(_redact.secret_header(name.upper()), name)
        for name in [*page["public_headers"], "Accept", "Content-Type"]:
            self.assertFalse(_redact.secret_header(name), name)
        for m in self.fixture["masks"]:
            self.assertEqual(_redact.mask(m["kind"], m["value"], _redact._fnv(m["salt"])), m["pseudonym"])

    def test_the_shared_cases(self):
        """It never masks what the daemon leaves, and masks what shows by its form or stands in a query or a header."""
        found = missed = 0
        for case in self.fixture["cases"]:
            place, text, kinds = case["place"], case["input"], case["kinds"]
            if "next=%2F" in text:
                continue  # an address within a query is the daemon's
            if place == "form":
                got = _redact.query(text)
            elif place == "url":
                before, mark, query = text.partition("?")
                got = _redact.text(before) + mark + _redact.query(query)
            elif place.startswith("header:"):
                got = _redact.header(place[7:], text)
            else:
                got = _redact.text(text)
                self.assertEqual(_redact.text(got), got, text)
            by_form = all(k.endswith(("_token", "_key")) or k in ("jwt", "card") for k in kinds)
            if not kinds:
                self.assertEqual(got, text)
            elif got != text:
                found += 1
            else:
                self.assertTrue(place in ("text", "json") or text.startswith("<"), case)
                self.assertFalse(by_form, case)
                missed += 1
        self.assertGreaterEqual(found, 60, "%d are left to the daemon" % missed)

    def test_the_shared_texts_of_services(self):
        """What the SDKs of all languages make of the same texts."""
        cases = self.fixture["services"]["cases"]
        self.assertGreater(len(cases), 80)
        for case in cases:
            place, text = case["place"], case["input"]
            if place.startswith("attribute:"):
                got = json.loads(_encode.value(place[10:], text))["stringValue"]
            elif place == "query":
                got = _redact.query(text)
            elif place == "url":
                got = _redact.url(text)
            else:
                got = _redact.text(text)
                self.assertEqual(_redact.text(got), got, text)
            with self.subTest(place=place, input=text):
                self.assertEqual(re.sub(r"<[a-z_]+:[0-9a-f]{8}>", "<*>", got), case["want"])

    def test_texts_are_read_fast(self):
        start = time.monotonic()
        long = "GET /api/items?page=2 took 12 ms: ok, user 42, eyes, pat_x ghp " * (1 << 11)
        self.assertEqual(_redact.text(long), long)
        for hostile in ("eyJ", "a=", "-----BEGIN ", "://", "1 ", "a" * 63 + ":", '\\"', "x:'", "Bearer "):
            _redact.text(hostile * (1 << 13))
        self.assertLess(time.monotonic() - start, 4)


class Sessions(unittest.TestCase):
    def test_the_shared_sessions(self):
        """What the SDKs of all languages write and take as gasoline-session."""
        shared = fixture("session.json")
        self.assertGreater(len(shared["cases"]), 30)
        for made in shared["made"]:
            self.assertEqual(_session.sign(made["token"], made["now"] + 0.999), made["header"])
        for case in shared["cases"]:
            for now in (case["now"], case["now"] + 0.999):
                with self.subTest(case["name"], now=now):
                    self.assertIs(_session.signed(case["header"], case["token"], now), case["valid"])
